"""Names of values and blocks in an op, and the order of its attributes.

No fingerprint tells whether these have changed, nor do changes of anything else carry them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, Operation
    from xdsl.ir.core import IRWithName


def names_in(op: Operation) -> list[Any]:
    """Return the names of values and blocks in an op, and the order of its attributes.

    That is what `fingerprint` leaves out. Ops of equal fingerprints have as many of each.
    """
    named, dictionaries = _named_in(op)
    return [*[each.name_hint for each in named], *map(tuple, dictionaries)]


def rename(op: Operation, names: Sequence[Any]) -> None:
    """Give an op names that `names_in` has returned for one of an equal fingerprint."""
    named, dictionaries = _named_in(op)
    for each, name in zip(named, names, strict=False):
        each.name_hint = name
    for each, order in zip(dictionaries, names[len(named) :], strict=True):
        ordered = {name: each[name] for name in order}
        each.clear()
        each.update(ordered)


def _named_in(root: Operation) -> tuple[list[IRWithName], list[dict[str, Attribute]]]:
    """Return values and blocks in an op, and the dictionaries of attributes that have an order."""
    named: list[IRWithName] = []
    dictionaries = [each for each in (root.properties, root.attributes) if len(each) > 1]
    blocks = [block for region in root.regions for block in region.blocks]
    for block in blocks:  # which grows
        named.append(block)
        named += block.args
        op = block.first_op
        while op is not None:
            named += op.results
            if len(op.properties) > 1:
                dictionaries.append(op.properties)
            if len(op.attributes) > 1:
                dictionaries.append(op.attributes)
            for region in op.regions:
                blocks += region.blocks
            op = op.next_op
    return named, dictionaries
