"""The sequence of a builder: steps in containers, each with a label that never changes.

A sequence is changed by `link` and `unlink` alone, inside a `change()`, which takes everything
back if an error leaves it.

Step    a pass at its place
Nest    a nested pipeline: passes for the ops of one name immediately inside
Group   passes that belong together: a bundle that stays a block, or a part of a stage
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from passel.builder.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from passel.builder.bundle import Bundle
    from passel.builder.conditions import Condition
    from passel.diagnostics import Span
    from passel.manager import OpPassManager
    from passel.passes import Pass
    from passel.passes.tree import Entry


class Item:
    """Something at its place in a sequence.

    Attributes:
        label: Its identity in the sequence, which never changes, such as `cse#2`.
        origin: Who put it there.
        parent: The container that it stands in; None while it stands nowhere.
        conditions: All that has to hold for it to be built.
        home: If constraints decide where it stands, the label of the container that it was
            placed in, empty for the outermost; None if it was put there explicitly.
    """

    __slots__ = ("conditions", "home", "label", "origin", "parent")

    def __init__(self, origin: Origin) -> None:
        self.label: str = ""
        self.origin: Origin = origin
        self.parent: Container | None = None
        self.conditions: tuple[Condition, ...] = ()
        self.home: str | None = None

    @property
    def is_placed(self) -> bool:
        """Whether constraints decide where it stands, or what it stands in does."""
        item: Item | None = self
        while item is not None and item.home is None:
            item = item.parent
        return item is not None

    def copy(self) -> Any:
        """Return a copy that stands nowhere, with copies of what is inside; labels are kept."""
        other = copy(self)
        other.parent = None
        return other

    @property
    def anchors(self) -> tuple[str, ...]:
        """The anchors of the enclosing pipelines, the outermost first."""
        enclosing: list[str] = []
        container = self.parent
        while container is not None:
            if isinstance(container, Nest):
                enclosing.append(container.anchor)
            container = container.parent
        return tuple(reversed(enclosing))

    def steps(self) -> Iterator[Step]:
        """Yield the steps that it consists of, in the order in which they run."""
        raise NotImplementedError


class Step(Item):
    """A pass at its place in a sequence.

    Attributes:
        entry: The pass, with its place in the text that it comes from.
        bundles: The bundles that it came with, the innermost first.
        call: The number of the call that has added it.
        enabled: Whether it is built.
        rank: Its number among all steps of the sequence, as of the last `number`.
        because: Why it stands where it stands, in sentences.
    """

    __slots__ = ("because", "bundles", "call", "enabled", "entry", "rank")

    def __init__(self, entry: Entry[OpPassManager], pass_: Pass[Any], origin: Origin) -> None:
        super().__init__(origin)
        self.entry: Entry[OpPassManager] = entry._replace(item=pass_)
        self.bundles: tuple[BundleUse, ...] = ()
        self.call: int = 0
        self.enabled: bool = True
        self.rank: int = 0
        self.because: tuple[str, ...] = ()

    @property
    def pass_(self) -> Pass[Any]:
        """The pass."""
        return self.entry.item  # pyright: ignore[reportReturnType] - never a manager

    def steps(self) -> Iterator[Step]:
        """Yield this step."""
        yield self

    def __repr__(self) -> str:
        return f"<Step {self.label}: {self.pass_}>"


class BundleUse:
    """One addition of a bundle to a sequence.

    Attributes:
        bundle: The bundle.
        label: The identity of the addition.
    """

    __slots__ = ("bundle", "label")

    def __init__(self, bundle: Bundle, label: str) -> None:
        self.bundle: Bundle = bundle
        self.label: str = label


class Container(Item):
    """Items in order."""

    __slots__ = ("items",)

    def __init__(self, origin: Origin) -> None:
        super().__init__(origin)
        self.items: list[Node] = []

    def copy(self) -> Any:
        """Return a copy with copies of the items inside."""
        other = super().copy()
        other.items = [item.copy() for item in self.items]
        for item in other.items:
            item.parent = other
        return other

    def steps(self) -> Iterator[Step]:
        """Yield the steps inside, in the order in which they run."""
        for item in self.items:
            if isinstance(item, Step):
                yield item
            else:
                yield from item.steps()


class Nest(Container):
    """A nested pipeline.

    Attributes:
        anchor: The name of the ops that it runs on, or `any`.
        span: Its place in the text that it comes from, if it comes from one.
        jobs: How many ops it may run on at once, if the run allows more; None for no limit.
    """

    __slots__ = ("anchor", "jobs", "span")

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
        name: What it is a group of: a bundle, or a stage.
        is_closed: Whether nothing may be put inside.
        is_required: Whether a pipeline without anything inside is refused.
        default: What stands inside if nothing else is put there.
    """

    __slots__ = ("default", "is_closed", "is_required", "name")

    def __init__(
        self, name: str, origin: Origin, *, is_closed: bool = False, is_required: bool = False
    ) -> None:
        super().__init__(origin)
        self.name: str = name
        self.is_closed: bool = is_closed
        self.is_required: bool = is_required
        self.default: tuple[Node, ...] = ()


Node: TypeAlias = "Step | Nest | Group"


def steps_of(items: Iterable[Node]) -> Iterator[Step]:
    """Yield the steps that items consist of."""
    return (step for item in items for step in item.steps())


class Watcher(Protocol):
    """A listener for steps that come and go."""

    def add(self, step: Step, /) -> object:
        """Take note of a step that is there now."""
        ...

    def discard(self, step: Step, /) -> object:
        """Take note of a step that is gone."""
        ...


def stage_groups(name: str, origin: Origin, *, required: bool) -> tuple[Group, Group, Group]:
    """Return the parts of a stage: before it, the stage itself, after it."""
    return (
        Group(f"pre_{name}", origin),
        Group(name, origin, is_required=required),
        Group(f"post_{name}", origin),
    )


class Sequence:
    """All items of a builder.

    Args:
        anchor: The anchor of the outermost pipeline.

    Attributes:
        calls: How many calls have changed it.
        placed: The items whose place constraints decide.
    """

    def __init__(self, anchor: str) -> None:
        self.calls: int = 0
        self.placed: dict[Any, None] = {}
        self.root: Nest = Nest(anchor, Origin())
        self._by_label: dict[str, Node] = {}
        self._numbers: Counter[str] = Counter()
        self._reserved: frozenset[str] = frozenset()
        self._undo: list[Callable[[], object]] | None = None
        self._watchers: list[Watcher] = []
        self._ranked: list[Step] = []
        self._is_numbered = True

    def steps(self) -> Iterator[Step]:
        """Yield all steps in the order in which they run."""
        return self.root.steps()

    def copy(self) -> Sequence:
        """Return a sequence with copies of all items, under their labels."""
        other = Sequence(self.root.anchor)
        other._numbers = self._numbers.copy()
        other._reserved = self._reserved
        other.calls = self.calls
        for index, item in enumerate(self.root.items):
            other.link(item.copy(), other.root, index)
        return other

    def watch(self, watcher: Watcher) -> None:
        """Have a watcher told which steps come and go."""
        self._watchers.append(watcher)

    def number(self) -> None:
        """Bring the ranks of all steps up to date."""
        if not self._is_numbered:
            self._is_numbered = True
            self._ranked = list(self.root.steps())
            for rank, step in enumerate(self._ranked):
                step.rank = rank

    def before(self, step: Step) -> Step | None:
        """Return the step that runs right before another one."""
        self.number()
        return self._ranked[step.rank - 1] if step.rank else None

    def after(self, step: Step) -> Step | None:
        """Return the step that runs right after another one; None for a step that is gone."""
        self.number()
        if step.parent is None or step.rank + 1 >= len(self._ranked):
            return None
        return self._ranked[step.rank + 1]

    def labelled(self, label: str) -> Node | None:
        """Return the item of a label, if it is there."""
        return self._by_label.get(label)

    def link(self, item: Node, container: Container, index: int, label: str = "") -> None:
        """Put an item, and what is in it, into a container.

        Args:
            item: The item.
            container: The container.
            index: What it stands before, as for `list.insert`.
            label: Its label; by default one is made for what has none.
        """
        container.items.insert(index, item)
        self.on_undo(lambda: container.items.remove(item))
        self._adopt(item, container, label)

    def append(self, item: Node, container: Container, label: str = "") -> None:
        """Put an item, and what is in it, at the end of a container; as `link` does."""
        self.link(item, container, len(container.items), label)

    def _adopt(self, item: Node, container: Container, label: str = "") -> None:
        item.parent = container
        item.label = item.label or self.new_label(label or _name_of(item))
        self._by_label[item.label] = item
        self.on_undo(lambda: self._by_label.pop(item.label))
        if item.home is not None:
            self.placed[item] = None
            self.on_undo(lambda: self.placed.pop(item, None))
        if isinstance(item, Step):
            item.call = item.call or self.calls
            self._came(item)
            self.on_undo(lambda: self._went(item))
        else:
            for inner in item.items:
                self._adopt(inner, item)

    def unlink(self, item: Node) -> None:
        """Take an item out, and what is in it."""
        container = item.parent
        if container is None:
            return
        index = container.items.index(item)
        self._drop(item)
        self.on_undo(lambda: self._restore(item, container, index))

    def enable(self, step: Step, *, enabled: bool) -> None:
        """Have a step built or not."""
        before = step.enabled
        step.enabled = enabled
        self.on_undo(lambda: setattr(step, "enabled", before))

    def new_label(self, name: str) -> str:
        """Return a label that no item has had: the name, or with a number for the second."""
        self._numbers[name] += 1
        number = self._numbers[name]
        self.on_undo(lambda: self._numbers.update({name: -1}))
        label = name if number == 1 else f"{name}#{number}"
        is_taken = label in self._by_label or label in self._reserved
        return self.new_label(name) if is_taken else label

    def reserve(self, labels: Iterable[str]) -> None:
        """Keep labels for items that have them already and are going to be linked."""
        self._reserved |= frozenset(labels)

    def on_undo(self, take_back: Callable[[], object]) -> None:
        """Have something taken back if an error leaves the change."""
        if self._undo is not None:
            self._undo.append(take_back)

    @contextmanager
    def change(self) -> Generator[None]:
        """Take back everything that was done inside if an error leaves it."""
        outer, self._undo = self._undo, []
        self.calls += 1
        try:
            yield
        except BaseException:
            undo, self._undo = self._undo, None
            for take_back in reversed(undo):
                take_back()
            self._undo = outer
            raise
        if outer is not None:
            outer += self._undo
        self._undo = outer

    def _drop(self, item: Node) -> None:
        container = item.parent
        if container is not None:
            container.items.remove(item)
            item.parent = None
        for each in _with_inner(item):
            self._by_label.pop(each.label, None)
            self.placed.pop(each, None)
            if isinstance(each, Step):
                self._went(each)

    def _restore(self, item: Node, container: Container, index: int) -> None:
        container.items.insert(index, item)
        item.parent = container
        for each in _with_inner(item):
            self._by_label[each.label] = each
            if each.home is not None:
                self.placed[each] = None
            if isinstance(each, Step):
                self._came(each)

    def pin(self, item: Item) -> None:
        """Have a placed item stay where it is."""
        home = item.home
        if home is None:
            return
        item.home = None
        del self.placed[item]

        def take_back() -> None:
            item.home = home
            self.placed[item] = None

        self.on_undo(take_back)

    def reorder(self, container: Container, items: list[Node]) -> None:
        """Put the items of a container into another order."""
        before = container.items
        container.items = items
        self._is_numbered = False

        def take_back() -> None:
            container.items = before
            self._is_numbered = False

        self.on_undo(take_back)

    def _came(self, step: Step) -> None:
        self._is_numbered = False
        for watcher in self._watchers:
            watcher.add(step)

    def _went(self, step: Step) -> None:
        self._is_numbered = False
        for watcher in self._watchers:
            watcher.discard(step)


def _with_inner(item: Node) -> Iterator[Node]:
    yield item
    if not isinstance(item, Step):
        for inner in item.items:
            yield from _with_inner(inner)


def _name_of(item: Node) -> str:
    if isinstance(item, Step):
        return item.pass_.name or item.pass_.display_name
    return item.anchor if isinstance(item, Nest) else item.name
