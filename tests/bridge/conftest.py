"""What the tests of crossings share: both IRs, and a program for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from worlds import MLIRWorld, XDSLWorld

if TYPE_CHECKING:
    from worlds import World

REDUNDANT = """
module @m {
  func.func @f(%a: i32) -> i32 {
    %0 = arith.addi %a, %a : i32
    %1 = arith.addi %a, %a : i32
    %2 = arith.muli %0, %1 : i32
    return %2 : i32
  }
  func.func @g() {
    return
  }
}
"""
"""A function with something for `cse`, and one without."""


@pytest.fixture(params=[MLIRWorld, XDSLWorld], ids=["from-mlir", "from-xdsl"])
def world(request: pytest.FixtureRequest) -> World:
    """Each direction in turn."""
    return request.param()


@pytest.fixture
def mlir_world() -> World:
    """MLIR, from which pipelines cross to xDSL."""
    return MLIRWorld()


@pytest.fixture
def xdsl_world() -> World:
    """XDSL, from which pipelines cross to MLIR."""
    return XDSLWorld()


@pytest.fixture
def redundant() -> str:
    """A function with something for `cse`, and one without."""
    return REDUNDANT
