"""A memo of what classes of ops say of their traits.

xDSL goes through the traits of a class at each question, and asks each op several whenever it looks
at it. The answers follow from the traits, with which they are kept: a class whose traits are others
now, or computed anew, is asked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from xdsl.ir import Operation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xdsl.ir import OpTrait

_PLAIN: Final[dict[str, Any]] = {
    name: vars(Operation)[name] for name in ("get_trait", "get_traits_of_type", "has_trait")
}
"""xDSL's own methods."""


def _remembering(find: Callable[[Iterable[OpTrait], Any], Any]) -> Callable[[Any, Any], Any]:
    key = f"passel.{find.__name__}"

    def answer(cls: type[Operation], trait: Any) -> Any:
        owner = cls.traits
        traits, kept = owner.traits, vars(owner)
        known: Any = kept.get(key)
        if known is None or known[0] is not traits:
            kept[key] = known = (traits, cast("dict[Any, Any]", {}))
        answers: dict[Any, Any] = known[1]
        if trait not in answers:
            answers[trait] = find(traits, trait)
        return answers[trait]

    return answer


@_remembering
def _find(traits: Iterable[OpTrait], trait: Any) -> OpTrait | None:
    if isinstance(trait, type):
        return next((each for each in traits if isinstance(each, trait)), None)
    return next((each for each in traits if each == trait), None)


@_remembering
def _find_all(traits: Iterable[OpTrait], kind: type[OpTrait]) -> list[OpTrait]:
    return [each for each in traits if isinstance(each, kind)]


def _has(cls: Any, trait: Any, *, value_if_unregistered: bool = True) -> bool:  # noqa: ARG001 - as xDSL's
    return _find(cls, trait) is not None


def _list(cls: Any, trait: Any) -> list[Any]:
    return [*_find_all(cls, trait)]


_REMEMBERING: Final[dict[str, Any]] = {
    "get_trait": classmethod(_find),
    "get_traits_of_type": classmethod(_list),
    "has_trait": classmethod(_has),
}


def remember_traits(*, remember: bool) -> None:
    """Let classes of ops answer from memory, or by xDSL's own code.

    This is for the whole process: whoever asks gets the same answers, sooner or later.
    """
    methods = _REMEMBERING if remember else _PLAIN
    for name, method in methods.items():
        if vars(Operation)[name] is not method:
            setattr(Operation, name, method)
