"""Dense constants whose elements are read all at once are what xDSL's parser makes of them."""

from __future__ import annotations

import random
from unittest.mock import patch

import pytest
from loose_ops import context_with
from twins import assert_same

from passel.xdsl.fast import template_parser

_TYPES = (
    *("i1", "i8", "si8", "ui8", "i32", "index", "f16", "bf16", "f32", "f64", "f80"),
    *("complex<f32>", "!un.known<1>", "none", ""),
)
_NUMBERS = (
    *("0", "1", "-1", "255", "-128", "-0", "4294967295", "9" * 30),
    *("1.5", "-0.0", "1.0e3", "2.5E-7", "1.0e400", "1e3", "01", "1.", "- 1", "+1", "0x7F"),
    *("true", "[1]", "", "[]", "1 // one\n", "9" * 5000, "\t3", "(1, 2)"),
)


def _written(lists: object) -> str:
    return str(lists).replace("'", "")


@pytest.mark.parametrize("number", _NUMBERS, ids=lambda each: each[:9])
def test_values_and_errors_are_the_same(number: str) -> None:
    """Whatever stands among plain numbers, the attribute or the error is xDSL's."""
    lists = _written([["0", number], ["2", "1"], ["1", "3"]])
    shaped = [f"tensor<3x2x{type_}>" for type_ in _TYPES]
    shaped += ["vector<3x2xi32>", "memref<3x2xf32>", "tensor<6xi32>", "tensor<3x?xi32>", "i32"]
    with patch.object(template_parser, "_LEAST", 0):
        for type_ in shaped:
            assert_same(f'"test.op"() {{v = dense<{lists}> : {type_}}} : () -> ()', context_with)


@pytest.mark.parametrize("rest", ["> : tensor<40x8xi32>", "> tensor<40x8xi32>", ">", " : i32", ""])
def test_what_follows_the_elements_may_be_wrong(rest: str) -> None:
    """Errors behind the elements are at the same place."""
    numbers = random.Random(3)  # noqa: S311 - repeatable
    lists = _written([[numbers.randrange(-99, 999) for _ in range(8)] for _ in range(40)])
    assert_same(f'"test.op"() {{v = dense<{lists}{rest}}} : () -> ()', context_with)
