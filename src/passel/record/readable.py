"""Texts of ops as people read them: in the custom form of their dialects."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import PasselError
from passel.ir import BringsFrontend, PrintFlags, ability_of, adapter_named
from passel.ir.frontend import FrontendSettings, SourcePart, UnreadableError
from passel.record.op_texts import ops_in
from passel.record.texts import HOLE, LOCATION, Composite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir import IRAdapter
    from passel.ir.frontend import Frontend

_EMPTY = "{\n}"
_SYMBOL = re.compile(r'\bsym_name = "((?:[^"\\]|\\.)*)"')
_MARK = re.compile(r' loc\("(o?)":(\d+):1\)')


class Readable(NamedTuple):
    """A text of an op as people read it, with locations.

    Attributes:
        text: The text.
        ops: For each line the op that begins or ends there, by its number in the order of the
            generic form; None for other lines.
        size: How many ops there are.
    """

    text: str
    ops: Sequence[int | None]
    size: int

    @classmethod
    def of_parts(cls, composite: Composite, parts: Sequence[Readable]) -> Readable:
        """Return an op with those inside, which are texts of their own."""
        ops: list[int | None] = [0]
        size = 1
        for each in parts:
            ops += [op if op is None else op + size for op in each.ops]
            size += each.size
        return cls(composite.filled([each.text for each in parts]), [*ops, 0], size)


class _Marked:
    """A text in generic form with marks in place of locations, which are small and alike.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        ops = ops_in(text)
        self._own = [" loc(unknown)"] * len(ops)
        self._others: list[str] = []
        self._number: int | None = None
        ends = {op.last: number for number, op in enumerate(ops)}
        lines: list[str] = []
        for at, line in enumerate(text.split("\n")):
            self._number, self._end = ends.get(at), len(line)
            head, start, rest = line.rpartition(" loc(")
            if self._number is None or start in head or "\\" in head or head.count('"') % 2:
                lines.append(LOCATION.sub(self._mark, line))
            else:  # nearly all lines, of which this is quick
                self._own[self._number] = f"{start}{rest}"
                lines.append(f'{head} loc("o":{self._number}:1)')
        self.text: str = "\n".join(lines)

    def _mark(self, found: re.Match[str]) -> str:
        if found[1] is not None:
            return found[0]
        if self._number is not None and found.end() == self._end:
            self._own[self._number] = found[0]
            return f' loc("o":{self._number}:1)'
        self._others.append(found[0])
        return f' loc("":{len(self._others) - 1}:1)'

    def readable(self, text: str) -> Readable:
        """Return what was printed of the text, with its locations."""
        lines: list[str] = []
        ops: list[int | None] = []
        open_at: dict[int, int] = {}
        for line in text.split("\n"):
            self._number = None
            lines.append(_MARK.sub(self._location, line))
            indent = len(line) - len(line.lstrip())
            is_end = line.startswith("}", indent)
            if self._number is not None and is_end and indent in open_at:
                ops[open_at.pop(indent)] = self._number
            elif self._number is None and not is_end and not line.startswith("^", indent):
                open_at[indent] = len(ops)
            ops.append(self._number)
        return Readable("\n".join(lines), ops, len(self._own))

    def _location(self, found: re.Match[str]) -> str:
        if found[1]:
            self._number = int(found[2])
            return self._own[self._number]
        return self._others[int(found[2])]


class Reader(NamedTuple):
    """Reads texts of an IR's ops and prints them.

    Attributes:
        adapter: The IR's adapter.
        frontend: Its frontend.
        context: The context of all ops.
        flags: How to print.
    """

    adapter: IRAdapter
    frontend: Frontend
    context: Any
    flags: PrintFlags

    def readable(self, texts: Sequence[str]) -> list[str]:
        """Return texts in custom form, each as it is if it cannot be read."""
        if len(texts) > 1 and (together := self._read_together(texts)) is not None:
            return together
        # Some IRs take no symbol twice, nor calls of what is not there.
        groups: list[dict[str, int]] = []
        times: Counter[str] = Counter()
        for at, text in enumerate(texts):
            found = _SYMBOL.search(text.partition("\n")[0])
            name = found[1] if found else str(at)
            if times[name] == len(groups):
                groups.append({})
            groups[times[name]][name] = at
            times[name] += 1
        read: dict[int, str] = {}
        for group in groups:
            numbers = [*(groups[0] | group).values()]
            together = self._read_together([texts[at] for at in numbers])
            read.update(zip(numbers, together or (), strict=False))
        return [read.get(at) or self._read(text) or text for at, text in enumerate(texts)]

    def outline(self, text: str) -> str | None:
        """Return the outline of an op in custom form, with its hole; None if there is none."""
        found = self._read(text.replace(HOLE, "{^bb0:\n}"))
        return found.replace(_EMPTY, HOLE) if found and found.count(_EMPTY) == 1 else None

    def _read(self, text: str) -> str | None:
        op = self._parsed(text)
        return None if op is None else self.adapter.print_op(op, self.flags)

    def _read_together(self, texts: Sequence[str]) -> list[str] | None:
        """Return texts that are read as those of one module, which takes a third of the time.

        None if that is refused.
        """
        module = self._parsed("\n".join(['"builtin.module"() ({', *texts, "}) : () -> ()"]))
        if module is None:
            return None
        children = self.adapter.children(module)
        if len(children) != len(texts):
            return None
        return [self.adapter.print_op(each, self.flags) for each in children]

    def _parsed(self, text: str) -> Any:
        try:
            op = self.frontend.parse(SourcePart(text, "-"), self.context, lambda _: None).op
        except (UnreadableError, PasselError):
            return None
        return self.adapter.op_of(op)


def readable(texts: Sequence[str], ir: str) -> list[Readable]:
    """Return texts in the custom form of an IR, each as it is if it cannot be read."""
    marked = [_Marked(each) for each in texts]
    printed = [each.text for each in marked]
    if (reader := reader_for(ir)) is not None:
        printed = reader.readable(printed)
    return [each.readable(text) for each, text in zip(marked, printed, strict=True)]


@cache
def reader_for(ir: str) -> Reader | None:
    """Return what reads and prints texts of an IR; None if it is not installed, or has no files.

    Args:
        ir: The name under which the adapter is installed.
    """
    try:
        adapter = adapter_named(ir)
    except PasselError:
        return None
    brings = ability_of(adapter, BringsFrontend)
    if brings is None:
        return None
    frontend = brings.make_frontend()
    frontend.configure(FrontendSettings(implicit_module=False, allow_unregistered=True))
    flags = PrintFlags(debuginfo=True, local_scope=True)
    return Reader(adapter, frontend, frontend.new_context(), flags)
