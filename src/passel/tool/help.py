"""A program as its help shows it, and its manual page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from passel.tool.flag_groups import InformationFlags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir.frontend import Flag
    from passel.tool.flag_groups import FlagGroup

_WIDTH = 44

ABOUT = ("help", "print-completion", "complete", "print-manual", "version")
"""Flags that all programs have."""


class Program(NamedTuple):
    """A program, as its help and its manual page show it.

    Attributes:
        name: Its name.
        summary: One line.
        inputs: Its arguments that are no flags, such as `[<file>|-]`.
        groups: Its flags, in groups with titles; those without help are not shown.
        examples: Command lines, one on a line.
        notes: Whatever else there is to know.
        closing: What to know about its flags.
    """

    name: str
    summary: str
    inputs: str
    groups: Sequence[tuple[str, Sequence[Flag]]]
    examples: str
    notes: str
    closing: str = ""

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

    @property
    def shown(self) -> list[tuple[str, list[Flag]]]:
        """The groups with the flags that are shown."""
        groups = [(title, [flag for flag in flags if flag.help]) for title, flags in self.groups]
        return [(title, flags) for title, flags in groups if flags]


def help_text(program: Program) -> str:
    """Return the text of `--help`."""
    lines = [f"{program.name}: {program.summary}", ""]
    lines += [f"Usage: {program.name} {program.inputs} [flags]", ""]
    lines += ["Examples:", program.examples, program.notes]
    for title, flags in program.shown:
        lines += [f"{title}:", *map(_flag_line, flags), ""]
    return "\n".join([*lines, program.closing] if program.closing else lines)


def _flag_line(flag: Flag) -> str:
    long, *short = spellings(flag)
    value = f"={flag.metavar}" if flag.metavar else ""
    if flag.implied is not None:
        value = f"[{value}]"
    return f"  {', '.join([*short, f'{long}{value}']):<{_WIDTH}} {flag.help}"


def spellings(flag: Flag) -> tuple[str, ...]:
    """Return a flag's names with their dashes: the long one first, then those of one letter."""
    names = (flag.name, *(name for name in flag.short if len(name) == 1))
    return tuple(f"-{name}" if len(name) == 1 else f"--{name}" for name in names)


def listed_values(flag: Flag) -> tuple[str, ...]:
    """Return the values that the help lists; others are only accepted, such as 1 and 0."""
    return tuple(flag.metavar[1:-1].split("|")) if "|" in flag.metavar else flag.choices
