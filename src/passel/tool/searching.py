"""Programs that search: how they run, and a case, given as passel-opt takes it."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from passel.execution.strategies import processors
from passel.ir import InvalidIR, PrintFlags
from passel.ir.frontend import UnreadableError, UsageError
from passel.record import Record
from passel.search import Case, SameFailure, SearchError, Subject
from passel.search.children import Died, in_child
from passel.search.oracle import Command
from passel.search.starting import failure_of
from passel.search.state_oracles import Miscompiled
from passel.tool.flags import flags_in, seconds_of
from passel.tool.help import ABOUT, Program, help_text, start, version
from passel.tool.irs import ToolDefinition, flag_for, note_other_ir
from passel.tool.output import Renderer, put
from passel.tool.pipelines import PipelineFactory
from passel.tool.replay import Replay
from passel.tool.settings import GROUPS, FlagGroup, Settings, flag, flags_by_name
from passel.tool.sources import read_sources, starts_record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.ir.frontend import Flag, SourcePart
    from passel.record import RunInfo
    from passel.search import Oracle
    from passel.search.children import Scratch
    from passel.search.oracle import FailureIdentity
    from passel.tool.irs import IRChoice

_QUOTED = re.compile(r"""\\. | '[^']*' | "(?:\\.|[^"\\])*\"""", re.VERBOSE | re.DOTALL)
_OPERATOR = re.compile(r"[|&]+|[;<>]")


class SearchFlags(FlagGroup):
    """Search."""

    interesting: str = flag(
        "a command that exits with 0 if the case in the file {} is interesting", "<command>"
    )
    computes_else: str = flag(
        "functions compute something else than before: all, @name, or @name(1 : i32)",
        "<function>",
        implied="all",
    )
    timeout: float | None = flag(
        "how long a case may take, by default ten times as long as the input; a function, 5 s",
        "<seconds>",
        parse=seconds_of,
    )


def search_program(
    doc: str | None, own: type[SearchFlags], takes: Callable[[Flag], bool]
) -> Program:
    """Return a program that searches.

    Args:
        doc: Its description; see `Program`.
        own: Its own flags, with those of all searches.
        takes: Returns whether it takes a flag of passel-opt as well.
    """
    groups = [(SearchFlags.title(), list(own.flags.values()))]
    for group in GROUPS:
        fitting = [each for each in group.flags.values() if takes(each) or each.name in ABOUT]
        groups.append((group.title(), fitting))
    return Program(doc or "", groups)


def run_search(program: Program, argv: Sequence[str] | None, run: Callable[[Settings], int]) -> int:
    """Run a program that searches, and return its exit code.

    Args:
        program: The program.
        argv: The arguments without its name; by default those of the process.
        run: Runs it.
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
                raise UsageError(f"'--{name}' means nothing here: see {program.name} --help")
        return run(settings)

    return start(program.name, argv, read_and_run)


def as_recorded(settings: Settings, record: Record, run: RunInfo) -> Settings:
    """Return settings with the flags of the recorded command that searches need as well."""
    known = flags_by_name()
    words = [] if run.ir == "xdsl" else [flag_for(run.ir)]
    for name, value in flags_in(record.info.command_line[1:]):
        flag = known.get(name)
        if flag is None or flag.name in ("ir", "allow-effects"):
            continue  # the IR is that of the run, and no file allows its passes effects
        if flag.replayed and flag.searched:
            words.append(f"--{flag.name}={value}" if flag.metavar else f"--{flag.name}")
    return Settings([*words, *settings.line.words], settings.tool)


@dataclass(frozen=True, slots=True)
class SearchInput:
    """A case to search, and how it is read and run.

    Attributes:
        settings: The settings of the command line.
        subject: Reads and runs cases.
        case: The case, in generic form.
        replay: The command that replays a reproducer of it, in the file `{file}`.
    """

    settings: Settings
    subject: Subject
    case: Case
    replay: str

    @property
    def jobs(self) -> int:
        """How many cases are tried at once."""
        jobs = self.settings.jobs if self.settings.threading else 1
        return processors() if jobs in (None, "auto") else jobs

    def failure(self) -> FailureIdentity:
        """Return the failure of the case.

        Raises:
            SearchError: It does not fail.
        """
        failure = failure_of(self.subject, self.case)
        if failure is None:
            raise SearchError(
                f"'{self.case.pipeline}' does not fail on the input; if something else is wrong, "
                "say what: --computes-else, or --interesting=<command>"
            )
        return failure

    def oracle(self) -> Oracle:
        """Return the oracle that the command line asks for.

        Raises:
            UsageError: The command is not there, or there is no pipeline.
            SearchError: The case does not fail.
        """
        flags = SearchFlags(self.settings.line)
        if flags.interesting and flags.computes_else:
            raise UsageError(
                "'--interesting' and '--computes-else' ask for different things: give one"
            )
        if flags.interesting:
            return command_oracle(self.settings, self.subject)
        if not self.case.pipeline:
            raise UsageError(
                "there is nothing to run: give a pipeline with -p, passes as flags, or a "
                "reproducer; or say what is interesting with --interesting=<command>"
            )
        if flags.computes_else:
            return Miscompiled(self.subject, *function_of(flags.computes_else), flags.timeout)
        return SameFailure(self.subject, self.failure())


def function_of(text: str) -> tuple[str, str]:
    """Return the function that `--computes-else` names, empty for all, and its arguments."""
    symbol, _, arguments = text.partition("(")
    return "" if symbol == "all" else symbol.removeprefix("@"), arguments.removesuffix(")")


def command_oracle(settings: Settings, subject: Subject | None) -> Command:
    """Return the oracle that is the command of `--interesting`.

    Args:
        settings: The settings of the command line.
        subject: Reads cases, to see whether they are valid; None if they need not be.

    Raises:
        UsageError: The command is not there.
    """
    given = SearchFlags(settings.line)
    try:
        words = shlex.split(given.interesting)
    except ValueError as error:
        raise UsageError(f"'--interesting': {str(error).lower()}") from None
    if found := _OPERATOR.search(_QUOTED.sub("", given.interesting)):
        raise UsageError(
            f"'--interesting' is run by no shell, which '{found[0]}' needs: write sh -c '...', or "
            "quote it"
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


def read_search(settings: Settings) -> SearchInput | None:
    """Return the case that a command line gives; None after an error, which has been reported.

    A reproducer brings its pipeline along, unless another one is given.

    Raises:
        UsageError: The input cannot be read.
        PipelineError: The pipeline is wrong.
    """
    if settings.input != "-" and starts_record(settings.input):
        record = Record.open(settings.input)
        settings = as_recorded(settings, record, record.info.runs[0])
    frontend, pipelines = settings.frontend(), PipelineFactory(settings)
    renderer = Renderer(byte_columns=frontend.byte_columns, color=settings.color)
    flags = SearchFlags(settings.line)
    subject = Subject(
        frontend,
        pipelines.parse,
        verifies=not settings.disable_verify,
        timeout=None if flags.interesting or flags.computes_else else flags.timeout,
    )
    try:
        (source,) = read_sources(settings, frontend, renderer)
        case = _read_case(subject, source, pipelines, settings.choice)
    except UnreadableError as error:
        for diagnostic in error.diagnostics:
            renderer(diagnostic)
        return None
    subject.load(case)
    return SearchInput(settings, subject, case, Replay(settings).command("passel-opt"))


def _read_case(
    subject: Subject, source: SourcePart, pipelines: PipelineFactory, ir: IRChoice
) -> Case:
    """Return the input as a case, which a child process reads.

    Raises:
        UnreadableError: It is no valid IR.
        PasselError: The pipeline is wrong, or the input crashes the parser.
    """
    from passel.instruments.reproducer_file import read_reproducer

    adapter = subject.frontend.adapter

    def read(_: Scratch) -> Case | Sequence[Diagnostic]:
        try:
            parsed, context = subject.parse(source)
            recorded = read_reproducer(parsed.resources, source)
            manager = pipelines.make(adapter.kind_of(parsed.op), context, adapter, recorded)
        except UnreadableError as error:
            return error.diagnostics
        except InvalidIR as error:
            raise SearchError(f"the input is not valid: {error.message}") from None
        verify_each = recorded is None or recorded.verify_each is not False
        ir = adapter.print_op(parsed.op, PrintFlags(generic=True, local_scope=True))
        return Case(ir, str(manager) if len(manager) else "", verify_each)

    result = in_child(read)
    if isinstance(result, Died):
        raise SearchError(f"the input crashes the parser, which ended by {result.cause}")
    if not isinstance(result, Case):
        for diagnostic in result:
            note_other_ir(diagnostic, source, ir)
        raise UnreadableError(result)
    return result
