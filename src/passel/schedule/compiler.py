"""From a tree of passes to a schedule.

Compiling merges adjacent nested pipelines, gives every pass its path, and makes the checks
that need no IR. It knows managers only as trees of passes.

Source: `OpPassManagerImpl::finalizePassList` and `OpToOpPassAdaptor::tryMergeInto`, MLIR 22;
there `run` does this to the manager itself.
"""

from __future__ import annotations

import operator
import typing
import weakref
from collections import Counter
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import AnchorError, DefinitionError, PipelineError, Problem
from passel.ir import ANY
from passel.passes import Options
from passel.passes.resolution import bound
from passel.passes.tree import Entry, PassTree
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
    from passel.passes.effects_guard import EffectsGuard
    from passel.schedule.model import Step


class _Compiled(NamedTuple):
    """A schedule, with what it was compiled from."""

    tree: weakref.ref[PassTree]
    signature: list[object]
    schedule: Schedule


class PipelineCompiler:
    """Compiles trees of passes for one context, each once while it is unchanged.

    Attributes:
        guard: Refuses passes for what they do outside the IR; None if all may run.
        lock: Held while it compiles, and while passes of what it has compiled are initialized.
    """

    def __init__(self, adapter: IRAdapter, context: Any, guard: EffectsGuard | None = None) -> None:
        self.adapter: IRAdapter = adapter
        self.context: Any = context
        self.guard: EffectsGuard | None = guard
        self._compiled: dict[tuple[int, str], _Compiled] = {}
        self.lock: RLock = RLock()

    def schedule(self, tree: PassTree, outer: str = "") -> Schedule:
        """Return the compiled form of a tree, leaving the tree as it is.

        The dialects that its passes depend on are loaded, and those of pipelines that its
        passes hold as options.

        Args:
            tree: A pass manager.
            outer: The path under which it runs, if it is not the top.

        Raises:
            AnchorError: A pass cannot be scheduled on its manager's op, an anchor is unknown
                or not isolated from above, or a dialect does not exist.
            EffectsError: A pass has effects outside the IR that are not allowed.
        """
        key, signature = (id(tree), outer), list(_signature(tree))
        if known := self._compiled.get(key):
            same = known.tree() is tree and len(known.signature) == len(signature)
            if same and all(map(operator.is_, known.signature, signature)):
                return known.schedule
        draft = _Draft.of(tree, self.adapter)
        if self.guard is not None:
            self.guard.check(draft)
        passes = tuple(self._passes_in(draft))
        self._check_ir(passes)
        pipeline = _Compiler(self).pipeline(draft, outer)
        self._load_dialects(passes)
        # Passes that build a pipeline anew for each op would add for ever.
        for other in [k for k, compiled in self._compiled.items() if compiled.tree() is None]:
            del self._compiled[other]
        schedule = Schedule(pipeline)
        self._compiled[key] = _Compiled(weakref.ref(tree), signature, schedule)
        return schedule

    def kind_named(self, name: str) -> OpKind | None:
        """Return the kind of a registered op."""
        try:
            name.encode()
        except UnicodeEncodeError:  # from a command line that is not UTF-8; no op is called so
            return None
        return self.adapter.kind_named(self.context, name)

    def suggest_op(self, name: str) -> str:
        """Return a hint for an op name that is not registered."""
        return self.adapter.suggest_op(self.context, name)

    def _passes_in(self, tree: PassTree) -> Iterator[Pass[Any, Any]]:
        """Yield all passes of a tree, those inside of passes' options included."""
        for entry in tree.entries():
            if isinstance(entry.item, PassTree):
                yield from self._passes_in(entry.item)
                continue
            pass_ = bound(entry, self.adapter)
            yield pass_
            for info in pass_.option_infos():
                yield from self._passes_in_option(getattr(pass_, info.field))

    def _passes_in_option(self, value: Any) -> Iterator[Pass[Any, Any]]:
        if isinstance(value, tuple):
            for element in typing.cast("tuple[Any, ...]", value):
                yield from self._passes_in_option(element)
        elif isinstance(value, Options):
            for info in value.option_infos():
                yield from self._passes_in_option(getattr(value, info.field))
        elif isinstance(value, PassTree):
            yield from self._passes_in(value)

    def _check_ir(self, passes: Iterable[Pass[Any, Any]]) -> None:
        """Refuse passes for another IR: they would not know what they are given."""
        for pass_ in passes:
            if pass_.ir not in ("", self.adapter.name):
                message = (
                    f"pass '{pass_.name}' is for ops of {pass_.ir}, and this pipeline runs on "
                    f"ops of {self.adapter.name}: build it with PassManager(anchor, context), "
                    "which finds the passes of the context's IR"
                )
                raise AnchorError(Problem(message))

    def _load_dialects(self, passes: Iterable[Pass[Any, Any]]) -> None:
        needed = {dialect: user for user in passes for dialect in user.dependent_dialects}
        for dialect in sorted(needed):
            try:
                self.adapter.load_dialects(self.context, [dialect])
            except LookupError as error:
                name = needed[dialect].name
                message = f"pass '{name}' depends on dialect '{dialect}': {error.args[0]}"
                raise AnchorError(Problem(message)) from None


def _signature(tree: PassTree) -> Iterator[object]:
    """Yield everything that a schedule depends on, by identity: passes are frozen."""
    for entry in tree.entries():
        yield entry.item
        if isinstance(entry.item, PassTree):
            yield entry.item.jobs
            yield from _signature(entry.item)
            yield None


class _Draft(PassTree):
    """A manager's copy that merging may change, with the passes that names mean on an IR."""

    def __init__(self, anchor: str, span: Span | None, jobs: int | None = None) -> None:
        self._anchor = anchor
        self._jobs = jobs
        self.span = span
        self.members: list[Entry[_Draft]] = []

    @staticmethod
    def of(tree: PassTree, adapter: IRAdapter, span: Span | None = None) -> _Draft:
        """Return a copy of a tree."""
        draft = _Draft(tree.anchor, span, tree.jobs)
        for entry in tree.entries():
            item = entry.item
            if isinstance(item, PassTree):
                copy = _Draft.of(item, adapter, entry.span)
            else:
                copy = item if entry.unbound is None else bound(entry, adapter)
            draft.members.append(Entry(copy, entry.span))
        return draft

    @property
    def anchor(self) -> str:
        """The anchor."""
        return self._anchor

    @property
    def jobs(self) -> int | None:
        """How many ops it may run on at once."""
        return self._jobs

    def entries(self) -> Iterator[Entry[_Draft]]:
        """Yield the direct entries."""
        return iter(self.members)

    def join(self, other: _Draft) -> None:
        """Add what another one for the same ops holds; neither runs on more at once than it may."""
        self.members += other.members
        limits = [jobs for jobs in (self._jobs, other.jobs) if jobs is not None]
        self._jobs = min(limits, default=None)

    def passes(self) -> Iterator[Pass[Any, Any]]:
        """Yield the direct entries that are passes."""
        return (item for item, _, _ in self.members if not isinstance(item, _Draft))


class _Compiler:
    """Drafts to pipelines, innermost first, so that the innermost error is reported."""

    def __init__(self, kinds: PipelineCompiler) -> None:
        self.kinds = kinds
        self.numbers: Counter[str] = Counter()
        self.around: list[OpKind] = []

    def pipeline(self, draft: _Draft, outer: str) -> Pipeline:
        path = f"{outer}/{draft.anchor}" if outer else draft.anchor
        _check_complete(draft)
        kind = self._checked_kind(draft, nested=bool(outer))
        around = self.around
        self.around = around if kind is None else [kind, *around]
        steps: list[Step] = []
        for entry in self._merged(draft):
            if isinstance(entry, list):
                nested = tuple(self.pipeline(inner, path) for inner in entry)
                steps.append(NestedStep(nested, path))
            else:
                steps.append(
                    PassStep(
                        entry, f"{path}/{self.numbers[path]}:{entry.name or entry.display_name}"
                    )
                )
                self.numbers[path] += 1
        self.around = around
        if kind is not None:
            self._check_schedulable(draft, kind)
        return Pipeline(draft.anchor, tuple(steps), path, draft.jobs)

    def _checked_kind(self, draft: _Draft, *, nested: bool) -> OpKind | None:
        if draft.anchor == ANY:
            return None
        kind = self.kinds.kind_named(draft.anchor)
        if kind is None and nested:
            hint = self.kinds.suggest_op(draft.anchor)
            message = f"no registered operation is called '{draft.anchor}'{hint}"
            raise AnchorError(Problem(message, draft.span))
        if kind is not None and not kind.isolated and draft.members:
            message = (
                f"'{draft.anchor}' cannot anchor a pipeline: it is not marked as "
                "'IsolatedFromAbove', so its passes could not run apart from what is around it"
            )
            raise AnchorError(Problem(message, draft.span))
        return kind

    def _check_schedulable(self, draft: _Draft, kind: OpKind) -> None:
        problems = [
            Problem(
                f"unable to schedule pass '{entry.name}' on a PassManager intended to run on "
                f"'{draft.anchor}'! It runs {entry.requirement()}; {self._way_out(entry, kind)}",
                span,
            )
            for entry, span, _ in draft.members
            if not isinstance(entry, _Draft) and not is_schedulable(entry, kind)
        ]
        if problems:
            raise AnchorError(*problems)

    def _way_out(self, pass_: Pass[Any, Any], kind: OpKind) -> str:
        for outer in self.around:
            if is_schedulable(pass_, outer):
                return f"put it into the pipeline around, on '{outer.name}'"
        name = pass_.name or pass_.display_name
        return f"write {kind.name}(any({name})) to run it on the ops inside that it accepts"

    def _merged(self, draft: _Draft) -> Iterator[Pass[Any, Any] | list[_Draft]]:
        """Yield the entries with adjacent nested pipelines gathered where they may be."""
        group = _Group()
        for entry, _, _ in draft.members:
            if not isinstance(entry, _Draft):
                if group.by_anchor:
                    yield group.ordered()
                    group = _Group()
                yield entry
            elif self._conflict(group, entry):
                yield group.ordered()
                group = _Group()
                group.add(entry)
            else:
                group.add(entry)
        if group.by_anchor:
            yield group.ordered()

    def _conflict(self, group: _Group, entry: _Draft) -> bool:
        """Return whether an op could be taken by `any` on one side and by the other side."""
        catch_all = group.by_anchor.get(ANY)
        if entry.anchor != ANY:
            return catch_all is not None and self._overlaps(catch_all, entry)
        if catch_all is not None:
            return True
        return any(self._overlaps(entry, other) for other in group.by_anchor.values())

    def _overlaps(self, catch_all: _Draft, other: _Draft) -> bool:
        kind = self.kinds.kind_named(other.anchor)
        return kind is not None and any_accepts(catch_all.passes(), kind)


def _check_complete(draft: _Draft) -> None:
    for entry, span, _ in draft.members:
        if isinstance(entry, _Draft):
            continue
        try:
            entry.check_complete()
        except DefinitionError as error:
            if span is None:
                raise
            raise PipelineError(Problem(str(error), span)) from error


class _Group:
    """Adjacent nested pipelines, those for the same ops made one."""

    def __init__(self) -> None:
        self.by_anchor: dict[str, _Draft] = {}

    def add(self, entry: _Draft) -> None:
        """Add a pipeline behind what is there for the same ops."""
        known = self.by_anchor.setdefault(entry.anchor, entry)
        if known is not entry:
            known.join(entry)

    def ordered(self) -> list[_Draft]:
        """Return the pipelines by name, `any` last."""

        def place(draft: _Draft) -> tuple[bool, bytes]:
            return draft.anchor == ANY, draft.anchor.encode(errors="surrogatepass")

        return sorted(self.by_anchor.values(), key=place)
