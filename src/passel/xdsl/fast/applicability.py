"""Whether fast rewrites do what xDSL's own do: whether the ops at hand answer by known code.

A rewrite asks ops for their traits, effects and folders, and compares attributes. Where one of
these is not xDSL's own, xDSL's rewrite has to ask: how often it does may matter.
"""

from __future__ import annotations

from inspect import getattr_static
from typing import TYPE_CHECKING, Any, Final

from xdsl.interfaces import HasFolderInterface
from xdsl.ir import OpTraits
from xdsl.traits import (
    ConstantLike,
    HasCanonicalizationPatternsTrait,
    HasFolder,
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffect,
    OpTrait,
    SymbolOpInterface,
)

from passel.xdsl.fast.known import (
    is_known_class,
    is_xdsl_code,
    overridden_by,
    parts_of,
)

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation

_ASKED: Final = (
    *(ConstantLike, HasFolder, IsolatedFromAbove, IsTerminator, MemoryEffect, SymbolOpInterface),
)
"""Traits that rewrites ask."""

_FREE: Final = {"__init__"}
"""Methods that no rewrite calls on ops that exist."""


def answers_by_known_code(root: Operation) -> bool:
    """Return whether all ops nested in an op do, and are of classes that rewrites may ask."""
    classes = {type(op) for region in root.regions for op in region.walk()}
    return all(map(_is_known_to_rewrites, classes))


def compares_by_known_code(root: Operation) -> bool:
    """Return whether the attributes of all ops nested in an op are compared by known code."""
    seen: set[int] = set()
    for op in root.walk():
        for each in (*op.properties.values(), *op.attributes.values(), *op.result_types):
            if id(each) not in seen:
                seen.add(id(each))
                if not _is_compared_by_known_code(each):
                    return False
    return True


def _is_known_to_rewrites(op_class: type[Operation]) -> bool:
    if overridden_by(op_class) - _FREE:
        return False
    if type(getattr_static(op_class, "traits")) is not OpTraits:  # they may be computed anew
        return False
    if issubclass(op_class, HasFolderInterface) and not is_xdsl_code(op_class.fold):
        return False
    return all(map(_is_known_trait, op_class.traits))


def _is_known_trait(trait: OpTrait) -> bool:
    """Return whether a trait is xDSL's own, or one that rewrites do not ask.

    Patterns of others are no hindrance: they are asked for at each visit of an op.
    """
    if is_known_class(type(trait)):
        return True
    return isinstance(trait, HasCanonicalizationPatternsTrait) or not isinstance(trait, _ASKED)


def _is_compared_by_known_code(attribute: Attribute) -> bool:
    kind = type(attribute)
    if not is_known_class(kind) and not (
        _is_generated(kind.__eq__) and _is_generated(kind.__hash__)
    ):
        return False
    return all(map(_is_compared_by_known_code, parts_of(attribute)))


def _is_generated(method: Any) -> bool:
    """Return whether a dataclass got a method from its decorator."""
    code = getattr(method, "__code__", None)
    return code is not None and code.co_filename == "<string>"
