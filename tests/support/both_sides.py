"""Running a dialect through xDSL and through passel, each on a copy of the dialect of its own."""

from __future__ import annotations

import sys
import warnings
from io import StringIO
from types import ModuleType
from typing import TYPE_CHECKING, Any

from layouts import layout
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from passel import PassManager
from passel.ir import PrintFlags
from passel.xdsl import XDSLAdapter, parse_source
from passel.xdsl.release import RELEASE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xdsl.ir import Operation

_SAME_REWRITES = (0, 66)
"""The release of xDSL since which its `canonicalize` visits ops as passel's does."""


def loaded(source: str) -> Any:
    """Return a new module of a dialect's source: `DIALECT`, and perhaps `between` and `LOG`."""
    sys.modules["hostile"] = module = ModuleType("hostile")  # where its annotations are looked up
    exec(compile(source, "hostile.py", "exec"), vars(module))  # noqa: S102 - a test's own source
    return module


def as_xdsl(source: str, texts: Iterable[str]) -> list[object]:
    """Return what xDSL makes of sources one after the other, and what the dialect noted."""
    module = loaded(source)
    context = Context()
    for name, factory in {**get_all_dialects(), "h": lambda: module.DIALECT}.items():
        context.register_dialect(name, factory)

    def printed(op: Operation) -> str:
        stream = StringIO()
        Printer(stream).print_op(op)
        return stream.getvalue()

    def simplify(op: Operation) -> None:
        assert isinstance(op, ModuleOp)
        CanonicalizePass().apply(context, op)
        CommonSubexpressionElimination().apply(context, op)

    def parsed(text: str) -> Operation:
        return Parser(context, text).parse_module()

    return _seen(module, texts, parsed, printed, simplify)


def as_passel(source: str, texts: Iterable[str]) -> list[object]:
    """Return the same of passel."""
    module = loaded(source)
    adapter = XDSLAdapter(dialects=[module.DIALECT])
    context = adapter.create_context()

    def printed(op: Operation) -> str:
        return adapter.print_op(op, PrintFlags())

    def simplify(op: Operation) -> None:
        manager = PassManager("builtin.module", context, adapter=adapter)
        manager.add("canonicalize,cse")
        manager.enable_verifier(False)
        manager.run(op)

    def parsed(text: str) -> Operation:
        return parse_source(context, text, "test.mlir", locations=False)

    return _seen(module, texts, parsed, printed, simplify)


def _seen(
    module: Any,
    texts: Iterable[str],
    parsed: Callable[[str], Operation],
    printed: Callable[[Operation], str],
    simplify: Callable[[Operation], None],
) -> list[object]:
    """Parse, print, change and simplify each source; return all texts, fields and notes."""
    seen: list[object] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for text in texts:
            op = parsed(text)
            seen += [layout(op), printed(op)]
            if hasattr(module, "between"):
                module.between(op)
                seen.append(printed(op))
            if RELEASE >= _SAME_REWRITES:
                simplify(op)
                seen += [printed(op), layout(op)]
    seen.append(list(getattr(module, "LOG", ())))
    return seen
