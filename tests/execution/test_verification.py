"""When the IR is verified, when that is spared, and which states are known from before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pytest
from toy_steps import failed_run, failure_of, manager, nothing, pipeline, recorded, step

from passel import PassContext, PassFailedError, PassManager, RunResult
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel import PassContext


class VerifyRecorder(ToyAdapter):
    """The toy adapter, noting each verification as `@f` or, if recursive, `@f*`."""

    def __init__(self) -> None:
        self.verified: list[str] = []
        self.fingerprints = 0
        self._inside = False

    def verify(self, op: ToyOp, *, recursive: bool) -> None:
        """Note the outermost call."""
        if self._inside:
            super().verify(op, recursive=recursive)
            return
        self.verified.append(f"@{op.symbol}" + "*" * recursive)
        self._inside = True
        try:
            super().verify(op, recursive=recursive)
        finally:
            self._inside = False

    def fingerprint(self, op: ToyOp, *, recursive: bool = True) -> object:
        """Count it."""
        self.fingerprints += 1
        return super().fingerprint(op, recursive=recursive)


Verified: TypeAlias = "Callable[..., tuple[list[str], Any]]"


@pytest.fixture
def verified(
    registry: Any,
) -> Callable[..., tuple[list[str], RunResult | PassFailedError]]:
    """Runs a pipeline and returns what was verified, and the result or the failure."""

    def verified(
        text: str, ir: str, mode: bool | Literal["always"] = True
    ) -> tuple[list[str], RunResult | PassFailedError]:
        adapter = VerifyRecorder()
        pm = PassManager.parse(text, registry=registry, adapter=adapter)
        pm.enable_verifier(mode)
        try:
            return adapter.verified, pm.run(parse_toy(ir), jobs=1)
        except PassFailedError as error:
            return adapter.verified, error

    return verified


NESTED = "toy.module @m(toy.func @f,toy.func @g)"


@pytest.mark.parametrize(
    ("pipeline", "mode", "times", "changed"),
    [
        ("any(set{to=1})", True, 1, True),
        ("any(a,set{to=0},a)", True, 0, False),
        ("any(set{to=1},a,set{to=1},set{to=2})", True, 2, True),
        ("any(set{to=0 preserve})", True, 0, False),
        ("any(set{to=1 preserve})", True, 1, True),
        ("any(a,set{to=1 preserve},set{to=2})", True, 1, True),
        ("any(a,set{to=1})", "always", 2, True),
    ],
)
def test_what_changed_is_verified(
    verified: Verified,
    pipeline: str,
    mode: Any,
    times: int,
    changed: bool,
) -> None:
    """The op is verified with all inside, once for each change; `always` verifies after each pass.

    A statement that everything is preserved holds for one pass, and is checked in the end.
    """
    calls, result = verified(pipeline, "toy.module @m", mode)
    assert calls == ["@m*"] * times
    assert result.changed is changed


def test_what_a_preserving_pass_broke_is_found_after_a_later_pass(verified: Verified) -> None:
    """Invalid IR behind "everything preserved" is found after the next pass that does not.

    A note names the passes before it that may be to blame.
    """
    calls, error = verified("any(set{preserve},set{preserve},a,b)", "toy.module @m")
    assert calls == ["@m*"]
    (failure,) = error.failures
    assert failure.path == "any/2:a"
    (note,) = failure.diagnostic.notes
    assert note.message == (
        "an earlier pass may be the cause, since passes that claim to preserve everything are "
        "not verified: 'set{preserve=true}', 'set{preserve=true}'"
    )


def test_without_verification_nothing_is_asked(registry: Any) -> None:
    """Switched off, invalid IR passes, no fingerprint is taken, and changes are not known."""
    adapter = VerifyRecorder()
    pm = PassManager.parse("toy.module(toy.func(set),set)", registry=registry, adapter=adapter)
    pm.enable_verifier(False)
    assert pm.run(parse_toy(NESTED)).changed is None
    assert (adapter.verified, adapter.fingerprints) == ([], 0)
    pm.enable_verifier()
    with pytest.raises(PassFailedError):
        pm.run(parse_toy(NESTED))


@pytest.mark.parametrize(
    ("inside", "mode", "calls"),
    [
        ("toy.func(set{to=1 at=f}),a", True, ["@f*", "@m"]),
        ("toy.func(set{to=1 at=f}),set{to=1}", True, ["@f*", "@m", "@m*"]),
        ("a,toy.func(set{to=1 at=f}),a", True, ["@f*", "@m"]),
        ("toy.func(a)", True, []),
        ("toy.func(a)", "always", ["@f*", "@g*"]),
        ("toy.module(set{to=3})", True, []),
    ],
)
def test_nested_pipelines_verify_the_parent_itself(
    verified: Verified, inside: str, mode: Any, calls: list[str]
) -> None:
    """After nested passes changed something, the enclosing op is verified, non-recursively, once."""
    found, result = verified(f"toy.module({inside})", NESTED, mode)
    assert found == calls
    assert result.changed is ("@m" in calls)


@pytest.mark.parametrize("pipeline", ["any()", "any(a)"])
def test_the_input_is_not_verified(verified: Verified, pipeline: str) -> None:
    """A run does not verify what it is given, only what passes changed."""
    assert verified(pipeline, "toy.module @m -1")[0] == []


def test_what_a_preserving_nested_pass_broke_is_found_where_it_is(verified: Verified) -> None:
    """A later pass on the enclosing op does not get the blame."""
    calls, error = verified("toy.module(a,toy.func(set{preserve}),b)", NESTED)
    assert calls == ["@f*", "@g*"]
    assert [each.path for each in error.failures] == ["toy.module/toy.func/0:set"] * 2


def test_a_failed_pass_is_not_verified(verified: Verified) -> None:
    """What a failing pass leaves behind is not looked at, nor what is around it."""
    calls, error = verified("toy.module(toy.func(set{to=1 preserve},fail{at=f}))", NESTED)
    assert [failure.kind for failure in error.failures] == ["failed"]
    assert calls == ["@g*"]


def test_nested_passes_can_break_the_op_around() -> None:
    """Rules of the parent itself, such as unique symbols, are checked after nested pipelines."""

    def rename(op: ToyOp, ctx: PassContext) -> None:
        op.symbol = "same"

    pm = manager(pipeline(step(rename, "rename")))
    events = recorded(pm)
    failure = failure_of(pm, NESTED)
    assert "has two symbols with the same name" in failure.diagnostic.message
    assert (failure.kind, failure.op_name) == ("invalid", "toy.module")
    assert failure.path == "toy.module/toy.func/0:rename"
    assert failure.diagnostic.origin == ("after pass 'rename' [toy.module/toy.func/0:rename]")
    assert events[-1] == "after-pass-failed [toy.func] @m"


# -- States that are handed on ------------------------------------------------------------------


SOURCE = "toy.module @m(toy.func @f,toy.func @g,toy.func @h)"


def set_value(op: ToyOp, value: int) -> None:
    """Change an op."""
    op.value = value


def origins(pm: PassManager, ir: str = SOURCE) -> list[tuple[str, str | None, str]]:
    """Run a pipeline that fails, and return the kind, op and pass of each failure."""
    return [(each.kind, each.symbol, each.path) for each in failed_run(pm, ir).failures]


def test_a_change_after_nested_pipelines_is_blamed_on_who_made_it() -> None:
    """A pass around the functions is found to have made one invalid that was good before."""
    spoil = step(lambda op, _: set_value(op.body[1], -1), "spoil")
    change = step(lambda op, _: set_value(op, 1), "change")
    pm = manager(step(nothing), pipeline(change), step(nothing), spoil)
    assert origins(pm) == [("invalid", "m", "toy.module/2:spoil")]


def test_a_claim_that_nobody_has_checked_yet_is_no_knowledge() -> None:
    """A pass around that lies about its changes is not mistaken for one on a function."""

    def lie(op: ToyOp, ctx: PassContext) -> None:
        op.body[2].value = 1
        ctx.preserve_all()

    pm = manager(step(nothing), step(lie, "lie"), pipeline(step(nothing)))
    assert pm.run(parse_toy(SOURCE)).changed is True
