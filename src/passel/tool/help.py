"""Programs: their help, and how those run that have no passes as flags."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from passel._version import __version__
from passel.passes import PassRegistry
from passel.tool.flag_groups import InformationFlags
from passel.tool.flags import read_flags
from passel.tool.output import put
from passel.tool.process import guarded, prepare_process

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.ir.frontend import Flag
    from passel.tool.flag_groups import FlagGroup
    from passel.tool.flags import CommandLine

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


def run_program(
    program: Program, argv: Sequence[str] | None, run: Callable[[CommandLine], int]
) -> int:
    """Run a program that has no passes as flags, and return its exit code.

    Args:
        program: The program.
        argv: The arguments without its name; by default those of the process.
        run: Runs it.
    """

    def read_and_run(words: Sequence[str]) -> int:
        flags = {name: each for each in program.flags for name in (each.name, *each.short)}
        line = read_flags(words, flags, PassRegistry(), program.name, several=True)
        asked = InformationFlags(line)
        if asked.help:
            return put(help_text(program))
        if asked.version:
            return put(f"{program.name} (passel {__version__})\n")
        return run(line)

    return start(program.name, argv, read_and_run)


def start(name: str, argv: Sequence[str] | None, run: Callable[[Sequence[str]], int]) -> int:
    """Run a program on its arguments, or else on those of the process, which is prepared for it."""
    if argv is None:
        prepare_process()
    words = sys.argv[1:] if argv is None else list(argv)
    return guarded(name, words, lambda: run(words))
