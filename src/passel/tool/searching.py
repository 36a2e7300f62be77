"""What the programs that search have in common: a case, given as passel-opt takes it."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import PasselError
from passel.execution.strategies import processors
from passel.ir import InvalidIR, PrintFlags
from passel.ir.frontend import Flag, UnreadableError, UsageError
from passel.manager import PassManager
from passel.search import Case, Command, SameFailure, SearchError, Subject, failure_of
from passel.search.children import Died
from passel.search.starting import in_child
from passel.tool.help import flag_line
from passel.tool.pipelines import PipelineFactory
from passel.tool.rendering import Renderer
from passel.tool.replay import Replay
from passel.tool.settings import GROUPS
from passel.tool.sources import read_sources

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from passel.diagnostics import Diagnostic
    from passel.ir.frontend import SourcePart
    from passel.passes import PassRegistry
    from passel.search import FailureIdentity, Oracle
    from passel.search.children import Scratch
    from passel.tool.definition import ToolDefinition
    from passel.tool.irs import IRChoice
    from passel.tool.settings import Settings

_TAKEN = frozenset(
    (
        *("pass-pipeline", "pipeline-variable", "jobs", "load-pass-plugin", "extend-pipeline"),
        *("no-fast-paths", "verify-each", "verify-analyses", "verify-contracts"),
        *("check-isolation", "pass-timeout", "mlir-disable-threading"),
        *("ir", "allow-unregistered-dialect", "no-implicit-module", "disable-verify", "irdl-file"),
        *("o", "run-reproducer", "allow-effects", "color", "help", "version"),
    )
)
"""Flags of passel-opt that say how a case is read and run, and where the result goes."""

INTERESTING = Flag(
    "instead of the same failure: a command that exits with 0 if the case in the file {} is "
    "interesting",
    "<command>",
    name="interesting",
)
TIMEOUT = Flag(
    "how long a case may take; by default ten times as long as the input",
    "<seconds>",
    parse=float,
    name="timeout",
)
TEXT = Flag("let shrinkray, if it is installed, reduce the text in the end", name="text")


class _Start(NamedTuple):
    """A case as a child process has read it."""

    ir: str
    pipeline: str
    verify_each: bool


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
        return processors() if jobs == "auto" else jobs

    def failure(self) -> FailureIdentity:
        """Return the failure of the case.

        Raises:
            SearchError: It does not fail.
        """
        if not self.case.pipeline:
            raise UsageError(
                "there is nothing to run: give a pipeline with -p, passes as flags, or a "
                "reproducer; or say what is interesting with --interesting=<command>"
            )
        failure = failure_of(self.subject, self.case)
        if failure is None:
            raise SearchError(
                f"'{self.case.pipeline}' does not fail on the input; if something else is wrong, "
                "give a command that finds it: --interesting=<command>"
            )
        return failure

    def oracle(self) -> Oracle:
        """Return the oracle that the command line asks for.

        Raises:
            UsageError: The command is not there.
            SearchError: The case does not fail.
        """
        if not self.settings.given(INTERESTING):
            return SameFailure(self.subject, self.failure())
        return command_oracle(self.settings, self.subject)


def command_oracle(settings: Settings, subject: Subject | None) -> Command:
    """Return the oracle that is the command of `--interesting`.

    Args:
        settings: The settings of the command line.
        subject: Reads cases, to see whether they are valid; None if they need not be.

    Raises:
        UsageError: The command is not there.
    """
    words = shlex.split(settings.given(INTERESTING))
    if not words or shutil.which(words[0]) is None:
        name = words[0] if words else ""
        raise UsageError(
            f"'--interesting' cannot be run: there is no program '{name}' here; for a file in "
            f"this directory, write ./{name}, and make it executable"
        )
    return Command(words, subject, timeout=settings.given(TIMEOUT))


def read_search(settings: Settings, ir: IRChoice, names: PassRegistry) -> SearchInput | None:
    """Return the case that a command line gives; None after an error, which has been reported.

    A reproducer brings its pipeline along, unless another one is given.

    Raises:
        UsageError: A flag is not for searches, or the input cannot be read.
        PipelineError: The pipeline is wrong.
    """
    refuse_others(settings, _TAKEN)
    frontend = ir.configured(settings)
    renderer = Renderer(byte_columns=frontend.byte_columns, color=settings.diagnostics.color)
    pipelines = PipelineFactory(settings, names)

    def manager(text: str, context: Any) -> PassManager:
        made = PassManager.parse(text, context, registry=names, adapter=ir.adapter, check=False)
        pipelines.configure(made)
        return made

    subject = Subject(frontend, manager, verifies=not settings.reading.disable_verify)
    try:
        (source,) = read_sources(settings, frontend, renderer)
        start = _started(subject, source, pipelines)
    except UnreadableError as error:
        for diagnostic in error.diagnostics:
            renderer(diagnostic)
        return None
    case = Case(*start)
    subject.load(case)
    return SearchInput(settings, subject, case, Replay(settings).command(program="passel-opt"))


def _started(subject: Subject, source: SourcePart, pipelines: PipelineFactory) -> _Start:
    """Read the input in a child process.

    Raises:
        UnreadableError: It is no valid IR.
        PasselError: The pipeline is wrong, or the input crashes the parser.
    """
    from passel.instruments.recorded import read_reproducer

    adapter = subject.frontend.adapter

    def start(_: Scratch) -> _Start | Sequence[Diagnostic] | PasselError:
        try:
            parsed, context = subject.parse(source)
            recorded = read_reproducer(parsed.resources, source)
            manager = pipelines.make(adapter.kind_of(parsed.op), context, adapter, recorded)
        except UnreadableError as error:
            return error.diagnostics
        except InvalidIR as error:
            return SearchError(f"the input is not valid: {error.message}")
        except PasselError as error:
            return error
        verify_each = recorded is None or recorded.verify_each is not False
        ir = adapter.print_op(parsed.op, PrintFlags(generic=True, local_scope=True))
        return _Start(ir, str(manager) if len(manager) else "", verify_each)

    result = in_child(start)
    if isinstance(result, Died):
        raise SearchError(f"the input crashes the parser, which ended by {result.cause}")
    if isinstance(result, PasselError):
        raise result
    if not isinstance(result, _Start):
        raise UnreadableError(result)
    return result


def refuse_others(settings: Settings, taken: Collection[str]) -> None:
    """Refuse flags of passel-opt that a search does not take.

    Raises:
        UsageError: There is one.
    """
    for name in settings.written:
        if name not in taken and name not in settings.brought:
            raise UsageError(
                f"'--{name}' means nothing here: {settings.program} runs passes many times, in "
                "other processes; see --help"
            )


def search_help(
    tool: ToolDefinition,
    summary: str,
    examples: str,
    notes: str,
    taken: Collection[str] = _TAKEN,
) -> str:
    """Return the text of `--help` of a program that searches.

    Args:
        tool: The program.
        summary: One line.
        examples: Command lines, one on a line.
        notes: What else there is to know.
        taken: The flags of passel-opt that it takes, by their names.
    """
    lines = [f"{tool.name}: {summary}", "", f"Usage: {tool.name} [<file>|-] [flags]", ""]
    lines += ["Examples:", examples, notes, "Search:", *map(flag_line, tool.flags), ""]
    for group in GROUPS:
        shown = [each for each in group.flags.values() if each.name in taken and each.help]
        if shown:
            lines += [f"{(group.__doc__ or '').rstrip('.')}:", *map(flag_line, shown), ""]
    return "\n".join(lines) + "Passes are flags too, as for passel-opt: see passel-opt --help.\n"
