"""Bundles: passes that come together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from passel.builder.naming import Named
from passel.errors import DefinitionError
from passel.passes import PassType

if TYPE_CHECKING:
    from passel.manager import OpPassManager
    from passel.passes import Pass


class Bundle(Named):
    """A natural sequence of passes that come together.

    Once it is added its members are steps like any other: others may be put between them, unless
    it is to stay together. A bundle is no pass and runs nothing.

    Args:
        name: Its name, by which it can be a target.
        members: As for `OpPassManager.add`; or bundles.
        together: Whether nothing may be put between its members.
        types: Parts that all its members play, beside their own.
        constraints: Where all its members may stand, beside their own.
        idempotent: Whether a second one right after the first changes nothing; by default, if
            every member is.

    Raises:
        DefinitionError: The types or the constraints are no tuple of such.

    Example:
        >>> cleanup = Bundle("cleanup", "canonicalize", "cse")
        >>> cleanup
        <Bundle cleanup: canonicalize,cse>
    """

    kind: ClassVar[str] = "bundle"

    def __init__(
        self,
        name: str,
        *members: Pass[Any] | OpPassManager | Bundle | str | object,
        together: bool = False,
        types: tuple[PassType, ...] = (),
        constraints: tuple[Any, ...] = (),
        idempotent: bool | None = None,
    ) -> None:
        for each in _listed(types, "types", name):
            if not isinstance(each, PassType):
                message = (
                    f"{each!r} of bundle '{name}' is no type of pass; write PassType({each!r})"
                )
                raise DefinitionError(message)
        _listed(constraints, "constraints", name)
        self.name = name
        self.members = members
        self.together = together
        self.types = types
        self.constraints = constraints
        self.idempotent = idempotent

    def __repr__(self) -> str:
        members = ",".join(m.name if isinstance(m, Bundle) else str(m) for m in self.members)
        return f"<Bundle {self.name}: {members}>"


def _listed(given: Any, what: str, bundle: str) -> tuple[Any, ...]:
    """Return what is a plain tuple or list, which a type of pass or a constraint alone is not."""
    if type(given) not in (tuple, list):
        raise DefinitionError(f"{what} of bundle '{bundle}' is {given!r}; write ({given!r},)")
    return given
