"""Sessions: a run that stops between passes, to be looked at, changed and taken back."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import AdapterError, PasselError, PipelineError, Problem
from passel.instruments.ir_diff import unified_diff
from passel.instruments.ir_symbols import find_symbol
from passel.ir import PrintFlags, WritesSources, ability_of, adapter_for
from passel.manager import Nesting, PassManager
from passel.manager.reading import read_ir
from passel.search.places import Place, Stretch

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from passel.diagnostics import Diagnostic
    from passel.ir import IRAdapter
    from passel.manager import RunResult
    from passel.manager.addable import Addable
    from passel.schedule import Step


class _State(NamedTuple):
    """The IR between two passes.

    Attributes:
        position: How many passes of the pipeline have run.
        source: The IR, in the form that loses nothing.
    """

    position: int
    source: str


class Session:
    """A pipeline that runs on an op pass by pass.

    What is done in several stretches is what one run does, byte for byte. A stretch that fails
    leaves the session, and its IR, where they were.

    Args:
        manager: The pipeline; later changes to it do not count.
        op: What it runs on, at the top; it is changed until the session goes back, and then
            replaced.
        on_diagnostic: As for `PassManager.run`.
        adapter: The IR's adapter, if it is not that of an installed package.

    Raises:
        AdapterError: The IR has no files, in which states are kept.
        PasselError: The pipeline is wrong, as of `PassManager.check`.

    Attributes:
        paths: The paths of all passes, in the order in which they run.
        position: How many of them have run.
        op: The IR as it is now.

    Example:
        >>> from passel.xdsl import XDSLAdapter, parse_source
        >>> context = XDSLAdapter().create_context()
        >>> module = parse_source(context, "func.func private @f()", "in.mlir")
        >>> session = Session(PassManager.parse("builtin.module(cse,symbol-dce)", context), module)
        >>> _ = session.step()
        >>> session.place, "@f" in session.text()
        ('builtin.module/0:cse', True)
        >>> _ = session.run_to()
        >>> session.rewind()
        >>> session.position
        0
    """

    def __init__(
        self,
        manager: PassManager,
        op: Any,
        *,
        on_diagnostic: Callable[[Diagnostic], None] | None = None,
        adapter: IRAdapter | None = None,
    ) -> None:
        adapter = adapter or adapter_for(op)
        writer = ability_of(adapter, WritesSources)
        if writer is None:
            raise AdapterError(f"the adapter of '{adapter.name}' cannot write IR as files")
        self._writer: WritesSources = writer
        self.op: Any = op
        self.position: int = 0
        self._adapter: IRAdapter = adapter
        self._on_diagnostic = on_diagnostic
        self._manager = manager.copy()
        self._manager.add_gate(self._admits)
        self._context: Any = adapter.context_of(adapter.op_of(op)) or manager.context
        self.paths: tuple[str, ...] = tuple(self._manager.passes_by_path(adapter))
        self._stretch: Stretch | None = None
        self._states: dict[int, _State] = {}
        self._bookmarks: dict[str, _State] = {}
        self._keep()

    @property
    def place(self) -> str:
        """The path of the pass that has run last; empty at the start."""
        return self.paths[self.position - 1] if self.position else ""

    @property
    def is_over(self) -> bool:
        """Whether all passes have run."""
        return self.position == len(self.paths)

    # -- Going on --------------------------------------------------------------------------

    def step(self, count: int = 1) -> RunResult:
        """Run the next pass, or several, each on all of its ops; none behind the last.

        Raises:
            PassFailedError: A pass failed.
        """
        return self._run(min(self.position + count, len(self.paths)))

    def run_to(self, place: str = "") -> RunResult:
        """Run up to a place: what lies before it, and the pass there.

        Args:
            place: The path of a pass, or its name if only one has it; by default the last.

        Raises:
            PipelineError: There is no such pass.
            PasselError: It has run already: `rewind` first.
            PassFailedError: A pass failed.
        """
        position = self._position_of(place) if place else len(self.paths)
        if position < self.position:
            raise PasselError(f"{place} has run already; rewind to a place before it")
        return self._run(position)

    def apply(self, *passes: Addable) -> RunResult:
        """Run passes that are not in the pipeline, at this place of it.

        Args:
            passes: As for `PassManager.add`; nested as they need it.

        Raises:
            PassFailedError: One failed.
        """
        anchor = self._adapter.kind_of(self._adapter.op_of(self.op)).name
        manager = PassManager(
            anchor, self._context, adapter=self._adapter, nesting=Nesting.IMPLICIT, check=False
        )
        with self._going_back_if_it_fails():
            result = manager.add(*passes).run(self.op, on_diagnostic=self._on_diagnostic)
        self._keep()
        return result

    def replace(self, text: str, name: str = "<edited>") -> None:
        """Put other IR in the place of what there is, such as what was edited.

        Args:
            text: The IR; one op at the top, of the same name.
            name: What errors call it.

        Raises:
            UnreadableError: It is not valid IR. Its diagnostics say where.
            PasselError: The op at the top has another name.
        """
        self.adopt(read_ir(self._adapter, self._context, text, name))

    def adopt(self, op: Any) -> None:
        """Go on with another op, which is valid and of the same context, as `replace` does.

        Raises:
            PasselError: It has another name.
        """
        adapter = self._adapter
        was, now = (adapter.kind_of(adapter.op_of(each)).name for each in (self.op, op))
        if was != now:
            raise PasselError(f"the IR at the top is a '{now}', and the pipeline runs on a '{was}'")
        self.op = op
        self._keep()

    # -- Going back ------------------------------------------------------------------------

    def rewind(self, to: str = "") -> None:
        """Go back to a place, a bookmark or the start.

        Passes run again if the session has not stopped at that place.

        Args:
            to: The name of a bookmark, the path of a pass that has run, or its name.

        Raises:
            PipelineError: There is no such place.
            PasselError: It lies ahead: `run_to` goes there.
        """
        state = self._bookmarks.get(to)
        if state is None:
            position = self._position_of(to) if to else 0
            if position > self.position:
                raise PasselError(f"{to} has not run yet; run to it instead")
            state = max(each for each in self._states.values() if each.position <= position)
            self._go_back(state)
            if position > state.position:
                self._run(position)
        else:
            self._go_back(state)

    def bookmark(self, name: str) -> None:
        """Give this state of the IR a name, for `rewind` and `diff`."""
        self._bookmarks[name] = self._states[self.position]

    def _go_back(self, state: _State) -> None:
        self.op = self._read(state)
        self.position = state.position
        self._states = {n: each for n, each in self._states.items() if n < state.position}
        self._states[state.position] = state

    # -- Looking ---------------------------------------------------------------------------

    def text(self, symbol: str = "", *, flags: PrintFlags = PrintFlags()) -> str:  # noqa: B008 - immutable
        """Return the IR as it is now.

        Args:
            symbol: The symbol name of the only op to print; empty for all.
            flags: How to print it.

        Raises:
            PasselError: There is no such op.
        """
        return self._printed(self.op, symbol, flags)

    def diff(self, before: str = "", *, symbol: str = "") -> str:
        """Return what has changed since a state, as a unified diff; empty if nothing has.

        Args:
            before: A bookmark, or a place where the session has stopped; by default where it
                stopped last before this one, or the start.
            symbol: The symbol name of the only op to compare; empty for all.

        Raises:
            PipelineError: There is no such place.
            PasselError: The session has not stopped there, or there is no such op.
        """
        if before in self._bookmarks:
            state = self._bookmarks[before]
        else:
            earlier = [n for n in self._states if n < self.position]
            position = self._position_of(before) if before else max(earlier, default=0)
            if position not in self._states:
                raise PasselError(f"the session has not stopped at {before}")
            state = self._states[position]
        flags = PrintFlags()
        old = self._printed(self._read(state), symbol, flags)
        return unified_diff(old, self._printed(self.op, symbol, flags))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show which passes have run, and behind the last what has changed, in notebooks."""
        from passel.notebooks import Table, TableRow, bundle, cut_diff  # noqa: PLC0415 - for notebooks alone

        diff = self.diff()
        shown = cut_diff("since the last stop", diff) if diff else ""
        rows = [
            TableRow(0, path, ("yes",) if n <= self.position else (), shown * (n == self.position))
            for n, path in enumerate(self.paths, 1)
        ]
        return bundle(Table(("pass", "has run"), rows))

    def _printed(self, op: Any, symbol: str, flags: PrintFlags) -> str:
        adapter, shown = self._adapter, self._adapter.op_of(op)
        if symbol:
            shown = find_symbol(adapter, shown, symbol.removeprefix("@"))
            if shown is None:
                raise PasselError(f"no operation defines @{symbol.removeprefix('@')}")
        return adapter.print_op(shown, flags)

    # -- States ----------------------------------------------------------------------------

    def _position_of(self, place: str) -> int:
        """Return how many passes have run where a pass has."""
        try:
            path, symbol = Place.of(place, self.paths)
        except PipelineError as error:
            known = ", ".join(self._bookmarks)
            raise PipelineError(Problem(f"{error}\nbookmarks: {known or 'none'}")) from None
        if symbol:
            raise PasselError(
                f"a session cannot stop on @{symbol} alone, only when a pass has run on all ops; "
                f"passel-opt --stop-after={place} can"
            )
        return self.paths.index(path) + 1

    def _keep(self) -> None:
        """Keep the IR as it is at this position; what was seen further on does not count."""
        op = self._adapter.op_of(self.op)
        source = self._writer.print_source(op, self._context, locations=True)
        self._states = {n: each for n, each in self._states.items() if n < self.position}
        self._states[self.position] = _State(self.position, source)

    def _read(self, state: _State) -> Any:
        return read_ir(self._adapter, self._context, state.source, "<session>")

    def _run(self, position: int) -> RunResult:
        start, stop = (Place(self.paths[n - 1]) if n else None for n in (self.position, position))
        if position == self.position:
            start = stop = Place(self.paths[-1]) if self.paths else None  # nothing lies between
        self._stretch = Stretch(self.paths, self._adapter.symbol_name, start, stop)
        with self._going_back_if_it_fails():
            result = self._manager.run(self.op, on_diagnostic=self._on_diagnostic)
        if position > self.position:
            self.position = position
            self._keep()
        return result

    @contextmanager
    def _going_back_if_it_fails(self) -> Generator[None]:
        try:
            yield
        except BaseException:
            self.op = self._read(self._states[self.position])
            raise

    def _admits(self, step: Step, op: Any) -> bool:
        return self._stretch is None or self._stretch(step, op)
