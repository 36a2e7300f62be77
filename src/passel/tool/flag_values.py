"""Values of the tool's flags, read from text; a `ValueError` is about what the flag takes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Literal

from passel.diagnostics import suggest
from passel.ir import adapter_names

if TYPE_CHECKING:
    from passel.execution.strategies import Jobs
    from passel.instruments.terminals import Color

_NUMBER = re.compile(r"[0-9]{1,18}")


def number_of(text: str) -> int:
    """Return a number."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"takes a number, not '{text}'")
    return int(text)


def jobs_or_auto(text: str) -> Jobs:
    """Return a number of processes, or `auto`."""
    if text == "auto":
        return "auto"
    if not (_NUMBER.fullmatch(text) and int(text)):
        raise ValueError(f"takes a positive number or auto, not '{text}'")
    return int(text)


def names_of(text: str) -> tuple[str, ...]:
    """Return names that commas separate."""
    return tuple(name for each in text.split(",") if (name := each.strip()))


def plugin_of(text: str) -> str:
    """Return a plugin's file or module."""
    if not text:
        raise ValueError("requires a value: the file or module of a plugin")
    return text


def color_of(text: str) -> Color:
    """Return what a value of `--color` means, which is a boolean in LLVM's tools."""
    if text in {"always", "true", "1"}:
        return "always"
    return "never" if text in {"never", "false", "0"} else "auto"


def ir_of(text: str) -> str:
    """Return the name of an IR that is installed."""
    if text in {"xdsl", "mlir"}:  # mostly without a look at what is installed
        return text
    known = sorted({"xdsl", "mlir", *adapter_names()})
    if text in known:
        return text
    longer = next((name for name in known if text and name.startswith(text)), text)
    raise ValueError(f"takes one of {', '.join(known)}, not '{text}'{suggest(longer, known)}")


def verify_mode_of(text: str) -> bool | Literal["always"]:
    """Return the value of `--verify-each`."""
    return "always" if text == "always" else text in {"true", "1"}


def seconds_of(text: str) -> float:
    """Return a number of seconds, as a flag takes it.

    Raises:
        ValueError: It is no positive number.
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < math.inf:
        raise ValueError(f"takes a positive number of seconds, not '{text}'")
    return seconds
