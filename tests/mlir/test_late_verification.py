"""Siblings are verified in one call after their last pass, with the results of single calls."""

from __future__ import annotations

from typing import Any

import pytest
from mlir.ir import Context, Module, Type, TypeAttr

from passel import Pass, PassContext, PassFailedError, PassManager
from passel.testing import EventRecorder


class Break(Pass[Any]):
    """Break functions of one name, and report the others."""

    name = "break"
    at: str = ""

    def run(self, op: Any, ctx: PassContext) -> None:
        """Give it a type that its body does not have."""
        if op.name.value in self.at.split("+"):
            kind = Type.parse("() -> i32", ctx.ir_context)
            op.attributes["function_type"] = TypeAttr.get(kind, ctx.ir_context)
        else:
            ctx.emit_remark(f"{op.name.value} is left alone")


class EraseFirst(Pass[Any]):
    """Erase the function `a` from the pass on `c`."""

    name = "erase-first"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Erase it, and say so."""
        if op.name.value == "c":
            for other in list(op.operation.parent.regions[0].blocks[0].operations):
                if other.name.value == "a":
                    other.operation.erase()
            ctx.emit_remark("a is gone")


def answer(manager: PassManager, source: str, *, watched: bool) -> list[str]:
    """Return what is reported, in order."""
    if watched:
        manager.add_instrumentation(EventRecorder())
    said: list[str] = []
    with pytest.raises(PassFailedError) as caught:
        manager.run(
            Module.parse(source, manager.context),
            on_diagnostic=lambda found: said.append(found.message),
        )
    return [*said, *(f"{each.kind} {each.path} {each.symbol}" for each in caught.value.failures)]


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("broken", ["a", "b", "c", "a+c", "a+b+c"])
def test_what_is_broken_is_reported_in_its_place(broken: str, *, watched: bool) -> None:
    """Each broken function is blamed on its pass, before what later siblings report."""
    manager = PassManager("builtin.module", Context())
    manager.nest("func.func").add(Break(at=broken))
    source = "\n".join(f"func.func @{name}() {{ return }}" for name in "abc")
    said = answer(manager, source, watched=watched)
    about = [text.split(" is left")[0] if "is left" in text else "broken" for text in said[:3]]
    assert about == ["broken" if name in broken else name for name in "abc"]
    assert said[3:] == [
        f"invalid builtin.module/func.func/0:break {name}" for name in broken.split("+")
    ]


def test_what_a_sibling_erased_is_not_looked_at() -> None:
    """A pass that erases an op which is still to be verified is the only one to blame."""
    manager = PassManager("builtin.module", Context())
    manager.nest("func.func").add(EraseFirst())
    source = "\n".join(f"func.func @{name}() {{ return }}" for name in "abcd")
    said = answer(manager, source, watched=False)
    assert said[0] == "a is gone"
    assert [text for text in said[1:] if "erased or moved" in text] == said[1:2]
    assert len(said) == 3
