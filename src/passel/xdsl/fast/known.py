"""Detection of the code that fast paths may replace.

A fast path does the work of other code without calling it. The behavior of the replaced code must
therefore be known. In this package, "known" code is xDSL's own code. All other code is called as
often as xDSL calls it, in the same order and on the same objects.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from functools import cache
from gc import get_referents
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation

from passel.xdsl.symbols import parts_of

if TYPE_CHECKING:
    from xdsl.ir import Attribute
    from xdsl.irdl import OpDef
    from xdsl.traits import OpTrait

_DEFINED_BY_ALL: Final = frozenset(
    {
        *("__module__", "__doc__", "__annotations__", "__orig_bases__", "__parameters__"),
        *("__abstractmethods__", "_abc_impl", "__static_attributes__", "__firstlineno__"),
        *("assembly_format", "custom_directives", "irdl_options"),
        *("name", "traits", "print", "parse", "verify_", "get_irdl_definition"),
    }
)
"""The names that any op class may define."""

_TRUSTED: Final = frozenset({"xdsl", "immutabledict"}) | sys.stdlib_module_names
"""The packages whose classes are known: xDSL, and what xDSL is built on."""


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


@cache
def may_have(op_class: type[Operation], trait: type[OpTrait]) -> bool:
    """Return whether an op class has a trait, or is unregistered and may therefore have it."""
    return op_class.has_trait(trait)


def is_xdsl_code(function: Any) -> bool:
    """Return whether a function or method was defined in xDSL's sources."""
    home: dict[str, object] = getattr(getattr(function, "__func__", function), "__globals__", {})
    return str(home.get("__name__")).startswith("xdsl.")


def overridden_by(op_class: type[Operation]) -> set[str]:
    """Return the names of `Operation` members that code from outside xDSL overrides in an op class.

    If the result is empty, only xDSL's code creates, reads, changes and compares ops of the class.
    """
    if type(op_class) is not ABCMeta:
        return {"__class__"}
    own = {name for each in op_class.__mro__ if _is_foreign(each) for name in vars(each)}
    return own & _OF_OPERATIONS - _DEFINED_BY_ALL


def _is_foreign(class_: type[object]) -> bool:
    """Return whether a class comes from neither xDSL nor what xDSL is built on."""
    return class_.__module__.partition(".")[0] not in _TRUSTED


_OF_OPERATIONS: Final = frozenset(dir(IRDLOperation)) | {"__getattr__", "__del__", "__set_name__"}


def is_known_attribute(attribute: Attribute) -> bool:
    """Return whether an attribute and the attributes in it are immutable objects of xDSL's classes.

    Example:
        >>> from xdsl.dialects.builtin import ArrayAttr, i32
        >>> is_known_attribute(ArrayAttr([i32]))
        True
    """
    return is_xdsl_class(type(attribute)) and all(map(is_known_attribute, parts_of(attribute)))


class Types:
    """The types in a source, with one object for each distinct type."""

    def __init__(self) -> None:
        self._by_text: dict[tuple[type[Attribute], str], Attribute] = {}
        # With the types, whose addresses they are.
        self._by_address: dict[int, tuple[Attribute, Attribute]] = {}

    def first(self, type_: Attribute) -> Attribute:
        """Return the first type so far that equals `type_`.

        If the class of `type_` is not xDSL's, the result is `type_` itself. Equal types share one
        object only if they also print alike, since some of xDSL's types are equal but print
        differently.
        """
        found = self._by_address.get(id(type_))
        if found is None:
            known = is_known_attribute(type_)
            first = self._by_text.setdefault((type(type_), str(type_)), type_) if known else type_
            found = self._by_address[id(type_)] = type_, first if first == type_ else type_
        return found[1]


VARIED: Final = {"func.call": "callee", "memref.get_global": "name", "arith.constant": "value"}
"""The properties of xDSL's ops whose symbol or integer does not affect the other text of the op."""

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
    """Return whether xDSL's own code parses the ops of a class from nothing but their text.

    Args:
        op_class: The op class.
        generic: Whether the op is written in the generic form.
    """
    if not has_known_format(op_class, generic=generic):
        return False
    if generic or not issubclass(op_class, IRDLOperation):
        return generic
    return infers_by_known_code(op_class.get_irdl_definition())


def has_known_format(op_class: type[Operation], *, generic: bool) -> bool:
    """Return whether xDSL's own code parses and prints the ops of a class.

    Args:
        op_class: The op class.
        generic: Whether the form in question is the generic form.
    """
    if overridden_by(op_class):
        return False
    methods = _syntax_of(op_class)
    if generic or methods == _syntax_of(Operation):
        return True
    if not all(map(is_xdsl_code, methods)) or not issubclass(op_class, IRDLOperation):
        return False
    homes = {f"{each.__module__}.{each.__qualname__}".rpartition(".")[0] for each in methods}
    if is_xdsl_class(op_class) and homes <= _HAND_WRITTEN:
        return True
    definition = op_class.get_irdl_definition()
    return definition.assembly_format is not None and not definition.custom_directives


def _syntax_of(op_class: Any) -> tuple[Any, ...]:
    """Return the functions that parse and print the ops of a class in the custom form."""
    return getattr(op_class.parse, "__func__", op_class.parse), op_class.print


def infers_by_known_code(definition: OpDef) -> bool:
    """Return whether the constraints of an op definition consist only of xDSL's code.

    That is the case if all classes and functions that the constraints refer to are known. The
    references of classes and functions are not followed.
    """
    named = (definition.operands, definition.results, definition.regions, definition.successors)
    found: list[object] = [definition.properties, definition.attributes, definition.options]
    found += map(tuple, named)
    seen: set[int] = set()
    for each in found:  # grows
        if isinstance(each, type):
            if _is_foreign(each):
                return False
        elif isinstance(each, FunctionType):
            if not is_xdsl_code(each):
                return False
        elif id(each) not in seen:
            seen.add(id(each))
            found += [type(each), *get_referents(each)]
    return True
