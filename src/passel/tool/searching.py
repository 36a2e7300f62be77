"""Search programs: their flags, their runs, and their oracles."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from passel.frontend import UsageError
from passel.search.oracle import Command
from passel.tool.flags import FlagGroup, flag, flags_in, seconds_of
from passel.tool.help import ABOUT, Program, help_text, start, version
from passel.tool.irs import ToolDefinition, flag_for
from passel.tool.output import put
from passel.tool.settings import GROUPS, Settings, flags_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.frontend import Flag
    from passel.record import Record, RunInfo
    from passel.search import Subject

_QUOTED = re.compile(r"""\\. | '[^']*' | "(?:\\.|[^"\\])*\"""", re.VERBOSE | re.DOTALL)
_OPERATOR = re.compile(r"[|&]+|[;<>]")


class SearchFlags(FlagGroup):
    """Search."""

    interesting: str = flag(
        "a command that exits with 0 if the case in file {} is interesting", "<command>"
    )
    computes_else: str = flag(
        "find different results of functions: all, @name, or @name(1 : i32)",
        "<function>",
        implied="all",
    )
    timeout: float | None = flag(
        "time limit for a case (10 times the input's time) or a function (5 s)",
        "<seconds>",
        parse=seconds_of,
    )


def search_program(
    doc: str | None, own: type[SearchFlags], takes: Callable[[Flag], bool]
) -> Program:
    """Return a search program.

    Args:
        doc: The docstring of its module; see `Program`.
        own: Its flags, including those of all searches.
        takes: Returns whether it also accepts a flag of passel-opt.
    """
    groups = [(SearchFlags.title(), list(own.flags.values()))]
    for group in GROUPS:
        fitting = [each for each in group.flags.values() if takes(each) or each.name in ABOUT]
        groups.append((group.title(), fitting))
    return Program(doc or "", groups)


def run_search(program: Program, argv: Sequence[str] | None, run: Callable[[Settings], int]) -> int:
    """Run a search program, and return its exit code.

    Args:
        program: The program.
        argv: The command-line arguments; by default `sys.argv[1:]`.
        run: The function that runs the program.
    """
    tool = ToolDefinition(program.name, flags=program.groups[0][1])

    def read_and_run(words: Sequence[str]) -> int:
        settings = Settings(words, tool)
        if settings.help:
            return put(help_text(program))
        if settings.version:
            return put(version(tool, settings.choice))
        known = {each.name for each in program.flags}
        for name in settings.line.written:
            if name not in known and name not in settings.brought:
                raise UsageError(f"'--{name}' is not supported: see {program.name} --help")
        return run(settings)

    return start(program.name, argv, read_and_run)


def as_recorded(settings: Settings, record: Record, run: RunInfo) -> Settings:
    """Return settings extended by the flags of the recorded command that searches need."""
    known = flags_by_name()
    words = [] if run.ir == "xdsl" else [flag_for(run.ir)]
    for name, value in flags_in(record.info.command_line[1:]):
        flag = known.get(name)
        if flag is None or flag.name in ("ir", "allow-effects"):
            continue  # the run has an IR, and a file cannot allow effects
        if flag.replayed and flag.searched:
            words.append(f"--{flag.name}={value}" if flag.metavar else f"--{flag.name}")
    return Settings([*words, *settings.line.words], settings.tool)


def function_of(text: str) -> tuple[str, str]:
    """Return the function in `--computes-else`, or "" for all, and its arguments."""
    symbol, _, arguments = text.partition("(")
    return "" if symbol == "all" else symbol.removeprefix("@"), arguments.removesuffix(")")


def command_oracle(settings: Settings, subject: Subject | None) -> Command:
    """Return the oracle for the command of `--interesting`.

    Args:
        settings: The settings of the command line.
        subject: Reads cases to check that they are valid; None to skip the check.

    Raises:
        UsageError: If the command does not exist.
    """
    given = SearchFlags(settings.line)
    try:
        words = shlex.split(given.interesting)
    except ValueError as error:
        raise UsageError(f"'--interesting': {str(error).lower()}") from None
    if found := _OPERATOR.search(_QUOTED.sub("", given.interesting)):
        raise UsageError(
            f"'--interesting' runs without a shell, which '{found[0]}' needs: write sh -c '...', "
            "or quote it"
        )
    if not words or shutil.which(words[0]) is None:
        name = words[0] if words else ""
        problem = f"there is no program '{name}' here"
        if name and Path(name).is_file():
            problem = f"'{name}' is not executable: chmod +x {name}"
            if "/" not in name:
                problem = f"there is no program '{name}'; for the file of that name, write ./{name}"
        raise UsageError(f"'--interesting' cannot be run: {problem}")
    return Command(words, subject, timeout=given.timeout)
