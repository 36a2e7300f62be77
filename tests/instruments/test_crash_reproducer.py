"""Crash reproducers of managers in Python: what is written, and that nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tool_fixtures import recorded_pipeline
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.instruments.reproducer import CrashReproducer
from passel.testing import ToyAdapter, ToyOp, parse_toy
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from pathlib import Path

    from passel.ir import PrintFlags


FUNCTIONS = "func.func @a() { return }\nfunc.func @b() { return }\n"


class Refuse(Pass[Any]):
    """Fail."""

    name = "refuse"
    text: str = ""

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure(self.text)


class Grow(Pass[Operation]):
    """Fail on functions, after a change."""

    name = "grow"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure(f"{len(op.regions)} regions")


def toy_manager(*passes: Pass[Any], adapter: ToyAdapter | None = None) -> PassManager:
    """Return a manager for toy modules."""
    return PassManager("toy.module", adapter=adapter or ToyAdapter()).add(*passes)


def test_the_error_carries_the_file_and_the_notes(tmp_path: Path) -> None:
    """`reproducer` is the file; the notes are the ones of the diagnostic."""
    file = tmp_path / "a file"
    pm = toy_manager(Refuse(text="ö"))
    pm.add_instrumentation(CrashReproducer(file))
    with pytest.raises(PassFailedError) as caught:
        pm.run(parse_toy("toy.module(toy.func @f)"))
    error = caught.value
    assert error.reproducer == file
    (note,) = error.__notes__
    where, how = note.splitlines()[:2]
    assert where.endswith(f"[`Refuse` on 'toy.module' operation]: reproducer generated at `{file}`")
    assert how.startswith("to replay, use `passel.load_reproducer`")
    assert [d.message for d in error.diagnostics[1:]] == [
        "Failures have been detected while processing an MLIR pass pipeline"
    ]
    assert "\\C3\\B6" in file.read_text()


def test_a_printer_that_raises_does_not_hide_the_failure(tmp_path: Path) -> None:
    """The note says that the IR could not be printed, and how."""

    class Unprintable(ToyAdapter):
        def print_op(self, op: ToyOp, flags: PrintFlags) -> str:
            raise RuntimeError("no ink")

    pm = toy_manager(Refuse(), adapter=Unprintable())
    pm.add_instrumentation(CrashReproducer(tmp_path / "r"))
    with pytest.raises(PassFailedError) as caught:
        pm.run(parse_toy("toy.module()"))
    assert caught.value.failures[0].kind == "failed"
    (note,) = caught.value.__notes__
    assert note == (
        "Pipeline failed while executing [`Refuse` on 'toy.module' operation]: "
        "failed to print the IR: RuntimeError: no ink"
    )


def test_the_op_may_be_no_module(tmp_path: Path) -> None:
    """The anchor is the op's name, and the command says that it is not to be wrapped."""
    op = parse_source(XDSLAdapter().create_context(), FUNCTIONS, "in.mlir")
    function = next(inner for inner in op.walk() if isinstance(inner, FuncOp))
    pm = PassManager().add(Grow())
    pm.add_instrumentation(CrashReproducer(tmp_path / "r.mlir"))
    with pytest.raises(PassFailedError) as caught:
        pm.run(function)
    assert recorded_pipeline((tmp_path / "r.mlir").read_text()) == "func.func(grow)"
    assert caught.value.__notes__[0].endswith(f" --no-implicit-module {tmp_path}/r.mlir")


@pytest.mark.parametrize(
    ("source", "form"),
    [
        (
            "func.func @f(%i : index) { scf.for %j = %i to %i step %i { scf.yield } return }",
            "scf.for",
        ),
        (
            'func.func @f(%i:index) { scf.for %j = %i to %i step %i {"scf.yield"() {a} : () -> ()} return }',
            '"scf.for"',  # whose custom form leaves out the terminator, with its attribute
        ),
    ],
    ids=["custom", "generic"],
)
def test_the_form_is_custom_if_that_loses_nothing(tmp_path: Path, source: str, form: str) -> None:
    """What custom form would leave out is there, in generic form."""
    op = parse_source(XDSLAdapter().create_context(), source, "in.mlir")
    pm = PassManager().add(Refuse())
    pm.add_instrumentation(CrashReproducer(tmp_path / "r.mlir"))
    with pytest.raises(PassFailedError):
        pm.run(op)
    lines = (tmp_path / "r.mlir").read_text().splitlines()
    assert any(line.strip().startswith(form) for line in lines)


def test_resources_of_dialects_are_in_the_file(tmp_path: Path) -> None:
    """What the IR refers to at the end of its file is at the end of the reproducer."""
    source = """\
      func.func @f() {
        %a = arith.constant dense_resource<blob> : tensor<2xi8>
        return
      }
      {-# dialect_resources: { builtin: { blob: "0x08000000010203" } } #-}
    """
    context = XDSLAdapter().create_context()
    op = parse_source(context, source, "in.mlir")
    pm = PassManager("builtin.module", context).add(Refuse())
    pm.add_instrumentation(CrashReproducer(tmp_path / "r.mlir"))
    with pytest.raises(PassFailedError):
        pm.run(op)
    assert 'blob: "0x08000000010203"' in (tmp_path / "r.mlir").read_text()
