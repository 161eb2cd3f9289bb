from wordrbm.text.substitutions import apply_all, substitution


def test_a_chain_is_applied_in_its_order():
    chain = [substitution("a", "a", "b"), substitution("b", "b+", "c")]
    assert apply_all(chain, "aab d") == "c d"
    assert apply_all(chain[::-1], "aab d") == "bbc d"


def test_a_pattern_is_tried_only_where_one_of_its_signs_is():
    rule = substitution(["xx", "y"], r"\w", "!")
    found = [apply_all([rule], text) for text in ("x", "xx", "y", "xyxx", "")]
    assert found == ["x", "!!", "!", "!!!!", ""]


def test_a_pattern_may_be_without_regard_to_case():
    assert apply_all([substitution("aA", "A", "b", ignore_case=True)], "aA") == "bb"
