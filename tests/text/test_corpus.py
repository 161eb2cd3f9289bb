import gzip
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordrbm.errors import WordRBMError
from wordrbm.text import pieces as cutting
from wordrbm.text.corpus import pieces

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GIGAWORD = """<DOC id="NYT_ENG_19940701.0001" type="story" >
<HEADLINE>
Not read
</HEADLINE>
<DATELINE>
NOWHERE
</DATELINE>
<TEXT>
<P>
First AT&amp;T paragraph.
</P>
<P>
Second one.
</P>
</TEXT>
</DOC>
<DOC id="NYT_ENG_19940701.0002" type="advis" >
<TEXT>
Editors: skip
</TEXT>
</DOC>
<DOC id="x" type="story"><TEXT><P>All in</P></TEXT></DOC>
"""


def stories(path, field="text"):
    found, text = [], ""
    for piece in pieces(path, field):
        text += piece.text
        if piece.ends_story:
            found.append(text)
            text = ""
    assert not text, "the last piece of a file ends a story"
    return found


def words(path):
    return [story.split() for story in stories(path)]


def write(path, data, pack=""):
    packed = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}[pack](data)
    path = path.with_name(path.name + pack)
    path.write_bytes(packed)
    return path


@pytest.mark.parametrize("pack", ["", ".gz", ".zst"])
class TestFormats:
    def test_plain_text_is_one_story(self, tmp_path, pack):
        path = write(tmp_path / "a.txt", "\ufeffOne café.\r\n\r\nTwo.".encode(), pack)
        assert stories(path) == ["One café.\n\nTwo."]

    def test_a_json_line_is_one_story(self, tmp_path, pack):
        data = b'\xef\xbb\xbf{"text": "one"}\r\n\n{"text": "tw\\u00f6", "id": 2}\n{"text": ""}'
        assert stories(write(tmp_path / "a.jsonl", data, pack)) == ["one", "twö", ""]

    @pytest.mark.parametrize("name", ["nyt_eng_199407", "a.sgml", "b.SGM"])
    def test_a_gigaword_document_of_type_story_is_one_story(self, tmp_path, pack, name):
        path = write(tmp_path / name, GIGAWORD.encode(), pack)
        assert words(path) == [
            ["First", "AT&T", "paragraph.", "Second", "one."],
            ["All", "in"],
        ]
        assert "paragraph.\n\n" in stories(path)[0].replace("\n\n\n", "\n\n")

    def test_a_file_cut_short_is_refused(self, tmp_path, pack):
        if not pack:
            pytest.skip("a plain file cut short is a shorter file")
        data = "".join(f"{number} is a number.\n" for number in range(99_999)).encode()
        path = write(tmp_path / "a.txt", data, pack)
        path.write_bytes(path.read_bytes()[:-7])
        with pytest.raises(WordRBMError, match=r"a\.txt.* cut short near byte"):
            stories(path)
        path.write_bytes(b"")
        with pytest.raises(WordRBMError, match="0 bytes"):
            stories(path)

    def test_a_file_that_is_not_what_its_suffix_says_is_refused(self, tmp_path, pack):
        if not pack:
            pytest.skip("anything may be a plain file")
        path = tmp_path / f"a.txt{pack}"
        path.write_bytes(b"just text, not compressed at all")
        with pytest.raises(WordRBMError, match="broken"):
            stories(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"text": "a"}\n{"text": \n', "line 2 is not valid JSON at column"),
        (
            b'{"text": "a"}\n{"body": "b"}\n',
            r"line 2 has no field 'text' \(found: 'body'\); .*--field",
        ),
        (b'{"text": 7}\n', "line 1 has int in field 'text'"),
        (b'["text"]\n', "line 1 is not a JSON object"),
        (b'{"text": "\\ud800"}\n', "line 1 holds half of a surrogate pair"),
        (b'{"text": "a"}\n{"text": "a\\u0000b"}\n', "line 2 spells NUL, which .*-errors replace"),
        (b"[" * 100_000, "line 1 is not valid JSON"),
        (b'{"id": %s, "text": "a"}' % (b"7" * 6_000), "line 1 holds a number of more than 4,300"),
        (b'{"text": "a"}\n{"text": "\xff"}', "line 2: the byte at offset 24 is not UTF-8"),
    ],
)
def test_bad_json_lines_are_refused_by_line(tmp_path, data, message):
    with pytest.raises(WordRBMError, match=message):
        stories(write(tmp_path / "a.jsonl", data))


def test_a_nul_that_json_spells_is_replaced_and_counted_as_the_byte_is(tmp_path):
    data = b'{"text": "a\\u0000b\\u0000 \xef\xbf\xbd"}\n{"text": "c \xff", "id": "\\u0000"}\n'
    found = list(pieces(write(tmp_path / "a.jsonl", data), "text", "replace"))
    assert "".join(piece.text for piece in found) == "a\ufffdb\ufffd \ufffdc \ufffd"
    assert found[-1].replaced == 3


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "open no <DOC"),
        ('<DOC type="story">\n<TEXT>\n', "line 1 opens a <DOC> that the file never closes"),
        (
            '<DOC type="story">\n<DOC type="story">\n',
            "line 2 opens a <DOC> inside the one of line 1",
        ),
        ("</DOC>", "line 1 closes a <DOC> that was never opened"),
    ],
)
def test_bad_sgml_is_refused_by_line(tmp_path, data, message):
    with pytest.raises(WordRBMError, match=message):
        stories(write(tmp_path / "a.sgml", data.encode()))


@pytest.mark.parametrize("before", [0, 1, 65_535, 65_536, 200_001])
@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xe2\x82"])
def test_bytes_that_are_not_utf8_are_refused_by_offset(tmp_path, before, bad):
    data = (b"some words\n" * 20_000)[:before] + bad
    line = data.count(b"\n") + 1
    with pytest.raises(WordRBMError, match=f"line {line}: the byte at offset {before:,} is not"):
        stories(write(tmp_path / "a.txt", data))


def test_characters_cut_by_a_block_are_whole(tmp_path):
    text = "x" + "\U0001f600é€ \r\n" * 30_000
    assert stories(write(tmp_path / "a.txt", text.encode())) == [text.replace("\r\n", "\n")]


@pytest.mark.parametrize("separator", ["\n\n", "\n", " ", "\u3000", ""])
def test_a_long_text_comes_in_bounded_pieces_and_loses_nothing(tmp_path, separator):
    text = separator.join(["word" * 10] * 60_000)
    path = write(tmp_path / "a.txt", text.encode())
    found = [piece.text for piece in pieces(path, "text")]
    assert "".join(found) == text
    assert max(map(len, found)) <= cutting.LONGEST_STRETCH + (1 << 17)
    if separator:
        assert all(len(piece) < 1 << 18 for piece in found)
        assert all(piece.endswith(separator) for piece in found[:-3])


@given(st.lists(st.text("ab \n", max_size=9), max_size=9))
def test_cutting_loses_nothing(blocks):
    assert "".join(cutting.cut(blocks)) == "".join(blocks)
