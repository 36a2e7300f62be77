"""Ghosts of ops: copies that a printer is shown to see what it consults.

A ghost has what a template is keyed by, and nothing else: the op's class, the number and
types of its operands and results, its attributes. It stands nowhere, nobody defines or uses
its values, and what is asked beyond that speaks against a template (`Haunting.refusals`).
An attribute whose text alone may matter is a stand-in, which notes that it is looked at.
"""
# pyright: reportPrivateUsage=false, reportIncompatibleMethodOverride=false

from __future__ import annotations

import sys
from functools import lru_cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from xdsl.dialects.builtin import UNKNOWN_LOC, StringAttr
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Operation,
    OpResult,
    Region,
    SSAValue,
    SSAValues,
)

from passel.xdsl.fast.contents import has_slots

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from types import FrameType

    from typing_extensions import TypeIs

KNOWN_CODE: Final = (
    *("xdsl.printer.", "xdsl.utils.base_printer.", "xdsl.ir.core.", "xdsl.irdl."),
    "passel.xdsl.fast.",
)
"""Modules of which it is known what they do with what they see."""

_OP_PARTS: Final = frozenset(
    {"_operands", "results", "properties", "attributes", "_successors", "regions"}
)
_OP_CLASS_PARTS: Final = frozenset({"name", "traits", "__class__"})
_OPERATORS: Final = (
    *("eq", "hash", "str", "repr", "format", "len", "bool", "iter", "contains", "getitem"),
    *("add", "radd", "mod", "rmod", "mul", "rmul"),
)
_MAX_CLASSES: Final = 2_000
"""Classes of which something is remembered; those of unregistered ops come and go."""

_T = TypeVar("_T")

Place = tuple[str, str | int]
"""Where an op has an attribute: `("properties", "predicate")`, `("operand", 0)`, its type.

Its location is at `LOCATION`.
"""

LOCATION: Final[Place] = ("location", "")


class Refused(Exception):  # noqa: N818 - not an error: it ends a run that has shown enough
    """A printer consulted what its op's text must not depend on."""


class Haunting:
    """Record of what one run of a printer over a ghost has consulted.

    Attributes:
        refusals: Why there must be no template.
        consulted: Attributes that were looked at, and not only handed on to be printed.
    """

    def __init__(self) -> None:
        self.refusals: list[str] = []
        self.consulted: set[Place] = set()

    def refuse(self, reason: str) -> None:
        """Note that the printer looked at something that no key contains."""
        self.refusals.append(reason)


def _caller() -> FrameType:
    return sys._getframe(2)


def is_known(frame: FrameType | None) -> bool:
    """Return whether code is xDSL's own, or ours."""
    return frame is not None and _is_known_module(frame.f_globals.get("__name__", ""))


@lru_cache(_MAX_CLASSES)
def _is_known_module(name: str) -> bool:
    return f"{name}.".startswith(KNOWN_CODE)


def _haunting(ghost: object) -> Haunting:
    return object.__getattribute__(ghost, "_haunting")


# ---- attributes ----------------------------------------------------------------------


def _use(self: object, *_: object) -> Any:
    _look_at(object.__getattribute__(self, "stand_in"))
    raise Refused


class GhostText:
    """The data of a `StringAttr`, which may be handed to the printer and no one else."""

    def __init__(self, stand_in: StringAttr) -> None:
        self.stand_in: StringAttr = stand_in

    def __getattribute__(self, name: str) -> Any:
        stand_in = object.__getattribute__(self, "stand_in")
        if name == "stand_in" and is_known(_caller()):
            return stand_in
        _look_at(stand_in)
        raise Refused


def refuse_operators(class_: type[object], refuse: Callable[..., Any]) -> None:
    """Have what Python looks up in a class refuse as well."""
    for name in _OPERATORS:
        setattr(class_, f"__{name}__", refuse)


refuse_operators(GhostText, _use)


def is_ghost_text(text: object) -> TypeIs[GhostText]:
    """Return whether a text is one, without looking at it."""
    return type(text) is GhostText


def _look_at(stand_in: object) -> None:
    _haunting(stand_in).consulted.add(object.__getattribute__(stand_in, "_place"))


def _read_stand_in(self: Any, name: str) -> Any:
    fields: dict[str, Any] = object.__getattribute__(self, "__dict__")
    if name == "__class__":
        return fields["_class"]
    if name == "data" and fields["_class"] is StringAttr:
        return GhostText(self)
    if name in fields or name == "__dict__" or not hasattr(cast("type[object]", type(self)), name):
        _look_at(self)
    return object.__getattribute__(self, name)


class _Subclassable:
    """Stops `__init_subclass__` before those of others, which refuse or register subclasses."""

    def __init_subclass__(cls) -> None:
        pass


def _subclass(base: type[_T], body: dict[str, Any]) -> type[_T]:
    metaclass = cast("Any", type(cast("object", base)))
    return type.__new__(metaclass, base.__name__, (_Subclassable, base), body)


@lru_cache(_MAX_CLASSES)
def _stand_in_class(attribute_class: type[Attribute]) -> type[Attribute] | None:
    if has_slots(attribute_class):
        return None
    return _subclass(attribute_class, {"__getattribute__": _read_stand_in})


def stand_in(attribute: Attribute, place: Place, haunting: Haunting) -> Attribute | None:
    """Return an attribute that looks like another one and notes it; None if none can be made."""
    made = _stand_in_class(type(attribute))
    if made is None:
        return None
    ghost = object.__new__(made)
    fields: dict[str, Any] = object.__getattribute__(ghost, "__dict__")
    fields.update(vars(attribute), _class=type(attribute), _haunting=haunting, _place=place)
    return ghost


def place_of(attribute: object) -> Place | None:
    """Return which attribute of the op is stood in for; None if it is no stand-in."""
    if "__getattribute__" in vars(type(attribute)):
        return object.__getattribute__(attribute, "__dict__").get("_place")
    return None


# ---- values, blocks, regions ---------------------------------------------------------


def _watched(free: Collection[str], base: type[Any]) -> Callable[[Any, str], Any]:
    def read(self: Any, name: str) -> Any:
        if name not in free and not (name == "__class__" and _asks_for(base, _caller())):
            _haunting(self).refuse(f"{base.__name__}.{name}")
        return object.__getattribute__(self, name)

    return read


def _asks_for(base: type[Any], frame: FrameType | None) -> bool:
    """Return whether `isinstance` asks only what is true of all ghosts of a base."""
    while frame is not None and frame.f_globals.get("__name__") == "abc":
        asked = frame.f_locals.get("cls")
        if isinstance(asked, type) and issubclass(base, asked):
            return True
        frame = frame.f_back
    return False


def _refuse_hash(self: Any) -> int:
    if not is_known(_caller()):
        _haunting(self).refuse(f"hash of {type(self).__name__}")
    return id(self)


class _GhostValue(SSAValue[Any]):
    __getattribute__ = _watched({"type", "_type"}, SSAValue)
    __hash__ = _refuse_hash
    owner: Any = None


class _GhostBlock(Block):
    __getattribute__ = _watched({"args", "_args", "arg_types"}, Block)
    __hash__ = _refuse_hash


class _OnlyGhostBlock(Block):
    """The only block of its region, as its key says."""

    __getattribute__ = _watched({"args", "_args", "arg_types", "next_block", "_next_block"}, Block)
    __hash__ = _refuse_hash


class _GhostRegion(Region):
    __getattribute__ = _watched(
        {"block", "blocks", "first_block", "_first_block", "_last_block"}, Region
    )
    __hash__ = _refuse_hash


class Ghosts:
    """A ghost of an op, and of all that it refers to.

    Args:
        op: The op.
        stood_in: Which of its attributes are stand-ins.
        watched: Whether the ghosts note what is looked at. If not, they are of the very
            classes of the op and its like.
        swapped: Whether operands that are results become arguments, and the other way round.

    Attributes:
        op: The ghost.
        values: For each ghost of a value, by address, which one it is.
        blocks: The same of successors.
        regions: The same of regions.
        haunting: What was looked at.
        watched: Whether they note it.
    """

    def __init__(
        self, op: Operation, stood_in: Iterable[Place], *, watched: bool, swapped: bool = False
    ) -> None:
        self.haunting: Haunting = Haunting()
        self.values: dict[int, tuple[str, int]] = {}
        self.blocks: dict[int, int] = {}
        self.regions: dict[int, int] = {}
        self._kept: list[object] = []
        self.watched: bool = watched
        self._swapped = swapped
        self.op: Operation = self._make_op(op, stood_in)

    def _make_op(self, op: Operation, stood_in: Iterable[Place]) -> Operation:
        op_class = type(op)
        ghost: Any = object.__new__(_ghost_op_class(op_class) if self.watched else op_class)
        self._stood_in = set(stood_in)
        entries = {
            where: {
                name: self._shown(attribute, (where, name))
                for name, attribute in getattr(op, where).items()
            }
            for where in ("properties", "attributes")
        }
        known: dict[int, SSAValue[Any]] = {}
        operands: list[SSAValue[Any]] = []
        for index, each in enumerate(op._operands):
            if id(each) not in known:
                is_result = isinstance(each, OpResult) is not self._swapped
                known[id(each)] = self._make_value(each, ("operand", index), is_result=is_result)
            operands.append(known[id(each)])
        targets: dict[int, Block] = {}
        for index, block in enumerate(op._successors):
            if id(block) not in targets:
                targets[id(block)] = made_block = self._make_block()
                self.blocks[id(made_block)] = index
        object.__getattribute__(ghost, "__dict__").update(
            entries,
            _haunting=self.haunting,
            _operands=SSAValues(operands),
            _operand_uses=(),
            results=SSAValues(
                self._make_value(each, ("result", index), is_result=True)
                for index, each in enumerate(op.results)
            ),
            _successors=tuple(targets[id(block)] for block in op._successors),
            _successor_uses=(),
            regions=tuple(map(self._make_region, range(len(op.regions)), op.regions)),
            # Only xDSL's printer may read it, which hands any location on.
            location=self._shown(UNKNOWN_LOC if self.watched else op.location, LOCATION),
        )
        if not self.watched:
            del vars(ghost)["_haunting"]
        return ghost

    def _shown(self, attribute: Attribute, place: Place) -> Attribute:
        if place not in self._stood_in:
            return attribute
        made = stand_in(attribute, place, self.haunting)
        if made is None:
            self.haunting.consulted.add(place)
        return attribute if made is None else made

    def _make_value(
        self, value: SSAValue[Any], which: tuple[str, int], *, is_result: bool
    ) -> SSAValue[Any]:
        made: Any
        if self.watched:
            made = object.__new__(_GhostValue)
            fields: dict[str, Any] = {"_haunting": self.haunting, "owner": None}
        elif is_result:
            made, fields = object.__new__(OpResult), {"op": None, "index": 0}
        else:
            made, fields = object.__new__(BlockArgument), {"block": None, "index": 0}
        fields |= {"_type": self._shown(value._type, which), "_name": None, "first_use": None}
        object.__getattribute__(made, "__dict__").update(fields)
        self.values[id(made)] = which
        self._kept.append(made)
        return made

    def _make_block(
        self, arguments: tuple[SSAValue[Any], ...] = (), *, is_only: bool = False
    ) -> Block:
        watched = _OnlyGhostBlock if is_only else _GhostBlock
        made: Any = object.__new__(watched if self.watched else Block)
        fields: dict[str, Any] = object.__getattribute__(made, "__dict__")
        fields.update(_args=arguments, _first_op=None, _last_op=None, _name=None, first_use=None)
        if self.watched:
            fields["_haunting"] = self.haunting
        self._kept.append(made)
        return made

    def _make_region(self, number: int, region: Region) -> Region:
        made: Any = object.__new__(_GhostRegion if self.watched else Region)
        first, last = region._first_block, region._last_block
        entry: Block | None = None
        if first is not None:
            entry = self._make_block(
                tuple(
                    self._make_value(each, (f"{number}", index), is_result=False)
                    for index, each in enumerate(first._args)
                ),
                is_only=first is last,
            )
        end = entry if first is last else self._make_block()
        fields: dict[str, Any] = object.__getattribute__(made, "__dict__")
        fields.update(_first_block=entry, _last_block=end, parent=None)
        if self.watched:
            fields["_haunting"] = self.haunting
        self.regions[id(made)] = number
        self._kept.append(made)
        return made


# ---- ops -----------------------------------------------------------------------------


def _read_ghost_op(self: Any, name: str) -> Any:
    if name in _OP_PARTS or name in _OP_CLASS_PARTS:
        return object.__getattribute__(self, name)
    if name == "location" and is_known(_caller()):
        return object.__getattribute__(self, name)
    if not _is_on_class(cast("type[Operation]", type(self)), name):
        _haunting(self).refuse(f"op.{name}")
    return object.__getattribute__(self, name)


@lru_cache(_MAX_CLASSES)
def _is_on_class(op_class: type[Operation], name: str) -> bool:
    """Return whether reading a name from an op reads nothing of the op itself.

    Methods and properties are followed; they read the op in their turn.
    """
    for each in op_class.__mro__:
        if name in vars(each):
            found: object = vars(each)[name]
            return isinstance(found, FunctionType | classmethod | staticmethod) or hasattr(
                type(found), "__set__"
            )
    return False


@lru_cache(_MAX_CLASSES)
def _ghost_op_class(op_class: type[Operation]) -> type[Operation]:
    body = {"__getattribute__": _read_ghost_op, "__hash__": _refuse_hash}
    return _subclass(op_class, body)


def can_have_ghosts(op_class: type[Operation]) -> bool:
    """Return whether a ghost of a class is told from an op by nothing but what it notes."""
    own = [each for each in op_class.__mro__ if each not in Operation.__mro__]
    return not has_slots(op_class) and not any(
        {"__getattribute__", "__getattr__"} & vars(each).keys() for each in own
    )
