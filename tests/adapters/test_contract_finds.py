"""The contract suite rejects broken adapters, and accepts IRs with fewer features."""

# ruff: noqa: ARG005 - methods of broken adapters take what the contract says
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, ClassVar
from unittest import SkipTest

import pytest
from subjects import ToySubject

from passel.diagnostics import Location
from passel.testing import AdapterContract, Node, ToyAdapter, ToyOp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passel.ir import IRAdapter


def failures(suite: AdapterContract) -> dict[str, Exception]:
    """Return the errors of the tests that fail, in order."""
    found: dict[str, Exception] = {}
    for name in vars(AdapterContract):
        if name.startswith("test_"):
            try:
                getattr(suite, name)()
            except SkipTest:
                continue
            except Exception as error:  # noqa: BLE001 - that is what pytest catches
                found[name.removeprefix("test_")] = error
    return found


def suite_of(**broken: Any) -> ToySubject:
    """Return the suite for the toy IR's adapter with some methods replaced."""
    suite = ToySubject()
    suite.adapter = type("Broken", (ToyAdapter,), broken)()
    return suite


def everything_registered(self: Any, op: ToyOp) -> Any:
    """Return a kind with all traits, as IRs do for unregistered ops."""
    kind = ToyAdapter.kind_of(self, op)
    return kind._replace(registered=True, isolated=True, implements=lambda _: True)


def flat_fingerprint(self: Any, op: ToyOp, *, recursive: bool = True) -> object:
    """Return the nested ops in order, without their nesting."""
    return tuple((each, each.symbol, each.value) for each in op.walk())


def placed_fingerprint(self: Any, op: ToyOp, *, recursive: bool = True) -> object:
    """Return a fingerprint that includes the parent."""
    return op.parent, ToyAdapter.fingerprint(self, op, recursive=recursive)


def verify_top(self: Any, op: ToyOp, *, recursive: bool) -> None:
    """Raise the error for the outermost op."""
    try:
        ToyAdapter.verify(self, op, recursive=recursive)
    except Exception as error:
        error.op = op  # pyright: ignore[reportAttributeAccessIssue]
        raise


def verify_backwards(self: Any, op: ToyOp, *, recursive: bool) -> None:
    """Verify the last op first."""
    for inner in reversed(op.body if recursive else []):
        verify_backwards(self, inner, recursive=True)
    ToyAdapter.verify(self, op, recursive=False)


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ({"kind_of": everything_registered}, {"kinds"}),
        ({"key_of": staticmethod(id)}, {"keys"}),
        ({"key_of": staticmethod(lambda op: "".join(list(op.name)))}, {"keys"}),
        ({"key_of": staticmethod(type)}, {"keys"}),
        ({"kind_named": lambda self, context, name: None}, {"named_kinds"}),
        ({"suggest_op": lambda self, context, name: ""}, {"suggestions"}),
        ({"suggest_op": lambda self, context, name: "; did you mean 'toy.func'?"}, {"suggestions"}),
        ({"children": lambda self, op: op.body}, {"moves"}),
        ({"children": lambda self, op: op.body[:3]}, {"children"}),
        ({"parent": lambda self, op: None}, {"parents"}),
        ({"location": lambda self, op: None}, {"attributes"}),
        ({"symbol_name": lambda self, op: op.name}, {"attributes"}),
        ({"context_of": lambda self, op: object()}, {"contexts"}),
        ({"load_dialects": lambda self, context, names: None}, {"contexts"}),
        ({"verify": lambda self, op, recursive: None}, {"verify"}),
        ({"verify": verify_top}, {"verify"}),
        ({"verify": verify_backwards}, {"verify"}),
        ({"print_op": lambda self, op, flags: f"{op}\n"}, {"print"}),
        ({"print_op": lambda self, op, flags: op.name}, {"print"}),
        (
            {"fingerprint": lambda self, op, recursive=True: object()},
            {"fingerprint_of_the_unchanged"},
        ),
        ({"fingerprint": lambda self, op, recursive=True: 1}, {"fingerprint_of_the_changed"}),
        ({"fingerprint": flat_fingerprint}, {"moves"}),
        ({"fingerprint": placed_fingerprint}, {"moves"}),
        ({"renew_fingerprint": lambda self, op, last: last}, {"fingerprint_of_the_changed"}),
        (
            {"renew_fingerprint": lambda self, op, last: self.fingerprint(op)},
            {"fingerprint_of_the_unchanged"},
        ),
        ({"encode_changes": lambda self, op, noted: b"\x80\x04]."}, {"sending"}),
        ({"identity_of": lambda self, op: op.name}, {"identities"}),
        ({"identity_of": lambda self, op: str(op)}, {"identities"}),
        ({"wrap_pass": lambda self, foreign: foreign}, {"wrapping"}),
    ],
)
def test_broken_adapters(broken: Mapping[str, Any], found: set[str]) -> None:
    """Each broken method fails the test of that method."""
    assert found <= failures(suite_of(**broken)).keys()


def test_the_op_of_an_error_is_named() -> None:
    """The failure names the op, instead of its representation in Python."""
    error = failures(suite_of(verify=verify_top))["verify"]
    expected = "the error from 'verify' after 'break_' is not about the op @"
    assert str(error).startswith(expected)


class PoorAdapter(ToyAdapter):
    """The adapter of an IR without parents."""

    def parent(self, op: ToyOp) -> None:
        """Return None."""


class TestPoor(ToySubject):
    """An IR without parents, interfaces, unregistered ops or dialects."""

    adapter: IRAdapter = PoorAdapter()
    program: ClassVar[Node] = Node(
        "module", None, (Node("func", "first"), Node("func", "second", (Node("region"),)))
    )
    interface = None
    dialect = ""
    misspelt = ("", "", "")
    has_parents = False


class LocatedAdapter(ToyAdapter):
    """An adapter that has locations only for ops with symbols."""

    def location(self, op: ToyOp) -> Location:
        """Return a location for ops with symbols."""
        return Location("in.toy", 1, 1) if op.symbol else Location()


def test_locations_are_required() -> None:
    """With `has_locations`, every op must have a location in a file."""
    suite = ToySubject()
    suite.adapter = LocatedAdapter()
    assert not failures(suite)
    suite.has_locations = True
    assert failures(suite).keys() == {"attributes"}


def test_tests_of_missing_features_are_skipped() -> None:
    """A test of a feature that the IR lacks does not pass silently."""
    with pytest.raises(SkipTest):
        TestPoor().test_files()


def test_imports() -> None:
    """`passel.testing` imports neither pytest nor an IR."""
    code = "import sys, passel.testing; print({'pytest', 'xdsl', 'mlir'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
