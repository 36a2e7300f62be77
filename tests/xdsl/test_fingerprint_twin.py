"""The fingerprint agrees with a plain description of the IR, whatever happens to a program."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import UnknownLoc
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl_inputs import enough, sampled, xdsl_context, xdsl_corpus

from passel.xdsl import parse_source
from passel.xdsl.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Attribute, Operation


class _Itself:
    """An object that equals itself alone, whatever it thinks of that; held, so that it stays."""

    def __init__(self, held: object) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self.held is other.held

    __hash__ = None  # pyright: ignore[reportAssignmentType]


def described(op: Operation) -> object:
    """Return all that a fingerprint is about, nested as the op is."""
    return (
        op,
        tuple(op.operands),
        tuple((result, _Itself(result.type)) for result in op.results),
        _Itself(op.location),
        *({name: _Itself(it) for name, it in each.items()} for each in _named(op)),
        tuple(op.successors),
        tuple(
            (
                region,
                [
                    (
                        block,
                        [(arg, _Itself(arg.type), _Itself(arg.location)) for arg in block.args],
                        [described(inner) for inner in block.ops],
                    )
                    for block in region.blocks
                ],
            )
            for region in op.regions
        ),
    )


def _named(op: Operation) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    return op.properties, op.attributes


def _move_to_next_block(op: Operation) -> None:
    for block in op.regions[0].blocks if op.regions else ():
        if (following := block.next_block) is not None and (last := block.last_op) is not None:
            last.detach()
            Rewriter.insert_op(last, InsertPoint.at_start(following))
            return


def _move_blocks(op: Operation) -> None:
    for into, region in zip(op.regions, op.regions[1:], strict=False):
        region.move_blocks(into)


def _reverse_operands(op: Operation) -> None:
    op.operands = tuple(reversed(op.operands))


def _rebuild_operands(op: Operation) -> None:
    op.operands = tuple(op.operands)


def _reorder_names(op: Operation) -> None:
    for named in _named(op):
        for name in sorted(named, reverse=True):
            named[name] = named.pop(name)


def _rename(op: Operation) -> None:
    for named in _named(op):
        for name in list(named)[:1]:
            named[f"{name}_"] = named.pop(name)


def _demote(op: Operation) -> None:
    for name in list(op.properties)[:1]:
        op.attributes.setdefault(name, op.properties.pop(name))


def _rotate_values(op: Operation) -> None:
    for named in _named(op):
        values = list(named.values())
        named.update(zip(named, values[1:] + values[:1], strict=True))


def _set_location(op: Operation) -> None:
    op.location = UnknownLoc()


_ACTS: tuple[Callable[[Operation], Any], ...] = (
    _move_to_next_block,
    _move_blocks,
    _reverse_operands,
    _rebuild_operands,
    _reorder_names,
    _rename,
    _demote,
    _rotate_values,
    _set_location,
)

_WANTS: dict[Callable[[Operation], Any], Callable[[Operation], bool]] = {
    _move_to_next_block: lambda op: any(len(region.blocks) > 1 for region in op.regions),
    _move_blocks: lambda op: sum(len(region.blocks) > 0 for region in op.regions) > 1,
}
"""Which ops an act is best done on."""


@sampled(10)
def test_the_fingerprint_tells_what_a_description_tells(step: int) -> None:
    """After each of many small changes, or none, to programs of xDSL's own tests."""
    seen: Counter[tuple[str, bool]] = Counter()
    for number, (name, text) in enumerate(xdsl_corpus()[::step]):
        try:
            module = parse_source(xdsl_context(), text, name)
        except Exception:  # noqa: BLE001, S112 - some are meant to fail, in any way
            continue
        ops, random = list(module.walk()), Random(number)  # noqa: S311 - the same each time
        for act in _ACTS:
            before, known = fingerprint(module), described(module)
            among = list(filter(_WANTS.get(act), ops))
            act(random.choice(among or ops))
            is_same = described(module) == known
            assert (fingerprint(module) == before) is is_same, (name, act)
            assert (fingerprint(module, before) is before) is is_same, (name, act)
            seen[act.__name__, is_same] += 1
    for act in _ACTS:
        if act in (_reorder_names, _rebuild_operands):
            assert seen[act.__name__, False] == 0
        else:
            assert seen[act.__name__, False] >= enough(1), act
    assert seen.total() > enough(100)
