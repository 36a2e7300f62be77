"""Declarations of passes that say where they may stand: a class's own, and those of others.

A pass declares its types, its constraints and its contract in its class body. For a pass that
one does not own, a table says the same by name or by class. An installed package adds to the
default table by an entry point of the group `passel.declarations`: a function that is called
with the table, under the name of the IR that its passes are for, or any other name.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from passel.installed import entry_points
from passel.ir.left_out import leave_out, report_left_out
from passel.passes.contract import Contract, check_tuples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.passes import Pass, PassType


@dataclass(frozen=True, slots=True)
class Declarations:
    """Facts about a pass that bear on its place in a pipeline.

    Attributes:
        types: The parts that it plays in a pipeline.
        constraints: Where it may stand.
        produces: Analyses that it computes for passes after it.
        requires: Analyses and dialects that it needs.
        preserves: Analyses that it never invalidates.
        makes_legal: Dialects that ops may be of afterwards.
        makes_illegal: Dialects that no op is of afterwards.
        idempotent: Whether a second run right after the first changes nothing.
    """

    types: tuple[PassType, ...] = ()
    constraints: tuple[Any, ...] = ()
    produces: tuple[type, ...] = ()
    requires: tuple[type | str, ...] = ()
    preserves: tuple[type, ...] = ()
    makes_legal: tuple[str, ...] = ()
    makes_illegal: tuple[str, ...] = ()
    idempotent: bool = False

    def __post_init__(self) -> None:
        """Refuse one thing where several are declared.

        Raises:
            DefinitionError: One of the tuples is a single thing.
        """
        check_tuples("Declarations", {each.name: getattr(self, each.name) for each in fields(self)})

    def __or__(self, other: Declarations) -> Declarations:
        """Return what both say together, each thing once."""
        merged: dict[str, Any] = {}
        for field in fields(self):
            mine: Any = getattr(self, field.name)
            theirs: Any = getattr(other, field.name)
            if isinstance(mine, bool):
                merged[field.name] = mine or theirs
            else:
                merged[field.name] = tuple(dict.fromkeys(cast("Any", (*mine, *theirs))))
        return Declarations(**merged)


_NOTHING = Declarations()


class DeclarationTable:
    """Declarations of passes that their classes do not make themselves.

    Args:
        behind: Another table, whose declarations hold as well.

    Example:
        >>> from passel.passes.pass_type import CLEANUP
        >>> table = DeclarationTable()
        >>> table.declare(Declarations(types=(CLEANUP,), idempotent=True), "cse", "dce")
        >>> [str(each) for each in table.named("cse").types]
        ['cleanup']
    """

    def __init__(self, behind: DeclarationTable | None = None) -> None:
        self._behind = behind
        self._declared: dict[tuple[str, str] | type[Pass[Any]], Declarations] = {}
        self._known: dict[type[Pass[Any]], Declarations] = {}
        self._known_version = 0
        self._version = 0

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickle needs, without what is known of classes that others have used."""
        return {**vars(self), "_known": {}}

    @property
    def version(self) -> int:
        """A number that grows whenever something is declared."""
        return self._version + (0 if self._behind is None else self._behind.version)

    def declare(self, said: Declarations, *passes: str | type[Pass[Any]], ir: str = "") -> None:
        """Declare something of passes, in addition to what is declared of them already.

        Args:
            said: What is declared.
            passes: Names or classes of passes.
            ir: The name of the only IR whose passes are meant by their names; empty for any.
        """
        for pass_ in passes:
            key = (ir, pass_) if isinstance(pass_, str) else pass_
            self._declared[key] = self._declared.get(key, _NOTHING) | said
        self._version += 1

    def of(self, pass_: Pass[Any]) -> Declarations:
        """Return what is declared of a pass, in its class and in this table."""
        if self._known_version != self.version:
            self._known_version = self.version
            self._known.clear()
        cls = type(pass_)
        known = self._known.get(cls)
        if known is None:
            known = self._known[cls] = self._found(cls)
        return known

    def contract_of(self, pass_: Pass[Any], /) -> Contract:
        """Return what is declared of a pass that a run has to know."""
        said = self.of(pass_)
        return Contract(said.preserves, said.produces)

    def named(self, name: str, *, ir: str = "") -> Declarations:
        """Return what this table says of passes of a name, whatever their class."""
        found = _NOTHING if self._behind is None else self._behind.named(name, ir=ir)
        for key in dict.fromkeys([("", name), (ir, name)]):
            found |= self._declared.get(key, _NOTHING)
        return found

    def types(self) -> Iterator[PassType]:
        """Yield the types that this table knows, each once, by name."""
        known = {each for said in self._declared.values() for each in said.types}
        if self._behind is not None:
            known.update(self._behind.types())
        return iter(sorted(known))

    def _found(self, cls: type[Pass[Any]]) -> Declarations:
        own = Declarations(
            **{field.name: getattr(cls.contract, field.name) for field in fields(_NOTHING)}
        )
        if cls.name:
            own |= self.named(cls.name, ir=cls.ir)
        table: DeclarationTable | None = self
        while table is not None:
            for base in cls.__mro__:
                own |= table._declared.get(base, _NOTHING)
            table = table._behind
        return own


@cache
def default_declarations() -> DeclarationTable:
    """Return the table of all installed packages, made when first asked for.

    An entry point that fails is left out and reported in the log `passel`.
    """
    table = DeclarationTable()
    for point in entry_points("passel.declarations"):
        try:
            point.load()(table)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a broken package must not take others with it
            leave_out(point, "passel.declarations", error)
    report_left_out()
    return table
