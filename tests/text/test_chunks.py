import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.reading import chunk_texts, write
from wordrbm.text.chunks import MAX_UNSPLIT, split_blocks


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
