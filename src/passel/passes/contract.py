"""Contracts: what passes declare beside their names and options, collected and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from passel.diagnostics import suggest
from passel.errors import DefinitionError
from passel.passes.pass_type import PassType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

EFFECTS = {
    "read-files": "reads files",
    "run-programs": "runs programs",
    "write-files": "writes files",
    "unknown": "may do anything outside the IR, as far as is known",
}
"""The effects that a pass may declare, and how errors put them."""

_ITEMS: dict[str, tuple[type, ...]] = {
    "constraints": (object,),
    "dependent_dialects": (str,),
    "effects": (str,),
    "makes_illegal": (str,),
    "makes_legal": (str,),
    "preserves": (type,),
    "produces": (type,),
    "requires": (type, str),
    "types": (PassType,),
}
"""Attributes that are tuples, and what they hold."""

_SHOWN = {str: "text", type: "class", PassType: "PassType"}

_PLAIN = {"constraints", "types"}
_LISTS = (tuple, list)
"""One type of pass is a tuple itself, so that these attributes are of these very classes."""


class Contract(NamedTuple):
    """The contract of a class of passes; what it declares is described at `Pass`.

    Attributes:
        preserves: Analyses that they never invalidate.
        produces: Analyses of their op that are valid when they end.
        requires: Analyses, and dialects, that they need.
        types: The parts that they play in a pipeline.
        constraints: Where they may stand.
        makes_legal: Dialects that ops may be of afterwards.
        makes_illegal: Dialects that no op is of afterwards.
        idempotent: Whether a second run changes nothing.
        dependent_dialects: Dialects of ops that they may create.
        effects: What they may do outside the IR.
        can_fork: Whether they may run in copies of this process.
        can_thread: Whether they may run on several ops at once in one process.
        keeps_to_op: Whether the class itself says `can_fork = True`: they change only their ops.
    """

    preserves: tuple[type, ...] = ()
    produces: tuple[type, ...] = ()
    requires: tuple[type | str, ...] = ()
    types: tuple[PassType, ...] = ()
    constraints: tuple[Any, ...] = ()
    makes_legal: tuple[str, ...] = ()
    makes_illegal: tuple[str, ...] = ()
    idempotent: bool = False
    dependent_dialects: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    can_fork: bool = True
    can_thread: bool = True
    keeps_to_op: bool = False


def contract_of(cls: type[Any]) -> Contract:
    """Return what a class declares.

    Raises:
        DefinitionError: A single thing stands for several, a type or an effect does not exist, or
            a dialect is made both legal and illegal.
    """
    owner = cls.__qualname__
    check_tuples(owner, vars(cls))
    check_effects(cls.effects, f"pass {owner}")
    for dialect in set(cls.makes_legal) & set(cls.makes_illegal):
        raise DefinitionError(
            f"{owner} makes dialect '{dialect}' both legal and illegal: list it in "
            "makes_illegal if none of it is left, else in makes_legal"
        )
    declares = vars(cls).get("can_fork") is True  # that a base class says so is not enough
    return Contract(
        **{name: getattr(cls, name) for name in Contract._fields[:-1]},
        keeps_to_op=declares,
    )


def check_effects(names: Iterable[str], owner: str) -> None:
    """Check the names of effects.

    Args:
        names: The names.
        owner: Who declares or allows them, for messages.

    Raises:
        DefinitionError: There is no such effect.
    """
    for name in names:
        if name not in EFFECTS:
            known = ", ".join(EFFECTS)
            hint = suggest(name, EFFECTS)
            raise DefinitionError(f"{owner}: no such effect '{name}', only {known}{hint}")


def check_tuples(owner: str, declared: Mapping[str, Any]) -> None:
    """Refuse one thing where several are declared, and things of another kind.

    Args:
        owner: Who declares it, for messages.
        declared: Values by the names of attributes, of which some are tuples.

    Raises:
        DefinitionError: One of those is a single thing, or holds something else.
    """
    for attribute in sorted(_ITEMS.keys() & declared.keys()):
        value, kinds = declared[attribute], _ITEMS[attribute]
        what = " or ".join(_SHOWN.get(kind, "constraint") for kind in kinds)
        if isinstance(value, (str, type)) or (attribute in _PLAIN and type(value) not in _LISTS):
            shown = value.__qualname__ if isinstance(value, type) else repr(value)
            msg = f"{attribute} of {owner} is {shown}; write ({shown},)"
            raise DefinitionError(msg)
        if not isinstance(value, (tuple, list, set, frozenset)):
            raise DefinitionError(f"{attribute} of {owner} is {value!r}; write ({what}, ...)")
        for each in cast("Collection[object]", value):
            if not isinstance(each, kinds):
                way_out = f"; write PassType({each!r})" if attribute == "types" else ""
                raise DefinitionError(f"{each!r} in {attribute} of {owner} is no {what}{way_out}")
