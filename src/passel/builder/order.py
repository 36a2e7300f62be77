"""Order: bringing a builder's sequence into an order that its constraints allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.builder.arranging import Arrangement
from passel.builder.explaining import refusal
from passel.builder.rules import Rules
from passel.builder.sequence import Group, Nest, Step
from passel.errors import InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.declarations import DeclarationTable
    from passel.builder.items import Normalizer
    from passel.builder.sequence import Container, Node, Sequence


class Order:
    """Orders sequences by constraints.

    Args:
        declarations: What is declared of passes.
        normalizer: Knows where items can be.
    """

    def __init__(self, declarations: DeclarationTable, normalizer: Normalizer) -> None:
        self.declarations = declarations
        self._normalizer = normalizer

    def rules(self, sequence: Sequence, *, is_final: bool = False) -> Rules:
        """Return the constraints in force in a sequence, as long as that stays as it is.

        Args:
            sequence: The sequence.
            is_final: Whether nothing will be added any more.
        """
        return Rules(sequence, self.declarations, is_final=is_final)

    def settle(self, sequence: Sequence, before: Rules, *, is_free: bool) -> Rules:
        """Bring a sequence into order, and return the constraints, which it keeps.

        Args:
            sequence: The sequence, which is changed.
            before: The constraints before it was changed. What was broken then may stay so,
                unless steps may change their order.
            is_free: Whether explicitly added steps may change their order.

        Raises:
            InsertionError: There is no order, or a constraint is broken in another way.
        """
        known = None if is_free else before
        placed = [item for item in sequence.items() if item.home is not None]
        if is_free or placed:
            self._arrange(sequence, sorted(placed, key=_canonical), known)
        rules = self.rules(sequence)
        refuse_breaches(rules, known)
        return rules

    def _arrange(self, sequence: Sequence, placed: list[Node], known: Rules | None) -> None:
        """Bring a sequence into order; explicitly added steps are free if nothing is known."""
        rules = self.rules(sequence)
        is_free = known is None
        homes = {item: self._homes(sequence, item) for item in placed}
        preferred = {item: possible[0] for item, possible in homes.items()}
        arrangement = Arrangement(sequence, rules, preferred, is_free=is_free)
        order = arrangement.order()
        if order is None and any(len(possible) > 1 for possible in homes.values()):
            others = {
                item: _home_alone(item, possible, sequence, rules, is_free=is_free)
                for item, possible in homes.items()
            }
            arrangement = Arrangement(sequence, rules, others, is_free=is_free)
            order = arrangement.order()
        if order is None:
            freed = None if is_free else Arrangement(sequence, rules, preferred, is_free=True)
            error = refusal(arrangement, freed)
            if len(error.rules) == 1:
                # Where one constraint is at odds with one step, that can be said in a sentence.
                refuse_breaches(rules, known)
            raise error
        arrangement.apply(order)

    def _homes(self, sequence: Sequence, item: Node) -> list[Container]:
        """Return the containers that a placed item can be in, the one that it prefers first."""
        home = sequence.container(item.home or "") or sequence.root
        if isinstance(item, Nest):
            return [home]
        containers = [home, *nests_inside(home)]
        if len(containers) == 1:
            return containers
        return [each for each in containers if self._normalizer.fits(item, each)] or [home]


def refuse_breaches(rules: Rules, known: Rules | None = None) -> None:
    """Refuse a sequence that breaks a constraint.

    Args:
        rules: The constraints.
        known: The constraints of an earlier sequence; what was broken in it may stay so.

    Raises:
        InsertionError: One is broken.
    """
    breaches = list(rules.broken())
    if not breaches:
        return
    old = [] if known is None else [each.about for each in known.broken()]
    for each in breaches:
        if each.about not in old:
            raise InsertionError(Problem(f"{each.about}, but {each.what}"), rules=(each.rule,))


def _home_alone(
    item: Node, possible: list[Container], sequence: Sequence, rules: Rules, *, is_free: bool
) -> Container:
    """Return the first container where a placed item can be without the others."""
    for home in possible if len(possible) > 1 else ():
        if Arrangement(sequence, rules, {item: home}, is_free=is_free).order() is not None:
            return home
    return possible[0]


def nests_inside(container: Container) -> Iterator[Nest]:
    """Yield the nested pipelines inside of a container that others may be put into."""
    for item in container.items:
        if item.home is None and not isinstance(item, Step):
            if isinstance(item, Nest):
                yield item
            if not (isinstance(item, Group) and item.is_closed):
                yield from nests_inside(item)


def _canonical(item: Node) -> tuple[str, str, str]:
    """Return what placed items are sorted by: what they are, then who has placed them."""
    return _text(item), item.origin.extension, item.label


def _text(item: Node) -> str:
    """Return an item as text, wherever it stands."""
    if isinstance(item, Step):
        return str(item.pass_)
    inner = ",".join(map(_text, item.items))
    return f"{item.anchor}({inner})" if isinstance(item, Nest) else inner
