"""Passes of builds that cannot list them, from a table."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from passel.diagnostics import suggest
from passel.errors import AdapterError
from passel.mlir import native, pipelines
from passel.mlir.bindings import Bindings
from passel.mlir.names import MLIRSource
from passel.mlir.passes import CSE, Canonicalizer
from passel.mlir.upstream import has_name, is_known_pass


@pytest.mark.parametrize(
    ("root", "own", "pipeline", "dialect"),
    [
        ("iree.compiler", "iree-flow-canonicalize", "iree-hal-transformation-pipeline", "flow."),
        ("aster", "aster-legalizer", "amdgcn-backend", "lsir."),
    ],
)
def test_names_of_builds(root: str, own: str, pipeline: str, dialect: str) -> None:
    """They are suggested without loading the build, with MLIR's own, and pipelines are told apart."""
    names = list(MLIRSource(root).names())
    assert {own, "cse"} <= set(names)
    assert dialect not in names
    assert own in suggest(own.replace("-", "_"), names)
    package = root.partition(".")[0]
    assert is_known_pass(package, own)
    assert has_name(package, pipeline)
    assert not is_known_pass(package, pipeline)
    assert has_name(package, dialect)


def test_dumps_begin_as_in_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds after MLIR 22 have longer names of classes, and the newest print all options."""
    monkeypatch.setattr(pipelines, "banner", lambda _: "CSEPass: cse")  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    monkeypatch.setattr(native, "banner", pipelines.banner)
    monkeypatch.setattr(native, "class_name", pipelines.class_name.__wrapped__)
    assert Bindings("mlir").ir is not None  # loads the build
    assert CSE().dump_title(" Failed") == "CSEPass Failed: cse"
    title = Canonicalizer(max_iterations=3).dump_title()
    assert title.startswith("CanonicalizerPass: canonicalize{")
    assert " max-iterations=3 " in title
    own = "iree-flow-canonicalize"
    assert pipelines.class_name(Bindings("iree.compiler"), own, own) == "CanonicalizePass"


def test_a_build_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused when it is needed, in one line."""
    old = SimpleNamespace(Context=type("Context", (), {}))
    monkeypatch.setattr(Bindings, "module", lambda *_: old)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(AdapterError, match="'old' are too old: use MLIR 22"):
        _ = Bindings("old").ir


def test_a_build_that_is_in_no_table(caplog: pytest.LogCaptureFixture) -> None:
    """Of it no passes are listed, which one line says, and MLIR's own are taken for passes."""
    with caplog.at_level(logging.WARNING):
        assert list(MLIRSource("my.mlir").entries()) == []
    assert "passel has no list of the passes in 'my.mlir'" in caplog.text
    assert is_known_pass("my", "cse")


def test_a_build_whose_library_is_that_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error names both, and says what to do."""
    other: Any = ModuleType("other._mlir_libs")
    other.__path__ = ["/packages/other/_mlir_libs"]
    monkeypatch.setitem(sys.modules, other.__name__, other)
    message = r"'mlir' uses /packages/other/_mlir_libs/x\.so, .* 'other': .* in its own process"
    with pytest.raises(AdapterError, match=message):
        Bindings("mlir").check_owner(Path("/packages/other/_mlir_libs/x.so"))


WITH_RESOURCES = """\
func.func @f() attributes {func.x = dense_resource<a> : tensor<1xi8>} { return }
{-# dialect_resources: { builtin: { a: "0x0800000001" } },
    external_resources: { zoo: { v: true } } #-}
"""


@pytest.mark.parametrize("passes", [["--cse"], ["-p=builtin.module(func.func(cse),symbol-dce)"]])
def test_native_passes_need_no_numpy(tmp_path: Path, passes: list[str]) -> None:
    """The tool does not wait for xDSL, nor for what the build's Python modules import."""
    (tmp_path / "in.mlir").write_text(WITH_RESOURCES, "utf-8")
    words = ["--ir=mlir", "in.mlir", *passes]
    script = f"import sys; from passel.tool.opt import main; main({words}); print(*sys.modules)"
    shown = subprocess.check_output((sys.executable, "-c", script), cwd=tmp_path, text=True)
    assert "func.func @f" in shown
    assert not {"numpy", "mlir.ir", "xdsl"} & set(shown.split())
