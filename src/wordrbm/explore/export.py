"""The page as one file that works offline: modules, styles and data in line.

The modules are joined in the order of their imports. They import by name alone and no two have a
top-level name in common, so their text without `import` and `export` is one module. A browser runs
only this script, known by its hash, and connects nowhere.
"""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from wordrbm.analysis.embedding_map import directions
from wordrbm.explore import health, units, words
from wordrbm.explore.session import Session
from wordrbm.storage import write_text

STATIC = Path(__file__).parent / "static"
MAIN, LIBRARY = "main.js", "vendor/uPlot.js"
STYLES = ("vendor/uPlot.css", "page.css")
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def export_page(session: Session, path: Path) -> int:
    """Write the page with all that needs no server; returns its size in bytes."""
    page = build_page(page_data(session))
    write_text(path, page)
    return len(page.encode())


def page_data(session: Session) -> dict[str, Any]:
    """What the page would ask the server for: reports, map, neighbours and units."""
    word_map = session.word_map
    unit_count = session.model.rbm.c.size
    return {
        "reports": {
            "info": words.describe(session),
            "words": words.list_words(session),
            "units": units.list_units(session),
            "health": health.report_health(session),
        },
        "units": [
            units.describe_unit(session, units.UnitRequest(unit=j)) for j in range(unit_count)
        ],
        "map": _base64(words.pack_map(session)),
        "neighbours": _base64(word_map.neighbours.astype("<i4").tobytes()),
        "cosine": _base64(neighbour_cosines(session).tobytes()),
    }


def neighbour_cosines(session: Session) -> np.ndarray:
    """The cosines of the neighbours on the map as bytes: 0 is -1, 255 is 1."""
    x = directions(session.model.vectors.matrix[: session.points])
    near = session.word_map.neighbours
    cosine = np.stack([np.einsum("pd,pd->p", x, x[column]) for column in near.T], axis=1)
    return np.clip(np.round((cosine + 1.0) * 127.5), 0, 255).astype(np.uint8)


def bundle_modules(folder: Path = STATIC, name: str = MAIN) -> str:
    """Join a module and all that it imports, each once and after its own imports."""
    done: dict[str, str] = {}

    def add(module: str) -> None:
        if module in done:
            return
        text = (folder / module).read_text("utf-8")
        done[module] = ""  # begun: a cycle would be met here
        for imported in _IMPORT.findall(text):
            add(imported)
        done[module] = done.pop(module) + _EXPORT.sub("", _IMPORT.sub("", text))

    add(name)
    return "\n".join(done.values())


def build_page(data: dict[str, Any]) -> str:
    """The whole page as HTML."""
    html = (STATIC / "index.html").read_text("utf-8")
    scripts = [(STATIC / LIBRARY).read_text("utf-8"), bundle_modules()]
    style = "\n".join((STATIC / name).read_text("utf-8") for name in STYLES)
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'sha256-{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    content = json.dumps(data, allow_nan=False, ensure_ascii=False).replace("<", "\\u003c")
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<style>{style}</style>\n</head>"
    )
    body = (
        f'<script type="application/json" id="exported">{content}</script>\n'
        f"<script>{scripts[0]}</script>\n"
        f'<script type="module">{scripts[1]}</script>\n</body>'
    )
    html = re.sub(r'<(?:link rel="stylesheet"|script)[^>]*>(?:</script>)?\n', "", html)
    return html.replace("</head>", head).replace("</body>", body)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
