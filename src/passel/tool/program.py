"""How programs run that have no passes as flags."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from passel._version import __version__
from passel.passes import PassRegistry
from passel.tool.flag_groups import InformationFlags
from passel.tool.flags import read_flags
from passel.tool.output import put
from passel.tool.process import guarded, prepare_process

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.tool.flags import CommandLine
    from passel.tool.help import Program


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
            from passel.tool.help import help_text

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
