"""xDSL's own passes by name: all are registered, with their options, and spelled as xDSL does."""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

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


VALUES = (
    "=1 =-3 =0 =007 =1,2 =1,2,3 =true =false = =abc =fast =wse2 =dynamic =1.5 =1.0,2 =2d-slice "
    '="abc" ="a b" ="1" ="true" =a,b ="a","b" ="a,b" ="x=y{z}" ="" =none ="none" =f32 =32,"a"'
)


def spellings() -> Iterator[str]:
    """Yield xDSL's spelling of every option of every pass with each of many values."""
    values = ["", *re.findall(r'=(?:"[^"]*"|[^" ])*', VALUES)]
    for name, pass_class in xdsl_passes().items():
        hints = options_of(pass_class)
        for option in hints:
            others = [
                f"{other}={'wse2' if typing.get_origin(hints[other]) is typing.Literal else 1 if hints[other] is not str else 'abc'}"
                for other in sorted(pass_class.required_fields() - {option})
            ]
            for value in values:
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


def is_optional(hint: Any) -> bool:
    """Return whether an option may be None."""
    return types.NoneType in typing.get_args(hint)


def base_of(hint: Any) -> str:
    """Return the kind of an option: bool, int, str, list, choice or mixed."""
    members = [m for m in typing.get_args(hint) if m is not types.NoneType]
    if is_optional(hint) and len(members) == 1:
        return base_of(members[0])
    if typing.get_origin(hint) is tuple:
        return "list of " + members[0].__name__
    if typing.get_origin(hint) is typing.Literal:
        return "choice"
    return hint.__name__ if isinstance(hint, type) else "mixed"


def difference(hint: Any, value: str) -> str:
    """Return why passel may read `key` + `value` as something else than xDSL; or nothing.

    These are all the differences, for all options of all passes.
    """
    kind = base_of(hint)
    if value in ("", "=", '=""') and kind in ("list of int", "list of str", "mixed"):
        return "a list needs a value; an empty one is spelled {}, as in MLIR"
    if value == "=none" and is_optional(hint):
        return "'none' is how passel spells that there is no value"
    if kind in ("int", "list of int") and value in ("=true", "=false"):
        return "a flag is not a number; xDSL takes it, since in Python it is one"
    if value == '="a,b"' and kind in ("list of str", "mixed"):
        return "the elements of a list are separated by commas also inside its quotes, as in MLIR"
    return ""


def leniency(hint: Any, value: str) -> str:
    """Return why passel takes `key` + `value` although xDSL does not; or nothing."""
    kind = base_of(hint)
    if kind == "bool":
        return "a flag is spelled in all of MLIR's ways: alone, 0, 1, in quotes"
    if kind in ("str", "list of str", "mixed"):
        return "a string need not be quoted, whatever it looks like"
    if kind in ("int", "list of int") and value in ('="1"', "=007"):
        return "a number may be quoted, or octal, as in MLIR"
    if value == "=" and is_optional(hint):
        return "an empty value is no value"
    return difference(hint, value)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.sweep)])
def test_spellings_of_xdsl(step: int) -> None:
    """Every option reads to the value that xDSL reads, but for the differences listed."""
    same = 0
    for text in islice(spellings(), 0, None, step):
        name, _, options = text[:-1].partition("{")
        key, value = cast(
            "re.Match[str]", re.match(r'([\w-]+)((?:=(?:"[^"]*"|[^ "])*)?)', options)
        ).groups()
        hint = options_of(xdsl_passes()[name])[key.replace("-", "_")]
        if name in OWN:
            continue
        theirs, ours = by_xdsl(text), by_passel(text)
        if theirs == ours and type(theirs) is type(ours):
            same += 1
        elif theirs is None:
            assert leniency(hint, value), text
        else:
            assert difference(hint, value), f"{text}: {theirs} is {ours}"
    assert same > enough(1000) // step


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
