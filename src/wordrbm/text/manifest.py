"""`manifest.json`: what a prepared corpus is, how it was made, and how each file must look.

    {"format": "wordrbm prepared corpus", "version": 2,
     "settings": {"vocabulary_size", "min_count", "heldout", "field", "encoding_errors"},
     "counts": {"files", "bytes", "replaced", "stories", "tokens", "types", "vocabulary",
                "unknown", "coverage", "heldout"},
     "inputs": one SHA-256 of all that was read (digest.py),
     "files": {name: {"size", "sha256"}}}

Written last. No time, path or worker count stands in it: equal text gives equal bytes.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

from wordrbm.errors import WordRBMError
from wordrbm.storage import read_limited, sha256, write_text
from wordrbm.text.settings import PrepareSettings

NAME = "manifest.json"
FORMAT, VERSION = "wordrbm prepared corpus", 2
IDS, RUNS, VOCABULARY = "ids.int32", "runs.int64", "vocabulary.tsv"
FILES = (IDS, RUNS, VOCABULARY)
LARGEST = 1_000_000  # bytes, a thousand times what is written


@dataclass(frozen=True)
class CorpusCounts:
    """How much text there is; `vocabulary` is K, `coverage` the share of tokens inside it.

    `files` and `bytes` are those read, as on disk; `replaced` the characters that were no UTF-8.
    """

    files: int
    bytes: int
    replaced: int
    stories: int
    tokens: int
    types: int
    vocabulary: int
    unknown: int
    coverage: float
    heldout: int


@dataclass(frozen=True)
class Seal:
    """What a file must look like."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The head of a prepared corpus."""

    settings: PrepareSettings
    counts: CorpusCounts
    inputs: str  # empty in a corpus that was made before this was noted
    files: dict[str, Seal]

    def write(self, folder: Path) -> None:
        """Store as `manifest.json`."""
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        write_text(folder / NAME, json.dumps(content, indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Load `manifest.json`, every key and type checked."""
        path = folder / NAME
        content = _load(path)
        _check_format(path, content)
        files = _part(path, content, "files", dict.fromkeys(FILES, dict))
        return cls(
            settings=PrepareSettings(**_typed(path, content, "settings", PrepareSettings)),
            counts=CorpusCounts(**_typed(path, content, "counts", CorpusCounts)),
            inputs=_inputs(path, content),
            files={name: Seal(**_typed(path, files, name, Seal)) for name in files},
        )


def seal(folder: Path, names: Sequence[str]) -> dict[str, Seal]:
    """The size and SHA-256 of files in a folder."""
    return {name: Seal((folder / name).stat().st_size, sha256(folder / name)) for name in names}


def _load(path: Path) -> Any:
    try:
        return json.loads(read_limited(path, LARGEST))
    except OSError as error:
        raise WordRBMError(
            f"{path.parent} is not a prepared corpus ({NAME}: {error.strerror or error}); "
            "make one with wordrbm prepare."
        ) from error
    except (ValueError, RecursionError) as error:
        _refuse(path, f"is not valid JSON ({error})")


def _check_format(path: Path, content: Any) -> None:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        _refuse(path, f"does not have the format {FORMAT!r}")
    if content.get("version") != VERSION:
        found = content.get("version")
        _refuse(path, f"has version {found!r} where this program reads version {VERSION}")


def _inputs(path: Path, content: dict[str, Any]) -> str:
    found = content.get("inputs", "")
    if not isinstance(found, str):
        _refuse(path, f"has {found!r} for 'inputs'")
    return found


def _typed(path: Path, content: Any, key: str, kind: type[Any]) -> dict[str, Any]:
    """One object of the manifest with exactly the fields of a dataclass."""
    return _part(path, content, key, {field.name: field.type for field in fields(kind)})


def _part(path: Path, content: Any, key: str, expected: dict[str, Any]) -> dict[str, Any]:
    part = content.get(key)
    if not isinstance(part, dict) or set(part) != set(expected):
        _refuse(path, f"has no {key!r} with exactly the keys {', '.join(sorted(expected))}")
    for name, kind in expected.items():
        value = part[name]
        fits = type(value) in (int, float) if kind is float else type(value) is kind
        if not fits or (kind in (int, float) and not value >= 0):
            _refuse(path, f"has {value!r} for {name!r} in {key!r}")
    return part


def _refuse(path: Path, fault: str) -> NoReturn:
    raise WordRBMError(f"{path} {fault}; prepare the corpus again.")
