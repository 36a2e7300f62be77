"""Words that can be completed, whatever the shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from passel.tool.flags import is_level

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.ir.frontend import Flag

Kind: TypeAlias = Literal["boolean", "words", "file", "directory", "names", "text"]
"""Kind of a flag's value; `names` are of passes, behind others that commas, or the parentheses
of a pipeline, separate from them."""

_KINDS: dict[str, Kind] = {
    "": "boolean",
    "<dir>": "directory",
    "<file>": "file",
    "<pass>": "names",
    "<passes>": "names",
    "<pipeline>": "names",
}


class Words(NamedTuple):
    """Words that a command line may have.

    Attributes:
        program: The program's name.
        flags: Its flags.
        names: The passes and pipelines of each IR, by the name of the IR.
    """

    program: str
    flags: tuple[Flag, ...]
    names: Mapping[str, Sequence[str]]

    @property
    def function(self) -> str:
        """A name for functions of the script."""
        return "_" + re.sub(r"\W", "_", self.program, flags=re.ASCII)


def kind_of(flag: Flag) -> Kind:
    """Return the kind of a flag's value."""
    return "words" if flag.choices else _KINDS.get(flag.metavar, "text")


def values_of(flag: Flag) -> tuple[str, ...]:
    """Return the words that a flag's value may be, if it is one of some."""
    if kind_of(flag) == "boolean":
        return ("true", "false")
    # What is only accepted, such as 1 and 0, is not shown.
    return tuple(flag.metavar[1:-1].split("|")) if "|" in flag.metavar else flag.choices


def is_long(spelling: str) -> bool:
    """Return whether a flag's name with its dashes is a long one, whose value follows `=`."""
    return spelling.startswith("--")


def spellings(flag: Flag) -> tuple[str, ...]:
    """Return a flag's names with their dashes: the long one first, then those of one letter."""
    names = (flag.name, *(name for name in flag.short if len(name) == 1))
    return tuple(f"-{name}" if len(name) == 1 else f"--{name}" for name in names)


def pass_flag(name: str) -> str:
    """Return the flag that a pass or pipeline is."""
    return f"-{name}" if is_level(name) else f"--{name}"
