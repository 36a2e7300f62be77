"""A pipeline is text once: what is made of it serves every part of the input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import passel.pipeline.parser

if TYPE_CHECKING:
    import pytest
    from tool_fixtures import Tool


def test_one_text_one_parse(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three parts of an input, one parse of the pipeline."""
    texts: list[str] = []

    class Counting(passel.pipeline.parser._Parser):  # pyright: ignore[reportPrivateUsage]
        def parse(self) -> tuple[Any, ...]:
            texts.append(self.source.text)
            return super().parse()

    monkeypatch.setattr(passel.pipeline.parser, "_Parser", Counting)
    part = "func.func @f() { return }"
    Path("in.mlir").write_text(f"{part}\n// -----\n{part}\n// -----\n{part}\n")
    pipeline = "builtin.module(func.func(cse),symbol-dce)"
    code, out, err = tool("in.mlir", "--split-input-file", "-p", pipeline)
    assert (code, err, out.count("func.func")) == (0, "", 3)
    assert texts == [pipeline]
