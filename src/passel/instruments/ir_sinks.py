"""Sinks of dumps: a stream, files, or a record for the process that started this one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, TypeAlias

from passel.instruments.events import chain_of
from passel.instruments.ir_diff import coloured
from passel.instruments.ir_files import FileTree, directory_name
from passel.instruments.terminals import Color, shows_color

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.hooks import OpIdentity, Run
    from passel.instruments.events import Chain, PassExecution


class Dump(NamedTuple):
    """One dump.

    Attributes:
        execution: The execution of a pass that it belongs to.
        when: Whether it is of the IR `Before` or `After` that.
        text: The IR, or a diff.
        failed: Whether the pass failed.
        is_diff: Whether it is a diff.
        names_op: Whether the header has to tell which op the pass ran on.
        reported: How many diagnostics came before it.
    """

    execution: PassExecution
    when: Literal["Before", "After"]
    text: str
    failed: bool = False
    is_diff: bool = False
    names_op: bool = False
    reported: int = 0

    @property
    def header(self) -> str:
        """The line that introduces it.

        Source: `IRPrinterInstrumentation`, MLIR 22.
        """
        execution = self.execution
        failed = " Failed" if self.failed else ""
        where = f" ({execution.op.title})" if self.names_op else ""
        title = f"{execution.display_name}{failed} ({execution.name}){where}"
        return f"// -----// IR Dump {self.when} {title} //----- //"

    def __str__(self) -> str:
        return f"{self.header}\n{self.text}\n\n"


class StreamSink:
    """A stream for dumps.

    A stream that cannot be written to any more is left alone from then on.

    Args:
        stream: The stream; by default the standard error as it is when something is written.
        color: When diffs are coloured.
    """

    def __init__(self, stream: TextIO | None, color: Color = "auto") -> None:
        self._stream = stream
        self._color: Color = color
        self._broken = False

    def take(self, chain: Chain, dump: Dump) -> None:
        """Write a dump, in colours if it is a diff and they are wanted."""
        shown = dump
        if dump.is_diff and shows_color(self._target(), self._color):
            shown = dump._replace(text=coloured(dump.text))
        self.say(str(shown))

    def adopt(self, recorder: Recorder, run: Run, container: Any) -> None:
        """Write the dumps that another process has recorded."""
        for dump in recorder.dumps:
            run.catch_up(dump.reported)
            self.take([], dump)

    def say(self, text: str) -> None:
        """Write text, at once: what is reported next comes after it."""
        stream = self._target()
        if self._broken:
            return
        encoding = getattr(stream, "encoding", None) or "utf-8"
        try:
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            stream.flush()
        except OSError as error:
            self._broken = True
            if self._stream not in (None, sys.stderr) and not isinstance(error, BrokenPipeError):
                reason = error.strerror or error
                sys.stderr.write(f"error: cannot print the IR: {reason}; no more is printed\n")

    def _target(self) -> TextIO:
        return sys.stderr if self._stream is None else self._stream


class TreeSink:
    """A tree of files for dumps, each in a file of its own.

    After the first one that cannot be written no other is tried.

    Args:
        tree: Where they go.
        complaints: The stream for the error if one cannot be written.
    """

    def __init__(self, tree: FileTree, complaints: StreamSink) -> None:
        self.tree = tree
        self._complaints = complaints
        self._broken = False

    def take(self, chain: Chain, dump: Dump) -> None:
        """Write a dump of what a pass did to the last op of `chain`."""
        if self._broken:
            return
        named = [(op, directory_name(identity)) for op, identity in chain]
        path = self.tree.place(named, dump.execution.name, ".diff" if dump.is_diff else ".mlir")
        if problem := self.tree.write(path, str(dump)):
            self._broken = True
            self._complaints.say(f"error: {problem}; no more dumps are written\n")

    def adopt(self, recorder: Recorder, run: Run, container: Any) -> None:
        """Write the dumps that another process has recorded, as if its ops were the ones here."""
        known = _KnownOps(run, container)
        for dump in recorder.dumps:
            self.take(known.chain(dump.execution.ops[recorder.depth_of(dump) :]), dump)


class Recorder:
    """A record of dumps, to be pickled and handed on by another process.

    Args:
        enclosing: The ops that enclose those that will be seen, outermost first.
    """

    def __init__(self, enclosing: Sequence[OpIdentity]) -> None:
        self.enclosing: tuple[Any, ...] = tuple(enclosing)
        self.dumps: list[Dump] = []

    def take(self, chain: Chain, dump: Dump) -> None:
        """Keep a dump."""
        self.dumps.append(dump)

    def adopt(self, recorder: Recorder, run: Run, container: Any) -> None:
        """Keep the dumps that another process has recorded, with the enclosing ops here."""
        outer = [] if container is None else chain_of(run, container)
        enclosing = tuple(identity for _, identity in outer)
        for dump in recorder.dumps:
            ops = (*enclosing, *dump.execution.ops[recorder.depth_of(dump) :])
            self.dumps.append(dump._replace(execution=dump.execution._replace(ops=ops)))

    def depth_of(self, dump: Dump) -> int:
        """Return how many of a dump's ops enclose those of this process.

        Whether these came along into the other process depends on how ops travel.
        """
        depth = len(self.enclosing)
        came_along = [op[:2] for op in dump.execution.ops[:depth]]
        return depth if came_along == [op[:2] for op in self.enclosing] else 0


Sink: TypeAlias = StreamSink | TreeSink | Recorder


class _KnownOps:
    """Ops by the identities that another process gave them, so that they count as the same.

    Args:
        run: The run here.
        container: The op that encloses those that the other process worked on; None at the top.
    """

    def __init__(self, run: Run, container: Any) -> None:
        self._adapter = run.adapter
        self._outer = [] if container is None else chain_of(run, container)
        self._children: dict[Any, dict[Any, Any]] = {}

    def chain(self, ops: Sequence[OpIdentity]) -> Chain:
        """Return the ops with these identities, each in the one before, and what encloses them."""
        chain = list(self._outer)
        for depth, identity in enumerate(ops):
            inside = self._inside(chain[-1][0]) if chain else {}
            # Another number is that of a run on the op alone; one that is gone has only names.
            found = inside.get(identity, inside.get(identity[:2]))
            chain.append((tuple(ops[: depth + 1]) if found is None else found, identity))
        return chain

    def _inside(self, op: Any) -> dict[Any, Any]:
        """Return the ops immediately inside of an op by name, symbol and number, or without it."""
        if isinstance(op, tuple):
            return {}
        if op not in self._children:
            known = self._children[op] = dict[Any, Any]()
            for number, child in enumerate(self._adapter.children(op)):
                name, symbol = self._adapter.kind_of(child).name, self._adapter.symbol_name(child)
                known[name, symbol, number] = child
                known.setdefault((name, symbol), child)
        return self._children[op]
