"""xDSL's own passes by name: all are registered, with their options, and spelled as xDSL does."""

from __future__ import annotations

import dataclasses
import re
import typing
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.transforms import get_all_passes
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl_inputs import enough

from passel import PassManager, default_registry
from passel.errors import PasselError
from passel.xdsl.module_passes import XDSLPass, pass_class_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.passes import ModulePass

OWN = {"canonicalize", "cse", "dce", "licm"}
"""Names for which passel has passes of its own, with MLIR's options."""


@cache
def xdsl_passes() -> dict[str, type[ModulePass]]:
    """Return xDSL's pass classes by name."""
    return {name: factory() for name, factory in sorted(get_all_passes().items())}


def options_of(pass_class: type[ModulePass]) -> dict[str, Any]:
    """Return the types of a pass's options."""
    hints = typing.get_type_hints(pass_class)
    return {
        option.name: hints[option.name]
        for option in dataclasses.fields(pass_class)
        if option.name != "name" and option.init
    }


def test_every_pass_is_registered() -> None:
    """All passes of xDSL are found by name, with the pass class behind them."""
    registry = default_registry()
    assert len(xdsl_passes()) >= enough(133)
    for name, pass_class in xdsl_passes().items():
        info = registry.lookup_pass(name)
        assert info is not None, name
        if name not in OWN:
            assert issubclass(info.pass_class, XDSLPass)
            assert info.pass_class.module_pass_class is pass_class
            assert info.pass_class.name == name


def test_options_are_the_fields() -> None:
    """Names, defaults and what is required are those of the fields, for every pass."""
    count = 0
    for name, pass_class in xdsl_passes().items():
        infos = {info.field: info for info in pass_class_for(pass_class).option_infos()}
        assert infos.keys() == options_of(pass_class).keys(), name
        for option in dataclasses.fields(pass_class):
            info = infos.get(option.name)
            if info is None:
                continue
            count += 1
            assert info.required == (option.name in pass_class.required_fields())
            if option.default is not dataclasses.MISSING:
                assert info.default in (option.default, (option.default,))
    assert count > enough(60)


VALUES = '=1 =-3 =0 =1,2 =1,2,3 =abc =fast =wse2 =dynamic =1.5 =2d-slice ="abc" ="a b" =f32'


def spellings() -> Iterator[str]:
    """Yield xDSL's spelling of every option of every pass with each of many values."""
    values = [*re.findall(r'=(?:"[^"]*"|[^" ])*', VALUES)]
    for name, pass_class in xdsl_passes().items():
        hints = options_of(pass_class)
        for option in hints:
            others = [
                f"{other}={'wse2' if typing.get_origin(hints[other]) is typing.Literal else 1 if hints[other] is not str else 'abc'}"
                for other in sorted(pass_class.required_fields() - {option})
            ]
            for value in ["", "=true", "=false"] if hints[option] is bool else values:
                for key in sorted({option, option.replace("_", "-")}):
                    yield f"{name}{{{' '.join([key + value, *others])}}}"


def by_xdsl(text: str) -> ModulePass | None:
    """Return what xDSL reads from a pass's text."""
    name = re.split(r"[{\[]", text)[0]
    try:
        return xdsl_passes()[name].from_spec(parse_spec(text))
    except (ValueError, ArgSpecParseError):
        return None


def by_passel(text: str) -> ModulePass | None:
    """Return what passel reads, after it was printed and read once more."""
    try:
        (read,) = PassManager.parse(f"builtin.module({text})")
    except PasselError:
        return None
    assert isinstance(read, XDSLPass)
    for all_options in (False, True):
        (again,) = PassManager.parse(f"builtin.module({read.to_text(all_options=all_options)})")
        assert again == read
    return read.module_pass()


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.sweep)])
def test_spellings_of_xdsl(step: int) -> None:
    """Every option reads to the value that xDSL reads, for each value that xDSL takes."""
    same = 0
    for text in islice(spellings(), 0, None, step):
        theirs = by_xdsl(text)
        if text.partition("{")[0] not in OWN and theirs is not None:
            ours = by_passel(text)
            assert (theirs, type(theirs)) == (ours, type(ours)), text
            same += 1
    assert same > enough(400) // step


@pytest.mark.parametrize(
    "text",
    [
        "riscv-allocate-registers{allocation_strategy=LivenessBlockNaive add_regalloc_stats=true}",
        'apply-pdl{pdl_file="some file.mlir"}',
        "stencil-unroll{unroll_factor=1,2,4}",
        "stencil-unroll{unroll-factor=8}",
        "distribute-stencil{slices=1,2 restrict_domain=false strategy=2d-grid}",
        'mlir-opt{arguments="--cse","-p","builtin.module(a,b)" generic=false}',
        "mlir-opt[cse,func.func(canonicalize)]",
    ],
)
def test_spellings_from_practice(text: str) -> None:
    """Specs as people write them for xdsl-opt mean the same, alone and between others."""
    assert by_passel(text) == by_xdsl(text) is not None
    manager = PassManager.parse(f"cse,{text},dce", flat_anchor="builtin.module")
    middle = list(manager)[1]
    assert isinstance(middle, XDSLPass)
    assert middle.module_pass() == by_xdsl(text)
