"""Targets: names for steps in constraints and builders, and the origins of steps."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from passel.errors import DefinitionError
from passel.passes import Pass, PassType

Key: TypeAlias = "tuple[str, Any]"
"""A key for finding steps: a kind and a value."""

Occurrence: TypeAlias = Literal["first", "last", "all"] | int
"""Which of several matches: the first, the last, all, or an index from 0."""

_OURS = os.path.join(Path(__file__).parent, "")  # noqa: PTH118 - as text
_PASSEL = os.path.join(Path(__file__).parent.parent, "")  # noqa: PTH118 - as text


class Origin(NamedTuple):
    """The author and place of a change of a builder.

    Attributes:
        extension: The name of the extension; empty for the builder's creator.
        file: The file of the call; empty if there is none.
        line: The line of the call, counted from 1; 0 if there is none.
    """

    extension: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f"{_shown(self.file)}:{self.line}" if self.file else ""
        if not self.extension:
            return where
        return f"extension '{self.extension}'" + (f" ({where})" if where else "")

    def clause(self, verb: str) -> str:
        """Return a verb with the author or place, such as `added at a.py:3`; empty if unknown."""
        return f"{verb} {'by' if self.extension else 'at'} {self}" if str(self) else ""


def caller(extension: str = "") -> Origin:
    """Return the place where the builder was called; for passel's own tools, without a file.

    Args:
        extension: The name of the running extension.
    """
    frame = inspect.currentframe()
    assert frame is not None  # noqa: S101 - every Python that passel runs on has frames
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    if frame.f_code.co_filename.startswith(_PASSEL):
        return Origin(extension)
    return Origin(extension, frame.f_code.co_filename, frame.f_lineno)


def _shown(file: str) -> str:
    """Return a file's name, relative to the current folder; for a notebook cell, its number."""
    from passel.notebooks import shell  # noqa: PLC0415 - few places are printed

    if (at := shell()) and (cell := at.compile.format_code_name(file)):
        return " ".join(cell)
    here = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118 - as a string
    return file.removeprefix(here)


class Named:
    """A named target of a builder, such as a bundle, a stage or a handle.

    Attributes:
        kind: The kind of target, such as `bundle`.
        name: Its name.
    """

    __slots__ = ()

    kind: ClassVar[str]
    name: str

    @property
    def steps_keys(self) -> tuple[Key, ...]:
        """The keys of its steps."""
        return ((self.kind, self.name),)

    @property
    def title(self) -> str:
        """The name of the target in messages, such as `bundle 'cleanup'`."""
        return f"{self.kind} '{self.name}'"

    @property
    def noun(self) -> str:
        """A noun phrase for one of its steps, without an article."""
        return f"step of {self.title}"


Target: TypeAlias = "type[Pass[Any]] | str | PassType | Named"
"""A class of passes, a name of a pass, a label, the type of a pass, or something of a builder."""


@dataclass(frozen=True, slots=True)
class Stage(Named):
    """A named place in a pipeline, which a framework keeps when its passes change.

    Attributes:
        name: Its name.
    """

    kind: ClassVar[str] = "stage"

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Handle(Named):
    """The items that one call has added to a builder; it stays valid after later additions.

    A handle is also valid for copies of the builder.

    Attributes:
        labels: The labels of the added items, in order.
    """

    labels: tuple[str, ...]

    @property
    def steps_keys(self) -> tuple[Key, ...]:
        """The keys of the items."""
        return tuple(("label", label) for label in self.labels)

    @property
    def title(self) -> str:
        """The name of the handle in messages."""
        return f"'{self}'"

    @property
    def noun(self) -> str:
        """The labels of the items."""
        return self.title

    def __str__(self) -> str:
        return ", ".join(self.labels)

    def __bool__(self) -> bool:
        """Return whether anything was added."""
        return bool(self.labels)


class Bundle(Named):
    """A sequence of passes that belong together.

    After the bundle is added, its members are ordinary steps. Unless `together` is set, other steps
    may be put between them. A bundle is not a pass.

    Args:
        name: Its name, which can be a target.
        members: The passes, as for `OpPassManager.add`, or other bundles.
        together: Whether to forbid other steps between its members.
        types: Types of all its members, in addition to their own.
        constraints: Constraints on all its members, in addition to their own.
        idempotent: Whether a second run right after the first changes nothing; by default, whether
            all members are idempotent.

    Raises:
        DefinitionError: If `types` or `constraints` has the wrong type.

    Example:
        >>> cleanup = Bundle("cleanup", "canonicalize", "cse")
        >>> cleanup
        <Bundle cleanup: canonicalize,cse>
    """

    kind: ClassVar[str] = "bundle"

    def __init__(
        self,
        name: str,
        *members: object,
        together: bool = False,
        types: tuple[PassType, ...] = (),
        constraints: tuple[Any, ...] = (),
        idempotent: bool | None = None,
    ) -> None:
        for what, given in (("types", types), ("constraints", constraints)):
            if type(given) not in (tuple, list):  # not a single type or constraint
                message = f"{what} of bundle '{name}' is {given!r}; write ({given!r},)"
                raise DefinitionError(message)
        given: Any
        for given in types:
            if not isinstance(given, PassType):
                message = f"{given!r} of bundle '{name}' is not a type of pass"
                raise DefinitionError(f"{message}; write PassType({given!r})")
        self.name = name
        self.members = members
        self.together = together
        self.types = types
        self.constraints = constraints
        self.idempotent = idempotent

    def __repr__(self) -> str:
        members = ",".join(m.name if isinstance(m, Bundle) else str(m) for m in self.members)
        return f"<Bundle {self.name}: {members}>"


def keys_of(target: Target) -> tuple[Key, ...]:
    """Return the keys of a target; for a string, all candidates in order of precedence."""
    if isinstance(target, str):
        return (("name", target), ("label", target), ("bundle", target), ("stage", target))
    if isinstance(target, Named):
        return target.steps_keys
    return (("type" if isinstance(target, PassType) else "class", target),)


def describe(target: Target) -> str:
    """Return the name of a target in messages."""
    if isinstance(target, Named):
        return target.title
    if isinstance(target, PassType):
        return f"type '{target}'"
    return noun(target) if isinstance(target, str) else f"pass {noun(target)}"


def noun(target: Target) -> str:
    """Return a noun phrase for a target, without an article."""
    if isinstance(target, Named):
        return target.noun
    if isinstance(target, PassType):
        return f"pass of type '{target}'"
    return f"'{target if isinstance(target, str) else target.name or target.__name__}'"


def check_target(given: object) -> None:
    """Reject anything but a target.

    Raises:
        TypeError: If the object is not a target.
    """
    if not isinstance(given, (str, PassType, Named)) and not _is_pass_class(given):
        hint = "; its class is one" if _is_pass_class(type(given)) else ""
        raise TypeError(
            "a target is a pass class, a name, a handle from 'add', a step, a bundle, a type "
            f"of pass or a stage, not {given!r}{hint}"
        )


def _is_pass_class(target: object) -> bool:
    return isinstance(target, type) and issubclass(target, Pass)
