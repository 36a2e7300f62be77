"""Suggestions for names that are not known."""

from __future__ import annotations

import pytest

from passel.spelling import closest_name

NAMES = [
    "affine-loop-unroll",
    "arith.constant",
    "canonicalize",
    "convert-scf-to-cf",
    "convert-to-llvm",
    "cse",
    "lift-cf-to-scf",
    "lower-host-to-llvm",
    "max-iterations",
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
        ("cannonicalize", "canonicalize"),
        ("Canonicalize", "canonicalize"),
        ("symbol_dce", "symbol-dce"),
        ("symboldce", "symbol-dce"),
        ("mem-2-reg", "mem2reg"),
        ("convert-to-lvm", "convert-to-llvm"),
        ("convert-scf", "convert-scf-to-cf"),
        ("scf-to-cf", "convert-scf-to-cf"),
        ("loop-unroll", "affine-loop-unroll"),
        ("canonicalize-pass", "canonicalize"),
        ("max-iters", "max-iterations"),
        ("split-input", "split-input-file"),
        ("arith.constnt", "arith.constant"),
    ],
)
def test_slips_abbreviations_and_missing_words_are_understood(name: str, meant: str) -> None:
    """A name that is written a little wrong, or not in full, leads to the one that is meant."""
    assert closest_name(name, NAMES) == meant


@pytest.mark.parametrize("name", ["test-lower-to-llvm", "lower-scf-to-cf", "inline", "x", ""])
def test_other_names_are_not_suggested(name: str) -> None:
    """Two names may have most letters in common and be two things."""
    assert closest_name(name, NAMES) == ""
