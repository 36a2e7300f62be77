"""Tables that declare the types of passes, and whether passes are idempotent.

The body of a pass class declares the types of the pass and whether the pass is idempotent. A
`DeclarationTable` declares types and idempotence for passes from other packages, by pass name or
class. Installed packages add declarations to the default table through entry points in the group
`passel.declarations`. Each entry point names a function, which is called with the table.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel.installed import use_installed
from passel.passes.definition import check_tuples

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.passes import Pass, PassType

_Key: TypeAlias = "tuple[str, str] | type[Pass[Any]]"
"""Either a pass class, or an IR name (an empty string for any IR) and a pass name."""


class Properties(NamedTuple):
    """The properties of a pass that affect its position in a pipeline.

    Attributes:
        types: The pass types that the pass has.
        idempotent: Whether a second run of the pass, right after the first run, changes nothing.
    """

    types: tuple[PassType, ...] = ()
    idempotent: bool = False

    def __or__(self, other: Properties) -> Properties:
        """Combine the types of both operands; the result is idempotent if either operand is."""
        types = tuple(dict.fromkeys((*self.types, *other.types)))
        return Properties(types, self.idempotent or other.idempotent)


class DeclarationTable:
    """A table that declares pass types and idempotence for passes, outside their classes.

    Args:
        table: A table to copy the declarations from; by default, the new table is empty.

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

    def __init__(self, table: DeclarationTable | None = None) -> None:
        self._declared: dict[_Key, Properties] = dict(table._declared) if table else {}

    def declare(
        self,
        *passes: str | type[Pass[Any]],
        types: tuple[PassType, ...] = (),
        idempotent: bool = False,
        ir: str = "",
    ) -> None:
        """Declare pass types and idempotence for passes, in addition to earlier declarations.

        Args:
            passes: The names or classes of the passes.
            types: The pass types to declare for each pass.
            idempotent: Whether a second run of a pass, right after the first run, changes nothing.
            ir: The IR of the passes that `passes` contains by name; by default, the names refer to
                passes on any IR.

        Raises:
            DefinitionError: If `types` is not a tuple of pass types.
        """
        check_tuples("DeclarationTable", {"types": types})
        declared = Properties(types, idempotent)
        for pass_ in passes:
            key = (ir, pass_) if isinstance(pass_, str) else pass_
            self._declared[key] = self._declared.get(key, Properties()) | declared

    def of(self, pass_: Pass[Any]) -> Properties:
        """Return the properties of a pass that its class and this table declare."""
        cls = type(pass_)
        named = self.named(cls.name, ir=cls.ir)
        return Properties(tuple(cls.types), cls.idempotent) | named | self._union(cls.__mro__)

    def named(self, name: str, *, ir: str = "") -> Properties:
        """Return the properties that this table declares under the name of a pass."""
        return self._union([("", name), (ir, name)])

    def _union(self, keys: Iterable[Any]) -> Properties:
        found = Properties()
        for key in keys:
            found |= self._declared.get(key, Properties())
        return found


@cache
def default_declarations() -> DeclarationTable:
    """Return a table with the declarations of all installed packages.

    The first call loads the entry points in the group `passel.declarations`. An entry point that
    fails is skipped, and the logger `passel` reports the error.
    """
    table = DeclarationTable()
    use_installed("passel.declarations", lambda _, declare: declare(table))
    return table
