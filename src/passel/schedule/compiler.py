"""Compilation of a pass manager to a schedule.

The compiler merges nested pipelines, performs the checks that do not need ops, and loads dialects.
"""

from __future__ import annotations

import weakref
from contextlib import suppress
from threading import RLock
from typing import TYPE_CHECKING, Any

from passel.errors import AdapterError, AnchorError, DefinitionError, PipelineError, Problem
from passel.ir import ANY, LowersPasses
from passel.ir.adapters import adapter_of_class
from passel.passes.reachable import refuse_effects, walk
from passel.schedule.model import is_schedulable, merged

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from passel.ir import IRAdapter, OpKind
    from passel.passes.op_pass_manager import OpPassManager
    from passel.passes.reachable import Visit
    from passel.schedule.model import Pipeline


class PipelineCompiler:
    """A compiler that turns pass managers into schedules for one context, and caches the schedules.

    Attributes:
        guard: The allowed effects of passes outside the IR, such as reading files; None if all
            effects are allowed.
        lowers: The adapter if it has the ability `LowersPasses`; None otherwise.
        checks: Whether an unmet requirement of a pass (see `Pass.requires`) is an error.
        lock: The lock that is held while a manager is compiled or passes are initialized.
    """

    def __init__(
        self,
        adapter: IRAdapter,
        context: Any,
        guard: Collection[str] | None = None,
        *,
        checks: bool = False,
    ) -> None:
        self.checks: bool = checks
        self.adapter: IRAdapter = adapter
        self.context: Any = context
        self.lowers: LowersPasses | None = adapter if isinstance(adapter, LowersPasses) else None
        self.guard: Collection[str] | None = guard
        # The cached schedules, each after its manager and the manager's number of changes.
        self._compiled: dict[Any, tuple[tuple[weakref.ref[OpPassManager], int], Pipeline]] = {}
        self.lock: RLock = RLock()

    def schedule(self, tree: OpPassManager, outer: str = "") -> Pipeline:
        """Return the schedule of a pass manager without changing the manager.

        The compiler loads the dependent dialects of each pass in the manager, and of each pass that
        these passes may run on the same IR.

        Args:
            tree: The pass manager to compile.
            outer: The path of the pass that runs the manager; an empty string if no pass runs it.

        Raises:
            AnchorError: A pass cannot run on the anchor of its manager, a pass is for another IR,
                an anchor is unknown, an anchor is not isolated from above, or a dependent dialect
                does not exist.
            EffectsError: A pass has a forbidden effect outside the IR.
            ContractError: A requirement of a pass is not met.
        """
        key, source = (id(tree), outer), (weakref.ref(tree), tree.changes)
        with self.lock:
            known = self._compiled.get(key)
            if known is not None and known[0] == source:
                return known[1]
            schedule = self._compile(tree, outer)
            # Passes may build a pipeline for each op: drop the schedules of deleted pipelines.
            alive = {k: found for k, found in self._compiled.items() if found[0][0]() is not None}
            self._compiled = {**alive, key: (source, schedule)}
            return schedule

    def check_fits(self, tree: OpPassManager, kind: OpKind) -> None:
        """Reject a manager whose anchor does not match an op that it should run on."""
        if tree.anchor not in (ANY, kind.name):
            nested = f"to run the pipeline on nested ops, write {kind.name}({tree.anchor}(...))"
            hint = self._unknown_anchor(tree.anchor) or nested
            raise AnchorError(f"can't run '{tree.anchor}' pass manager on '{kind.name}' op; {hint}")

    def _compile(self, tree: OpPassManager, outer: str) -> Pipeline:
        visits = tuple(walk(tree))
        if self.guard is not None:
            refuse_effects(visits, self.guard)
        here = tuple(walk(tree, crosses=False))
        self._check_passes(here)
        pipeline = merged(tree, outer, adapter=self.adapter, context=self.context)
        self._check(pipeline)
        self._load_dialects(here)
        if self.checks and not outer and any(pass_.requires for pass_, _ in visits):
            from passel.schedule.contracts import check_contracts  # noqa: PLC0415 - `import passel` is fast

            check_contracts(pipeline)
        return pipeline

    def _check_passes(self, visits: Iterable[Visit]) -> None:
        """Reject incomplete passes, and passes for another IR."""
        for pass_, span in visits:
            try:
                pass_.check_complete()
            except DefinitionError as error:
                if span is None:
                    raise
                raise PipelineError(Problem(str(error), span)) from error
            ir = pass_.ir
            with suppress(AdapterError):  # a class of an IR whose adapter is not installed
                ir = ir or (adapter_of_class(pass_.op_class).name if pass_.op_class else "")
            if ir not in ("", self.adapter.name):
                message = (
                    f"pass '{pass_.short_name}' runs on {ir} ops, but this pipeline runs on "
                    f"{self.adapter.name} ops; to use {self.adapter.name} passes, create the "
                    "pipeline with PassManager(anchor, context) or in a 'with context:' block"
                )
                raise AnchorError(Problem(message, span))

    def _load_dialects(self, visits: Sequence[Visit]) -> None:
        needed = {dialect: visit for visit in visits for dialect in visit[0].dependent_dialects}
        for dialect in sorted(needed):
            try:
                self.adapter.load_dialects(self.context, [dialect])
            except LookupError as error:
                pass_, span = needed[dialect]
                message = f"pass '{pass_.name}' depends on dialect '{dialect}': {error.args[0]}"
                raise AnchorError(Problem(message, span)) from None
        self.adapter.prepare(self.context, [pass_ for pass_, _ in visits])

    def _check(self, pipeline: Pipeline) -> None:
        """Check a pipeline's anchor, then its nested pipelines, and then its passes."""
        anchor, span = pipeline.anchor, pipeline.span
        kind = None if anchor == ANY else self.adapter.kind_named(self.context, anchor)
        # At the top, where path and anchor are the same, the op decides whether the anchor exists.
        if anchor != pipeline.path and (message := self._unknown_anchor(anchor)):
            raise AnchorError(Problem(message, span))
        if kind is not None and not kind.isolated and pipeline.steps:
            message = (
                f"'{anchor}' cannot anchor a pipeline: it is not marked as "
                "'IsolatedFromAbove', so passes on this op could not run separately from the ops "
                "around it"
            )
            raise AnchorError(Problem(message, span))
        for step in pipeline.steps:
            for inner in step.pipelines:
                self._check(inner)
        problems = [
            Problem(
                f"unable to schedule pass '{step.pass_.name}' on a PassManager intended to run on "
                f"'{anchor}'! It runs {step.pass_.requirement()}",
                step.span,
            )
            for step in pipeline.passes()
            if kind is not None and not is_schedulable(step.pass_, kind)
        ]
        if problems:
            raise AnchorError(*problems)

    def _unknown_anchor(self, anchor: str) -> str:
        """Return the error message for an unknown anchor, or an empty string for a known anchor."""
        if anchor == ANY or self.adapter.kind_named(self.context, anchor) is not None:
            return ""
        hint = self.adapter.suggest_op(self.context, anchor)
        return f"no registered operation is called '{anchor}'{hint}"
