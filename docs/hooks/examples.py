"""Lets the site show examples in docstrings as code.

Google's style has sections `Example:` as well as `Examples:`; griffe reads the latter alone, and
takes the other for a box of Markdown, where `>>>` is a quotation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import griffe

if TYPE_CHECKING:
    from griffe import Object

_EXAMPLE = re.compile(r"^Example:$", re.MULTILINE)


class Examples(griffe.Extension):
    """Calls each section `Example:` what griffe reads."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rename the sections of an object's docstring."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub("Examples:", obj.docstring.value)
