"""What an op's own verifier reports inside of it is never dropped."""

from __future__ import annotations

from typing import Any

import pytest
from mlir.ir import Context, FlatSymbolRefAttr, StringAttr

from passel import PassFailedError, PassManager
from passel.ir import InvalidIR
from passel.mlir import MLIRAdapter, parse_source

SOURCE = """
func.func private @a(%x: i32) -> i32 {
  return %x : i32
}
func.func @b(%x: i32) -> i32 {
  %0 = call @a(%x) : (i32) -> i32
  return %0 : i32
}
func.func @c() { return }
"""


def rename_two(op: Any, _: Any) -> None:
    """Give two functions one name."""
    if op.name.value != "a":
        op.attributes["sym_name"] = StringAttr.get("same", op.context)


def rename_callee(op: Any, _: Any) -> None:
    """Rename a function that is called."""
    if op.name.value == "a":
        op.attributes["sym_name"] = StringAttr.get("z", op.context)


def redirect_call(op: Any, _: Any) -> None:
    """Let a call name a function that there is not."""
    first = op.body.blocks[0].operations[0]
    if first.operation.name == "func.call":
        first.attributes["callee"] = FlatSymbolRefAttr.get("nobody", op.context)


CASES = {
    "rename-two": (rename_two, "redefinition of symbol named 'same'", "func.func"),
    "rename-callee": (rename_callee, "'a' does not reference a valid function", "func.call"),
    "redirect-call": (redirect_call, "'nobody' does not reference a valid", "func.call"),
}


@pytest.mark.parametrize("verify", [True, "always"])
@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize(("culprit", "message", "blamed"), CASES.values(), ids=CASES)
def test_a_broken_module_fails_the_step_that_broke_it(
    culprit: Any, message: str, blamed: str, depth: int, verify: Any
) -> None:
    """A nested pipeline whose functions are valid each, but not together, fails at once.

    The failure is of the nested pipeline, not of a later pass, and blames the op that MLIR
    names.
    """
    source, context = SOURCE, Context()
    for _ in range(depth + 1):
        source = f"module {{ {source} }}"
    manager = PassManager("builtin.module", context)
    manager.enable_verifier(verify)
    inner: Any = manager
    for _ in range(depth):
        inner = inner.nest("builtin.module")
    inner.nest("func.func").add(culprit)
    manager.add("cse")
    module = parse_source(context, source, "t.mlir")
    with pytest.raises(PassFailedError) as caught:
        manager.run(module)
    (failure,) = caught.value.failures
    assert failure.kind == "invalid"
    assert failure.diagnostic.message.startswith(f"'{blamed}' op ")
    assert message in failure.diagnostic.message
    assert not failure.path.endswith(":cse")


@pytest.mark.parametrize("recursive", [False, True])
def test_verify_refuses_whatever_mlir_refuses(*, recursive: bool) -> None:
    """Also asked for the op alone, as MLIR knows no such question."""
    context, adapter = Context(), MLIRAdapter()
    module = parse_source(context, SOURCE, "t.mlir")
    function, *_ = adapter.children(module)
    function.attributes["sym_name"] = StringAttr.get("z", context)
    with pytest.raises(InvalidIR, match="does not reference a valid function") as caught:
        adapter.verify(module, recursive=recursive)
    assert caught.value.op.operation.name == "func.call"
