import numpy as np
import pytest
from runs import word_similarity
from runs.word_similarity import Pair, agreement, halves, read_pairs

from wordrbm.io import Vectors

ANGLES = {"a": 0.0, "b": 0.1, "c": 0.5, "d": 1.2}


@pytest.fixture
def vectors():
    """Words on a circle: the cosine of two falls with the difference of their angles."""
    matrix = [[np.cos(angle), np.sin(angle)] for angle in (3.0, *ANGLES.values())]
    return Vectors(("<unk>", *ANGLES), np.array(matrix, np.float32))


def test_agreement_is_the_correlation_of_ranks(vectors):
    # Cosines rank ab > bc > ac > ad. Scores: swap of the middle two, with d^2 = 1 + 1,
    # so Spearman is 1 - 6 * 2 / (4 * 15) = 0.8.
    pairs = [Pair("a", "b", 9.0), Pair("a", "c", 7.0), Pair("b", "c", 6.0), Pair("a", "d", 1.0)]
    found = agreement(vectors, [*pairs, Pair("a", "zebra", 10.0)])
    assert found.spearman == pytest.approx(80.0)
    assert found.coverage == pytest.approx(0.8)


def test_halves_share_no_pair_and_leave_none_out():
    pairs = [Pair("a", "b", float(k)) for k in range(7)]
    one, other = halves(pairs)
    assert sorted([*one, *other]) == sorted(pairs)
    assert {len(one), len(other)} == {3, 4}


def test_the_table_of_a_file_of_vectors(tmp_path, vectors, monkeypatch, capsys):
    from wordrbm.io.word2vec import write_word2vec

    (tmp_path / "pairs.txt").write_text("A\tb\t9\nb\tC\t5.5\na\td\t1\nb\td\t2\nc\td\t3\na\tc\t5\n")
    assert read_pairs(tmp_path / "pairs.txt")[1] == ("b", "c", 5.5)
    write_word2vec(vectors, tmp_path / "v.vec", "word2vec")
    given = ["x", "--pairs", str(tmp_path), "--beside", str(tmp_path / "v.vec")]
    monkeypatch.setattr("sys.argv", given)
    word_similarity.main()
    row = capsys.readouterr().out.splitlines()[-1]
    assert row.startswith("v.vec")
    assert "100.0 100.0 100.0 100.0 %" in row


def test_analogies_leave_out_the_words_of_the_question(tmp_path):
    # man:woman :: king:queen holds exactly; king itself is nearer to woman - man + king than "far".
    rows = {"man": [1, 0, 0], "woman": [0, 1, 0], "king": [1, 0, 1], "queen": [0, 1, 1]}
    words = ("<unk>", *rows, "far")
    matrix = np.array([[-1, -1, -1], *rows.values(), [-1, 0, 0]], np.float32)
    (tmp_path / "q.txt").write_text(": family\nMan woman king queen\nman woman king x\n")
    questions = word_similarity.read_analogies(tmp_path / "q.txt")
    assert questions == [("man", "woman", "king", "queen"), ("man", "woman", "king", "x")]
    assert word_similarity.analogy_accuracy(Vectors(words, matrix), questions) == 100.0
    assert word_similarity.analogy_accuracy(
        Vectors(words, matrix), [("man", "woman", "king", "far")]
    ) == pytest.approx(0.0)
