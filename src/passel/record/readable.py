"""Texts of ops as people read them: in the custom form of their dialects."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import PasselError
from passel.ir import BringsFrontend, PrintFlags, ability_of, adapter_named
from passel.ir.frontend import FrontendSettings, SourcePart, UnreadableError
from passel.record.texts import HOLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir import IRAdapter
    from passel.ir.frontend import Frontend

_EMPTY = "{\n}"
_SYMBOL = re.compile(r'\bsym_name = "((?:[^"\\]|\\.)*)"')


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


def readable(texts: Sequence[str], ir: str) -> Sequence[str]:
    """Return texts in the custom form of an IR, each as it is if it cannot be read."""
    reader = reader_for(ir)
    return texts if reader is None else reader.readable(texts)


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
