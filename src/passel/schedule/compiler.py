"""From a tree of passes to a schedule.

Compiling merges nested pipelines, makes the checks that need no ops, and loads dialects.
"""

from __future__ import annotations

import weakref
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import AnchorError, DefinitionError, PipelineError, Problem
from passel.ir import ANY, LowersPasses, ability_of
from passel.passes.reachable import walk
from passel.schedule.merging import merged
from passel.schedule.model import Schedule, is_schedulable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.ir import IRAdapter, OpKind
    from passel.passes import Pass
    from passel.passes.op_pass_manager import OpPassManager
    from passel.passes.reachable import EffectsGuard, Visit
    from passel.schedule.model import Pipeline


class _Compiled(NamedTuple):
    """A schedule, with its sources."""

    tree: weakref.ref[OpPassManager]
    changes: int
    schedule: Schedule


class PipelineCompiler:
    """Compiles trees of passes for one context, each once while it is unchanged.

    Attributes:
        guard: Refuses passes for effects outside the IR; None if all may run.
        lowers: The adapter, if it runs several passes in one call.
        checks: Whether compiling refuses a pass whose requirements no earlier pass meets.
        lock: Held while a tree is compiled, and while passes of a schedule are initialized.
    """

    def __init__(
        self,
        adapter: IRAdapter,
        context: Any,
        guard: EffectsGuard | None = None,
        *,
        checks: bool = False,
    ) -> None:
        self.checks: bool = checks
        self.adapter: IRAdapter = adapter
        self.context: Any = context
        self.lowers: LowersPasses | None = ability_of(adapter, LowersPasses)
        self.guard: EffectsGuard | None = guard
        self._compiled: dict[tuple[int, str], _Compiled] = {}
        self.lock: RLock = RLock()

    def schedule(self, tree: OpPassManager, outer: str = "") -> Schedule:
        """Return the compiled form of a tree, without changing the tree.

        Compiling loads the dialects that the passes depend on, including the passes of pipelines
        that other passes may run.

        Args:
            tree: A pass manager.
            outer: The path under which it runs, if it is nested.

        Raises:
            AnchorError: A pass cannot be scheduled on its manager's op, an anchor is unknown
                or not isolated from above, or a dialect does not exist.
            EffectsError: A pass has effects outside the IR that are not allowed.
            ContractError: A requirement of a pass is not met.
        """
        key, changes = (id(tree), outer), tree.changes
        with self.lock:
            known = self._compiled.get(key)
            if known is not None and known.tree() is tree and known.changes == changes:
                return known.schedule
            visits = tuple(walk(tree))
            if self.guard is not None:
                self.guard.check(visits)
            here = [visit for visit in visits if not visit.is_elsewhere]
            self._check_ir(here)
            pipeline = merged(tree, outer, adapter=self.adapter, context=self.context)
            self._check(pipeline)
            self._load_dialects(here)
            if self.checks and not outer and any(visit.pass_.requires for visit in visits):
                from passel.schedule.contracts import check_contracts  # noqa: PLC0415 - `import passel` is fast

                check_contracts(pipeline)
            schedule = Schedule(pipeline)
            # Passes that build a pipeline anew for each op would add for ever.
            for other in [k for k, compiled in self._compiled.items() if compiled.tree() is None]:
                del self._compiled[other]
            self._compiled[key] = _Compiled(weakref.ref(tree), changes, schedule)
            return schedule

    def _check_ir(self, visits: Iterable[Visit]) -> None:
        """Reject passes for another IR."""
        for pass_, span, _ in visits:
            if pass_.ir not in ("", self.adapter.name):
                message = (
                    f"pass '{pass_.name}' is for ops of {pass_.ir}, but this pipeline runs on "
                    f"ops of {self.adapter.name}: create it with PassManager(anchor, context), or "
                    "inside the context, so that names refer to passes of its IR"
                )
                raise AnchorError(Problem(message, span))

    def _load_dialects(self, visits: list[Visit]) -> None:
        needed = {dialect: visit for visit in visits for dialect in visit.pass_.dependent_dialects}
        for dialect in sorted(needed):
            try:
                self.adapter.load_dialects(self.context, [dialect])
            except LookupError as error:
                pass_, span, _ = needed[dialect]
                message = f"pass '{pass_.name}' depends on dialect '{dialect}': {error.args[0]}"
                raise AnchorError(Problem(message, span)) from None
        self.adapter.prepare(self.context, [visit.pass_ for visit in visits])

    def _check(self, pipeline: Pipeline, enclosing: tuple[OpKind, ...] = ()) -> None:
        """Make the checks that need no ops, innermost pipelines first."""
        _check_complete(pipeline)
        kind = self._checked_kind(pipeline)
        inside = enclosing if kind is None else (kind, *enclosing)
        for step in pipeline.steps:
            for inner in step.pipelines:
                self._check(inner, inside)
        if kind is not None:
            _check_schedulable(pipeline, kind, enclosing)

    def _checked_kind(self, pipeline: Pipeline) -> OpKind | None:
        anchor, span = pipeline.anchor, pipeline.spans[0]
        if anchor == ANY:
            return None
        kind = self.adapter.kind_named(self.context, anchor)
        if kind is None and pipeline.path != anchor:  # at the top, the op that it runs on decides
            hint = self.adapter.suggest_op(self.context, anchor)
            message = f"no registered operation is called '{anchor}'{hint}"
            raise AnchorError(Problem(message, span))
        if kind is not None and not kind.isolated and pipeline.steps:
            message = (
                f"'{anchor}' cannot anchor a pipeline: it is not marked as "
                "'IsolatedFromAbove', so its passes could not run separately from the ops around it"
            )
            raise AnchorError(Problem(message, span))
        return kind


def _check_complete(pipeline: Pipeline) -> None:
    for step in pipeline.passes():
        try:
            step.pass_.check_complete()
        except DefinitionError as error:
            if step.span is None:
                raise
            raise PipelineError(Problem(str(error), step.span)) from error


def _check_schedulable(pipeline: Pipeline, kind: OpKind, enclosing: tuple[OpKind, ...]) -> None:
    problems = [
        Problem(
            f"unable to schedule pass '{step.pass_.name}' on a PassManager intended to run on "
            f"'{pipeline.anchor}'! It runs {step.pass_.requirement()}; "
            f"{_way_out(step.pass_, kind, enclosing)}",
            step.span,
        )
        for step in pipeline.passes()
        if not is_schedulable(step.pass_, kind)
    ]
    if problems:
        raise AnchorError(*problems)


def _way_out(pass_: Pass[Any, Any], kind: OpKind, enclosing: tuple[OpKind, ...]) -> str:
    for outer in enclosing:
        if is_schedulable(pass_, outer):
            return f"put it into the enclosing pipeline, on '{outer.name}'"
    name = pass_.name or pass_.display_name
    return f"write {kind.name}(any({name})) to run it on the ops inside that it accepts"
