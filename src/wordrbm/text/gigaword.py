"""Gigaword SGML: a <DOC> of type "story" is one document, the text inside its <TEXT>.

    <DOC id="NYT_ENG_19940701.0001" type="story" >
    <HEADLINE> ... </HEADLINE>
    <TEXT> <P> ... </P> <P> ... </P> </TEXT>
    </DOC>

Source: English Gigaword, LDC2003T05 and later; other types (multi, advis, other) are lists,
advisories to editors and tables. Headlines and datelines are no running text and are skipped.
"""

import html
import re
import sys
from collections.abc import Iterator
from typing import NoReturn, TypeAlias

from wordrbm.errors import WordRBMError
from wordrbm.text.reader import TextReader

_TAG = re.compile(r"<(?:DOC\s[^<>]*|/DOC\s*|/?TEXT\s*|/?P\s*)>", re.IGNORECASE)
_STORY = re.compile(r"""\btype\s*=\s*["']?story\b""", re.IGNORECASE)


StoryChunk: TypeAlias = tuple[str, bool]  # text, and whether the story ends with it


def story_texts(reader: TextReader, size: int) -> Iterator[StoryChunk]:
    """Yield the stories of a file, a chunk at every line or paragraph after `size` characters."""
    parser = _Parser(reader, size)
    for line in reader.lines():
        parser.line, start = line.number, 0
        for tag in _TAG.finditer(line.text):
            parser.add_text(line.text[start : tag.start()])
            yield from parser.handle_tag(tag.group())
            start = tag.end()
        parser.add_text(line.text[start:])
        yield from parser.add_break("\n")
    parser.finish()


class _Parser:
    """The state inside a document, and the text read since the last chunk."""

    def __init__(self, reader: TextReader, max_size: int) -> None:
        self.reader, self.max_size = reader, max_size
        self.line = 1
        self.opened_at = 0  # the line of the open <DOC>, 0 outside of one
        self.documents = 0
        self.is_story = self.in_text = False
        self.parts: list[str] = []
        self.size = 0

    def add_text(self, text: str) -> None:
        """Keep text inside the <TEXT> of a story, skip any other."""
        if self.is_story and self.in_text and text:
            self.parts.append(text)
            self.size += len(text)

    def add_break(self, mark: str) -> Iterator[StoryChunk]:
        """Add the end of a line or paragraph, where a long text may be split."""
        self.add_text(mark)
        if self.size >= self.max_size:
            yield self._take_text(), False

    def handle_tag(self, tag: str) -> Iterator[StoryChunk]:
        """Change the state by one tag; the end of a story yields its last chunk."""
        name = tag.strip("<> ").split()[0].upper()
        if name == "DOC":
            self._open_document(tag)
        elif name == "/DOC":
            yield from self._close_document()
        elif name in ("TEXT", "/TEXT"):
            self.in_text = name == "TEXT"
        else:
            yield from self.add_break("\n\n")  # <P> and </P>

    def finish(self) -> None:
        """Refuse a file that ends inside a document, or has none."""
        if self.opened_at:
            self._refuse(self.opened_at, "opens a <DOC> that the file never closes")
        if not self.documents:
            self._refuse(1, "and all that follow open no <DOC id=... type=...>")

    def _open_document(self, tag: str) -> None:
        if self.opened_at:
            self._refuse(self.line, f"opens a <DOC> inside the one of line {self.opened_at}")
        self.opened_at, self.is_story = self.line, bool(_STORY.search(tag))
        self.documents += 1

    def _close_document(self) -> Iterator[StoryChunk]:
        if self.opened_at == 0:
            self._refuse(self.line, "closes a <DOC> that was never opened")
        if self.is_story:
            yield self._take_text(), True
        self.opened_at, self.is_story, self.in_text = 0, False, False

    def _take_text(self) -> str:
        text, self.parts, self.size = "".join(self.parts), [], 0
        try:
            return html.unescape(text)
        except ValueError:  # Python reads no longer integer
            digits = sys.get_int_max_str_digits()
            self._refuse(
                self.line, f"ends a text with a character number of over {digits:,} digits"
            )

    def _refuse(self, line: int, fault: str) -> NoReturn:
        raise WordRBMError(f"{self.reader.path}, line {line} {fault}; mend or replace the file.")
