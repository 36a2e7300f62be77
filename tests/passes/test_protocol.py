"""Every kind of pass prints alike, and classes of passes that are made at run time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.passes import ModulePass

from passel import OpPassManager, Pass, PassManager, option
from passel.bridge import RunOnMLIR, RunOnXDSL
from passel.manager import CompositeFixedPoint
from passel.mlir import MLIRAdapter
from passel.passes.callables import pass_of
from passel.passes.factory import make_pass_class
from passel.pipeline import parse_elements
from passel.xdsl.module_passes import wrap_module_pass

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp


class Written(Pass):
    """A pass as people write them."""

    name = "written"
    limit: int = 3


@dataclass(frozen=True)
class Foreign(ModulePass):
    """A pass of xDSL's with options that have the names of attributes of passel's passes."""

    name = "foreign"
    anchor: str = "x"
    run: int = 1
    limit: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class Opaque(ModulePass):
    """A pass of xDSL's with an option that cannot be read from text."""

    name = "opaque"
    what: object = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Do nothing."""


def native(text: str) -> Pass[Any]:
    """Return a pass of MLIR's."""
    manager = PassManager.parse(f"builtin.module({text})", adapter=MLIRAdapter())
    (found,) = manager
    assert isinstance(found, Pass)
    return found


def nothing(op: Any, handle: Any) -> None:
    """Do nothing."""


KINDS = {
    "written": lambda: Written(limit=5),
    "function": lambda: pass_of(nothing, argument="function"),
    "nameless": lambda: pass_of(nothing),
    "xdsl": lambda: wrap_module_pass(Foreign(anchor="a b", run=2)),
    "opaque": lambda: wrap_module_pass(Opaque(what=object())),
    "native": lambda: native("canonicalize{top-down=false region-simplify=normal}"),
    "to-xdsl": lambda: RunOnXDSL.of("cse"),
    "to-mlir": lambda: RunOnMLIR.of("func.func(cse,canonicalize{top-down=false})"),
    "combinator": lambda: CompositeFixedPoint(pipeline=CompositeFixedPoint().pipeline),
}


@pytest.fixture(params=sorted(KINDS))
def any_pass(request: pytest.FixtureRequest) -> Any:
    """A pass of each kind in turn."""
    return KINDS[request.param]()


def test_every_kind_prints_as_a_node(any_pass: Any) -> None:
    """Its text is that of its node, which is what the text parses to."""
    for all_options in (False, True):
        node = any_pass.to_node(all_options=all_options)
        assert any_pass.to_text(all_options=all_options) == str(node)
        assert parse_elements(str(node)) == (node,)
    assert str(any_pass) == any_pass.to_text()
    assert str(OpPassManager("any").add(any_pass)) == f"any({any_pass})"


def test_a_made_class_is_as_if_written() -> None:
    """Name, options, docstring and whatever else stands in a class body."""
    made = make_pass_class(
        Pass,
        "Made",
        name="made",
        doc="Do nothing.\n\nAt length.",
        module="somewhere",
        options={"must_be": (int, option(help="Given.")), "name_": (str, "x")},
        preserves=(int,),
    )
    assert (made.__name__, made.__module__, made.name) == ("Made", "somewhere", "made")
    assert (made.summary(), made.preserves) == ("Do nothing.", (int,))
    (must, name) = made.option_infos()
    assert (must.name, must.required, must.help) == ("must-be", True, "Given.")
    assert (name.name, name.field, name.default) == ("name", "name_", "x")
    options: Any = {"must_be": 3, "name_": "y"}
    assert str(made(**options)) == "made{must-be=3 name=y}"
