"""What tests over xDSL read: contexts with every dialect, xDSL's own tests, our files."""

from __future__ import annotations

import warnings
from contextlib import nullcontext, suppress
from functools import cache, lru_cache
from importlib.metadata import distribution, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sweeps import STEP
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.utils.exceptions import ParseError

from passel import PassFailedError, PassFailure
from passel.xdsl import parse_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from xdsl.ir import Block, Operation

CORPUS = Path(str(distribution("xdsl").locate_file("tests/filecheck")))
"""Where xDSL's wheel puts its tests."""

REAL_FILES = Path(__file__).parents[1] / "xdsl" / "real_files" / "inputs"
"""Realistic files of many dialects."""

NOT_MLIR = frozenset(
    {
        "csl_program",
        "hw_circuit",
        "memref_stream",
        "riscv_branches",
        "riscv_functions",
        "riscv_loops",
        "snitch_streams",
        "stencil_heat",
        "varith_sums",
        "x86_functions",
    }
)
"""Files of dialects that MLIR does not have."""

NEWEST_XDSL = "0.74"
"""The release of xDSL that tests are written for; older ones lack some of what they use."""

_SPLIT = "// -----"


def sampled(step: int) -> pytest.MarkDecorator:
    """Parametrize a test to take each `step`th input, and, in a sweep, every one, or a larger part."""
    every = pytest.param(min(STEP, step, max(5, step // 2)), marks=pytest.mark.sweep, id="every")
    return pytest.mark.parametrize("step", [pytest.param(step, id="sample"), every])


def some(inputs: Iterable[Any], step: int) -> list[Any]:
    """Return each `step`th input, and for a sweep the others, or some of them."""
    return [
        pytest.param(each, marks=[pytest.mark.sweep] if number % step else [])
        for number, each in enumerate(inputs)
        if not number % step or not number % STEP
    ]


def enough(number: int) -> int:
    """Return how many inputs are enough; other releases of xDSL have other tests, and read fewer."""
    return number if version("xdsl") == f"{NEWEST_XDSL}.0" else number // 3


def readable(cases: Mapping[str, str], parse: Callable[[str], Operation]) -> dict[str, Operation]:
    """Parse cases; without those that an older xDSL does not read, which must be few."""
    is_newest = version("xdsl") >= NEWEST_XDSL
    read: dict[str, Operation] = {}
    for name, text in cases.items():
        with nullcontext() if is_newest else suppress(ParseError):
            read[name] = parse(text)
    assert len(read) > len(cases) * 0.8
    return read


def xdsl_context() -> Context:
    """Return a new context that knows every dialect and takes unregistered ops."""
    return _all_dialects().clone()


def parsed_copy(text: str, name: str, context: Callable[[], Context] = xdsl_context) -> Operation:
    """Return a new copy of the op that a text is parsed to, in a new context, the first time."""
    op = _parsed(text, name, context)
    copy = op.clone()
    for block, clone in zip(_blocks_in(op), _blocks_in(copy), strict=True):
        clone.name_hint = block.name_hint
    return copy


@lru_cache(200)
def _parsed(text: str, name: str, context: Callable[[], Context]) -> Operation:
    return parse_source(context(), text, name)


def _blocks_in(op: Operation) -> list[Block]:
    return [block for each in op.walk() for region in each.regions for block in region.blocks]


def outcome_of(call: Callable[..., object], *arguments: object) -> str:
    """Return the kind of exception that a call raises, or nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            call(*arguments)
        except PassFailedError as error:
            cause = error.failures[0].cause
            return type(cause.__cause__ if isinstance(cause, PassFailure) else cause).__name__
        except Exception as error:  # noqa: BLE001 - which one is what is compared
            return type(error).__name__
    return ""


@cache
def _all_dialects() -> Context:
    context = Context(allow_unregistered=True)
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return context


@cache
def xdsl_corpus() -> tuple[tuple[str, str], ...]:
    """Return each chunk of xDSL's tests, after the name of its file."""
    files = sorted(CORPUS.rglob("*.mlir"))
    assert len(files) > 500, f"xDSL's test corpus is not installed at {CORPUS}"
    return tuple(
        (file.relative_to(CORPUS).as_posix(), chunk)
        for file in files
        for chunk in file.read_text(encoding="utf-8").split(_SPLIT)
    )
