"""The contents of a pipeline builder, to which changes are applied completely or not at all."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from passel.builder.snapshot import Snapshot
from passel.builder.steps import Scope, placed_of, steps_in, walk

if TYPE_CHECKING:
    from collections.abc import Generator

    from passel.builder.constraints import Rule
    from passel.builder.declarations import DeclarationTable
    from passel.builder.steps import Node, Target
    from passel.manager import PassManager


@dataclass(eq=False)
class Draft:
    """The contents of a pipeline builder and of the builders that its method `nest` returns.

    Attributes:
        root: The outermost pipeline.
        declarations: The table that declares the pass types and the idempotence of passes.
        template: An empty pass manager that has the context, the adapter and the pass registry.
        extension: The name of the running extension; empty if no extension is running.
        calls: The number of calls that have changed the draft so far.
        constraints: The rules that `PipelineBuilder.constrain` added, in order.
        regions: The title, start target, end target and analyses of each region that
            `PipelineBuilder.between` added.
    """

    root: Scope
    declarations: DeclarationTable
    template: PassManager
    extension: str = ""
    calls: int = 0
    constraints: tuple[Rule, ...] = ()
    regions: tuple[tuple[str, Target, Target, tuple[type, ...]], ...] = ()
    _numbers: Counter[str] = field(default_factory=Counter[str])

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the draft, which is valid until the next change."""
        return Snapshot(self.root, self.declarations, self.constraints)

    def copy(self) -> Draft:
        """Return an independent copy of the draft."""
        other = copy(self)
        other.root, other._numbers = self.root.copy(), self._numbers.copy()
        return other

    def manager(self) -> PassManager:
        """Return a pass manager with the contents of the draft."""
        return self.template.copy().add_placed(*placed_of(self.root))

    # -- Changes ----------------------------------------------------------------------------

    @contextmanager
    def all_or_nothing(self) -> Generator[None]:
        """Undo all changes to the draft if the `with` block raises an exception."""
        before = self.copy()
        try:
            yield
        except BaseException:
            vars(self).update(vars(before))
            raise

    # -- Nodes ------------------------------------------------------------------------------

    def around(self, node: Node) -> tuple[Scope, ...]:
        """Return the scopes that enclose a node, outermost first."""
        inside = walk(self.root.items, (self.root,))
        return next((around for each, around in inside if each is node), ())

    def put(self, nodes: list[Node], scope: Scope, index: int) -> None:
        """Insert new nodes into a scope, before the item at `index`, and label the nodes."""
        known = {each.label for each, _ in walk(self.root.items)}
        for node, _ in walk(nodes):
            node.label = node.label or self._new_label(node, known)
            known.add(node.label)
        for step in steps_in(nodes):
            step.call = step.call or self.calls
        scope.items[index:index] = nodes

    def _new_label(self, node: Node, known: set[str]) -> str:
        """Return a label that was never used: a name, or a name with a number."""
        name = node.name if isinstance(node, Scope) else node.pass_.short_name
        label = ""
        while not label or label in known:
            self._numbers[name] += 1
            label = name if self._numbers[name] == 1 else f"{name}#{self._numbers[name]}"
        return label

    def take_out(self, node: Node) -> None:
        """Remove a node, with all nested nodes, from the draft."""
        self.around(node)[-1].items.remove(node)
