"""Reading a reproducer in Python."""

from pathlib import Path

import pytest

from passel import PipelineError, load_reproducer
from passel.testing import ToyAdapter, parse_toy


def test_ir_without_resources(tmp_path: Path) -> None:
    """A file of IR that records nothing is parsed whole, and refused for what it lacks."""
    file = tmp_path / "plain.toy"
    file.write_text("toy.module(toy.func)\n")
    seen: list[str] = []

    def parse(text: str) -> object:
        seen.append(text)
        return parse_toy(text)

    with pytest.raises(PipelineError, match="records no pipeline"):
        load_reproducer(file, ToyAdapter(), parse=parse)
    assert seen == ["toy.module(toy.func)\n"]
