"""The sequence of a builder: steps in containers, each with a label that never changes.

Step    a pass at its place
Nest    a nested pipeline: passes for the ops of one name immediately inside
Group   passes that belong together: a bundle that stays a block, or a part of a stage
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, TypeGuard

from passel.builder.targets import Bundle, Key, Named, Origin, describe
from passel.manager import OpPassManager
from passel.passes.op_pass_manager import Placed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.builder.targets import Target
    from passel.diagnostics import Span
    from passel.manager import Nesting
    from passel.passes import Pass


class Item:
    """Something at its place in a sequence.

    Attributes:
        label: Its identity in the sequence, which never changes, such as `cse#2`.
        origin: Who put it there.
        parent: The container that it stands in; None while it stands nowhere.
    """

    def __init__(self, origin: Origin) -> None:
        self.label: str = ""
        self.origin: Origin = origin
        self.parent: Container | None = None

    def enclosing(self) -> Iterator[Container]:
        """Yield the containers that it stands in, the innermost first."""
        container = self.parent
        while container is not None:
            yield container
            container = container.parent

    def copy(self) -> Self:
        """Return a copy that stands nowhere, with copies of what is inside; labels are kept."""
        other = object.__new__(type(self))  # faster than `copy`, which looks for more
        other.__dict__.update(self.__dict__)
        other.parent = None
        return other

    def steps(self) -> Iterator[Step]:
        """Yield the steps that it consists of, in the order in which they run."""
        raise NotImplementedError


class Step(Item, Named):
    """A pass at its place in a sequence.

    Attributes:
        pass_: The pass.
        span: Its place in the text that it comes from, if it comes from one.
        bundles: The bundles that it came with, the innermost first.
        call: The number of the call that has added it.
        because: Why it stands where it stands, in sentences.
        users: The extensions that have put something next to it.
        is_default: Whether it is of the default of a stage.
    """

    def __init__(self, pass_: Pass[Any], span: Span | None, origin: Origin) -> None:
        super().__init__(origin)
        self.pass_: Pass[Any] = pass_
        self.span: Span | None = span
        self.bundles: tuple[BundleUse, ...] = ()
        self.call: int = 0
        self.because: tuple[str, ...] = ()
        self.users: tuple[str, ...] = ()
        self.is_default: bool = False

    @property
    def steps_keys(self) -> tuple[Key, ...]:
        """The key of this step."""
        return (("label", self.label),)

    @property
    def title(self) -> str:
        """The step as messages name it."""
        return f"step '{self.label}'"

    @property
    def noun(self) -> str:
        """The step's label."""
        return f"'{self.label}'"

    def steps(self) -> Iterator[Step]:
        """Yield this step."""
        yield self

    def __repr__(self) -> str:
        return f"<Step {self.label}: {self.pass_}>"


class BundleUse:
    """One addition of a bundle to a sequence, which differs from any other one.

    Attributes:
        bundle: The bundle.
    """

    def __init__(self, bundle: Bundle) -> None:
        self.bundle: Bundle = bundle


class Container(Item):
    """Items in order."""

    def __init__(self, origin: Origin) -> None:
        super().__init__(origin)
        self.items: list[Node] = []

    def index(self, item: Item) -> int:
        """Return the place of an item among those inside."""
        return next(index for index, each in enumerate(self.items) if each is item)

    def copy(self) -> Self:
        """Return a copy with copies of the items inside."""
        other = super().copy()
        other.items = [item.copy() for item in self.items]
        for item in other.items:
            item.parent = other
        return other

    def inner(self) -> Iterator[Node]:
        """Yield all items inside, each container before what is in it."""
        for item in self.items:
            yield item
            if not isinstance(item, Step):
                yield from item.inner()

    def steps(self) -> Iterator[Step]:
        """Yield the steps inside, in the order in which they run."""
        return (item for item in self.inner() if isinstance(item, Step))


class Nest(Container):
    """A nested pipeline.

    Attributes:
        anchor: The name of the ops that it runs on, or `any`.
        span: Its place in the text that it comes from, if it comes from one.
        jobs: How many ops it may run on at once, if the run allows more; None for no limit.
    """

    def __init__(
        self, anchor: str, origin: Origin, span: Span | None = None, jobs: int | None = None
    ) -> None:
        super().__init__(origin)
        self.anchor: str = anchor
        self.span: Span | None = span
        self.jobs: int | None = jobs


class Group(Container):
    """Items that belong together and are built as if there were no group.

    Attributes:
        name: The name of the bundle, or of the part of a stage.
        is_block: Whether it is a bundle that stays together, so that nothing may be put inside.
        is_required: Whether a pipeline without anything inside is refused.
    """

    def __init__(
        self, name: str, origin: Origin, *, is_block: bool = False, is_required: bool = False
    ) -> None:
        super().__init__(origin)
        self.name: str = name
        self.is_block: bool = is_block
        self.is_required: bool = is_required

    @property
    def is_by_default(self) -> bool:
        """Whether it is a stage in which nothing but its default stands."""
        steps = list(self.steps())
        return bool(steps) and all(step.is_default for step in steps)


Node: TypeAlias = "Step | Nest | Group"


def is_stage(item: Item) -> TypeGuard[Group]:
    """Return whether an item is a part of a stage."""
    return isinstance(item, Group) and not item.is_block


def is_block(item: Item | None) -> bool:
    """Return whether an item is a bundle that stays together."""
    return isinstance(item, Group) and item.is_block


def steps_of(items: Iterable[Node]) -> Iterator[Step]:
    """Yield the steps that items consist of."""
    return (step for item in items for step in item.steps())


def anchor_of(container: Container | Any) -> str:
    """Return the name of the ops on which the items of a container run."""
    return container.anchor if isinstance(container, Nest) else anchor_of(container.parent)


# -- From managers and back ------------------------------------------------------------------


def nodes_of(manager: OpPassManager, origin: Origin) -> Iterator[Node]:
    """Yield an item for each pass and each nested manager of a manager."""
    for item, span in manager.placed():
        if isinstance(item, OpPassManager):
            nest = Nest(item.anchor, origin, span, item.jobs)
            nest.items += nodes_of(item, origin)
            yield nest
        else:
            yield Step(item, span, origin)


def placed_of(items: Iterable[Node], nesting: Nesting) -> Iterator[Placed]:
    """Yield the passes and managers that items stand for."""
    for item in items:
        if isinstance(item, Step):
            yield Placed(item.pass_, item.span)
        elif isinstance(item, Group):
            yield from placed_of(item.items, nesting)
        else:
            nested = OpPassManager(item.anchor, nesting=nesting, jobs=item.jobs)
            yield Placed(nested.add_placed(*placed_of(item.items, nesting)), item.span)


# -- The sequence ----------------------------------------------------------------------------


class Removal(NamedTuple):
    """A step that was taken out.

    Attributes:
        keys: What it was found by.
        extension: The extension that has taken it out; empty if none has.
    """

    keys: frozenset[Key]
    extension: str


class Between(NamedTuple):
    """A part of a pipeline in which each pass has to preserve analyses.

    Attributes:
        start: What it starts after.
        end: What it ends before.
        preserves: The analyses.
        origin: Who asks for it.
    """

    start: Target
    end: Target
    preserves: tuple[type, ...]
    origin: Origin

    @property
    def title(self) -> str:
        """The region as messages name it."""
        where = self.origin.clause(" (asked for")
        return f"between {describe(self.start)} and {describe(self.end)}{where}{where and ')'}"


class Sequence:
    """All items of a builder, and what was said about them.

    Args:
        anchor: The anchor of the outermost pipeline.

    Attributes:
        root: The outermost pipeline.
        calls: How many calls have changed it.
        constraints: Each `Rule` that neither a pass nor a bundle declares, in order.
        regions: Where analyses have to be preserved.
        removals: The steps that were taken out.
    """

    def __init__(self, anchor: str) -> None:
        self.root: Nest = Nest(anchor, Origin())
        self.calls: int = 0
        self.constraints: tuple[Any, ...] = ()
        self.regions: tuple[Between, ...] = ()
        self.removals: tuple[Removal, ...] = ()
        self._by_label: dict[str, Node] = {}
        self._numbers: Counter[str] = Counter()

    def copy(self) -> Sequence:
        """Return a sequence with copies of all items, under their labels."""
        other = copy(self)
        other.root = self.root.copy()
        other._numbers = self._numbers.copy()
        other._by_label = {item.label: item for item in other.root.inner()}
        return other

    def stages(self) -> list[Group]:
        """Return the parts of stages, in order."""
        return list(filter(is_stage, self.root.inner()))

    def labelled(self, label: str) -> Node | None:
        """Return the item of a label, if it is there."""
        return self._by_label.get(label)

    def container(self, label: str) -> Container | None:
        """Return the container of a label, if it is there; of none, the outermost pipeline."""
        item = self._by_label.get(label) if label else self.root
        return item if isinstance(item, Container) else None

    def link(
        self, item: Node, container: Container, index: int | None = None, label: str = ""
    ) -> None:
        """Put an item, and what is in it, into a container.

        Args:
            item: The item.
            container: The container.
            index: What it stands before, as for `list.insert`; by default the end.
            label: Its label; by default one is made for what has none.
        """
        container.items.insert(len(container.items) if index is None else index, item)
        self._adopt(item, container, label)

    def unlink(self, item: Node) -> None:
        """Take an item out, and what is in it."""
        if item.parent is not None:
            del item.parent.items[item.parent.index(item)]
            item.parent = None
            for each in (item, *(item.inner() if isinstance(item, Container) else ())):
                self._by_label.pop(each.label, None)  # gone with an enclosing item, maybe

    def _adopt(self, item: Node, container: Container, label: str = "") -> None:
        item.parent = container
        item.label = item.label or self._new_label(label or _name_of(item))
        self._by_label[item.label] = item
        if isinstance(item, Step):
            item.call = item.call or self.calls
        else:
            for inner in item.items:
                self._adopt(inner, item)

    def _new_label(self, name: str) -> str:
        """Return a label that no item has had: the name, or with a number for the second."""
        self._numbers[name] += 1
        number = self._numbers[name]
        label = name if number == 1 else f"{name}#{number}"
        return self._new_label(name) if label in self._by_label else label


def _name_of(item: Node) -> str:
    """Return what an item is called if it gets no label."""
    if isinstance(item, Step):
        return item.pass_.name or item.pass_.display_name
    return item.anchor if isinstance(item, Nest) else item.name
