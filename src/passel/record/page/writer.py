"""Writing the page: one file that needs no other."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from passel.record.page.payload import payload

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.record import Record

_SCRIPTS = ("diff.js", "text.js", "model.js", "code.js", "tree.js", "step.js", "page.js")


def page(title: str, records: Iterable[tuple[str, Record]]) -> str:
    """Return a page in HTML about a named record, or about an old and a new one.

    It opens from a disk, loads nothing, and runs no script but its own. What records hold is
    compressed in it, and shown as text.

    Args:
        title: The title.
        records: The records with their names.
    """
    data, lines = payload(records)
    assets = files("passel.record.page") / "assets"
    script = "\n".join((assets / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    parts = {
        "title": escape(title),
        "digest": b64encode(sha256(script.encode()).digest()).decode(),
        "style": (assets / "page.css").read_text(encoding="utf-8"),
        "record": _packed(json.dumps(data, separators=(",", ":"))),
        "lines": _packed("\n".join(lines)),
        "script": script,
    }
    html = (assets / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], html)


def _packed(text: str) -> str:
    # Lone surrogates stand for bytes that are no UTF-8; they become question marks.
    return b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode()
