"""Reading a reproducer in Python."""

from pathlib import Path

import pytest

from passel import AdapterError, PipelineError, load_reproducer
from passel.frontend import UnreadableError
from passel.testing import ToyAdapter, parse_toy


def test_ir_without_resources(tmp_path: Path) -> None:
    """A file of IR that records nothing is parsed whole, and refused for what it lacks."""
    file = tmp_path / "plain.toy"
    file.write_text("toy.module(toy.func)\n")
    seen: list[str] = []

    def parse(text: str) -> object:
        seen.append(text)
        return parse_toy(text)

    with pytest.raises(PipelineError, match="contains no recorded pipeline"):
        load_reproducer(file, ToyAdapter(), parse=parse)
    assert seen == ["toy.module(toy.func)\n"]


@pytest.mark.parametrize("adapter", ["xdsl", "mlir"])
def test_invalid_ir(adapter: str, tmp_path: Path) -> None:
    """It is refused with its place on every IR, as the tool refuses it."""
    file = tmp_path / "bad.mlir"
    file.write_text(
        "builtin.module {\n  func.func @f() -> i32 {\n    func.return\n  }\n}\n"
        '{-# external_resources: {mlir_reproducer: {pipeline: "builtin.module(cse)"}} #-}'
    )
    with pytest.raises(UnreadableError, match=r"bad\.mlir:3:5: error: 'func\.return' op "):
        load_reproducer(file, adapter)


def test_an_adapter_that_is_not_installed(tmp_path: Path) -> None:
    """The name that was meant is suggested."""
    with pytest.raises(AdapterError, match="did you mean 'xdsl'"):
        load_reproducer(tmp_path / "any.mlir", "xdls")
