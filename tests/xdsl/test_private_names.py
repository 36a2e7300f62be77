"""passel uses few private names of xDSL, which all supported releases define."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import xdsl

import passel.xdsl

if TYPE_CHECKING:
    from collections.abc import Iterator

PRIVATE = frozenset(
    {
        # Links of the IR in loops over all ops, where properties would cost a third of the time.
        *("_args", "_next_op", "_operands", "_successors", "_type"),
        # Parts of the parser without a public hook.
        *("_parse_block_body", "_parse_location", "_parse_tensor_literal_element"),
        *("_parse_dialect_resource_handle", "_parse_dialect_resources", "_parser_state"),
        "_register_ssa_definition",
    }
)
"""The private names of xDSL that passel uses."""

_OWN = Path(passel.xdsl.__file__).parent
_MODULES = sorted(_OWN.rglob("*.py"))
_THEIRS = {
    name
    for file in Path(xdsl.__file__).parent.rglob("*.py")
    for name in re.findall(r"\b_[a-zA-Z]\w*", file.read_text(encoding="utf-8"))
} - {"_replace"}  # of named tuples


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _defined_in(tree: ast.Module) -> Iterator[str]:
    """Yield the names of functions, classes and fields that a module defines."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Attribute(value=ast.Name("self"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Assign(targets=[ast.Name("__slots__")], value=names):
                yield from ast.literal_eval(names)
            case _:
                pass


def _accessed_in(tree: ast.Module) -> Iterator[str]:
    """Yield private names that a module takes from elsewhere."""
    own = set(_defined_in(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) if _is_private(name) and name not in own:
                yield name
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("xdsl"):
                yield from (each.name for each in names if _is_private(each.name))
            case _:
                pass


def _overridden_in(module: Any) -> Iterator[str]:
    """Yield private names of xDSL's classes that subclasses in a module define anew."""
    for _, kind in inspect.getmembers(module, inspect.isclass):
        bases = [each for each in kind.__mro__ if each.__module__.startswith("xdsl.")]
        if kind.__module__ == module.__name__ and bases:
            defined = {name for base in bases for name in vars(base) if _is_private(name)}
            yield from defined & vars(kind).keys() - {"_abc_impl"}


@pytest.mark.parametrize("file", _MODULES, ids=lambda file: str(file.relative_to(_OWN)))
def test_all_uses_are_listed(file: Path) -> None:
    """Private names of xDSL's that a module uses or defines anew are in the list."""
    name = ".".join(file.relative_to(_OWN.parents[1]).with_suffix("").parts)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    used = {*_accessed_in(tree), *_overridden_in(import_module(name))}
    assert used & _THEIRS <= PRIVATE


def test_the_list() -> None:
    """At most twelve names are listed, and the installed release defines them all."""
    assert len(PRIVATE) <= 12
    assert PRIVATE <= _THEIRS
