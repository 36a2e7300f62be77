"""What a class says of its traits is remembered as long as the traits are the same."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Operation, OpTrait, OpTraits
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def
from xdsl.traits import IsTerminator, MemoryEffect, NoMemoryEffect, Pure

from passel.xdsl import XDSLAdapter
from passel.xdsl.fast import slow_paths


@irdl_op_definition
class _Op(IRDLOperation):
    name = "t.op"
    traits = traits_def(Pure())


def test_answers() -> None:
    """The answers are xDSL's, and a list is the caller's own."""
    XDSLAdapter()
    assert _Op.has_trait(Pure)
    assert _Op.has_trait(Pure())
    assert not _Op.has_trait(IsTerminator)
    assert _Op.get_trait(NoMemoryEffect) == Pure()
    _Op.get_traits_of_type(MemoryEffect).clear()
    assert _Op.get_traits_of_type(MemoryEffect) == [Pure()]


def test_a_trait_that_is_added() -> None:
    """A trait that comes later is found, and in other classes it is not."""
    XDSLAdapter()

    @irdl_op_definition
    class _Other(IRDLOperation):
        name = "t.other"
        traits = traits_def(Pure())

    assert not _Other.has_trait(IsTerminator)
    _Other.traits.add_trait(IsTerminator())
    assert _Other.has_trait(IsTerminator)
    assert not _Op.has_trait(IsTerminator)


def test_traits_that_are_computed_anew() -> None:
    """A class whose traits change from one look to the next is asked each time."""
    XDSLAdapter()
    answers: list[tuple[OpTrait, ...]] = [(), (Pure(),), ()]

    class _Changing:
        def __get__(self, instance: object, owner: object) -> OpTraits:
            return OpTraits(answers.pop)

    class _Odd(Operation):
        name = "t.odd"
        traits: ClassVar[_Changing] = _Changing()  # pyright: ignore[reportIncompatibleVariableOverride]

    assert [_Odd.has_trait(Pure) for _ in range(3)] == [False, True, False]


def test_the_switch() -> None:
    """Without fast paths xDSL's own methods are called, and after that the others again."""
    XDSLAdapter()
    fast = vars(Operation)["get_trait"]
    with slow_paths():
        assert vars(Operation)["get_trait"] is not fast
    assert vars(Operation)["get_trait"] is fast
