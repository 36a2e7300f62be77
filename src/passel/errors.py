"""The errors that passel raises, and `PassFailure`, which passes raise.

    PasselError
    ├── DefinitionError (TypeError)       an invalid declaration of a pass, option or analysis
    ├── DuplicateNameError (ValueError)   a name is registered twice
    ├── PipelineError (ValueError)        the text or structure of a pipeline is invalid
    │   ├── PipelineSyntaxError             the text does not parse
    │   ├── UnknownPassError                a name in the text is not registered
    │   ├── OptionError                     options of a pass are invalid
    │   ├── EffectsError                    a pass has a forbidden effect, such as writing files
    │   ├── AnchorError                     a pass or manager cannot run at its position
    │   ├── InsertionError                  a builder cannot make a change
    │   └── ContractError                   a pass breaks the contract of another pass
    ├── AdapterError (LookupError)        no adapter for an IR, or a missing IR package
    ├── EncodingError                     an op cannot be sent to another process
    └── PassFailedError                   raised by `PassManager.run`
    PassFailure                           raised by passes in `run`; passel catches it

Catch `PasselError` to handle all errors except bugs. Some packages, such as `passel.record`, define
further subclasses.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from passel.diagnostics import Diagnostic, Location, Span


_LONGEST_MESSAGE = 500
_MOST_NAMES = 10
_MOST_FAILURES = 10
"""The maximum number of different failures in a message."""


class PasselError(Exception):
    """The base class of all errors that passel raises.

    A single `except PasselError` handles all errors that occur when a pipeline is built or run.
    """


class DefinitionError(PasselError, TypeError):
    """The declaration of a pass, an option or a statistic is invalid.

    The error is raised when the class with the declaration is created or first used. Incorrect use
    of a valid declaration raises a different error.
    """


class DuplicateNameError(PasselError, ValueError):
    """Two passes or pipelines are registered under the same name."""


class Problem(NamedTuple):
    """A single mistake in a pipeline.

    Attributes:
        message: A sentence that says what is wrong in the pipeline, why, and how to correct it.
        span: The span of the mistake in the text of the pipeline; None if the pipeline was not
            parsed from text.
    """

    message: str
    span: Span | None = None

    def __str__(self) -> str:
        message = self.message
        if len(message) > _LONGEST_MESSAGE:  # which quotes megabytes of the user's text
            message = f"{message[:200]} ... {message[-200:]}"
        if self.span is None:
            return message
        return f"{self.span}: error: {message}\n{self.span.excerpt()}"


class PipelineError(PasselError, ValueError):
    """A pipeline is invalid.

    When the error is raised, no pass has run, and no pass manager has been modified. The
    constructor also accepts strings, which become problems without a span.

    Attributes:
        problems: The mistakes, in the order in which they appear in the text.
    """

    def __init__(self, *problems: Problem | str) -> None:
        found = (Problem(each) if isinstance(each, str) else each for each in problems)
        self.problems: tuple[Problem, ...] = tuple(found)
        super().__init__(*self.problems)

    def __str__(self) -> str:
        # On demand, since lines and columns require a scan of the text.
        return "\n".join(map(str, self.problems))


class PipelineSyntaxError(PipelineError):
    """The text of a pipeline has a syntax error."""


class UnknownPassError(PipelineError):
    """A name in a pipeline's text is not the name of a registered pass or pipeline."""


class OptionError(PipelineError):
    """Options of a pass or pipeline are unknown, malformed or missing.

    The error lists all invalid options.
    """


class EffectsError(PipelineError):
    """Passes have forbidden effects, such as writing files; see `restrict_effects`."""


class AnchorError(PipelineError):
    """A pass or a nested pass manager cannot run at its position in the pipeline.

    The error is raised if a pass and the manager that contains it have different anchors ("did you
    intend to nest?"), or if the pass cannot be scheduled on the ops of that manager. The error is
    also raised if an anchor is unknown or not isolated from above.
    """


class InsertionError(PipelineError):
    """A pipeline builder cannot make a change. The builder is left unmodified.

    The error is raised if no step matches a target, or if the change would violate a constraint.
    Callers can catch the error and try a different change.
    """


class ContractError(PipelineError):
    """A pass violates the contract of another pass in the pipeline. No pass has run.

    The error is raised if no earlier pass produces an analysis that a pass requires. The error is
    also raised if a pass does not declare that it preserves an analysis that a later pass or
    `PipelineBuilder.between` requires.
    """


class AdapterError(PasselError, LookupError):
    """No adapter exists for the IR of an object, or the IR's package is not installed."""


class PassFailure(Exception):  # noqa: N818 - it is not an error of passel's but a pass's verdict
    """A pass failed on its op. The pass raises `PassFailure` in its method `run`.

    The remaining passes of the pipeline are skipped on this op, but still run on sibling ops.
    `PassManager.run` raises `PassFailedError` at the end of the run.

    Args:
        message: The reason for the failure, as a sentence without a final period. The message may
            be empty if the pass has already emitted an error diagnostic.
        op: The op that caused the failure; by default, the op of the pass.
        is_reported: Whether a pipeline that the pass ran has already reported the failure.

    Source: `mlir::Pass::signalPassFailure`, which does not stop the pass.
    """

    kind: str = "failed"

    def __init__(self, message: str = "", *, op: Any = None, is_reported: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.op = op
        self.is_reported = is_reported

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the failure without the op, which exists only in the current process."""
        from passel.tracebacks import Sent  # noqa: PLC0415 - few runs pickle errors

        cause = self.__cause__ and Sent(self.__cause__)
        return type(self), (self.message,), {"is_reported": self.is_reported, "__cause__": cause}


class EncodingError(PasselError):
    """An op cannot be sent to another process.

    If the error occurs during a run, the run processes the op in the current process instead.
    """


class Failure(NamedTuple):
    """The failure of a pass on an op.

    Attributes:
        kind: `failed` (the pass raised `PassFailure`), `crashed` (the pass raised another
            exception, or its process died), `invalid` (the IR was invalid after the pass),
            `isolation` (the pass changed IR outside its op), `unschedulable` (the pass cannot run
            on the op) or `interrupted` (the run was stopped).
        pass_text: The textual form of the pass, with all options that differ from their defaults.
        path: The path of the pass in the pipeline, such as `builtin.module/func.func/0:cse`.
        op_name: The name of the op.
        symbol: The symbol name of the op; None if the op has no symbol name.
        location: The location of the op.
        diagnostic: The diagnostic that reports the failure.
        cause: The exception that caused the failure; None if no exception caused it.
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
        """Pickle the failure, with the traceback of the causing exception as text."""
        from passel.tracebacks import Sent  # noqa: PLC0415 - few runs pickle errors

        return Failure, (*self[:-1], None if self.cause is None else Sent(self.cause))

    def __copy__(self) -> Failure:
        """Return the failure itself, since it is immutable."""
        return self

    @property
    def is_reported(self) -> bool:
        """Whether the failure has already been reported and needs no further diagnostic."""
        return isinstance(self.cause, PassFailure) and self.cause.is_reported

    @property
    def where(self) -> str:
        """The name and symbol of the op, as printed in messages, such as `'func.func' @main`."""
        return f"'{self.op_name}'" + (f" @{self.symbol}" if self.symbol else "")

    def __str__(self) -> str:
        on = f" on @{self.symbol}" if self.symbol else ""
        return f"{self.diagnostic.location}: {self.diagnostic.message} [{self.path}{on}]"


class PassFailedError(PasselError):
    """A run failed because at least one pass failed, crashed or produced invalid IR.

    The IR is not restored to its state before the run. An invalid pipeline raises `PipelineError`
    before any pass runs.

    Attributes:
        failures: All failures, in program order. The `__cause__` of the error is the cause of the
            first failure.
        diagnostics: All diagnostics of the run, in program order.
        reproducer: The path of the reproducer; None if no reproducer was written.
        record: The `Record` of the run; None if the run was not recorded.
        statistics: The statistics of each pass, as `{path of the pass: {name of the statistic:
            value}}`.
        timing: The tree of timers; None unless an instrumentation such as `Timing` measured times.
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
                names = [f"@{e.symbol}" if e.symbol else str(e.location) for e in others]
                lines.append(f"and {len(others)} more like it: {listed(names, _MOST_NAMES)}")
        if len(alike) > _MOST_FAILURES:
            lines.append(f"... and {len(alike) - _MOST_FAILURES} others (`failures` lists all)")
        super().__init__("\n".join(lines))
        self.failures: tuple[Failure, ...] = tuple(failures)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments of the constructor."""
        return type(self), (self.failures, self.diagnostics), vars(self)


def refuse_cpp_names(cls: type, known: Mapping[str, str]) -> None:
    """Reject a class that defines a member of MLIR's C++ API, such as `runOnOperation`.

    Args:
        cls: The class.
        known: A mapping from C++ names to the corresponding declarations in passel.

    Raises:
        DefinitionError: If the class defines such a member. The message states the corresponding
            declaration in passel.
    """
    for name in vars(cls).keys() & known.keys():
        raise DefinitionError(f"{cls.__qualname__}.{name} is a C++ name; write {known[name]}")
