"""Forked workers of an IR whose ops do not survive a fork: these work on copies that are sent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from sibling_passes import (
    Die,
    MeddleFarOut,
    TellProcess,
    everything,
    is_elsewhere,
    module_of,
    plain,
    run,
)

from passel import OpPassManager, Pass, PassContext
from passel.errors import EncodingError
from passel.execution.strategies import Sequential
from passel.execution.strategies.forked import Forked
from passel.testing import ToyAdapter, ToyOp

if TYPE_CHECKING:
    from passel.ir import Shipment

EAGER = Forked(2)


class Copied(ToyAdapter):
    """An adapter without the ability `SendsOps`."""

    note: Any = None

    def receive(self, data: bytes) -> Shipment:
        """Return copies, in a worker alone."""
        return super().receive(data)


COPIED = Copied()


@pytest.mark.parametrize("jobs", [2, 3])
@pytest.mark.parametrize("seed", range(1, 9))
def test_everything_is_the_same(jobs: int, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    """IR, failures, diagnostics and counts are those of one after the other, in program order."""
    found = everything(Forked(jobs), seed, COPIED)
    assert found == everything(Sequential(), seed, COPIED)
    assert not caplog.messages


def test_other_processes_do_the_work() -> None:
    """Also with a pass that they could not import; and it changes what it changes, nothing else."""

    class Local(TellProcess):
        name = "local"

    manager = OpPassManager("toy.module").add_nested("toy.func", Local())
    outcome, _, text = run(EAGER, manager, module_of(8), COPIED)
    assert text.count(" 1") == 8
    assert plain(outcome)[1:] == ([], [], {})


class Tick(Pass):
    """Let an hour pass by a clock, and give an op 1 in another process, else 2."""

    name = "tick"
    now = 0.0

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        Tick.now += 3600
        op.value = 1 if is_elsewhere() else 2


@pytest.mark.parametrize(
    ("value", "how"), [(1, "was killed by SIGSEGV"), (2, "ended with exit code 3")]
)
def test_an_op_that_kills_workers_is_named(value: int, how: str) -> None:
    """All others are processed."""
    manager = OpPassManager("toy.module").add_nested("toy.func", Die())
    module = module_of(12)
    module.body[5].value = module.body[6].value = value
    outcome, _, _ = run(EAGER, manager, module, COPIED)
    assert [(each.symbol, each.kind) for each in outcome.failures] == [
        ("f4", "crashed"),
        ("f5", "crashed"),
    ]
    assert how in outcome.failures[0].diagnostic.message
    assert [op.value for op in module.body[1:]] == [value if i in (4, 5) else 10 for i in range(12)]


@pytest.mark.parametrize("method", ["ship", "receive"])
def test_what_cannot_be_sent_is_done_here(
    monkeypatch: pytest.MonkeyPatch, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    """All of it, without a word."""

    def refuse(*_: Any) -> Any:
        raise EncodingError("no")

    monkeypatch.setattr(Copied, method, refuse)
    manager = OpPassManager("toy.module").add_nested("toy.func", TellProcess())
    _, _, text = run(EAGER, manager, module_of(8), COPIED)
    assert text.count(" 2") == 8
    assert not caplog.messages


def test_changes_further_out_are_found() -> None:
    """What a pass changes two levels up, in what its worker has, fails as it does here."""
    manager = OpPassManager("toy.module")
    manager.nest("toy.module").nest("toy.func").add(MeddleFarOut())
    expected = run(Sequential(), manager, module_of(2, 12), COPIED)
    found = run(EAGER, manager, module_of(2, 12), COPIED)
    assert plain(found[0]) == plain(expected[0])
    assert found[2] == expected[2]
    assert expected[0].failures


class OnlyHere(Pass):
    """Give an op the number of this process."""

    name = "only-here"
    can_fork = False

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        op.value = os.getpid()


@pytest.mark.parametrize("others", [(), (TellProcess(),)])
@pytest.mark.parametrize("adapter", [COPIED, ToyAdapter()])
def test_a_pass_for_this_process_keeps_all_here(
    adapter: ToyAdapter, others: tuple[Pass, ...], caplog: pytest.LogCaptureFixture
) -> None:
    """And the log says which, whether or not there are others."""
    manager = OpPassManager("toy.module").add_nested("toy.func", *others, OnlyHere())
    _, _, text = run(Forked(2), manager, module_of(8), adapter)
    assert text.count(f" {os.getpid()}") == 8
    (message,) = caplog.messages
    assert message == "no worker processes: pass 'only-here' runs in one process only"
