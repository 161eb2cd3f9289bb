import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.reading import chunk_texts, documents, read_documents, write
from wordrbm.errors import WordRBMError
from wordrbm.text.formats import MAX_UNSPLIT, split_blocks


@pytest.mark.parametrize("pack", ["", ".gz", ".zst"])
class TestFormats:
    def test_plain_text_is_one_document(self, tmp_path, pack):
        path = write(tmp_path / "a.txt", "\ufeffOne café.\r\n\r\nTwo.".encode(), pack)
        assert documents(path) == ["One café.\n\nTwo."]

    def test_a_json_line_is_one_document(self, tmp_path, pack):
        data = b'\xef\xbb\xbf{"text": "one"}\r\n\n{"text": "tw\\u00f6", "id": 2}\n{"text": ""}'
        assert documents(write(tmp_path / "a.jsonl", data, pack)) == ["one", "twö", ""]

    def test_a_file_cut_short_is_refused(self, tmp_path, pack):
        if not pack:
            pytest.skip("a plain file cut short is a shorter file")
        data = "".join(f"{number} is a number.\n" for number in range(99_999)).encode()
        path = write(tmp_path / "a.txt", data, pack)
        path.write_bytes(path.read_bytes()[:-7])
        with pytest.raises(WordRBMError, match=r"a\.txt.* cut short near byte"):
            documents(path)
        path.write_bytes(b"")
        with pytest.raises(WordRBMError, match="0 bytes"):
            documents(path)

    def test_a_file_that_is_not_what_its_suffix_says_is_refused(self, tmp_path, pack):
        if not pack:
            pytest.skip("anything may be a plain file")
        path = tmp_path / f"a.txt{pack}"
        path.write_bytes(b"just text, not compressed at all")
        with pytest.raises(WordRBMError, match="broken"):
            documents(path)


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
        documents(write(tmp_path / "a.jsonl", data))


def test_a_nul_that_json_spells_is_replaced_and_counted_as_the_byte_is(tmp_path):
    data = b'{"text": "a\\u0000b\\u0000 \xef\xbf\xbd"}\n{"text": "c \xff", "id": "\\u0000"}\n'
    texts, replaced = read_documents(write(tmp_path / "a.jsonl", data), "text", "replace")
    assert texts == ["a\ufffdb\ufffd \ufffd", "c \ufffd", ""]
    assert replaced == 3


@pytest.mark.parametrize("before", [0, 1, 65_535, 65_536, 200_001])
@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xe2\x82"])
def test_bytes_that_are_not_utf8_are_refused_by_offset(tmp_path, before, bad):
    data = (b"some words\n" * 20_000)[:before] + bad
    line = data.count(b"\n") + 1
    with pytest.raises(WordRBMError, match=f"line {line}: the byte at offset {before:,} is not"):
        documents(write(tmp_path / "a.txt", data))


def test_characters_split_by_a_block_are_complete(tmp_path):
    text = "x" + "\U0001f600é€ \r\n" * 30_000
    assert documents(write(tmp_path / "a.txt", text.encode())) == [text.replace("\r\n", "\n")]


@pytest.mark.parametrize("separator", ["\n\n", "\n", " ", "\u3000", ""])
def test_a_long_text_comes_in_bounded_chunks_and_loses_nothing(tmp_path, separator):
    text = separator.join(["word" * 10] * 60_000)
    path = write(tmp_path / "a.txt", text.encode())
    texts = chunk_texts(path)
    assert "".join(texts) == text
    assert max(map(len, texts)) <= MAX_UNSPLIT + (1 << 17)
    if separator:
        assert all(len(part) < 1 << 18 for part in texts)
        assert all(part.endswith(separator) for part in texts[:-3])


@given(st.lists(st.text("ab \n", max_size=9), max_size=9))
def test_splitting_loses_nothing(blocks):
    assert "".join(split_blocks(blocks)) == "".join(blocks)
