import gzip
import json
import re
import sys

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.text.reading import chunk_texts, read_documents
from wordrbm.errors import WordRBMError
from wordrbm.text import reader
from wordrbm.text.reader import (
    decode_replacing,
    decode_strict,
    open_lines,
    open_text,
    other_encoding,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NAMES = ["a.txt", "a.jsonl", "a.sgml", "a"]
PACKS = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}
FRAGMENTS = [
    b"\0", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\n", b"\r\n", b" ", b"word",
    b'{"text": "a"}\n', b'{"text": ', b"<DOC type=story>", b"<TEXT>", b"</DOC>", b"<P>", b"&amp;",
]  # fmt: skip
messy = st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=3), max_size=12).map(b"".join)
names, packs = st.sampled_from(NAMES), st.sampled_from(list(PACKS))
in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(path, data, encoding_errors="strict"):
    """The documents and the number of replaced characters, or the error message."""
    path.write_bytes(data)
    try:
        return read_documents(path, "text", encoding_errors)
    except WordRBMError as refused:
        return str(refused)


def lines(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


@in_one_folder
@given(messy, names, packs, st.booleans(), st.sampled_from(["strict", "replace"]))
def test_any_bytes_are_text_or_one_sentence(tmp_path, data, name, pack, valid, errors):
    answer = read(tmp_path / f"{name}{pack}", PACKS[pack](data) if valid else data, errors)
    if isinstance(answer, str):
        assert answer.startswith(str(tmp_path))
        assert answer.endswith(".")
        assert "\n" not in answer


@in_one_folder
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), packs)
def test_valid_text_is_what_python_decodes(tmp_path, text, pack):
    data = text.encode()
    expected = lines(data.decode("utf-8-sig"))
    assert read(tmp_path / f"a.txt{pack}", PACKS[pack](data)) == ([expected, ""], 0)


@in_one_folder
@given(messy.filter(lambda data: b"<DOC" not in data), packs)
def test_replacing_never_refuses_plain_text(tmp_path, data, pack):
    text = data.decode("utf-8", "replace").replace("\0", "\ufffd")
    inserted = text.count("\ufffd") - data.decode("utf-8", "ignore").count("\ufffd")
    expected = ([lines(text.removeprefix("\ufeff")), ""], inserted)
    assert read(tmp_path / f"a.txt{pack}", PACKS[pack](data), "replace") == expected


@in_one_folder
@given(messy, names, packs, st.integers(1, 9), st.sampled_from(["strict", "replace"]))
def test_block_boundaries_change_nothing(tmp_path, data, name, pack, size, errors):
    path, packed = tmp_path / f"{name}{pack}", PACKS[pack](data)
    expected = read(path, packed, errors)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "BLOCK", size)
        patch.setattr(reader, "HEAD_BYTES", 64)
        assert read(path, packed, errors) == expected


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_line_end_and_a_byte_order_mark_are_read(tmp_path, pack, end, mark):
    record = json.dumps({"text": "one two"})
    document = end.join(['<DOC type="story">', "<TEXT>", "one", "two", "</TEXT>", "</DOC>"])
    for name, text in [
        ("a.txt", f"one{end}two"),
        ("a.jsonl", end.join([record, record])),
        ("a", document + end + document),
    ]:
        packed = PACKS[pack](f"{mark}{text}".encode())
        texts, _ = read(tmp_path / f"{name}{pack}", packed)
        words = [text.split() for text in texts]
        assert words == [["one", "two"]] * (len(words) - 1) + [[]]


def test_byte_order_marks_of_joined_files_are_no_fault(tmp_path):
    texts, _ = read(tmp_path / "a.jsonl", '\ufeff{"text": "a"}\n\ufeff{"text": "b"}\n'.encode())
    assert texts == ["a", "b", ""]
    assert read(tmp_path / "a.txt", "\ufeffa\ufeffb".encode()) == (["a\ufeffb", ""], 0)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"one\r\ntwo\rthree \0", "line 3: the byte at offset 15 is NUL, which text never has"),
        (b"one\n\xff \0", r"line 2: the byte at offset 4 is not UTF-8 \(invalid start byte\)"),
        (b"one\r\xff", "line 2: the byte at offset 4 is not UTF-8"),
        (b"\xef\xbb\xbf\0", "line 1: the byte at offset 3 is NUL"),
        ("\ufeffone".encode("utf-16-le"), "line 1: .* offset 0 begins a byte order mark of UTF-16"),
        ("\ufeffone".encode("utf-16-be"), "offset 0 .*; convert .* iconv -f UTF-16 -t UTF-8"),
        ("\ufeffone".encode("utf-32-le"), "offset 0 begins a byte order mark of UTF-32"),
        ("\ufeffone".encode("utf-32-be"), "offset 0 begins a byte order mark of UTF-32"),
        ("one".encode("utf-16-le"), "line 1: the byte at offset 1 is NUL, .*it may be UTF-16"),
    ],
)
def test_bytes_that_are_no_text_are_refused_by_offset(tmp_path, data, message):
    (tmp_path / "a").write_bytes(data)
    with open_text(tmp_path / "a") as text, pytest.raises(WordRBMError) as refused:
        list(text.blocks())
    assert re.search(message, str(refused.value))


def test_a_replacement_after_the_last_document_is_counted(tmp_path):
    data = b"<DOC type=story><TEXT>one\xff</TEXT></DOC>\n" + b" " * 100_000 + b"\xff\n"
    assert read(tmp_path / "a.sgml", data, "replace") == (["one\ufffd", ""], 2)


@pytest.mark.parametrize("name", ["a.jsonl", "a.sgml"])
def test_a_line_too_long_to_be_held_is_refused_by_number(tmp_path, monkeypatch, name):
    monkeypatch.setattr(reader, "MAX_LINE_CHARACTERS", 200_000)
    head = {"a.jsonl": b'{"text": "a"}\n', "a.sgml": b"<DOC type=story>\n"}[name]
    (tmp_path / name).write_bytes(head + b"long " * 100_000)
    with pytest.raises(
        WordRBMError,
        match=r"line 2, read up to byte 2\d\d,\d\d\d, has more than 200,000 characters",
    ):
        chunk_texts(tmp_path / name)


@pytest.mark.parametrize("name", ["a.jsonl", "a.sgml"])
def test_a_long_document_on_one_line_comes_in_chunks(tmp_path, name):
    text = "word " * 500_000
    head, tail = {
        "a.jsonl": ('{"text": "', '"}'),
        "a.sgml": ("<DOC type=story><TEXT>", "</TEXT></DOC>"),
    }[name]
    (tmp_path / name).write_text(f"{head}{text}{tail}")
    texts = chunk_texts(tmp_path / name)
    assert "".join(texts) == text
    assert max(map(len, texts)) < 1 << 18


BROKEN = [
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
broken = st.lists(st.sampled_from(BROKEN) | st.binary(max_size=3), max_size=12).map(b"".join)


def in_blocks(decode, data, sizes):
    """Decode block after block, the bytes held back before the next; text, replaced, fault."""
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


@given(broken, st.lists(st.integers(0, 3)))
@example("�".encode() + b"\xef\xbf", [1, 1])
def test_replacing_is_pythons_own_and_counts_what_it_put_in(data, sizes):
    text, replaced, fault = in_blocks(decode_replacing, data, sizes)
    assert fault == ""
    assert text == data.decode("utf-8", "replace").replace("\0", "\ufffd")
    written = data.decode("utf-8", "ignore").count("\ufffd")
    assert replaced == text.count("\ufffd") - written


@given(broken, st.lists(st.integers(0, 3)))
def test_strict_gives_the_text_before_the_first_fault(data, sizes):
    text, replaced, fault = in_blocks(decode_strict, data, sizes)
    try:
        complete, bad = data.decode(), len(data)
    except UnicodeDecodeError as error:
        complete, bad = "", error.start
    nul = data.find(b"\0", 0, bad)
    assert replaced == 0
    if nul >= 0:
        assert (text, fault[:6]) == (data[:nul].decode(), "is NUL")
    elif bad < len(data):
        assert (text, fault[:12]) == (data[:bad].decode(), "is not UTF-8")
    else:
        assert (text, fault) == (complete, "")


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-32"])
@pytest.mark.parametrize("order", ["LE", "BE"])
def test_a_byte_order_mark_names_its_encoding(encoding, order):
    assert other_encoding("\ufeffab".encode(f"{encoding}-{order}")) == encoding
    assert other_encoding("\ufeffab".encode()) == ""


def read_lines(path):
    with open_lines(path) as lines:
        return list(lines)


def test_lines_are_numbered_and_underscores_are_removed(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("\ufeffthe cat\r\n\nsigned ______ here\nlast".encode())
    lines = read_lines(path)
    assert [line.number for line in lines] == [1, 2, 3, 4]
    assert [line.text for line in lines] == ["the cat", "", "signed   here", "last"]
    assert lines[-1].position == path.stat().st_size


def test_bytes_that_are_no_text_are_refused_by_line(tmp_path):
    (tmp_path / "text").write_bytes(b"good\nba\xff\n")
    with pytest.raises(WordRBMError, match="line 2: byte 3 of the line is not UTF-8"):
        read_lines(tmp_path / "text")


def test_an_endless_line_is_refused_before_it_is_held(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "MAX_LINE_BYTES", 10)
    (tmp_path / "text").write_bytes(b"123456789\n12345678901")
    with pytest.raises(WordRBMError, match="line 2 has more than 10 bytes"):
        read_lines(tmp_path / "text")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\xef\xbb\xbfab\xff\n", "line 1: byte 6 of the line is not UTF-8"),
        ("good\nthe cat".encode("utf-16-le"), "line 1: byte 2 of the line is NUL"),
        (b"good\nba\0d", "line 2: byte 3 of the line is NUL"),
    ],
)
def test_a_byte_is_counted_from_the_start_of_its_line(tmp_path, raw, message):
    (tmp_path / "text").write_bytes(raw)
    with pytest.raises(WordRBMError, match=message):
        read_lines(tmp_path / "text")


def test_a_mark_is_dropped_only_where_the_text_begins(tmp_path):
    (tmp_path / "text").write_text("\ufeffa\n\ufeffb", encoding="utf-8")
    assert [line.text for line in read_lines(tmp_path / "text")] == ["a", "\ufeffb"]


def test_lines_that_cannot_be_opened_are_refused_with_advice(tmp_path, monkeypatch):
    with pytest.raises(WordRBMError, match="No such file or directory; give a file of lines"):
        read_lines(tmp_path / "absent")
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(WordRBMError, match="Standard input is closed"):
        read_lines(None)
