"""What the tests of crossings share: both IRs, and a program for each."""

from __future__ import annotations

import pytest
from worlds import World

from passel.mlir import MLIRAdapter
from passel.mlir import parse_source as parse_mlir
from passel.xdsl import XDSLAdapter
from passel.xdsl import parse_source as parse_xdsl

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


@pytest.fixture(params=["mlir_world", "xdsl_world"], ids=["from-mlir", "from-xdsl"])
def world(request: pytest.FixtureRequest) -> World:
    """Each direction in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def mlir_world() -> World:
    """MLIR, from which pipelines cross to xDSL."""
    return World(MLIRAdapter(), parse_mlir, "allow_unregistered_dialects")


@pytest.fixture
def xdsl_world() -> World:
    """XDSL, from which pipelines cross to MLIR."""
    return World(XDSLAdapter(), parse_xdsl, "allow_unregistered")


@pytest.fixture
def redundant() -> str:
    """A function with something for `cse`, and one without."""
    return REDUNDANT
