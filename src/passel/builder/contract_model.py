"""The parts of a violated contract: places in a pipeline, regions of it, and violations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.builder.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.diagnostics import Severity, Span
    from passel.passes import Pass


class Place(NamedTuple):
    """A pass at its place in a pipeline.

    Attributes:
        pass_: The pass.
        path: Its path, such as `builtin.module/func.func/0:cse`.
        span: Its place in the text that it comes from, if it comes from one.
        label: Its label in a builder; empty if it comes from none.
        origin: Who put it there, if a builder knows.
    """

    pass_: Pass[Any, Any]
    path: str
    span: Span | None = None
    label: str = ""
    origin: Origin = Origin()

    def __str__(self) -> str:
        """Return the pass as messages name it."""
        by = f", added by {self.origin}" if self.origin.extension else ""
        by = by or (f", added at {self.origin}" if self.origin.file else "")
        return f"'{self.pass_.name or self.pass_.display_name}' [{self.path}{by}]"


class Violation(NamedTuple):
    """Something in a pipeline that breaks a contract.

    Attributes:
        message: What and why, and the way out.
        severity: An error, or a warning about what may be meant.
        offender: The pass that is to blame.
        producer: What produces the analysis, or makes the dialect illegal, if anything does.
        consumer: What needs it, if anything does.
    """

    message: str
    severity: Severity
    offender: Place
    producer: Place | None = None
    consumer: Place | None = None

    def __str__(self) -> str:
        return f"{self.severity.value}: {self.message}"


class WatchedRegion(NamedTuple):
    """A region whose ends are known.

    Attributes:
        starts: Whether it starts after a pass.
        ends: Whether it ends before a pass.
        kinds: The analyses that are preserved in it.
        title: The region as messages name it.
    """

    starts: Callable[[Place], bool]
    ends: Callable[[Place], bool]
    kinds: tuple[type, ...]
    title: str


class Key(NamedTuple):
    """An analysis that is watched.

    Attributes:
        kind: The analysis.
        region: The region for which it is watched; None for all that require it.
    """

    kind: type
    region: WatchedRegion | None = None
