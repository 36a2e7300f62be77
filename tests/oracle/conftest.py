"""What the oracle tests share: what mlir-opt makes of a pipeline, and the same passes as stubs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from pipeline_table import Build, read_rows

from passel import InterfacePass, Options, Pass, PassFailure, PassManager, PassRegistry, option
from passel.instruments.reproducer_file import reproducer_text
from passel.ir import OpKind
from passel.mlir.typed import typed_pass_class
from passel.mlir.upstream import FACTS, facts_in
from passel.passes.factory import make_pass_class
from passel.pipeline import OptionText, spelled
from passel.testing import ToyAdapter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipeline_table import Row
    from tool_fixtures import MlirOpt

    from passel import PassContext
    from passel.passes.op_pass_manager import OpPassManager
    from passel.testing import ToyOp


# Ops of the dialects in it are registered when the pipeline is built; nothing else is.
SOURCE = "module { func.func private @f() gpu.module @g {} llvm.func @h() }"


ROWS = tuple(read_rows((Path(__file__).with_name("pipelines.txt")).read_text("utf-8")))

BuildAll: TypeAlias = "Callable[[Sequence[str]], dict[str, Build]]"


@pytest.fixture(scope="session")
def rows() -> Sequence[Row]:
    """All rows of the table."""
    return ROWS


@pytest.fixture(scope="session")
def mlir_build(mlir_opt: MlirOpt) -> Callable[[str], Build]:
    """Let mlir-opt build and dump a pipeline."""

    @cache
    def build(text: str) -> Build:
        err = mlir_opt(f"--pass-pipeline={text}", "--dump-pass-pipeline", source=SOURCE).err
        return _build(err)

    return build


@pytest.fixture(scope="session")
def mlir_build_all(mlir_opt: MlirOpt) -> BuildAll:
    """Let one mlir-opt build and dump many pipelines: starting it takes longer than all of them.

    Each is recorded in a part of the input, with a part behind it whose dump shows its end.
    """

    def build_all(texts: Sequence[str]) -> dict[str, Build]:
        ends = (f"builtin.module(inline{{max-iterations={_END + i}}})" for i in range(len(texts)))
        recorded = chain.from_iterable(zip(texts, ends, strict=True))
        parts = [reproducer_text(SOURCE, each, verify_each=True) for each in recorded]
        flags = "--split-input-file", "--run-reproducer", "--dump-pass-pipeline"
        err = mlir_opt(*flags, source="\n// -----\n".join(parts)).err
        *found, rest = _DUMP_AT_THE_END.split(err)
        assert len(found) == len(texts), rest
        return dict(zip(texts, map(_build, found), strict=True))

    return build_all


@pytest.fixture(scope="session")
def row_builds(mlir_build_all: BuildAll) -> dict[str, Build]:
    """What mlir-opt makes of each row."""
    return mlir_build_all([row.text for row in ROWS])


_END = 1_000_000
_DUMP_AT_THE_END = re.compile(
    r"Pass Manager with 1 passes:\nbuiltin\.module\(\n.*max-iterations=1\d{6}\b.*\n\)\n"
)


def _build(err: str) -> Build:
    match = re.search(r"Pass Manager with \d+ passes:\n(.*?\n\)\n)", err, re.DOTALL)
    return Build(match[1] if match else None, err)


@pytest.fixture
def adapter() -> MlirLikeAdapter:
    """An adapter that knows the ops that the pipelines name."""
    return MlirLikeAdapter()


@pytest.fixture(scope="session")
def registry() -> PassRegistry:
    """A registry with stubs of the passes that the pipelines name."""
    return registry_of_stubs()


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
