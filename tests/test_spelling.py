"""Suggestions for misspelled names."""

from __future__ import annotations

import pytest

from passel.diagnostics import closest

NAMES = [
    "affine-loop-unroll",
    "arith.constant",
    "canonicalize",
    "convert-scf-to-cf",
    "cse",
    "mem2reg",
    "split-input-file",
    "symbol-dce",
]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("csee", "cse"),
        ("sce", "cse"),
        ("Cse", "cse"),
        ("canonicalise", "canonicalize"),
        ("symbol_dce", "symbol-dce"),
        ("mem-2-reg", "mem2reg"),
        ("convert-scf", "convert-scf-to-cf"),
        ("loop-unroll", "affine-loop-unroll"),
        ("split-input", "split-input-file"),
        ("arith.constnt", "arith.constant"),
        ("inline", ""),
        ("x", ""),
        ("", ""),
        ("cse" * 1_000_000, ""),
    ],
)
def test_similar_names_are_suggested(name: str, meant: str) -> None:
    """A misspelled name leads to the intended name, and an unrelated name to none."""
    assert closest(name, NAMES) == meant
