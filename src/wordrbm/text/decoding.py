"""Bytes become text, block after block, whatever the blocks: UTF-8 and no NUL.

Two ways with bytes that are no text. `strict` stops at the first of them and says what it is.
`replacing` puts U+FFFD in the place of each, as Python's decoder does (one for every maximal
part of a broken character: Unicode 15.0, section 3.9, "U+FFFD Substitution of Maximal
Subparts") and for each NUL, and counts them. Both hold back a character that the block cuts.
"""

import codecs
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from wordrbm.text.settings import REPLACE, STRICT

REPLACEMENT = "\ufffd"
BYTE_ORDER_MARKS = {  # the longer ones first: UTF-32 begins as UTF-16 does
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class Decoded(NamedTuple):
    """The text of a block, how many bytes it was, and the fault of the next byte, if any."""

    text: str
    consumed: int
    replaced: int
    fault: str


Decoder: TypeAlias = Callable[[bytes, bool], Decoded]


def strict(data: bytes, final: bool) -> Decoded:
    """Decode up to the first byte that is no text; `final` says that no byte follows."""
    try:
        text, consumed = codecs.utf_8_decode(data, "strict", final)
        fault = ""
    except UnicodeDecodeError as error:
        text, consumed = data[: error.start].decode("utf-8"), error.start
        fault = f"is not UTF-8 ({error.reason})"
    nul = data.find(b"\0", 0, consumed)
    if nul >= 0:
        fault = "is NUL, which text never has (it may be UTF-16, or no text at all)"
        return Decoded(data[:nul].decode("utf-8"), nul, 0, fault)
    return Decoded(text, consumed, 0, fault)


def replacing(data: bytes, final: bool) -> Decoded:
    """Decode everything, U+FFFD in the place of what is no text."""
    text, consumed = codecs.utf_8_decode(data, "replace", final)
    # A replacement character that was written as such is not one of ours.
    written = data.count(REPLACEMENT.encode(), 0, consumed)
    text = text.replace("\0", REPLACEMENT)
    return Decoded(text, consumed, text.count(REPLACEMENT) - written, "")


def other_encoding(opening: bytes) -> str:
    """The encoding that the first bytes of a file name, if it is not UTF-8."""
    found = (name for mark, name in BYTE_ORDER_MARKS.items() if opening.startswith(mark))
    return next(found, "")


DECODERS: dict[str, Decoder] = {STRICT: strict, REPLACE: replacing}
