"""Stubs of MLIR's ops and passes, which pipelines can be built and run with as mlir-opt does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from passel import InterfacePass, Options, Pass, PassFailure, PassManager, option
from passel.ir import OpKind
from passel.mlir.typed import typed_pass_class
from passel.mlir.upstream import FACTS, facts_in
from passel.passes import PassRegistry
from passel.passes.factory import make_pass_class
from passel.pipeline import OptionText, spelled
from passel.testing import ToyAdapter

if TYPE_CHECKING:
    from passel import PassContext
    from passel.manager import OpPassManager
    from passel.testing import ToyOp


# -- The same ops ----------------------------------------------------------------------------


class FunctionOpInterface:
    """Interface of ops that are functions."""


def _kind(name: str, *, isolated: bool = True, function: bool = False) -> OpKind:
    def implements(interface: type) -> bool:
        return function and interface is FunctionOpInterface

    return OpKind(name, registered=True, isolated=isolated, implements=implements)


class MlirLikeAdapter(ToyAdapter):
    """The adapter of the toy IR with op names of MLIR's."""

    name = "mlir-like"
    kinds = {  # noqa: RUF012 - a constant
        kind.name: kind
        for kind in (
            _kind("builtin.module"),
            _kind("func.func", function=True),
            _kind("func.call", isolated=False),
            _kind("gpu.module"),
            _kind("gpu.func", function=True),
            _kind("llvm.func", function=True),
            _kind("scf.for", isolated=False),
            _kind("scf.execute_region", isolated=False),
        )
    }


# -- The same passes: names, anchors, option types and defaults as MLIR declares them ------------


@dataclass(frozen=True)
class Elements:
    """Option value: bare elements, parsed when they are given but kept as they are written."""

    text: str = ""

    @classmethod
    def from_option_text(cls, text: OptionText, scope: Any) -> Elements:
        """Check that the elements can be built."""
        PassManager.parse(f"any({text.text})", registry=scope)
        return cls(text.text)

    def to_option_text(self, *, all_options: bool) -> str:
        """Return the text."""
        return str(spelled(self.text))


class Stub(Pass):
    """A pass without effect."""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do nothing, or fail on declarations as the real pass does."""
        if self.name == "sharding-propagation" and not op.body:
            raise PassFailure("only one block is supported!")


class StubOnFunctions(Stub, InterfacePass[FunctionOpInterface]):
    """A pass on functions without effect."""


class CompositeFixedPointPass(Stub):
    """Composite fixed point pass."""

    name = "composite-fixed-point-pass"
    max_iterations: int = 10
    title: str = option(default="CompositeFixedPointPass", name="name")
    pipeline: Elements = Elements()


@cache
def _stub(name: str) -> type[Pass]:
    facts = facts_in(FACTS)[name]
    typed = typed_pass_class("passel.mlir.passes", FACTS, facts.class_name, "mlir")
    assert typed
    options: dict[str, tuple[Any, Any]] = {}
    for info in typed.option_infos():
        default = info.default
        if isinstance(default, float):
            default = float(f"{default:e}")  # as many digits as mlir-opt prints
        kind = typed.__annotations__[info.field]
        options[info.field] = kind, option(default=default, name=info.name)
    base = StubOnFunctions if facts.on_functions else Stub
    return make_pass_class(
        base, facts.class_name, name=name, options=options, anchor=facts.anchor or None
    )


class BufferDeallocationOptions(Options):
    """Options of `buffer-deallocation-pipeline`."""

    private_function_dynamic_ownership: bool = False


def _buffer_deallocation(pm: OpPassManager, options: BufferDeallocationOptions) -> None:
    ownership = str(options.private_function_dynamic_ownership).lower()
    pm.add("expand-realloc{emit-deallocs=false},canonicalize")
    pm.add(f"ownership-based-buffer-deallocation{{private-function-dynamic-ownership={ownership}}}")
    pm.add("canonicalize,buffer-deallocation-simplification")
    pm.add("bufferization-lower-deallocations,cse,canonicalize")


def _tosa_to_linalg(pm: OpPassManager) -> None:
    for name in (
        "tosa-optional-decompositions",
        "canonicalize",
        "tosa-infer-shapes",
        "tosa-make-broadcastable",
        "tosa-to-linalg-named",
        "canonicalize",
        "tosa-layerwise-constant-fold",
        "tosa-make-broadcastable",
    ):
        pm.add_nested("func.func", name)
    pm.add("tosa-validate")
    pm.add_nested("func.func", "tosa-to-linalg")


def registry_of_stubs() -> PassRegistry:
    """Return a registry with stubs of MLIR's passes."""
    registry = PassRegistry()
    registry.register(CompositeFixedPointPass)
    for name in facts_in(FACTS):
        if name != CompositeFixedPointPass.name:
            registry.register(name, partial(_stub, name))
    registry.register_pipeline(
        "buffer-deallocation-pipeline", _buffer_deallocation, options=BufferDeallocationOptions
    )
    registry.register_pipeline("tosa-to-linalg-pipeline", _tosa_to_linalg)
    return registry
