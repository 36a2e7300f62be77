"""What is reported of a failure, where, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    Location,
    OptionError,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassInstrumentation,
    PassManager,
)
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_failure_has_the_place_of_its_op_and_the_diagnostic_that_of_the_culprit() -> None:
    """Where the pass ran and what it blames are two places."""

    class Placed(ToyAdapter):
        def location(self, op: ToyOp) -> Location:
            return Location("in.toy", 1, 1) if op.symbol is None else Location("in.toy", 2, 2)

    class Blame(Pass):
        name = "blame"

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            raise PassFailure("bad", op=op.body[0])

    pm = PassManager(adapter=Placed()).add(Blame())
    with pytest.raises(PassFailedError) as info:
        pm.run(parse_toy("toy.module(toy.func @f)"))
    (failure,) = info.value.failures
    assert (failure.location.line, failure.diagnostic.location.line) == (1, 2)


def test_a_failure_is_reported_before_the_hooks_hear_of_it(
    parse: Callable[[str], PassManager],
) -> None:
    """What an instrumentation writes in its hook follows the diagnostic."""
    order: list[str] = []

    class Watch(PassInstrumentation):
        def after_pass_failed(self, step: Any, op: Any, failure: Any) -> None:
            order.append("hook")

    pm = parse("any(fail)")
    pm.add_instrumentation(Watch())
    with pytest.raises(PassFailedError):
        pm.run(parse_toy("toy.module"), on_diagnostic=lambda _: order.append("diagnostic"))
    assert order == ["diagnostic", "hook"]


def test_looking_for_problems_ends_after_a_hundred(
    parse: Callable[[str], PassManager], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Passes behind the hundredth problem are not even read."""
    read: list[str] = []

    def counting(infos: Any, nodes: Any, owner: str, scope: Any) -> Any:
        read.append(owner)
        return original(infos, nodes, owner, scope)

    from passel.passes.option_fields import read_options as original

    monkeypatch.setattr("passel.passes.options.read_options", counting)
    with pytest.raises(OptionError):
        parse(f"any({'a{x},' * 500}a)")
    assert len(read) == 100
