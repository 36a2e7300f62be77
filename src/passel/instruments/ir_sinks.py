"""Sinks of dumps: a stream, files, or a record for the process that started this one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, TypeAlias

from passel.instruments.ir_diff import coloured
from passel.instruments.ir_files import FileTree, directory_name
from passel.instruments.terminals import Color, shows_color
from passel.ir import outwards

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from passel.hooks import OpIdentity, Run
    from passel.instruments.events import PassExecution


Chain: TypeAlias = "Callable[[], Sequence[Hashable]]"
"""A function that returns an op, last, and its enclosing ops, outermost first."""


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

    def take(self, dump: Dump, chain: Chain) -> None:
        """Write a dump, in colours if it is a diff and they are wanted."""
        shown = dump
        if dump.is_diff and shows_color(self._target(), self._color):
            shown = dump._replace(text=coloured(dump.text))
        self.say(str(shown))

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

    def take(self, dump: Dump, chain: Chain) -> None:
        """Write a dump of what a pass did to the last op of a chain."""
        if self._broken:
            return
        named = list(zip(chain(), map(directory_name, dump.execution.ops), strict=True))
        path = self.tree.place(named, dump.execution.name, ".diff" if dump.is_diff else ".mlir")
        if problem := self.tree.write(path, str(dump)):
            self._broken = True
            self._complaints.say(f"error: {problem}; no more dumps are written\n")


class DumpLog:
    """A log of dumps, to be pickled and handed on by another process."""

    def __init__(self) -> None:
        self.dumps: list[Dump] = []

    def take(self, dump: Dump, chain: Chain) -> None:
        """Keep a dump."""
        self.dumps.append(dump)


Sink: TypeAlias = StreamSink | TreeSink | DumpLog


class KnownOps:
    """Ops by the identities that another process gave them, so that they count as the same.

    Args:
        run: The run that they are in.
    """

    def __init__(self, run: Run) -> None:
        self._adapter = run.adapter
        self._outer = list(outwards(run.adapter, run.op))[::-1]
        self._children: dict[Any, dict[Any, Any]] = {}

    def find(self, identities: Sequence[OpIdentity]) -> Sequence[Hashable]:
        """Return the ops with these identities, outermost first, each in the one before.

        What is not there any more is known by the identities alone.
        """
        ops = list(self._outer)
        for depth, identity in enumerate(identities[len(ops) :], len(ops)):
            inside = self._inside(ops[-1])
            # Another number is that of a run on the op alone.
            found = inside.get(identity, inside.get(identity[:2]))
            ops.append(tuple(identities[: depth + 1]) if found is None else found)
        return ops

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
