"""Descriptions of MLIR's passes, taken from the mlir-opt that is installed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from passel.mlir import descriptions as module
from passel.mlir import passes
from passel.mlir.descriptions import Description, descriptions, read_help
from passel.mlir.upstream import FACTS, facts_file
from passel.specification import pass_doc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
    names = set(facts_file(FACTS).names()) - ELSEWHERE
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


@pytest.mark.parametrize("script", ["exit 1", "echo hello", "kill -9 $$", "printf '\\377\\n'"])
def test_a_program_that_is_not_mlir_opt(
    alone: pytest.MonkeyPatch, tmp_path: Path, script: str
) -> None:
    """What it says is not taken for descriptions."""
    sh = shutil.which("sh", path="/bin:/usr/bin")
    program = tmp_path / "mlir-opt"
    program.write_text(f"#!{sh}\n{script}\n")
    program.chmod(0o755)
    alone.setenv("PATH", str(tmp_path))
    assert descriptions("mlir") == {}


def test_pipelines_are_no_passes() -> None:
    """Only what is listed as a pass is, with the options below it."""
    found = read_help(
        "  Compiler passes to run\n"
        "    Passes:\n"
        "      --sweep        -   Remove things\n"
        "        -O <uint>    - How much\n"
        "        --mode=<value> - How\n"
        "    =fast            -   Not well\n"
        "    Pass Pipelines:\n"
        "      --all-of-it    -   Everything\n"
    )
    assert found == {"sweep": Description("Remove things", {"O": "How much", "mode": "How"})}
