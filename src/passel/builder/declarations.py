"""Declarations about passes: types, and whether a second run is redundant.

The class body of a pass declares its types and whether the pass is idempotent. A table contains the
same declarations for passes from other packages, by name or by class. Installed packages add
declarations to the default table through entry points of the group `passel.declarations`. Each
entry point names a function that takes the table.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel.installed import entry_points
from passel.ir.left_out import leave_out, report_left_out
from passel.passes.definition import check_tuples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from passel.passes import Pass, PassType

_Key: TypeAlias = "tuple[str, str] | type[Pass[Any]]"
"""An IR (empty for any) and the name of a pass, or a class."""


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


class DeclarationTable:
    """Declarations for passes whose classes do not declare them.

    Args:
        behind: A table to copy declarations from.

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
        self._declared: dict[_Key, Facts] = dict(behind._declared) if behind else {}

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
            self._declared[key] = self._declared.get(key, Facts()) | Facts(types, idempotent)

    def of(self, pass_: Pass[Any]) -> Facts:
        """Return the declarations for a pass, from its class and this table."""
        cls = type(pass_)
        named = self.named(cls.name, ir=cls.ir)
        return Facts(tuple(cls.types), cls.idempotent) | named | self._union(cls.__mro__)

    def named(self, name: str, *, ir: str = "") -> Facts:
        """Return this table's declarations for a pass name."""
        return self._union([("", name), (ir, name)])

    def _union(self, keys: Iterable[Any]) -> Facts:
        found = Facts()
        for key in keys:
            if facts := self._declared.get(key):
                found |= facts
        return found

    def types(self) -> Iterator[PassType]:
        """Yield each type in this table once, sorted by name."""
        return iter(sorted({each for facts in self._declared.values() for each in facts.types}))


@cache
def default_declarations() -> DeclarationTable:
    """Return the declarations of all installed packages.

    The first call loads the entry points. The log `passel` reports entry points that fail.
    """
    table = DeclarationTable()
    use_installed("passel.declarations", lambda _, declare: declare(table))
    return table


def use_installed(group: str, use: Callable[[str, Any], object]) -> None:
    """Call a function with the name and the object of each entry point of a group.

    The log `passel` reports entry points that fail.
    """
    for point in entry_points(group):
        try:
            use(point.name, point.load())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a broken package must not take others with it
            leave_out(point, group, error)
    report_left_out()
