"""Detection of the code that fast paths may replace.

A fast path does the work of other code without calling this code, whose behavior must therefore be
known. Only xDSL's own code is known. Unknown code is called as often as xDSL calls it, in the same
order and on the same objects.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import FunctionType, GenericAlias, UnionType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import IRDLOperation
from xdsl.traits import IsolatedFromAbove

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.irdl import OpDef

_DEFINED_BY_ALL: Final = frozenset(
    {
        *("__module__", "__doc__", "__annotations__", "__orig_bases__", "__parameters__"),
        *("__abstractmethods__", "_abc_impl", "__static_attributes__", "__firstlineno__"),
        *("assembly_format", "custom_directives", "irdl_options"),
        *("name", "traits", "print", "parse", "verify_", "get_irdl_definition"),
    }
)
"""The names that any op class may define."""


def is_xdsl_class(class_: type[object]) -> bool:
    """Return whether a class is xDSL's own.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp
        >>> class SpecialModuleOp(ModuleOp):
        ...     pass
        >>> is_xdsl_class(ModuleOp), is_xdsl_class(SpecialModuleOp)
        (True, False)
    """
    return class_.__module__.startswith("xdsl.")


def is_xdsl_code(function: Any) -> bool:
    """Return whether a function or method was defined in xDSL's sources."""
    home: dict[str, object] = getattr(getattr(function, "__func__", function), "__globals__", {})
    return str(home.get("__name__")).startswith("xdsl.")


def overridden_by(op_class: type[Operation]) -> set[str]:
    """Return the names of the `Operation` members that an op class overrides in unknown code.

    If the result is empty, only known code creates, reads, changes and compares the ops.
    """
    if type(op_class) is not ABCMeta:
        return {"__class__"}
    own = {name for each in op_class.__mro__ if _is_foreign(each) for name in vars(each)}
    return own & _OF_OPERATIONS - _DEFINED_BY_ALL


def _is_foreign(class_: type[object]) -> bool:
    return not is_xdsl_class(class_) and class_.__module__ not in {"builtins", "abc", "typing"}


_OF_OPERATIONS: Final = frozenset(dir(IRDLOperation)) | {"__getattr__", "__del__", "__set_name__"}


def is_known_attribute(attribute: Attribute) -> bool:
    """Return whether an attribute and its parts are immutable objects of known classes.

    Example:
        >>> from xdsl.dialects.builtin import ArrayAttr, i32
        >>> is_known_attribute(ArrayAttr([i32]))
        True
    """
    return is_xdsl_class(type(attribute)) and all(map(is_known_attribute, parts_of(attribute)))


def parts_of(attribute: Attribute) -> Iterable[Attribute]:
    """Return the attributes that are immediately inside an attribute."""
    if isinstance(attribute, ParametrizedAttribute):
        return attribute.parameters
    data: Any = getattr(attribute, "data", None)
    if isinstance(data, Mapping):
        data = tuple(cast("Mapping[str, Any]", data).values())
    if not isinstance(data, tuple):
        return ()
    return [part for part in cast("tuple[Any, ...]", data) if isinstance(part, Attribute)]


_HAND_WRITTEN: Final = frozenset(
    f"xdsl.dialects.{each}"
    for each in (
        *("arith.CmpiOp", "arith.CmpfOp", "builtin.UnrealizedConversionCastOp"),
        *("llvm.ArithmeticBinOperation", "llvm.ArithmeticBinOpExact"),
        *("llvm.ArithmeticBinOpOverflow", "riscv_cf.ConditionalBranchOperation"),
        "riscv.abstract_ops.RISCVCustomFormatOperation",
    )
)
"""xDSL's classes with a hand-written parser and printer that depend only on the line and the types
of operands; passel's authors have read their code."""


def has_known_parser(op_class: type[Operation], *, generic: bool) -> bool:
    """Return whether the parser of an op class is known, and depends only on the text of the op.

    Args:
        op_class: The op class.
        generic: Whether the op is written in the generic form.
    """
    if overridden_by(op_class):
        return False
    definition = None if generic else _definition_with_plain_format(op_class)
    if definition is not None:
        return infers_by_known_code(definition)
    return generic or _is_hand_written(op_class, "parse")


def has_known_printer(op_class: type[Operation], *, generic: bool) -> bool:
    """Return whether the printer of an op class is known, and depends only on the op's parts.

    Args:
        op_class: The op class.
        generic: Whether ops are printed in the generic form.
    """
    if op_class is UnregisteredOp or op_class.has_trait(IsolatedFromAbove):
        return False  # the former has its name in an attribute, the latter a scope for names
    if overridden_by(op_class):
        return False
    if generic or op_class.print is Operation.print or _is_hand_written(op_class, "print"):
        return True
    return _definition_with_plain_format(op_class) is not None


def _is_hand_written(op_class: type[Operation], method: str) -> bool:
    """Return whether a method belongs to one of the classes in `_HAND_WRITTEN`."""
    function: Any = getattr(op_class, method)
    function = getattr(function, "__func__", function)
    name = f"{function.__module__}.{function.__qualname__}".removesuffix(f".{method}")
    return is_xdsl_class(op_class) and name in _HAND_WRITTEN and is_xdsl_code(function)


def _definition_with_plain_format(op_class: type[Operation]) -> OpDef | None:
    """Return the definition of an op class if its format has no custom directives."""
    if not issubclass(op_class, IRDLOperation):
        return None
    definition = op_class.get_irdl_definition()
    if definition.assembly_format is None or definition.custom_directives:
        return None
    return definition if is_xdsl_code(op_class.parse) and is_xdsl_code(op_class.print) else None


def infers_by_known_code(definition: OpDef) -> bool:
    """Return whether all constraints of a definition are xDSL's own and use only known classes."""
    named = (definition.operands, definition.results, definition.regions, definition.successors)
    return _consists_of_known(
        [list(map(tuple, named)), definition.properties, definition.attributes, definition.options]
    )


def _consists_of_known(thing: Any, seen: set[int] | None = None) -> bool:
    """Return whether an object and the objects it refers to are xDSL's own.

    Args:
        thing: The object.
        seen: The addresses of objects that were visited already.
    """
    seen = set[int]() if seen is None else seen
    if id(thing) in seen:
        return True
    seen.add(id(thing))
    kind = cast("type[object]", type(thing))
    if kind in {list, tuple, set, frozenset}:
        return all(_consists_of_known(part, seen) for part in thing)
    if kind is dict:
        return all(_consists_of_known(part, seen) for pair in thing.items() for part in pair)
    if isinstance(thing, type):
        return thing.__module__ == "builtins" or is_xdsl_class(thing)
    if kind is FunctionType:
        return is_xdsl_code(thing)
    if Attribute in kind.__mro__:  # `isinstance` would ask, and keep, all subclasses of it
        return is_known_attribute(thing)
    if isinstance(thing, GenericAlias | UnionType | TypeVar) or kind.__module__ in {
        "builtins",
        "typing",
    }:
        return True
    if not is_xdsl_class(kind):
        return False
    if isinstance(thing, Enum) or not is_dataclass(thing):
        return all(
            _consists_of_known(part, seen) for part in getattr(thing, "__dict__", {}).values()
        )
    return all(_consists_of_known(getattr(thing, each.name, None), seen) for each in fields(thing))
