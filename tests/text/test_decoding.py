import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wordrbm.text.decoding import other_encoding, replacing, strict

PARTS = [
    b"a",
    b"\n",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xf0\x9f",
    b"\xed\xa0\x80",
    "é€😀�".encode(),
]
messy = st.lists(st.sampled_from(PARTS) | st.binary(max_size=3), max_size=12).map(b"".join)


def in_blocks(decode, data, sizes):
    """Decode block after block, what is held back put before the next; text, replaced, fault."""
    text, replaced, held, at = "", 0, b"", 0
    for size in [*sizes, len(data)]:
        block = held + data[at : at + size]
        decoded = decode(block, False)
        text, replaced, held = text + decoded.text, replaced + decoded.replaced, block
        held, at = block[decoded.consumed :], at + size
        if decoded.fault:
            return text, replaced, decoded.fault
    decoded = decode(held, True)
    return text + decoded.text, replaced + decoded.replaced, decoded.fault


@given(messy, st.lists(st.integers(0, 3)))
@example("�".encode() + b"\xef\xbf", [1, 1])
def test_replacing_is_pythons_own_and_counts_what_it_put_in(data, sizes):
    text, replaced, fault = in_blocks(replacing, data, sizes)
    assert fault == ""
    assert text == data.decode("utf-8", "replace").replace("\0", "\ufffd")
    written = data.decode("utf-8", "ignore").count("\ufffd")
    assert replaced == text.count("\ufffd") - written


@given(messy, st.lists(st.integers(0, 3)))
def test_strict_gives_the_text_before_the_first_fault(data, sizes):
    text, replaced, fault = in_blocks(strict, data, sizes)
    try:
        whole, bad = data.decode(), len(data)
    except UnicodeDecodeError as error:
        whole, bad = "", error.start
    nul = data.find(b"\0", 0, bad)
    assert replaced == 0
    if nul >= 0:
        assert (text, fault[:6]) == (data[:nul].decode(), "is NUL")
    elif bad < len(data):
        assert (text, fault[:12]) == (data[:bad].decode(), "is not UTF-8")
    else:
        assert (text, fault) == (whole, "")


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-32"])
@pytest.mark.parametrize("order", ["LE", "BE"])
def test_a_byte_order_mark_names_its_encoding(encoding, order):
    assert other_encoding("\ufeffab".encode(f"{encoding}-{order}")) == encoding
    assert other_encoding("\ufeffab".encode()) == ""
