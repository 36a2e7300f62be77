"""A program as its help shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from passel.tool.flag_groups import InformationFlags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir.frontend import Flag
    from passel.tool.flag_groups import FlagGroup

_WIDTH = 44

ABOUT = ("help", "version")
"""Flags that all programs have."""


class Program(NamedTuple):
    """A program, as its help shows it.

    Attributes:
        name: Its name.
        summary: One line.
        inputs: Its arguments that are no flags, such as `[<file>|-]`.
        groups: Its flags, in groups with titles; those without help are not shown.
        examples: Command lines, one on a line.
        notes: Whatever else there is to know.
    """

    name: str
    summary: str
    inputs: str
    groups: Sequence[tuple[str, Sequence[Flag]]]
    examples: str
    notes: str

    @classmethod
    def of(
        cls, name: str, summary: str, inputs: str, own: type[FlagGroup], examples: str, notes: str
    ) -> Program:
        """Return a program with flags of its own, and those that all have."""
        about = [each for each in InformationFlags.flags.values() if each.name in ABOUT]
        groups = [(own.title(), tuple(own.flags.values())), (InformationFlags.title(), about)]
        return cls(name, summary, inputs, groups, examples, notes)

    @property
    def flags(self) -> list[Flag]:
        """The flags of all groups."""
        return [flag for _, flags in self.groups for flag in flags]


def help_text(program: Program) -> str:
    """Return the text of `--help`."""
    lines = [f"{program.name}: {program.summary}", ""]
    lines += [f"Usage: {program.name} {program.inputs} [flags]", ""]
    lines += ["Examples:", program.examples]
    for title, flags in program.groups:
        if shown := [_flag_line(flag) for flag in flags if flag.help]:
            lines += [f"{title}:", *shown]
    return "\n".join([*lines, "", program.notes])


def _flag_line(flag: Flag) -> str:
    names = [f"-{name}" for name in flag.short if len(name) == 1]
    value = f"={flag.metavar}" if flag.metavar else ""
    if flag.implied is not None:
        value = f"[{value}]"
    dashes = "-" if len(flag.name) == 1 else "--"
    return f"  {', '.join([*names, f'{dashes}{flag.name}{value}']):<{_WIDTH}} {flag.help}"
