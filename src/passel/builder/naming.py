"""Targets: what constraints and builders name passes by."""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

from passel.passes import Pass, PassType

Key: TypeAlias = "tuple[str, Any]"
"""A key that steps are found by: a kind of thing, and the thing."""


class Named:
    """Something of a builder that steps can be named by, such as a bundle, a stage or a handle.

    Attributes:
        kind: The kind of such things, such as `bundle`.
        name: Its name.
    """

    __slots__ = ()

    kind: ClassVar[str]
    name: str

    @property
    def steps_keys(self) -> tuple[Key, ...]:
        """The keys of the steps that it stands for."""
        return ((self.kind, self.name),)

    @property
    def title(self) -> str:
        """The thing as messages name it, such as `bundle 'cleanup'`."""
        return f"{self.kind} '{self.name}'"

    @property
    def noun(self) -> str:
        """One of the steps that it stands for, without an article."""
        return f"step of {self.title}"


Target: TypeAlias = "type[Pass[Any]] | str | PassType | Named"
"""A class of passes, a name of a pass, a label, the type of a pass, or something of a builder."""


def keys_of(target: Target) -> tuple[Key, ...]:
    """Return the keys of a target; of a string all that it may mean, the first one first."""
    if isinstance(target, str):
        return (("name", target), ("label", target), ("bundle", target), ("stage", target))
    if isinstance(target, Named):
        return target.steps_keys
    return (("type" if isinstance(target, PassType) else "class", target),)


def describe(target: Target) -> str:
    """Return a target as messages name it."""
    if isinstance(target, Named):
        return target.title
    if isinstance(target, PassType):
        return f"type '{target}'"
    return f"'{target}'" if isinstance(target, str) else f"pass '{_name(target)}'"


def noun(target: Target) -> str:
    """Return what a target stands for as a noun without an article."""
    if isinstance(target, Named):
        return target.noun
    if isinstance(target, PassType):
        return f"pass of type '{target}'"
    return f"'{target}'" if isinstance(target, str) else f"'{_name(target)}'"


def check_target(given: object) -> None:
    """Refuse what is no target.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(given, (str, PassType, Named)) and not _is_pass_class(given):
        hint = "; its class is one" if _is_pass_class(type(given)) else ""
        raise TypeError(
            "a target is a class of passes, a name, what 'add' returned, a step, a bundle, a type "
            f"of pass or a stage, not {given!r}{hint}"
        )


def _is_pass_class(target: object) -> bool:
    return isinstance(target, type) and issubclass(target, Pass)


def _name(cls: type[Any]) -> str:
    return cls.name or cls.__name__
