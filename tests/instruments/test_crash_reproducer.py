"""Crash reproducers of managers in Python: what is written, and that nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tool_fixtures import recorded_pipeline
from xdsl.dialects.func import FuncOp

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
    text: str = "no"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail."""
        raise PassFailure(self.text)


def error_of(pm: PassManager, op: Any, file: Path) -> PassFailedError:
    """Return the error of a run that leaves a reproducer behind."""
    pm.add_instrumentation(CrashReproducer(file))
    with pytest.raises(PassFailedError) as caught:
        pm.run(op)
    return caught.value


def test_the_error_carries_the_file_and_the_notes(tmp_path: Path) -> None:
    """`reproducer` is the file; the notes are the ones of the diagnostic."""
    file = tmp_path / "a file"
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Refuse(text="ö"))
    error = error_of(pm, parse_toy("toy.module(toy.func @f)"), file)
    assert error.reproducer == file
    (note,) = error.__notes__
    where = note.splitlines()[0]
    assert where.endswith(f"[`Refuse` on 'toy.module' operation]: reproducer generated at `{file}`")
    assert [d.message for d in error.diagnostics[1:]] == [
        "Failures have been detected while processing an MLIR pass pipeline"
    ]
    assert "\\C3\\B6" in file.read_text()


def test_a_printer_that_raises_does_not_hide_the_failure(tmp_path: Path) -> None:
    """The note says that the IR could not be printed, and how."""

    class Unprintable(ToyAdapter):
        def print_op(self, op: ToyOp, flags: PrintFlags) -> str:
            raise RuntimeError("no ink")

    pm = PassManager("toy.module", adapter=Unprintable()).add(Refuse())
    assert error_of(pm, parse_toy("toy.module()"), tmp_path / "r").__notes__ == [
        (
            "Pipeline failed while executing [`Refuse` on 'toy.module' operation]: "
            "failed to print the IR: RuntimeError: no ink"
        )
    ]


def test_the_op_may_be_no_module(tmp_path: Path) -> None:
    """The anchor is the op's name, and the command says that it is not to be wrapped."""
    op = parse_source(XDSLAdapter().create_context(), FUNCTIONS, "in.mlir")
    function = next(inner for inner in op.walk() if isinstance(inner, FuncOp))
    (note,) = error_of(PassManager().add(Refuse()), function, file := tmp_path / "r.mlir").__notes__
    assert recorded_pipeline(file.read_text()) == "func.func(refuse{text=no})"
    assert note.endswith(f" --no-implicit-module {file}")


CUSTOM = "func.func @f(%i : index) { scf.for %j = %i to %i step %i { scf.yield } return }"
GENERIC = CUSTOM.replace("scf.yield", '"scf.yield"() {a} : () -> ()')
RESOURCE = """\
  func.func @f() {
    %a = arith.constant dense_resource<blob> : tensor<2xi8>
    return
  }
  {-# dialect_resources: { builtin: { blob: "0x08000000010203" } } #-}
"""


@pytest.mark.parametrize(
    ("source", "line"),
    [(CUSTOM, "scf.for"), (GENERIC, '"scf.for"'), (RESOURCE, 'blob: "0x08000000010203"')],
    ids=["custom", "generic", "resource"],
)
def test_the_form_is_custom_if_that_loses_nothing(tmp_path: Path, source: str, line: str) -> None:
    """What custom form leaves out, as a terminator with its attribute, is there; so are resources."""
    op = parse_source(context := XDSLAdapter().create_context(), source, "in.mlir")
    error_of(PassManager("builtin.module", context).add(Refuse()), op, tmp_path / "r.mlir")
    lines = (tmp_path / "r.mlir").read_text().splitlines()
    assert any(each.strip().startswith(line) for each in lines)
