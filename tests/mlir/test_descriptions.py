"""Descriptions of MLIR's passes, taken from the mlir-opt that is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passel.mlir import descriptions as module
from passel.mlir import passes
from passel.mlir.descriptions import descriptions
from passel.mlir.upstream import FACTS, facts_file
from passel.specification import pass_doc

if TYPE_CHECKING:
    from collections.abc import Iterator

ELSEWHERE = {"opt-reduction-pass", "reduction-tree"}
"""Passes of mlir-reduce."""


def _nothing(_root: str) -> tuple[str, ...]:
    return ()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """No mlir-opt but what the test puts into PATH."""
    monkeypatch.setattr(module, "_packaged", _nothing)
    monkeypatch.setenv("PATH", "")
    descriptions.cache_clear()
    yield monkeypatch
    descriptions.cache_clear()


def test_every_pass_and_option_is_described() -> None:
    """mlir-opt has a line about each pass that MLIR declares, and about each of its options."""
    found = descriptions("mlir")
    names = set(facts_file(FACTS).names.values()) - ELSEWHERE
    assert names <= set(found)
    assert all(found[name].summary for name in names)
    options = {
        (name, option.name)
        for name in names
        for facts in [facts_file(FACTS).of_pass(name)]
        if facts is not None
        for option in getattr(passes, facts.class_name).option_infos()
    }
    assert {each for each in options if each[1] not in found[each[0]].options} == set()


def test_they_are_shown_where_passes_are_documented() -> None:
    """Documentation has MLIR's summary, and its help for options."""
    summary, options = descriptions("mlir")["canonicalize"]
    text = pass_doc([passes.Canonicalizer])
    assert f"\n_{summary}_\n" in text
    assert f": {options['max-iterations']} (default 10)\n" in text


def test_without_mlir_opt(alone: pytest.MonkeyPatch) -> None:
    """The name is said, and the options have their types and defaults."""
    text = pass_doc([passes.Canonicalizer])
    assert "\n_MLIR's pass `canonicalize`._\n" in text
    assert "\n-top-down                                     : (default true)\n" in text
