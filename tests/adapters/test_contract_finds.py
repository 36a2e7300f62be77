"""The contract suite finds adapters that break the contract, and asks an IR for no more than it has."""

# ruff: noqa: ARG005 - methods of broken adapters take what the contract says
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, ClassVar
from unittest import SkipTest

import pytest
from subjects import ToySubject

from passel.diagnostics import Location
from passel.errors import DefinitionError
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
    """Return the suite over the toy IR's adapter with other methods."""
    suite = ToySubject()
    suite.adapter = type("Broken", (ToyAdapter,), broken)()
    return suite


def everything_registered(self: Any, op: ToyOp) -> Any:
    """Answer as an IR does whose unregistered ops have all traits."""
    kind = ToyAdapter.kind_of(self, op)
    return kind._replace(registered=True, isolated=True, implements=lambda _: True)


def flat_fingerprint(self: Any, op: ToyOp, *, recursive: bool = True) -> object:
    """Return the ops inside in their order, not how they are nested."""
    return tuple((each, each.symbol, each.value) for each in op.walk())


def placed_fingerprint(self: Any, op: ToyOp, *, recursive: bool = True) -> object:
    """Return where an op is as well."""
    return op.parent, ToyAdapter.fingerprint(self, op, recursive=recursive)


def verify_top(self: Any, op: ToyOp, *, recursive: bool) -> None:
    """Blame the op that was asked for."""
    try:
        ToyAdapter.verify(self, op, recursive=recursive)
    except Exception as error:
        error.op = op  # pyright: ignore[reportAttributeAccessIssue]
        raise


def verify_backwards(self: Any, op: ToyOp, *, recursive: bool) -> None:
    """Look at the last op first."""
    for inner in reversed(op.body if recursive else []):
        verify_backwards(self, inner, recursive=True)
    ToyAdapter.verify(self, op, recursive=False)


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ({"name": ""}, {"types"}),
        ({"kind_of": everything_registered}, {"kinds"}),
        ({"key_of": staticmethod(id)}, {"keys"}),
        ({"key_of": staticmethod(lambda op: "".join(list(op.name)))}, {"keys"}),
        ({"key_of": staticmethod(type)}, {"keys"}),
        ({"kind_named": lambda self, context, name: None}, {"named_kinds"}),
        ({"suggest_op": lambda self, context, name: ""}, {"suggestions"}),
        ({"suggest_op": lambda self, context, name: "; did you mean 'toy.func'?"}, {"suggestions"}),
        ({"children": lambda self, op: op.body}, {"children_are_a_snapshot"}),
        ({"children": lambda self, op: op.body[:3]}, {"children"}),
        ({"parent": lambda self, op: None}, {"parents"}),
        ({"location": lambda self, op: None}, {"attributes"}),
        ({"symbol_name": lambda self, op: op.name}, {"attributes"}),
        ({"context_of": lambda self, op: object()}, {"context_of"}),
        ({"load_dialects": lambda self, context, names: None}, {"load_dialects"}),
        ({"verify": lambda self, op, recursive: None}, {"verify_refuses"}),
        ({"verify": verify_top}, {"verify_refuses"}),
        ({"verify": verify_backwards}, {"verify_refuses"}),
        ({"print_op": lambda self, op, flags: f"{op}\n"}, {"print"}),
        ({"print_op": lambda self, op, flags: op.name}, {"print"}),
        (
            {"fingerprint": lambda self, op, recursive=True: object()},
            {"fingerprint_of_the_unchanged"},
        ),
        ({"fingerprint": lambda self, op, recursive=True: 1}, {"fingerprint_of_the_changed"}),
        ({"fingerprint": flat_fingerprint}, {"fingerprint_of_the_moved"}),
        ({"fingerprint": placed_fingerprint}, {"fingerprint_of_the_moved"}),
        ({"renew_fingerprint": lambda self, op, last: last}, {"renewing"}),
        ({"renew_fingerprint": lambda self, op, last: self.fingerprint(op)}, {"renewing"}),
        ({"encode_changes": lambda self, op, noted: b"\x80\x04]."}, {"sending"}),
        ({"identity_of": lambda self, op: op.name}, {"identities"}),
        ({"identity_of": lambda self, op: str(op)}, {"identities"}),
        ({"wrap_pass": lambda self, foreign: foreign}, {"wrapping"}),
    ],
)
def test_a_broken_adapter_is_found(broken: Mapping[str, Any], found: set[str]) -> None:
    """Each way to break the contract fails the test that is about it."""
    assert found <= failures(suite_of(**broken)).keys()


METHODS = [
    *("kind_of", "kind_named", "suggest_op", "children", "parent", "symbol_name"),
    *("location", "verify", "print_op", "fingerprint", "load_dialects"),
]


@pytest.mark.parametrize("method", METHODS)
def test_the_first_failure_names_the_method(method: str) -> None:
    """A method that returns nothing is named first, with what was expected and where that is said."""
    suite = suite_of(**{method: lambda *_, **__: None})
    first = next(iter(failures(suite).values()))
    assert re.search(rf"'{method}' .*; see docs/adapters.md", str(first), re.DOTALL)


class Unfinished(ToySubject):
    """Functions in a module, with the defaults for an IR with everything."""

    names: ClassVar[Mapping[str, str]] = {"module": "toy.module", "func": "toy.func"}


def test_what_a_subclass_has_not_set_is_named() -> None:
    """Defaults that do not fit what an IR has say which attribute to set."""
    with pytest.raises(DefinitionError, match=r"'program' .* roles 'other', 'region', 'unknown'"):
        Unfinished().test_types()


# -- An IR with less -------------------------------------------------------------------------


class PoorAdapter(ToyAdapter):
    """Of an IR without parents, interfaces, unregistered ops or dialects."""

    def parent(self, op: ToyOp) -> None:
        """Ops do not know."""


class TestPoor(ToySubject):
    """Functions in a module, and nothing else."""

    adapter: IRAdapter = PoorAdapter()
    program: ClassVar[Node] = Node(
        "module", None, (Node("func", "first"), Node("func", "second", (Node("region"),)))
    )
    interface = None
    dialect = ""
    misspelt = ("", "", "")
    has_parents = False


class LocatedAdapter(ToyAdapter):
    """Knows where an op is that has a symbol."""

    def location(self, op: ToyOp) -> Location:
        """Return a place, perhaps."""
        return Location("in.toy", 1, 1) if op.symbol else Location()


def test_what_is_promised_is_asked_for() -> None:
    """An IR with locations must have one for each op that is built."""
    suite = ToySubject()
    suite.adapter = LocatedAdapter()
    assert not failures(suite)
    suite.has_locations = True
    assert failures(suite).keys() == {"attributes"}


def test_tests_of_missing_features_are_skipped() -> None:
    """A test of a feature that the IR lacks does not pass silently."""
    with pytest.raises(SkipTest):
        TestPoor().test_files()


def test_importing_the_suite_needs_no_pytest() -> None:
    """`passel.testing` is for programs without pytest as well, and needs no IR."""
    code = "import sys, passel.testing; print({'pytest', 'xdsl', 'mlir'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
