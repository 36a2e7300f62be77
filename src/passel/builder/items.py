"""From things that users add to items of a sequence, and from items to passes and managers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.builder.bundle import Bundle
from passel.builder.sequence import Group, Nest, Step, bundled, is_block
from passel.errors import OptionError
from passel.manager import OpPassManager
from passel.passes.op_pass_manager import Placed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.builder.origin import Origin
    from passel.builder.sequence import Container, Node
    from passel.manager import PassManager


class Normalizer:
    """Makes items of a sequence, and managers of these.

    Args:
        template: An empty manager, which knows the IR and where names are looked up.
    """

    def __init__(self, template: PassManager) -> None:
        self._template = template

    def nodes(self, item: Any, anchor: str, origin: Origin) -> list[Node]:
        """Return the items for what a user adds.

        Args:
            item: As for `OpPassManager.add`; or a bundle.
            anchor: The anchor of the pipeline in which they will stand.
            origin: Who adds it.

        Raises:
            PipelineError: The text is wrong, or a pass has another anchor.
        """
        if isinstance(item, Bundle):
            return self._bundle(item, anchor, origin)
        if hasattr(item, "insert_before"):  # a pipeline is called as well, but this is none yet
            raise TypeError("a builder is no pass; register it as a pipeline, and add that by name")
        try:
            manager = self._template.copy().nest(anchor).add(item)
        except OptionError as error:
            if isinstance(item, str) and "$" in item:
                error.add_note(
                    "'$' is for files in YAML: put the "
                    "value into the text, or let a function that is given it make the builder"
                )
            raise
        return list(self.from_placed(manager.placed(), origin))

    def from_placed(self, placed: Iterable[Placed], origin: Origin) -> Iterator[Node]:
        """Yield an item for each pass and each nested manager of a manager."""
        for item, span in placed:
            if isinstance(item, OpPassManager):
                nest = Nest(item.anchor, origin, span, item.jobs)
                nest.items += self.from_placed(item.placed(), origin)
                yield nest
            else:
                yield Step(item, span, origin)

    def placed(self, items: Iterable[Node]) -> Iterator[Placed]:
        """Yield the passes and managers that items stand for."""
        for item in items:
            if isinstance(item, Step):
                yield Placed(item.pass_, item.span)
            elif isinstance(item, Group):
                yield from self.placed(item.items)
            else:
                nested = OpPassManager(item.anchor, nesting=self._template.nesting, jobs=item.jobs)
                yield Placed(nested.add_placed(*self.placed(item.items)), item.span)

    def _bundle(self, bundle: Bundle, anchor: str, origin: Origin) -> list[Node]:
        items = [n for member in bundle.members for n in self.nodes(member, anchor, origin)]
        return bundled(bundle, items, origin)


def anchor_of(container: Container | Any) -> str:
    """Return the name of the ops on which the items of a container run."""
    while not isinstance(container, Nest):
        container = container.parent
    return container.anchor


def nests_inside(container: Container) -> Iterator[Nest]:
    """Yield the nested pipelines inside of a container that others may be put into."""
    for item in container.items:
        if not isinstance(item, Step):
            if isinstance(item, Nest):
                yield item
            if not is_block(item):
                yield from nests_inside(item)
