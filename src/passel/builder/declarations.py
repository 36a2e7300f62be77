"""Declarations about passes, in their classes or in a table for passes from other packages.

The class body of a pass declares its types and whether it is idempotent. A table declares the same
for passes from other packages, by name or by class. Installed packages add to the default table
through entry points of the group `passel.declarations`: each is a function that takes the table. An
entry point named after an IR declares passes of that IR only.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.installed import entry_points
from passel.ir.left_out import leave_out, report_left_out
from passel.passes.definition import check_tuples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.passes import Pass, PassType


class Facts(NamedTuple):
    """The properties of a pass that affect its place in a pipeline.

    Attributes:
        types: The types of the pass.
        idempotent: Whether a second run right after the first changes nothing.
    """

    types: tuple[PassType, ...] = ()
    idempotent: bool = False

    def __or__(self, other: Facts) -> Facts:
        """Return the union of two sets of facts."""
        types = tuple(dict.fromkeys((*self.types, *other.types)))
        return Facts(types, self.idempotent or other.idempotent)


_NOTHING = Facts()


class DeclarationTable:
    """Declarations for passes whose classes do not declare them.

    Args:
        behind: Another table, whose declarations also apply.

    Example:
        >>> from passel.passes import Pass
        >>> from passel.passes.pass_type import CLEANUP
        >>> class Tidy(Pass):
        ...     name = "tidy"
        >>> table = DeclarationTable()
        >>> table.declare("tidy", "dust", types=(CLEANUP,), idempotent=True)
        >>> [str(each) for each in table.of(Tidy()).types]
        ['cleanup']
    """

    def __init__(self, behind: DeclarationTable | None = None) -> None:
        self._behind = behind
        self._declared: dict[tuple[str, str] | type[Pass[Any]], Facts] = {}
        self._version = 0

    @property
    def version(self) -> int:
        """A number that grows with each declaration."""
        return self._version + (0 if self._behind is None else self._behind.version)

    def declare(
        self,
        *passes: str | type[Pass[Any]],
        types: tuple[PassType, ...] = (),
        idempotent: bool = False,
        ir: str = "",
    ) -> None:
        """Declare types and idempotence of passes, in addition to earlier declarations.

        Args:
            passes: Names or classes of passes.
            types: The types of the passes.
            idempotent: Whether a second run right after the first changes nothing.
            ir: The IR whose passes the names refer to; empty for any IR.

        Raises:
            DefinitionError: If `types` is not a tuple of types.
        """
        check_tuples("DeclarationTable", {"types": types})
        for pass_ in passes:
            key = (ir, pass_) if isinstance(pass_, str) else pass_
            self._declared[key] = self._declared.get(key, _NOTHING) | Facts(types, idempotent)
        self._version += 1

    def of(self, pass_: Pass[Any]) -> Facts:
        """Return the declarations for a pass, from its class and this table."""
        cls = type(pass_)
        keys = (*_keys_of_name(cls.name, cls.ir), *cls.__mro__)
        return Facts(tuple(cls.types), cls.idempotent) | self._said_of(keys)

    def named(self, name: str, *, ir: str = "") -> Facts:
        """Return this table's declarations for a pass name."""
        return self._said_of(_keys_of_name(name, ir))

    def _said_of(self, keys: Iterable[Any]) -> Facts:
        found = _NOTHING if self._behind is None else self._behind._said_of(keys)
        for key in keys:
            if said := self._declared.get(key):
                found |= said
        return found

    def types(self) -> Iterator[PassType]:
        """Yield each type in this table once, sorted by name."""
        known = {each for said in self._declared.values() for each in said.types}
        if self._behind is not None:
            known.update(self._behind.types())
        return iter(sorted(known))


def _keys_of_name(name: str, ir: str) -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys([("", name), (ir, name)])) if name else ()


@cache
def default_declarations() -> DeclarationTable:
    """Return the table of all installed packages, created on first use.

    Entry points that fail are skipped and reported in the log `passel`.
    """
    table = DeclarationTable()
    for point in entry_points("passel.declarations"):
        try:
            point.load()(table)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a broken package must not take others with it
            leave_out(point, "passel.declarations", error)
    report_left_out()
    return table
