"""Memory effects of ops, as xDSL's traits tell, but of most ops known from their class alone."""
# pyright: reportPrivateUsage=false
# The walks follow xDSL's private links: that is a third of the time.

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import SSAValue
from xdsl.traits import MemoryEffectKind

from passel.xdsl.fast.op_classes import READ, Source

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from passel.xdsl.fast.op_classes import ClassTable, OpClass


def is_dead(op: Operation, facts: OpClass, classes: ClassTable) -> bool:
    """Return whether an op has no effect at all, as its results are not used either."""
    for result in op.results:
        if result.first_use is not None:
            return False
    return may_be_erased(op, facts, classes)


def may_be_erased(op: Operation, facts: OpClass, classes: ClassTable) -> bool:
    """Return whether an op has no effect beyond its results.

    Args:
        op: The op.
        facts: What is known of its class.
        classes: What is known of other classes.
    """
    if facts.erasable is not None:
        return facts.erasable
    if facts.source is Source.OP:
        return _affects_itself(op, op, facts)
    if facts.source is Source.TYPES:
        return not classes.kinds_of(op, facts) & ~READ
    return _is_harmless_inside(op, classes)


def _is_harmless_inside(root: Operation, classes: ClassTable) -> bool:
    """Return whether the ops nested in an op have no effects outside of it."""
    parents = [root]
    for parent in parents:
        for region in parent.regions:
            for block in region.blocks:
                op = block.first_op
                while op is not None:
                    facts = classes[type(op)]
                    match facts.source:
                        case Source.CLASS | Source.TYPES if not classes.kinds_of(op, facts) & ~READ:
                            pass
                        case Source.NESTED if not facts.kinds & ~READ:
                            parents.append(op)
                        case Source.OP if _affects_itself(root, op, facts):
                            pass
                        case _:
                            return False
                    op = op._next_op
    return True


def _affects_itself(root: Operation, op: Operation, facts: OpClass) -> bool:
    """Return whether an op's effects are known, and none is visible outside of an enclosing op."""
    for trait in facts.memory:
        effects = trait.get_effects(op)
        if effects is None:
            return False
        for effect in effects:
            if effect.kind is not MemoryEffectKind.READ and not (
                effect.kind is MemoryEffectKind.ALLOC
                and isinstance(value := effect.value, SSAValue)
                and root.is_ancestor(value.owner)
            ):
                return False
    return True
