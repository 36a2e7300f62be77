"""What MLIR's passes do outside the IR is known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import run_mlir_opt

from passel.mlir.bindings import bindings_named
from passel.mlir.names import native_pass_class
from passel.mlir.pipelines import effects_of_native, facts_of
from passel.mlir.upstream import PassFacts

if TYPE_CHECKING:
    from collections.abc import Iterator

MLIR = bindings_named("mlir")

ATTRIBUTES_ALONE = {"nvvm-attach-target", "rocdl-attach-target", "xevm-attach-target"}
"""Passes that write names of files into the IR, for others to read."""


def options() -> Iterator[tuple[str, str]]:
    """Yield passes and pipelines of mlir-opt, each with one of its options."""
    text = run_mlir_opt("--help").out
    name = ""
    for line in text.splitlines():
        if found := re.match(r" {6}--([\w-]+) ", line):
            name = found[1]
        elif name and (found := re.match(r" {8}-{1,2}([\w-]+)[ =]", line)):
            yield name, found[1]


def test_passes_with_options_for_files_have_effects() -> None:
    """Whatever takes the name of a file, a folder or a tool is in the table."""
    found = {
        name
        for name, option in options()
        if re.search(r"file(name)?$|paths?$|toolkit|dir$|^l$", option)
    }
    assert found - ATTRIBUTES_ALONE
    silent = {name for name in found if not effects_of_native(MLIR, name, "")}
    assert silent == ATTRIBUTES_ALONE


@pytest.mark.parametrize(
    ("name", "options", "effects"),
    [
        ("cse", "", ()),
        ("reduction-tree", "test=/bin/sh", ("read-files", "run-programs", "write-files")),
        ("opt-reduction-pass", "", ("read-files", "run-programs", "write-files")),
        ("inline", "default-pipeline=canonicalize{max-iterations=3}", ()),
        ("inline", "default-pipeline=gpu-lower-to-nvvm-pipeline", ("read-files", "run-programs", "write-files")),
        ("inline", 'op-pipelines={"func.func( snapshot-op-locations )"}', ("write-files",)),
        ("convert-vector-to-llvm", "reassociate-fp-reductions=1", ()),
    ],
)  # fmt: skip
def test_pipelines_in_options_count(name: str, options: str, effects: tuple[str, ...]) -> None:
    """MLIR takes pipelines as text, in which each name of a pass or pipeline has its effects."""
    assert effects_of_native(MLIR, name, options) == effects


def test_passes_that_no_release_has_are_unknown() -> None:
    """What a vendor's pass does outside the IR is unknown."""
    added = "jir-affine-transform"
    assert native_pass_class("mlir", added) is not None
    assert effects_of_native(MLIR, added, "") == ("unknown",)
    assert effects_of_native(MLIR, "inline", f"default-pipeline={added}") == ("unknown",)


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("convert-gpu-to-nvvm", PassFacts("", "ConvertGpuOpsToNVVMOps", anchor="gpu.module")),
        ("affine-scalrep", PassFacts("", "AffineScalarReplacement", anchor="func.func")),
        ("cse", PassFacts("", "cse")),
    ],
)
def test_facts_about_other_passes(
    name: str, facts: PassFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a pass of a vendor, MLIR tells in refusing it what it is for."""
    monkeypatch.setattr("passel.mlir.pipelines.FACTS", Path("/dev/null"))
    assert facts_of.__wrapped__(MLIR, name) == facts._replace(name=name)
