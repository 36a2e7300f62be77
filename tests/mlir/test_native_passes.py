"""MLIR's passes by name: what is found, what is refused and how it is said."""

from __future__ import annotations

import pickle

import pytest
from mlir.ir import Context

from passel import OptionError, PassManager, PipelineError
from passel.mlir import parse_source

SOURCE = "func.func @f(%a: i32) { %0 = arith.addi %a, %a : i32 return }"


def test_by_text_on_a_manager() -> None:
    """Managers with a context of MLIR's know its passes, and so do nested ones."""
    context = Context()
    manager = PassManager("builtin.module", context)
    manager.nest("func.func").add("cse,canonicalize")
    manager.add("symbol-dce")
    assert str(manager) == "builtin.module(func.func(cse,canonicalize),symbol-dce)"
    module = parse_source(context, SOURCE, "t")
    manager.run(module)
    assert "arith.addi" not in str(module)


@pytest.mark.parametrize(
    ("pipeline", "column", "message"),
    [
        ("builtin.module(canonicalise)", 16, "did you mean 'canonicalize'?"),
        ("builtin.module(cse,func.func(cze))", 30, "did you mean 'cse'?"),
        ("builtin.module(canonicalize{max-iteration=1})", 29, "max-iteration"),
        ("builtin.module(canonicalize{top-down=maybe})", 29, "maybe"),
        ("builtin.module(inline{bogus=1},cse)", 23, "bogus"),
    ],
)
def test_what_is_refused(pipeline: str, column: int, message: str) -> None:
    """Misspelt names and wrong options are found when the text is read, with their places."""
    with pytest.raises(PipelineError, match=message.replace("?", r"\?")) as caught:
        PassManager.parse(pipeline, Context())
    span = caught.value.span
    assert span is not None
    assert span.start + 1 == column


def test_options_of_registered_pipelines() -> None:
    """MLIR's registered pipelines are taken apart, and refuse options that they do not have."""
    manager = PassManager.parse("builtin.module(sparsifier{vl=4})", Context())
    assert "sparse" in str(manager)
    with pytest.raises(OptionError, match="bogus"):
        PassManager.parse("builtin.module(sparsifier{bogus=4})", Context())


def test_passes_are_values() -> None:
    """A native pass can be pickled, and prints as it was written."""
    manager = PassManager.parse("builtin.module(canonicalize{top-down=false},cse)", Context())
    for pass_ in manager:
        again = pickle.loads(pickle.dumps(pass_))
        assert str(again) == str(pass_)
        assert again == pass_
