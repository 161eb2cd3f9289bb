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
