"""Gigaword SGML: a <DOC> of type "story" is one story, the text inside its <TEXT>.

    <DOC id="NYT_ENG_19940701.0001" type="story" >
    <HEADLINE> ... </HEADLINE>
    <TEXT> <P> ... </P> <P> ... </P> </TEXT>
    </DOC>

Source: English Gigaword, LDC2003T05 and later; other types (multi, advis, other) are lists,
advisories to editors and tables. Headlines and datelines are no running text and are left out.
"""

import html
import re
import sys
from collections.abc import Iterator
from typing import NoReturn

from wordrbm.errors import WordRBMError
from wordrbm.text.pieces import PIECE, Piece, divided, story, unfinished
from wordrbm.text.source import Source

OPENING = re.compile(rb"\s*<DOC\s", re.IGNORECASE)
_TAG = re.compile(r"<(?:DOC\s[^<>]*|/DOC\s*|/?TEXT\s*|/?P\s*)>", re.IGNORECASE)
_STORY = re.compile(r"""\btype\s*=\s*["']?story\b""", re.IGNORECASE)


def sgml_pieces(source: Source) -> Iterator[Piece]:
    """The stories of a file, a piece whenever enough text has gathered."""
    reader = _Reader(source)
    for line in source.lines():
        reader.line, at = line.number, 0
        for tag in _TAG.finditer(line.text):
            reader.words(line.text[at : tag.start()])
            yield from reader.tag(tag.group())
            at = tag.end()
        reader.words(line.text[at:])
        yield from reader.break_at("\n")
    reader.finish()


class _Reader:
    """Where in a document the reading stands, and the text gathered since the last piece."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.line = 1
        self.opened_at = 0  # the line of the open <DOC>, 0 outside of one
        self.documents = 0
        self.is_story = self.in_text = False
        self.gathered: list[str] = []
        self.size = 0

    def words(self, text: str) -> None:
        """Keep what stands inside the <TEXT> of a story."""
        if self.is_story and self.in_text and text:
            self.gathered.append(text)
            self.size += len(text)

    def break_at(self, mark: str) -> Iterator[Piece]:
        """A line end or a paragraph's end, where a long text may be cut."""
        self.words(mark)
        if self.size >= PIECE:
            yield from unfinished(self.source, self._texts())

    def tag(self, tag: str) -> Iterator[Piece]:
        """Move on by one tag; the end of a story yields its last piece."""
        name = tag.strip("<> ").split()[0].upper()
        if name == "DOC":
            self._open(tag)
        elif name == "/DOC":
            if self.opened_at == 0:
                self._refuse(self.line, "closes a <DOC> that was never opened")
            if self.is_story:
                yield from story(self.source, self._texts())
            self.opened_at, self.is_story, self.in_text = 0, False, False
        elif name in ("TEXT", "/TEXT"):
            self.in_text = name == "TEXT"
        else:
            yield from self.break_at("\n\n")  # <P> and </P>

    def finish(self) -> None:
        """Refuse a file that ends inside a document, or holds none."""
        if self.opened_at:
            self._refuse(self.opened_at, "opens a <DOC> that the file never closes")
        if not self.documents:
            self._refuse(1, "and all that follow open no <DOC id=... type=...>")

    def _open(self, tag: str) -> None:
        if self.opened_at:
            self._refuse(self.line, f"opens a <DOC> inside the one of line {self.opened_at}")
        self.opened_at, self.is_story = self.line, bool(_STORY.search(tag))
        self.documents += 1

    def _texts(self) -> list[str]:
        texts = divided(self._unescaped())
        self.gathered, self.size = [], 0
        return texts

    def _unescaped(self) -> str:
        try:
            return html.unescape("".join(self.gathered))
        except ValueError:  # Python reads no longer integer
            digits = sys.get_int_max_str_digits()
            self._refuse(
                self.line, f"ends a text with a character number of over {digits:,} digits"
            )

    def _refuse(self, line: int, fault: str) -> NoReturn:
        raise WordRBMError(f"{self.source.path}, line {line} {fault}; mend or replace the file.")
