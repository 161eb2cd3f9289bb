import gzip
import json
import re
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordrbm.errors import WordRBMError
from wordrbm.text import source
from wordrbm.text.corpus import pieces

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NAMES = ["a.txt", "a.jsonl", "a.sgml", "a"]
PACKS = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}
PARTS = [
    b"\0", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\n", b"\r\n", b" ", b"word",
    b'{"text": "a"}\n', b'{"text": ', b"<DOC type=story>", b"<TEXT>", b"</DOC>", b"<P>", b"&amp;",
]  # fmt: skip
messy = st.lists(st.sampled_from(PARTS) | st.binary(max_size=3), max_size=12).map(b"".join)
names, packs = st.sampled_from(NAMES), st.sampled_from(list(PACKS))
in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(path, data, encoding_errors="strict"):
    """The stories and the count of replaced characters, or the sentence."""
    path.write_bytes(data)
    stories, replaced = [""], 0
    try:
        for piece in pieces(path, "text", encoding_errors):
            stories[-1] += piece.text
            stories += [""] if piece.ends_story else []
            replaced = piece.replaced
    except WordRBMError as refused:
        return str(refused)
    return stories, replaced


def lines(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


@in_one_folder
@given(messy, names, packs, st.booleans(), st.sampled_from(["strict", "replace"]))
def test_any_bytes_are_text_or_one_sentence(tmp_path, data, name, pack, whole, errors):
    answer = read(tmp_path / f"{name}{pack}", PACKS[pack](data) if whole else data, errors)
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
def test_how_a_file_is_cut_into_blocks_changes_nothing(tmp_path, data, name, pack, size, errors):
    path, packed = tmp_path / f"{name}{pack}", PACKS[pack](data)
    whole = read(path, packed, errors)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", size)
        patch.setattr(source, "OPENING_BYTES", 64)
        assert read(path, packed, errors) == whole


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_line_end_and_a_byte_order_mark_are_read(tmp_path, pack, end, mark):
    story = json.dumps({"text": "one two"})
    document = end.join(['<DOC type="story">', "<TEXT>", "one", "two", "</TEXT>", "</DOC>"])
    for name, text in [
        ("a.txt", f"one{end}two"),
        ("a.jsonl", end.join([story, story])),
        ("a", document + end + document),
    ]:
        packed = PACKS[pack](f"{mark}{text}".encode())
        stories, _ = read(tmp_path / f"{name}{pack}", packed)
        words = [story.split() for story in stories]
        assert words == [["one", "two"]] * (len(words) - 1) + [[]]


def test_byte_order_marks_of_joined_files_are_no_fault(tmp_path):
    stories, _ = read(tmp_path / "a.jsonl", '\ufeff{"text": "a"}\n\ufeff{"text": "b"}\n'.encode())
    assert stories == ["a", "b", ""]
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
def test_what_is_no_utf8_is_refused_by_its_place(tmp_path, data, message):
    (tmp_path / "a").write_bytes(data)
    opening, refusing = source.opened(tmp_path / "a", "strict"), pytest.raises(WordRBMError)
    with opening as opened, refusing as refused:
        list(opened.blocks())
    assert re.search(message, str(refused.value))


def test_what_is_replaced_after_the_last_story_is_counted(tmp_path):
    data = b"<DOC type=story><TEXT>one\xff</TEXT></DOC>\n" + b" " * 100_000 + b"\xff\n"
    assert read(tmp_path / "a.sgml", data, "replace") == (["one\ufffd", ""], 2)


@pytest.mark.parametrize("name", ["a.jsonl", "a.sgml"])
def test_a_line_too_long_to_be_held_is_refused_by_number(tmp_path, monkeypatch, name):
    monkeypatch.setattr(source, "LONGEST_LINE", 200_000)
    head = {"a.jsonl": b'{"text": "a"}\n', "a.sgml": b"<DOC type=story>\n"}[name]
    (tmp_path / name).write_bytes(head + b"long " * 100_000)
    with pytest.raises(
        WordRBMError,
        match=r"line 2, read up to byte 2\d\d,\d\d\d, has more than 200,000 characters",
    ):
        list(pieces(tmp_path / name, "text"))


@pytest.mark.parametrize("name", ["a.jsonl", "a.sgml"])
def test_a_long_story_on_one_line_comes_in_pieces(tmp_path, name):
    text = "word " * 500_000
    head, tail = {
        "a.jsonl": ('{"text": "', '"}'),
        "a.sgml": ("<DOC type=story><TEXT>", "</TEXT></DOC>"),
    }[name]
    (tmp_path / name).write_text(f"{head}{text}{tail}")
    found = [piece.text for piece in pieces(tmp_path / name, "text")]
    assert "".join(found) == text
    assert max(map(len, found)) < 1 << 18
