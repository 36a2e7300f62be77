"""Sinks of dumps: a stream, files, or a record for the process that started this one."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeAlias

from passel.instruments.ir_diff import coloured
from passel.instruments.ir_files import FileTree, chain_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from passel.ir import IRAdapter


class Dump(NamedTuple):
    """One dump.

    Attributes:
        pass_name: After or before which pass.
        header: The line that introduces it.
        text: What follows it: IR, or a diff.
        is_diff: Whether it is a diff.
    """

    pass_name: str
    header: str
    text: str
    is_diff: bool = False

    def __str__(self) -> str:
        return f"{self.header}\n{self.text}\n\n"


class StreamSink:
    """A stream for dumps.

    A stream that cannot be written to any more is left alone from then on.

    Args:
        stream: The stream; by default the standard error as it is when something is written.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._broken = False

    def take(self, adapter: IRAdapter, op: Any, dump: Dump) -> None:
        """Write a dump."""
        self.write(dump)

    def write(self, dump: Dump) -> None:
        """Write a dump, in colours if it is a diff and goes to a terminal."""
        shown = dump
        if dump.is_diff and not os.environ.get("NO_COLOR") and self._target().isatty():
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
        complaints: Where it is said that one cannot be written.
    """

    def __init__(self, tree: FileTree, complaints: StreamSink) -> None:
        self.tree = tree
        self._complaints = complaints
        self._broken = False

    def take(self, adapter: IRAdapter, op: Any, dump: Dump) -> None:
        """Write a dump of what a pass did to `op`."""
        self.write(chain_of(adapter, op), dump)

    def write(self, chain: list[tuple[Hashable, str]], dump: Dump) -> None:
        """Write a dump of what a pass did to the last op of `chain`."""
        if self._broken:
            return
        path = self.tree.place(chain, dump.pass_name, ".diff" if dump.is_diff else ".mlir")
        if problem := self.tree.write(path, str(dump)):
            self._broken = True
            self._complaints.say(f"error: {problem}; no more dumps are written\n")


class Recorder:
    """A record of dumps, to be pickled and handed on by another process.

    Args:
        around: The names of the ops around those that will be seen, outermost first.
    """

    def __init__(self, around: list[str]) -> None:
        self.around = around
        self.records: list[tuple[list[str], Dump]] = []

    def take(self, adapter: IRAdapter, op: Any, dump: Dump) -> None:
        """Keep a dump, with the names of the op and of those around it up to the outer ones."""
        names = [name for _, name in chain_of(adapter, op)]
        # Whether the outer ones came along into this process depends on how ops travel.
        skipped = len(self.around) if names[: len(self.around)] == self.around else 0
        self.records.append((names[skipped:], dump))


Sink: TypeAlias = StreamSink | TreeSink | Recorder


def hand_on(recorder: Recorder, sink: Sink, adapter: IRAdapter, container: Any) -> None:
    """Give a sink what another process has recorded.

    Args:
        recorder: Where it was recorded.
        sink: Where it goes.
        adapter: Answers for the IR.
        container: What was around the ops that the other process worked on; None at the top.
    """
    if isinstance(sink, StreamSink):
        for _, dump in recorder.records:
            sink.write(dump)
        return
    if isinstance(sink, Recorder):
        outer = [] if container is None else chain_of(adapter, container)
        inside = [name for _, name in outer][len(sink.around) :]
        sink.records += [([*inside, *names], dump) for names, dump in recorder.records]
        return
    chains = _Chains(adapter, container)
    for names, dump in recorder.records:
        sink.write(chains.of(names), dump)


class _Chains:
    """Ops by the names that another process gave them, so that they count as the same."""

    def __init__(self, adapter: IRAdapter, container: Any) -> None:
        self._adapter = adapter
        self._outer = [] if container is None else chain_of(adapter, container)
        self._children: dict[Hashable, dict[str, Any]] = {}

    def of(self, names: list[str]) -> list[tuple[Hashable, str]]:
        chain: list[tuple[Hashable, str]] = list(self._outer)
        for depth, name in enumerate(names):
            parent = chain[-1][0] if chain else None
            # One that is gone by now is told by its names alone.
            found = self._inside(parent).get(name, tuple(names[: depth + 1]))
            chain.append((found, name))
        return chain

    def _inside(self, op: Any) -> dict[str, Any]:
        if op is None or isinstance(op, tuple):
            return {}
        if op not in self._children:
            named = self._children[op] = dict[str, Any]()
            for child in self._adapter.children(op):
                named.setdefault(chain_of(self._adapter, child)[-1][1], child)
        return self._children[op]
