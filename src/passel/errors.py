"""Every error that passel raises, and the one that pass authors raise.

    PasselError
    ├── DefinitionError (TypeError)       a pass, option or analysis is declared wrongly
    ├── DuplicateNameError (ValueError)   a name is registered twice
    ├── PipelineError (ValueError)        a pipeline's text or structure is wrong
    │   ├── PipelineSyntaxError             it does not parse
    │   ├── UnknownPassError                a name in it is not registered
    │   ├── OptionError                     options of a pass are wrong, all of them listed
    │   ├── EffectsError                    a forbidden effect, such as writing files
    │   ├── AnchorError                     a pass or manager cannot go where it is put
    │   ├── InsertionError                  a builder cannot put a pass where it was asked to
    │   └── ContractError                   a pass breaks what another one relies on
    ├── AdapterError (LookupError)        no adapter for this object, or its IR is missing
    ├── EncodingError                     an op cannot be sent to another process
    ├── SpecificationError (ValueError)   a declaration in TableGen is wrong
    └── PassFailedError                   what `PassManager.run` raises
    PassFailure                           raised by pass authors in `run`; never leaves it

Catch `PasselError` to catch everything that is not a bug.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import more_like_it

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from passel.diagnostics import Diagnostic, Location, Span


MAX_PROBLEMS = 100
"""How many problems of one pipeline are worth finding."""

_LONGEST_MESSAGE = 500
_MOST_FAILURES = 10
"""How many different failures an error prints."""


class PasselError(Exception):
    """Base class of every error of passel.

    Useful for one `except` around building and running a pipeline.
    """

    def _render_traceback_(self) -> list[str]:
        """Return the traceback for IPython, without the frames of passel that led to the error."""
        from passel.notebooks import traceback_of  # noqa: PLC0415 - for notebooks alone

        return traceback_of(self)


class DefinitionError(PasselError, TypeError):
    """A pass, an option or a statistic is declared wrongly.

    You get it when the class is created or first used, from its author's mistake. You
    don't get it for anything that a user of the pass writes.
    """


class DuplicateNameError(PasselError, ValueError):
    """Two passes or pipelines want the same name in one registry.

    Attributes:
        name: The name.
        first: Where it was registered first.
        second: Where it was registered again.
    """

    def __init__(self, name: str, first: str, second: str) -> None:
        super().__init__(
            f"'{name}' is already registered by {first}, and again by {second}; "
            "use override=True to replace it"
        )
        self.name: str = name
        self.first: str = first
        self.second: str = second


class Problem(NamedTuple):
    """One thing that is wrong in a pipeline.

    Attributes:
        message: One sentence that names the thing, what is wrong and the way out.
        span: Where, if the pipeline was text.
    """

    message: str
    span: Span | None = None

    def __str__(self) -> str:
        message = self.message
        if len(message) > _LONGEST_MESSAGE:  # it quotes megabytes of the user's text
            message = f"{message[:200]} ... {message[-200:]}"
        if self.span is None:
            return message
        return f"{self.span}: error: {message}\n{self.span.excerpt()}"


class PipelineError(PasselError, ValueError):
    """A pipeline is wrong, as text or as built in Python; nothing was run or changed.

    Attributes:
        problems: All that is wrong, at least one and at most a hundred, in the order of the
            text.
    """

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems: tuple[Problem, ...] = problems

    def __str__(self) -> str:
        # Not before it is asked for: lines and columns take a scan of the text each.
        return "\n".join(map(str, self.problems))

    @property
    def span(self) -> Span | None:
        """Where the first problem is, if the pipeline was text."""
        return self.problems[0].span


class PipelineSyntaxError(PipelineError):
    """The text is not a pipeline. You don't get it for names that are not registered."""


class UnknownPassError(PipelineError):
    """A name in the text is neither a registered pass nor a registered pipeline."""


class OptionError(PipelineError):
    """Options of a pass or pipeline are unknown, malformed or missing; all are listed."""


class EffectsError(PipelineError):
    """Passes have effects outside the IR that are not allowed; see `restrict_effects`.

    Attributes:
        effects: The effects that are not allowed, such as `run-programs`, sorted.
    """

    def __init__(self, *problems: Problem, effects: Sequence[str] = ()) -> None:
        super().__init__(*problems)
        self.effects: tuple[str, ...] = tuple(effects)


class AnchorError(PipelineError):
    """A pass or a nested manager cannot go where it is put.

    You get it for a pass with another anchor ("did you intend to nest?"), for a pass that
    cannot be scheduled on its manager's op, and for an anchor that is unknown or not
    isolated from above.
    """


class InsertionError(PipelineError):
    """A pipeline builder cannot do what it was asked to; it is as it was before.

    You get it for a target that is not there and for a constraint that would be broken. Catch
    it to take another way.

    Attributes:
        rules: The constraints that are broken, or that contradict each other, each a
            `passel.builder.Rule`: any of them can be dropped to resolve it.
    """

    def __init__(self, *problems: Problem, rules: Sequence[Any] = ()) -> None:
        super().__init__(*problems)
        self.rules: tuple[Any, ...] = tuple(rules)


class ContractError(PipelineError):
    """Passes in a pipeline break what others rely on; nothing was built or run.

    You get it for a pass that does not declare that it preserves what a pass before it has
    produced for one after it, and for a dialect that is needed where it is gone.
    """


class AdapterError(PasselError, LookupError):
    """No adapter is known for this object's IR, or the IR's package is not installed."""


class PassFailure(Exception):  # noqa: N818 - it is not an error of passel's but a pass's verdict
    """Raised by a pass in `run`: it gives up on this op, and says why.

    The rest of the op's pipeline is skipped, sibling ops are still processed, and
    `PassManager.run` raises `PassFailedError` at the end. It never leaves `run` itself.

    Args:
        message: Why, in a sentence without a final period. May be empty if the pass has
            emitted an error diagnostic already.
        op: The op to blame, if it is not the one that the pass ran on.
        is_reported: Whether a pipeline that the pass has run has reported it already, so that it is
            not reported as a diagnostic of its own.

    Source: `mlir::Pass::signalPassFailure`, which unlike this does not stop the body.
    """

    kind: str = "failed"

    def __init__(self, message: str = "", *, op: Any = None, is_reported: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.op = op
        self.is_reported = is_reported

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the op behind, which belongs to its process."""
        return type(self), (self.message,)


class EncodingError(PasselError):
    """An op cannot be sent to another process.

    You don't get it from a run, which processes such an op here.
    """


class SpecificationError(PasselError, ValueError):
    """A declaration of passes in TableGen is wrong, or cannot be expressed in Python.

    Attributes:
        message: One sentence.
        place: The file, line and column as far as they are known, such as `Passes.td:12`.
        excerpt: The line and a caret; may be empty.
    """

    def __init__(self, message: str, place: str = "", excerpt: str = "") -> None:
        super().__init__(message, place, excerpt)
        self.message: str = message
        self.place: str = place
        self.excerpt: str = excerpt

    def __str__(self) -> str:
        where = f"{self.place}: error: " if self.place else ""
        return f"{where}{self.message}" + (f"\n{self.excerpt}" if self.excerpt else "")


class Failure(NamedTuple):
    """One pass that failed on one op.

    Attributes:
        kind: `failed` (the pass raised `PassFailure`), `crashed` (it raised another
            exception, or its process died), `invalid` (the IR did not verify afterwards),
            `isolation` (it changed more than its op), `unschedulable` (the op may not run it) or
            `interrupted` (the run was ended).
        pass_text: The pass as text, with the options that differ from their defaults.
        path: The pass's path in the pipeline, such as `builtin.module/func.func/0:cse`.
        op_name: Name of the op that it ran on.
        symbol: That op's symbol name, if it has one.
        location: That op's location.
        diagnostic: The diagnostic reported for it.
        cause: The exception that caused it, with its traceback, if any.
    """

    kind: str
    pass_text: str
    path: str
    op_name: str
    symbol: str | None
    location: Location
    diagnostic: Diagnostic
    cause: BaseException | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the cause as far as it can be, with its traceback as text."""
        from passel.tracebacks import Portable  # noqa: PLC0415 - few runs pickle errors

        return _failure, (*self[:-1], Portable.of(self.cause))

    @property
    def is_reported(self) -> bool:
        """Whether its subject was reported before, so that it adds no diagnostic."""
        return isinstance(self.cause, PassFailure) and self.cause.is_reported

    @property
    def name(self) -> str:
        """The op's symbol, such as `@main`, or where it is if it has none."""
        return f"@{self.symbol}" if self.symbol else str(self.location)

    @property
    def where(self) -> str:
        """The op as people name it, such as `'func.func' @main`."""
        return f"'{self.op_name}'" + (f" @{self.symbol}" if self.symbol else "")

    def __str__(self) -> str:
        on = f" on @{self.symbol}" if self.symbol else ""
        return f"{self.diagnostic.location}: {self.diagnostic.message} [{self.path}{on}]"


def _failure(*fields: Any) -> Failure:
    *others, cause = fields
    values: Any = (*others, cause and cause.error())
    return Failure(*values)


class PassFailedError(PasselError):
    """A run failed: at least one pass failed, crashed, or left invalid IR behind.

    The IR is as the passes left it. You don't get it for a wrong pipeline, which is
    refused before anything runs.

    Attributes:
        failures: Every failure, in program order; `__cause__` is the first one's exception.
        diagnostics: All that was reported during the run, in program order.
        reproducer: The file to replay the failure with, if one was asked for and written.
        record: The `Record` of the run, if one was asked for.
        statistics: Counts by pass path, then by the statistic's name, as `RunResult` has them.
        timing: The tree of timers, if an instrumentation such as `Timing` measured any.
    """

    reproducer: Path | None = None
    record: Any = None
    statistics: Mapping[str, Mapping[str, int]] = MappingProxyType({})
    timing: Any = None

    def __init__(self, failures: Sequence[Failure], diagnostics: Sequence[Diagnostic]) -> None:
        alike: dict[tuple[str, str], list[Failure]] = {}
        for failure in failures:
            alike.setdefault((failure.diagnostic.message, failure.path), []).append(failure)
        lines: list[str] = []
        for first, *others in [*alike.values()][:_MOST_FAILURES]:
            lines.append(str(first))
            if others:
                lines.append(more_like_it([each.name for each in others]))
        if len(alike) > _MOST_FAILURES:
            lines.append(f"... and {len(alike) - _MOST_FAILURES} others (`failures` has all)")
        super().__init__("\n".join(lines))
        self.failures: tuple[Failure, ...] = tuple(failures)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)

    def __reduce__(self) -> tuple[Any, ...]:
        """Make it anew from what it is about."""
        return type(self), (self.failures, self.diagnostics), vars(self)


_CPP_NAMES = {
    "canScheduleOn": "can_schedule_on(self, kind)",
    "dependentDialects": "dependent_dialects = ('arith',)",
    "getArgument": "name = 'my-pass'",
    "getDependentDialects": "dependent_dialects = ('arith',)",
    "getDescription": "the docstring",
    "isInvalidated": "is_invalidated(self, preserved)",
    "runAfterAnalysis": "after_analysis",
    "runAfterPass": "after_pass",
    "runAfterPassFailed": "after_pass_failed",
    "runAfterPipeline": "after_pipeline",
    "runBeforeAnalysis": "before_analysis",
    "runBeforePass": "before_pass",
    "runBeforePipeline": "before_pipeline",
    "runOnOperation": "run(self, op, ctx)",
}
"""Names of C++ of what classes of passes, analyses and instrumentations define, with those here."""


def refuse_cpp_names(cls: type) -> None:
    """Refuse a class that defines something by its name in MLIR, which would mean nothing.

    Raises:
        DefinitionError: It does; with the name here.
    """
    for name in vars(cls).keys() & _CPP_NAMES.keys():
        raise DefinitionError(f"{cls.__qualname__}.{name} is called {_CPP_NAMES[name]} here")
