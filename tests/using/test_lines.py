import pytest

from wordrbm.errors import WordRBMError
from wordrbm.using import lines
from wordrbm.using.lines import lines_from


def read(path):
    with lines_from(path) as found:
        return list(found)


def test_lines_are_numbered_and_rules_are_left_out(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("\ufeffthe cat\r\n\nsigned ______ here\nlast".encode())
    found = read(path)
    assert [line.number for line in found] == [1, 2, 3, 4]
    assert [line.text for line in found] == ["the cat", "", "signed   here", "last"]
    assert found[-1].position == path.stat().st_size


def test_bytes_that_are_no_text_are_told_by_line(tmp_path):
    (tmp_path / "text").write_bytes(b"good\nba\xff\n")
    with pytest.raises(WordRBMError, match="line 2: byte 3 of the line is not UTF-8"):
        read(tmp_path / "text")


def test_an_endless_line_is_refused_before_it_is_held(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST", 10)
    (tmp_path / "text").write_bytes(b"123456789\n12345678901")
    with pytest.raises(WordRBMError, match="line 2 has more than 10 bytes"):
        read(tmp_path / "text")


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"\xef\xbb\xbfab\xff\n", "line 1: byte 6 of the line is not UTF-8"),
        ("good\nthe cat".encode("utf-16-le"), "line 1: byte 2 of the line is NUL"),
        (b"good\nba\0d", "line 2: byte 3 of the line is NUL"),
    ],
)
def test_a_byte_is_counted_from_the_start_of_its_line(tmp_path, raw, told):
    (tmp_path / "text").write_bytes(raw)
    with pytest.raises(WordRBMError, match=told):
        read(tmp_path / "text")


def test_a_mark_is_dropped_only_where_the_text_begins(tmp_path):
    (tmp_path / "text").write_text("\ufeffa\n\ufeffb", encoding="utf-8")
    assert [line.text for line in read(tmp_path / "text")] == ["a", "\ufeffb"]


def test_what_cannot_be_opened_is_told_with_advice(tmp_path, monkeypatch):
    with pytest.raises(WordRBMError, match="No such file or directory; give a file of lines"):
        read(tmp_path / "absent")
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(WordRBMError, match="Standard input is closed"):
        read(None)
