"""Programs beside passel-opt: their flags, how they start, and how searches use recorded flags."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel._version import __version__
from passel.frontend import UsageError
from passel.passes import PassRegistry
from passel.tool.command_line import FlagGroup, flag, read_flags, read_known_flags, seconds_of
from passel.tool.flags import GROUPS, InformationFlags, Settings, by_name, chosen_ir
from passel.tool.help import help_text
from passel.tool.irs import ToolDefinition, flag_for
from passel.tool.output import put
from passel.tool.process import guarded, prepare_process

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.frontend import Flag
    from passel.record import Record, RunInfo

_HELP, _VERSION = (InformationFlags.flags[name] for name in ("help", "version"))
_ABOUT = ("Information", [replace(_HELP, help="show this help"), _VERSION])
"""The group of flags that all programs have."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its flags and its help text.

    Attributes:
        doc: The docstring of the program's module; see `help_text`.
        own: The group of the flags that the program itself declares.
        takes: A predicate that selects the flags of passel-opt that the program also accepts.
    """

    doc: str | None
    own: type[FlagGroup]
    takes: Callable[[Flag], bool] = lambda _: False

    @property
    def name(self) -> str:
        """The name of the program."""
        return str(self.doc).partition(":")[0]

    @property
    def groups(self) -> list[tuple[str, list[Flag]]]:
        """The title and the flags of each group, for the help."""
        groups = [(each.title(), [*filter(self.takes, each.flags.values())]) for each in GROUPS]
        return [(self.own.title(), [*self.own.flags.values()]), *groups, _ABOUT]

    def read(self, words: Sequence[str]) -> Any:
        """Return the values of the flags in a command line, which must not contain passes."""
        known = by_name(each for _, flags in self.groups for each in flags)
        return self.own(read_flags(words, known, PassRegistry(), self.name, several=True))


def run_program(program: Program, argv: Sequence[str] | None, run: Callable[[Any], int]) -> int:
    """Run a program, and return the exit code.

    Args:
        program: The program.
        argv: The command-line arguments; by default `sys.argv[1:]`.
        run: A function that runs the program with what `program.read` returns, and returns the exit
            code.
    """
    if argv is None:
        prepare_process()
    words = sys.argv[1:] if argv is None else list(argv)

    def read_and_run() -> int:
        given = program.read(words)
        asked = InformationFlags(given.line)
        if asked.help:
            return put(help_text(program.doc or "", program.groups))
        if asked.version:
            return put(f"{program.name} (passel {__version__})\n")
        return run(given)

    return guarded(program.name, words, read_and_run)


# -- Searches ------------------------------------------------------------------------------------


def command_of(text: str) -> list[str]:
    """Split a command into words, and check that the first word names an executable program."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"has {str(error).lower()}") from None
    if words and shutil.which(words[0]) is None:
        raise ValueError(f"cannot be run: '{words[0]}' is not an executable program")
    return words


def function_of(text: str) -> tuple[str, str]:
    """Split `@name(arguments)` into the name of the function and the text of the arguments.

    If the text is `all`, the name is empty.
    """
    symbol, _, arguments = text.partition("(")
    return "" if symbol == "all" else symbol.removeprefix("@"), arguments.removesuffix(")")


class SearchFlags(FlagGroup):
    """Search."""

    interesting: list[str] | None = flag(
        "a command that exits with 0 if the file {} is interesting",
        "<command>",
        parse=command_of,
    )
    computes_else: tuple[str, str] | None = flag(
        "functions whose results must differ: all, @name, or @name(1 : i32)",
        "<function>",
        implied="all",
        parse=function_of,
    )
    timeout: float | None = flag(
        "time limit of a case (10 x the input's time) or of a function (5 s)",
        "<seconds>",
        parse=seconds_of,
    )

    def check_oracle(self) -> None:
        """Check that the flags select at most one oracle.

        Raises:
            UsageError: If the flags select several oracles.
        """
        names = ("interesting", "invalid", "computes_else")
        given = [f"'--{name.replace('_', '-')}'" for name in names if getattr(self, name, None)]
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} are mutually exclusive: give only one")


class SearchProgram(Program):
    """A program that searches, and that accepts passes as flags and the flags that it takes."""

    def read(self, words: Sequence[str]) -> Settings:
        """Return the settings that a command line selects."""
        taken = {each.name for _, flags in self.groups[1:] for each in flags}
        flags = [*self.own.flags.values()]
        tool = ToolDefinition(self.name, flags=flags, takes=lambda each: each.name in taken)
        return Settings(words, tool, chosen_ir(words, tool))


def as_recorded(settings: Settings, record: Record, run: RunInfo) -> Settings:
    """Combine settings with the recorded flags that a search needs, and return the result.

    A plugin on the command line replaces a recorded plugin with the same file name.

    Raises:
        UsageError: If the IR of the run is not installed, or a recorded plugin does not exist.
    """
    known = by_name(settings.flags.values())
    given = {Path(file).name for file in settings.load_pass_plugin}
    words = [] if run.ir == "xdsl" else [flag_for(run.ir)]
    for each in read_known_flags(record.info.command_line[1:], known).flags:
        flag, value = each.flag, each.value
        if flag.name in ("ir", "allow-effects"):
            continue  # the run has an IR, and a file cannot allow effects
        if flag.name == "load-pass-plugin":
            if Path(value).name in given:
                continue
            if value.endswith(".py") and not Path(value).exists():
                missing = f"the record refers to plugin '{value}', which does not exist"
                raise UsageError(f"{missing}; if the file has moved, add --{flag.name}=<new path>")
        if flag.replayed and flag.searched:
            words.append(str(each))
    words += settings.line.words
    return Settings(words, settings.tool, chosen_ir(words, settings.tool))
