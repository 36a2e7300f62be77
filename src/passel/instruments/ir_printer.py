"""Printing IR before and after passes: `--mlir-print-ir-after-all` and its relatives.

Source: `IRPrinterInstrumentation`, MLIR 22; diffs and single symbols are passel's.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from threading import get_ident
from typing import TYPE_CHECKING, Any, Literal

from passel.hooks import PassInstrumentation
from passel.instruments.events import execution_of, identities_of
from passel.instruments.ir_diff import unified_diff
from passel.instruments.ir_files import FileTree
from passel.instruments.ir_sinks import Dump, DumpLog, StreamSink, TreeSink
from passel.instruments.ir_symbols import complaint, find_symbol
from passel.ir import PrintFlags, outwards
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import TextIO

    from passel.hooks import Around, Run
    from passel.instruments.ir_sinks import Sink
    from passel.instruments.terminals import Color
    from passel.ir import IRAdapter
    from passel.schedule import Step


class PrintIR(PassInstrumentation):
    """A printer of the op that a pass runs on, before and after the pass.

    A dump is introduced by a line such as `// -----// IR Dump After CSE (cse) //----- //`.
    An invalid op is printed in generic form. Observing never changes how a run goes: what
    cannot be written is said once.

    Args:
        before: Print before all passes, or before those with these names.
        after: Print after all passes, or after those with these names.
        module_scope: Print the op at the top, whatever op the pass ran on; the header says
            which one that was.
        only_on_change: After passes, print only if they changed the op.
        only_on_failure: Print after all passes that failed, and after no others.
        flags: How to print.
        directory: Write each dump into a file in this directory instead; see `FileTree`.
        diff: After passes, print what they changed as a unified diff, and nothing if they
            changed nothing; after all passes unless `after` names some.
        symbol: Print only the op that defines this symbol, when a pass runs on it, on
            an op that encloses it, or in it; the header says which op the pass ran on. After all
            passes unless `before` or `after` is given.
        stream: Where to print; by default the standard error as it is at that time.
        color: When diffs are coloured: `auto`, `always` or `never`.

    Example:
        >>> import sys
        >>> from passel import PassManager
        >>> from passel.manager.combinators import register
        >>> from passel.passes import PassRegistry
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> registry = PassRegistry()
        >>> register(registry)
        >>> pipeline = "toy.module(toy.func(composite-fixed-point-pass))"
        >>> pm = PassManager.parse(pipeline, registry=registry, adapter=ToyAdapter())
        >>> with pm.instrument(PrintIR(after=True, stream=sys.stdout)):
        ...     result = pm.run(parse_toy("toy.module(toy.func @f)"))
        // -----// IR Dump After CompositeFixedPointPass (composite-fixed-point-pass) //----- //
        toy.func @f
        <BLANKLINE>

    Source: `mlir::PassManager::enableIRPrinting`, MLIR 22.
    """

    one_by_one = True  # what is asked for is the IR between passes

    def __init__(  # noqa: PLR0913 - a keyword for each
        self,
        *,
        before: bool | Sequence[str] = False,
        after: bool | Sequence[str] = False,
        module_scope: bool = False,
        only_on_change: bool = False,
        only_on_failure: bool = False,
        flags: PrintFlags = PrintFlags(),  # noqa: B008 - immutable
        directory: str | Path | None = None,
        diff: bool = False,
        symbol: str = "",
        stream: TextIO | None = None,
        color: Color = "auto",
    ) -> None:
        wants_all = only_on_failure or (diff and not after) or (symbol and not before and not after)
        self._before = before
        self._after = True if wants_all else after
        self._module_scope = module_scope
        self.stays_here: bool = module_scope  # dumps then show more than a part of the run
        self._only_on_change = only_on_change
        self.finds_changes: bool = only_on_change or diff
        self._only_on_failure = only_on_failure
        self._flags = flags
        self._diff = diff
        self._symbol = symbol
        self._compares = diff or (only_on_change and bool(symbol))
        self._stream = StreamSink(stream, color)
        self._sink: Sink = self._stream
        if directory is not None:
            self._sink = TreeSink(FileTree(directory), self._stream)
        self._runs: list[_Watched] = []
        self._symbol_seen = False
        self.complaint: str = ""
        self.defers_complaint: bool = False

    # -- Runs ------------------------------------------------------------------------------

    def around_run(self, run: Run) -> Around:
        """Remember the run, and warn in the end if the symbol has not occurred."""
        watched = _Watched(run, get_ident(), trusted=run.verifies)
        self._runs.append(watched)
        try:
            yield
        finally:
            self._runs.remove(watched)
        self.complaint = ""
        if self._symbol and not self._symbol_seen:
            self.complaint = f"warning: {complaint(run.adapter, run.op, self._symbol)}\n"
            if not self.defers_complaint:
                self._stream.say(self.complaint)

    def forget(self) -> None:
        """Forget all ops; the files of ops of later runs get other names."""
        if isinstance(self._sink, TreeSink):
            self._sink.tree.forget()

    def split(self) -> PrintIR:
        """Return a printer that keeps the dumps of a part of a run."""
        container = self._watched.container if self._runs else None
        outer = () if container is None else identities_of(self._watched.run, container)
        child = copy(self)
        child._stream, child._runs, child.defers_complaint = StreamSink(None), [], True
        child._sink = DumpLog(outer)
        return child

    def merge(self, child: PassInstrumentation) -> None:
        """Print the dumps that the child has kept."""
        if not isinstance(child, PrintIR) or not isinstance(child._sink, DumpLog):
            return
        self._symbol_seen |= child._symbol_seen
        watched = self._watched
        watched.known = None  # the child may have seen changes
        self._sink.adopt(child._sink, watched.run, watched.container)

    @property
    def _watched(self) -> _Watched:
        """The run that a hook is called for: the innermost one of this thread, if it has one."""
        if len(self._runs) == 1:
            return self._runs[0]
        own = (run for run in reversed(self._runs) if run.thread == get_ident())
        return next(own, self._runs[-1])

    # -- Passes ----------------------------------------------------------------------------

    def around_pass(self, step: Step, op: Any) -> Around:
        """Print, if the pass is one of those asked for."""
        run = self._watched
        if isinstance(step, PassStep):
            return self._around_pass(run, step, op)
        return self._around_pipelines(run, op)

    def _around_pipelines(self, run: _Watched, op: Any) -> Around:
        enclosing, run.container = run.container, op
        try:
            yield
        finally:
            run.container = enclosing

    def _around_pass(self, run: _Watched, step: PassStep, op: Any) -> Around:
        target = self._target(run, op)
        if _takes(self._before, step) and target is not None:
            self._dump(run, step, op, "Before", self._text(run, target))
        is_chosen = _takes(self._after, step)
        old = None if target is None else ""
        if is_chosen and target is not None and self._compares:
            old = self._known_text(run, target)
        ended = yield
        if ended.failed or ended.changed:
            run.known = None
        run.trusted &= not ended.failed
        if not is_chosen or (self._only_on_failure and not ended.failed):
            return
        if ended.failed or ended.changed or not self._only_on_change:
            shown = self._shown_after(run, self._target(run, op), old, failed=ended.failed)
            if shown is not None:
                self._dump(run, step, op, "After", shown, failed=ended.failed)

    # -- What to print ---------------------------------------------------------------------

    def _target(self, run: _Watched, op: Any) -> Any:
        """Return the op to print when a pass runs on `op`; None if there is none."""
        if self._symbol:
            found = find_symbol(run.adapter, op, self._symbol)
            if found is None:
                return None
            self._symbol_seen = True
            return run.top(op) if self._module_scope else found
        return run.top(op) if self._module_scope else op

    def _shown_after(
        self, run: _Watched, target: Any, old: str | None, *, failed: bool
    ) -> str | None:
        """Return the text to print after a pass; None if there is none.

        Args:
            run: The run.
            target: The op to print; None if the pass has erased it, or it was never there.
            old: Its text before the pass, if texts are compared; None if it was not there.
            failed: Whether the pass has failed.
        """
        if target is None and old is None:
            return None
        if self._diff:
            new = "" if target is None else self._known_text(run, target)
            unchanged = "// the pass changed nothing" if failed else None
            return unified_diff(old or "", new).removesuffix("\n") or unchanged
        if target is None:
            return f"// @{self._symbol} does not exist any more"
        if self._compares and not failed and self._known_text(run, target) == old:
            return None
        return self._text(run, target)

    def _dump(
        self,
        run: _Watched,
        step: PassStep,
        op: Any,
        when: Literal["Before", "After"],
        text: str,
        *,
        failed: bool = False,
    ) -> None:
        dump = Dump(
            execution_of(run.run, step, op),
            when,
            text,
            failed=failed,
            is_diff=self._diff and when == "After",
            names_op=self._module_scope or bool(self._symbol),
            reported=run.run.reported,
        )
        self._sink.take(list(outwards(run.adapter, op))[::-1], dump)

    def _known_text(self, run: _Watched, op: Any) -> str:
        """Return an op's text to be compared, the last one if it is of this op and up to date.

        Custom form as long as the printer manages: a generic one would differ everywhere.
        """
        if run.known is None or run.known[0] != op:
            run.known = op, run.adapter.print_op(op, self._flags)
        return run.known[1]

    def _text(self, run: _Watched, op: Any) -> str:
        """Return an op's text, with an empty line if it is at the top, as MLIR prints it."""
        flags = self._flags
        is_top = run.adapter.parent(op) is None
        if not is_top:
            flags = flags._replace(local_scope=True)
        if not run.trusted and not _is_valid(run.adapter, op):
            flags = flags._replace(generic=True)
        text = run.adapter.print_op(op, flags)
        return f"{text}\n" if is_top and not flags.local_scope else text


def _takes(wanted: bool | Sequence[str], step: PassStep) -> bool:
    return wanted if isinstance(wanted, bool) else step.pass_.name in wanted


@dataclass(slots=True, eq=False)
class _Watched:
    """A run that is being observed.

    Attributes:
        run: The run.
        thread: Where it runs.
        trusted: Whether its IR is valid as far as is known.
        container: The innermost op whose nested pipelines run; None if there is none.
        known: The op that was last printed to be compared, and its text, until anything changes.
    """

    run: Run
    thread: int
    trusted: bool
    container: Any = None
    known: tuple[Any, str] | None = None

    @property
    def adapter(self) -> IRAdapter:
        """The adapter of the IR."""
        return self.run.adapter

    def top(self, op: Any) -> Any:
        return list(outwards(self.adapter, op))[-1]


def _is_valid(adapter: IRAdapter, op: Any) -> bool:
    try:
        adapter.verify(op, recursive=True)
    except Exception:  # noqa: BLE001 - of broken IR a verifier may raise anything
        return False
    return True
