import pytest

from wordrbm.estimators.documents import tokens_of
from wordrbm.text.tokenizer import tokenize


@pytest.mark.parametrize(
    "document",
    ["He gave it 10.<br />nice", "Corp.<br />its", 'so.<br>"Yes," he said', "a<BR  />b<br\n/>c"],
)
def test_a_document_has_the_tokens_of_the_training_text(document):
    (tokens,) = tokens_of([document])
    assert tokens == tokenize(document)
    assert "br" not in tokens
