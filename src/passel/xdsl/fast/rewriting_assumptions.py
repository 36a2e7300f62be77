"""Assumptions of the fast paths of rewriting about xDSL, and whether they hold.

That a fast path does what xDSL does is tested with the newest release. Here it is checked that
the parts of xDSL that it takes the place of, or calls, are there; the fields of ops are checked
with those of parsing.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from xdsl.folder import Folder
from xdsl.ir import Block, Operation, OpTraits, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder, MemoryEffect
from xdsl.transforms.common_subexpression_elimination import CSEDriver

MEMBERS: Final[dict[type[object], tuple[str, ...]]] = {
    Block: ("erase_op", "ops"),
    ConstantLike: ("get_constant_value",),
    CSEDriver: ("simplify",),
    Folder: ("try_fold",),
    HasCanonicalizationPatternsTrait: ("get_patterns",),
    HasFolder: ("fold",),
    MemoryEffect: ("get_effects",),
    Operation: ("has_trait", "get_trait", "get_traits_of_type", "emit_error", "walk"),
    OpTraits: ("traits", "add_trait"),
    PatternRewriter: ("erase", "replace", "current_operation", "name_hint", "has_done_action"),
    PatternRewriterListener: ("handle_operation_removal",),
    Region: ("erase_block", "is_structurally_equivalent"),
    SSAValue: ("first_use", "has_one_use", "uses", "replace_all_uses_with"),
}


@cache
def rewriting_mismatches() -> tuple[str, ...]:
    """Return what is not as assumed in the version of xDSL that is installed."""
    found = [
        f"{owner.__name__}.{name} is missing"
        for owner, names in MEMBERS.items()
        for name in names
        if not hasattr(owner, name)
    ]
    try:
        from passel.xdsl.fast import greedy, subexpressions  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except (ImportError, AttributeError, KeyError) as error:
        found.append(f"traits, folders or patterns are others: {error}")
    return tuple(found)
