import pytest

from tests.text.reading import documents, write
from wordrbm.errors import WordRBMError

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


@pytest.mark.parametrize("pack", ["", ".gz", ".zst"])
@pytest.mark.parametrize("name", ["nyt_eng_199407", "a.sgml", "b.SGM"])
def test_a_gigaword_document_of_type_story_is_read(tmp_path, pack, name):
    path = write(tmp_path / name, GIGAWORD.encode(), pack)
    assert [text.split() for text in documents(path)] == [
        ["First", "AT&T", "paragraph.", "Second", "one."],
        ["All", "in"],
    ]
    assert "paragraph.\n\n" in documents(path)[0].replace("\n\n\n", "\n\n")


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
        documents(write(tmp_path / "a.sgml", data.encode()))
