"""Ordering a sequence by constraints: a builder's methods for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.builder.arranging import Arrangement
from passel.builder.editing import Editor, handle_to
from passel.builder.explaining import Explanation, explanation, refusal
from passel.builder.sequence import Group, Nest, Step
from passel.errors import AnchorError, InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.conditions import Condition
    from passel.builder.constraints import Constraint
    from passel.builder.sequence import Container, Node
    from passel.builder.targets import Handle, Occurrence, Target


class Ordering(Editor):
    """Ordering of a builder's sequence by constraints."""

    def constrain(self, target: Target, *constraints: Constraint) -> None:
        """Put constraints on a target, in addition to what its passes and bundles declare.

        They hold for all that the target stands for, now and later; nothing need be there yet.

        Args:
            target: The passes that they are for.
            constraints: Where these may stand.

        Raises:
            InsertionError: The pipeline breaks one of them already; the builder is as it was.
            DefinitionError: Something is no constraint.

        Example:
            >>> from passel.builder import PipelineBuilder, after_all
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", after_all("canonicalize"))
            >>> _ = builder.add("canonicalize", "cse")
            >>> builder.insert_before("canonicalize", "cse", missing_ok=True) is None
            True
        """
        by = f"extension '{self._extensions.current}'" if self._extensions.current else ""
        with self._changing():
            for constraint in constraints:
                self._rules.declare(target, constraint, by)

    def place(self, *items: object, label: str = "", when: Condition = None) -> Handle:
        """Put passes where their constraints want them, and return a handle to them.

        Where that is depends on the steps that were added explicitly, on the set of placed steps
        and on the set of constraints, and not on the order of the calls: all placed steps are
        placed anew at every change. One that has to run after others runs as early as it can;
        one that only has to run before others, right before the first of them; one without
        constraints on its order, last. What a step needs may be added later: whether it is there
        is not checked before `build`.

        A pass stands in the pipeline that it is placed in, if it can, else in the first nested
        one where it can. Nested pipelines and stages are not split, and bundles keep the order
        of their members. `immediately_after` and `not_between` are only checked: what they are for
        is put in its place by `insert_after` and its like. A call is refused if there is no order
        then, even if a later one would make it possible: extensions are called again in this
        case, and one call can place several. What something is put next to by `insert_before`
        and its like stays there.

        Args:
            items: As for `add`.
            label: As for `add`.
            when: As for `add`.

        Raises:
            InsertionError: There is no order that fulfils all constraints; the error says which
                of them contradict each other.
            PipelineError: The text is wrong, or no pipeline here has the anchor of a pass.

        Example:
            >>> from passel.builder import PipelineBuilder, before_first
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", before_first("canonicalize"))
            >>> _ = builder.add("symbol-dce", "canonicalize")
            >>> _ = builder.place("cse")
            >>> print(builder)
            builtin.module(symbol-dce,cse,canonicalize)
        """
        with self._changing() as added:
            for item in items:
                container, nodes = self._nodes_somewhere(item)
                for node in nodes:
                    node.home = self._at.label
                    self._append(node, container, added, label)
            self._condition(added, when)
        return handle_to(added)

    def arrange(self, *items: object, when: Condition = None) -> Handle:
        """Append passes, and bring all into an order that fulfils the constraints.

        Steps that were added explicitly keep their order as far as the constraints allow: of
        those that can come next, the first always does. Nested pipelines, stages and bundles
        that stay together stay as they are inside and out; the order inside is arranged as well,
        but that of the members of a bundle.

        Args:
            items: As for `add`.
            when: As for `add`.

        Raises:
            InsertionError: There is no such order; the error says which constraints contradict
                each other.
            PipelineError: The text is wrong, or a pass has another anchor.

        Example:
            >>> from passel.builder import PipelineBuilder, after_all
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", after_all("canonicalize"))
            >>> _ = builder.arrange("cse", "canonicalize", "symbol-dce")
            >>> print(builder)
            builtin.module(canonicalize,cse,symbol-dce)
        """
        container = self._here()
        with self._changing(is_free=True) as added:
            for item in items:
                for node in self._nodes(item, container):
                    self._append(node, container, added)
            self._condition(added, when)
        return handle_to(added)

    def explain(self, target: Target, *, occurrence: Occurrence = "first") -> Explanation:
        """Return why a step stands where it stands.

        Args:
            target: The step, or something that stands for it.
            occurrence: Which one, of several that match.

        Raises:
            InsertionError: The target is not there.

        Example:
            >>> from passel.builder import PipelineBuilder, before_first
            >>> builder = PipelineBuilder()
            >>> _ = builder.add("canonicalize")
            >>> builder.constrain("cse", before_first("canonicalize"))
            >>> _ = builder.place("cse")
            >>> print(builder.explain("cse"))
            'cse' was placed at ...
              it runs right before 'canonicalize'
              it must run before the first 'canonicalize' (declared at ...)
        """
        (unit,) = self._select(target, occurrence)
        step = next((step for item in unit for step in item.steps()), None)
        if step is None:
            raise InsertionError(Problem(f"there is nothing in '{target}' to be explained"))
        return explanation(step, self._sequence, self._rules)

    # -- Keeping the order ------------------------------------------------------------------

    def _settle(self, *, is_free: bool) -> None:
        """Bring the sequence into an order that its constraints allow.

        Args:
            is_free: Whether explicitly added steps may change their order.

        Raises:
            InsertionError: There is none, or a constraint is broken in another way.
        """
        if (is_free or self._sequence.placed) and self._order(is_free=is_free):
            self._rules.check_all(is_final=False)
        else:
            self._rules.check_touched()

    def _order(self, *, is_free: bool) -> bool:
        """Bring the sequence into order, and return whether that has changed it."""
        homes = {
            item: self._homes(item)[0] for item in sorted(self._sequence.placed, key=_canonical)
        }
        arrangement = self._arrangement(homes, is_free=is_free)
        order = arrangement.order()
        if order is None and (others := self._other_homes(homes, is_free=is_free)) != homes:
            arrangement = self._arrangement(others, is_free=is_free)
            order = arrangement.order()
        if order is not None:
            return arrangement.apply(order)
        error = refusal(arrangement, None if is_free else self._arrangement(homes, is_free=True))
        if len(error.rules) == 1:
            # Where one constraint is at odds with one step, that can be said in a sentence.
            self._rules.check_touched()
        raise error

    def _arrangement(self, homes: dict[Node, Container], *, is_free: bool) -> Arrangement:
        return Arrangement(self._sequence, self._rules, homes, is_free=is_free)

    # -- In which pipeline ------------------------------------------------------------------

    def _nodes_somewhere(self, item: object) -> tuple[Container, list[Node]]:
        """Return the items for what a user places, and the first container where they can be."""
        refused: AnchorError | None = None
        for container in (self._here(), *_nests(self._at)):
            try:
                return container, self._nodes(item, container)
            except AnchorError as error:
                refused = refused or error
        assert refused is not None  # noqa: S101 - there is one container at least
        raise refused

    def _other_homes(self, homes: dict[Node, Container], *, is_free: bool) -> dict[Node, Container]:
        """Return for each placed item the first container where it can be without the others."""
        found = dict(homes)
        for item in homes:
            if len(possible := self._homes(item)) > 1:
                for home in possible:
                    alone = self._arrangement({item: home}, is_free=is_free)
                    if alone.order() is not None:
                        found[item] = home
                        break
        return found

    def _homes(self, item: Node) -> list[Container]:
        """Return the containers that a placed item can be in, the one that it prefers first."""
        home = self._sequence.labelled(item.home or "") or self._sequence.root
        assert not isinstance(home, Step)  # noqa: S101 - it was placed in a container
        if isinstance(item, Nest):
            return [home]
        containers: list[Any] = [home, *_nests(home)]
        if len(containers) == 1:
            return containers
        return [each for each in containers if self._normalizer.fits(item, each)] or [home]


def _nests(container: Container) -> Iterator[Nest]:
    """Yield the nested pipelines inside of a container that others may be put into."""
    for item in container.items:
        if item.home is None and not isinstance(item, Step):
            if isinstance(item, Nest):
                yield item
            if not (isinstance(item, Group) and item.is_closed):
                yield from _nests(item)


def _canonical(item: Node) -> tuple[str, str, str]:
    """Return what placed items are sorted by: what they are, then who has placed them."""
    return _text(item), item.origin.extension, item.label


def _text(item: Node) -> str:
    """Return an item as text, wherever it stands."""
    if isinstance(item, Step):
        return str(item.pass_)
    inner = ",".join(map(_text, item.items))
    return f"{item.anchor}({inner})" if isinstance(item, Nest) else inner
