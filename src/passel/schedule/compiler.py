"""From a tree of passes to a schedule.

Compiling merges adjacent nested pipelines, gives every pass its path, and makes the checks
that need no IR. It knows managers only as trees of passes.

Source: `OpPassManagerImpl::finalizePassList` and `OpToOpPassAdaptor::tryMergeInto`, MLIR 22;
there `run` does this to the manager itself.
"""

from __future__ import annotations

import weakref
from collections import Counter
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import AnchorError, DefinitionError, PipelineError, Problem
from passel.ir import ANY
from passel.passes.op_pass_manager import OpPassManager, Placed
from passel.passes.reachable import walk
from passel.schedule.model import (
    NestedStep,
    PassStep,
    Pipeline,
    Schedule,
    any_accepts,
    is_schedulable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.diagnostics import Span
    from passel.ir import IRAdapter, OpKind
    from passel.passes import Pass
    from passel.passes.reachable import EffectsGuard, Visit
    from passel.schedule.model import Step


class _Compiled(NamedTuple):
    """A schedule, with what it was compiled from."""

    tree: weakref.ref[OpPassManager]
    changes: int
    schedule: Schedule


class PipelineCompiler:
    """Compiles trees of passes for one context, each once while it is unchanged.

    Attributes:
        guard: Refuses passes for effects outside the IR; None if all may run.
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
        self.guard: EffectsGuard | None = guard
        self._compiled: dict[tuple[int, str], _Compiled] = {}
        self.lock: RLock = RLock()

    def schedule(self, tree: OpPassManager, outer: str = "") -> Schedule:
        """Return the compiled form of a tree, without changing the tree.

        Compiling loads the dialects that the passes depend on, including the passes of pipelines
        that other passes may run.

        Args:
            tree: A pass manager.
            outer: The path under which it runs, if it is not the top.

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
            schedule = Schedule(_Compilation(self.adapter, self.context).pipeline(tree, outer))
            self._load_dialects(here)
            if self.checks and not outer:
                from passel.contracts import check_contracts  # noqa: PLC0415 - `import passel` is fast

                check_contracts(tree)
            # Passes that build a pipeline anew for each op would add for ever.
            for other in [k for k, compiled in self._compiled.items() if compiled.tree() is None]:
                del self._compiled[other]
            self._compiled[key] = _Compiled(weakref.ref(tree), changes, schedule)
            return schedule

    def _check_ir(self, visits: Iterable[Visit]) -> None:
        """Refuse passes for another IR: they would not know what they are given."""
        for pass_, span, _ in visits:
            if pass_.ir not in ("", self.adapter.name):
                message = (
                    f"pass '{pass_.name}' is for ops of {pass_.ir}, and this pipeline runs on "
                    f"ops of {self.adapter.name}: build it with PassManager(anchor, context), or "
                    "in the context, so that names are those of its IR"
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


class _Nest(NamedTuple):
    """A tree, or adjacent ones for the same ops.

    Attributes:
        anchor: The name of the ops, or `any`.
        placed: The passes and managers directly in the trees, in order, with places.
        jobs: The largest number of ops at once; None for no limit.
        span: The place of the first tree.
    """

    anchor: str
    placed: tuple[Placed, ...]
    jobs: int | None
    span: Span | None

    def joined(self, other: _Nest) -> _Nest:
        """Return both trees as one, with the lower of their limits."""
        limits = [jobs for jobs in (self.jobs, other.jobs) if jobs is not None]
        placed = self.placed + other.placed
        return self._replace(placed=placed, jobs=min(limits, default=None))

    def passes(self) -> Iterator[Pass[Any, Any]]:
        """Yield the passes directly in the trees."""
        return (item for item, _ in self.placed if not isinstance(item, OpPassManager))


class _Compilation:
    """Compiles one tree, innermost pipelines first, so that the innermost error is reported."""

    def __init__(self, adapter: IRAdapter, context: Any) -> None:
        self._adapter = adapter
        self._context = context
        self._numbers: Counter[str] = Counter()

    def pipeline(self, tree: OpPassManager, outer: str) -> Pipeline:
        """Return the compiled form of a tree under a path."""
        return self._pipeline(self._nest(tree, None), outer, ())

    def _nest(self, tree: OpPassManager, span: Span | None) -> _Nest:
        placed = tuple(Placed(item, place or span) for item, place in tree.placed())
        return _Nest(tree.anchor, placed, tree.jobs, span)

    def _pipeline(self, nest: _Nest, outer: str, enclosing: tuple[OpKind, ...]) -> Pipeline:
        path = f"{outer}/{nest.anchor}" if outer else nest.anchor
        _check_complete(nest)
        kind = self._checked_kind(nest, is_nested=bool(outer))
        inside = enclosing if kind is None else (kind, *enclosing)
        steps: list[Step] = []
        for item in self._merged(nest):
            if isinstance(item, list):
                nested = tuple(self._pipeline(inner, path, inside) for inner in item)
                steps.append(NestedStep(nested, path))
            else:
                name = item.name or item.display_name
                steps.append(PassStep(item, f"{path}/{self._numbers[path]}:{name}"))
                self._numbers[path] += 1
        if kind is not None:
            _check_schedulable(nest, kind, enclosing)
        return Pipeline(nest.anchor, tuple(steps), path, nest.jobs)

    def _checked_kind(self, nest: _Nest, *, is_nested: bool) -> OpKind | None:
        if nest.anchor == ANY:
            return None
        kind = self._adapter.kind_named(self._context, nest.anchor)
        if kind is None and is_nested:
            hint = self._adapter.suggest_op(self._context, nest.anchor)
            message = f"no registered operation is called '{nest.anchor}'{hint}"
            raise AnchorError(Problem(message, nest.span))
        if kind is not None and not kind.isolated and nest.placed:
            message = (
                f"'{nest.anchor}' cannot anchor a pipeline: it is not marked as "
                "'IsolatedFromAbove', so its passes could not run separately from the ops around it"
            )
            raise AnchorError(Problem(message, nest.span))
        return kind

    def _merged(self, nest: _Nest) -> Iterator[Pass[Any, Any] | list[_Nest]]:
        """Yield passes and groups of adjacent pipelines that may be merged, `any` last."""
        group: dict[str, _Nest] = {}
        for item, span in nest.placed:
            inner = self._nest(item, span) if isinstance(item, OpPassManager) else None
            if group and (inner is None or self._conflicts(group, inner)):
                yield sorted(group.values(), key=_place)
                group = {}
            if inner is not None:
                known = group.get(inner.anchor)
                group[inner.anchor] = inner if known is None else known.joined(inner)
            elif not isinstance(item, OpPassManager):
                yield item
        if group:
            yield sorted(group.values(), key=_place)

    def _conflicts(self, group: dict[str, _Nest], inner: _Nest) -> bool:
        """Return whether `any` and a named anchor could both match an op."""
        catch_all = group.get(ANY)
        if inner.anchor != ANY:
            return catch_all is not None and self._overlaps(catch_all, inner)
        if catch_all is not None:
            return True
        return any(self._overlaps(inner, other) for other in group.values())

    def _overlaps(self, catch_all: _Nest, other: _Nest) -> bool:
        kind = self._adapter.kind_named(self._context, other.anchor)
        return kind is not None and any_accepts(catch_all.passes(), kind)


def _place(nest: _Nest) -> tuple[bool, bytes]:
    return nest.anchor == ANY, nest.anchor.encode(errors="surrogatepass")


def _check_complete(nest: _Nest) -> None:
    for item, span in nest.placed:
        if isinstance(item, OpPassManager):
            continue
        try:
            item.check_complete()
        except DefinitionError as error:
            if span is None:
                raise
            raise PipelineError(Problem(str(error), span)) from error


def _check_schedulable(nest: _Nest, kind: OpKind, enclosing: tuple[OpKind, ...]) -> None:
    problems = [
        Problem(
            f"unable to schedule pass '{item.name}' on a PassManager intended to run on "
            f"'{nest.anchor}'! It runs {item.requirement()}; {_way_out(item, kind, enclosing)}",
            span,
        )
        for item, span in nest.placed
        if not isinstance(item, OpPassManager) and not is_schedulable(item, kind)
    ]
    if problems:
        raise AnchorError(*problems)


def _way_out(pass_: Pass[Any, Any], kind: OpKind, enclosing: tuple[OpKind, ...]) -> str:
    for outer in enclosing:
        if is_schedulable(pass_, outer):
            return f"put it into the enclosing pipeline, on '{outer.name}'"
    name = pass_.name or pass_.display_name
    return f"write {kind.name}(any({name})) to run it on the ops inside that it accepts"
