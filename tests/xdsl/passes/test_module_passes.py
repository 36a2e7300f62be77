"""xDSL's own passes at work: unchanged on modules, in a module of their own elsewhere."""

from __future__ import annotations

import pickle
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.transforms import get_all_passes
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import PassFailedException
from xdsl_inputs import enough, outcome_of, parsed_copy, sampled, xdsl_corpus

from passel import PassFailedError, PassManager
from passel.xdsl import XDSLAdapter
from passel.xdsl.module_passes import wrap_module_pass

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.ir import Operation

    from passel import Pass

# -- On modules ------------------------------------------------------------------------------


def pipelines_of(text: str) -> list[str]:
    """Return the pipelines of a test's RUN lines that run nothing but passes."""
    found: list[str] = []
    for line in re.findall(r"// RUN: xdsl-opt (.*?)(?:\||$)", text, re.MULTILINE):
        try:
            words = [word for word in shlex.split(line) if word != "%s"]
        except ValueError:
            continue
        flags = {"--split-input-file", "--allow-unregistered-dialect"}
        plain = [word for word in words if word not in flags]
        if len(plain) == 2 and plain[0] in ("-p", "--passes") and "mlir-opt" not in plain[1]:
            found.append(plain[1])
    return found


@sampled(14)
def test_same_as_xdsl(step: int, context: Context, text_of: Callable[[Operation], str]) -> None:
    """The runs in xDSL's own tests of passes come out the same under passel."""
    corpus = xdsl_corpus()
    first_chunks = {file: chunk for file, chunk in reversed(corpus)}  # noqa: C416 - the first wins
    runs = [
        (file, pipeline)
        for file, chunk in sorted(first_chunks.items())
        for pipeline in pipelines_of(chunk)
        if file != "transforms/cse.mlir"  # of branches, where ours finds more
    ]
    names, known = set[str](), get_all_passes()
    for file, pipeline in runs[::step]:
        chunks = [chunk for other, chunk in corpus if other == file]
        for chunk in chunks[:3]:
            try:
                theirs, ours = parsed_copy(chunk, file), parsed_copy(chunk, file)
                theirs.verify()
            except Exception:  # noqa: BLE001, S112 - the corpus has tests of errors
                continue
            passes = PassPipeline.parse_spec(known, pipeline)
            manager = PassManager.parse(
                pipeline, context, adapter=XDSLAdapter(), flat_anchor="builtin.module"
            )
            manager.enable_verifier(False)
            # A context of their own each: passes load dialects.
            expected = outcome_of(passes.apply, context.clone(), theirs)
            assert outcome_of(manager.run, ours) == expected, (file, pipeline)
            assert text_of(ours) == text_of(theirs), (file, pipeline)
            names.update(item.name for item in passes.passes)
    assert len(names) > enough(12)


# -- On other ops ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Scripted(ModulePass):
    """Does what its option says to the functions of the module that it is given."""

    name = "scripted"
    script: str = ""
    seen: ClassVar[list[dict[str, Any]]] = []

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Follow the script."""
        (function,) = [inner for inner in op.ops if isinstance(inner, FuncOp)]
        block = op.body.block
        match self.script:
            case "raise":
                raise ValueError("broken on purpose")
            case "give up":
                raise PassFailedException("cannot go on")
            case "bad spec":
                parse_spec("{")
            case "add":
                block.insert_op_before(FuncOp.external("before", [], []), function)
            case "module attributes":
                op.attributes["demo.done"] = UnitAttr()
            case _:
                self.seen.append(dict(op.attributes))
                function.attributes["demo.visited"] = StringAttr(str(len(list(op.ops))))


MODULE = """
builtin.module attributes {demo.target = "wse2"} {
  func.func private @first()
  func.func @f() { func.return }
  func.func private @last()
}"""


def on_functions(script: str, context: Context) -> PassManager:
    """Return a manager that runs a scripted pass on functions."""
    manager = PassManager("builtin.module", context, adapter=XDSLAdapter())
    manager.add_nested("func.func", Scripted(script))
    return manager


@pytest.mark.one_process
def test_on_functions(
    context: Context, parse_op: Callable[[str], Operation], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pass sees one function in a module with the attributes of its own, and each stays in place."""
    monkeypatch.setattr(Scripted, "seen", [])
    module = parse_op(MODULE)
    functions = list(module.regions[0].block.ops)
    assert on_functions("", context).run(module).changed
    assert list(module.regions[0].block.ops) == functions
    assert all(f.attributes["demo.visited"] == StringAttr("1") for f in functions)
    assert Scripted.seen == [{"demo.target": StringAttr("wse2")}] * 3


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("raise", "crashed: ValueError: broken on purpose"),
        ("give up", "failed: cannot go on"),
        ("bad spec", "failed: "),
        (
            "module attributes",
            "failed: it changed attributes of the module around the op that it ran on",
        ),
        ("add", "failed: it added ops next to the op that it ran on; run builtin.module("),
    ],
)
def test_position_after_failure(
    script: str, message: str, context: Context, parse_op: Callable[[str], Operation]
) -> None:
    """Whatever goes wrong, every function is back in its place, and its siblings had theirs."""
    module = parse_op(MODULE)
    functions = list(module.regions[0].block.ops)
    with pytest.raises(PassFailedError) as caught:
        on_functions(script, context).run(module)
    assert len(caught.value.failures) == 3
    assert "pass 'scripted{script=" in str(caught.value)
    assert message in str(caught.value)
    assert list(module.regions[0].block.ops) == functions
    assert module.attributes == {"demo.target": StringAttr("wse2")}


def test_op_without_a_module(context: Context, parse_op: Callable[[str], Operation]) -> None:
    """A function that is in no module stays in none."""
    function = parse_op("func.func @f() { func.return }")
    manager = PassManager("func.func", context, adapter=XDSLAdapter()).add(Scripted())
    manager.run(function)
    assert function.attributes["demo.visited"] == StringAttr("1")
    assert function.parent is None


# -- Wrapping instances ----------------------------------------------------------------------


def test_pickle() -> None:
    """A wrapped pass survives pickling, so it can be sent to another process."""
    from xdsl.transforms.riscv_allocate_registers import RISCVAllocateRegistersPass

    wrapped = wrap_module_pass(RISCVAllocateRegistersPass(add_regalloc_stats=True))
    copy: Pass = pickle.loads(pickle.dumps(wrapped))
    assert copy == wrapped
    assert type(copy) is type(wrapped)
