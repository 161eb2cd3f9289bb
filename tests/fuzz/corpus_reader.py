"""Hostile text files: seeds of every format, damaged, read as `wordrbm prepare` reads them.

Whatever the bytes, the answer is text or one sentence; and nothing is left beside the file.
"""

import gzip
import json
import os
import random
import re
import sys
from collections import Counter
from pathlib import Path

from wordrbm.errors import WordRBMError
from wordrbm.text.formats import iter_documents
from wordrbm.text.reader import ENCODING_ERRORS
from wordrbm.text.tokenizer import tokenize

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STORY = "Mr. Smith's U.S. firm paid $1,999 (café)."
SGML = f'<DOC id="A" type="story">\n<TEXT>\n<P>\n{STORY} &amp;\n</P>\n</TEXT>\n</DOC>\n'
SEEDS = {
    "a.txt": f"{STORY}\r\n\r\n“So what?”\n".encode(),
    "a.jsonl": (json.dumps({"id": 1, "text": STORY}) + "\n").encode() * 2,
    "a.sgml": SGML.encode(),
}
PACKS = {"": bytes, ".gz": lambda data: gzip.compress(data, 1), ".zst": zstd.compress}
BYTES = [
    b"\0", b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\xaf",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"\r", b"\r\n",
    b"\x85", b"\x1a", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18",
]  # fmt: skip
TEXTS = [
    "\ufffd\u2028\U0001f600\ue000", "[" * 1_100, '{"text":' * 1_100, "9" * 5_000, '"\\ud800"',
    '"\\u0000"', "NaN", "1e999", "<DOC type=story>", "</DOC>", "<TEXT>", "<DOC ", "<P" * 99,
    "&#x110000;", "&#0;", "&#xd800;", f"&#{'9' * 5_000};", "&" * 99, "." * 99, "'" * 99,
    "a." * 99, "-" * 99,
]  # fmt: skip
HOSTILE = [*BYTES, *(text.encode() for text in TEXTS)]
PLACE = re.compile(r"\d[\d,]*|'[^']*'|\([^)]*\)")


def fuzz(count: int, seed: int, folder: Path) -> Counter[str]:
    """Read `count` damaged files; how many of each kind of answer there were."""
    rng, answers = random.Random(seed), Counter[str]()
    for number in range(count):
        name, pack = rng.choice(list(SEEDS)), rng.choice(list(PACKS))
        path = folder / f"{name}{pack}"
        path.write_bytes(damaged_file(rng, name, pack))
        answers[_answer(path, rng.choice(ENCODING_ERRORS), f"case {number} of seed {seed}")] += 1
        path.unlink()
    assert not os.listdir(folder), "nothing is left"
    return answers


def damaged_file(rng: random.Random, name: str, pack: str) -> bytes:
    """A seed damaged before it is packed, after, or both; or two of them joined."""
    data = SEEDS[name]
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        data = damaged(rng, data)
    packed = PACKS[pack](data)
    if pack and rng.random() < 0.5:
        packed = damaged(rng, packed)
    return packed + PACKS[pack](SEEDS[name]) if rng.random() < 0.1 else packed


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Bytes with one place flipped, cut out, repeated, or with something hostile put in."""
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    kind = rng.choice(["flip", "cut", "end", "repeat", "insert", "insert"])
    if kind == "flip":
        flipped = bytes(byte ^ 1 << rng.randrange(8) for byte in data[start : start + 1])
        return data[:start] + flipped + data[start + 1 :]
    if kind == "insert":
        return data[:start] + rng.choice(HOSTILE) + data[start:]
    middle = {"cut": b"", "end": b"", "repeat": data[start:end] * 2}[kind]
    return data[:start] + middle + (b"" if kind == "end" else data[end:])


def _answer(path: Path, encoding_errors: str, case: str) -> str:
    try:
        for text in iter_documents([path], encoding_errors=encoding_errors):
            for token in tokenize(text):
                assert token.split() == [token], case
                token.encode("utf-8")
    except WordRBMError as refused:
        sentence = str(refused)
        assert sentence.startswith(str(path)), case
        assert sentence.endswith("."), case
        assert sentence.isprintable(), case
        assert len(sentence) < 500, case
        return PLACE.sub("", sentence.removeprefix(str(path)))[:60]
    return f"read, {encoding_errors}"
