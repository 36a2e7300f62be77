"""What passel asks of an IR: the adapter contract.

passel brings no IR. An adapter answers for one IR, and nothing above this module asks an
op anything itself. Ops are `Any` here: the core never looks inside them.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

from passel.errors import AdapterError, DefinitionError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from passel.diagnostics import Location

ANY = "any"
"""The anchor of a manager that takes every op its passes accept."""


class OpKind(NamedTuple):
    """What the scheduler knows of all ops of one name.

    Attributes:
        name: The op's full name, such as `func.func`; an unregistered op's own name.
        registered: Whether its dialect defines it.
        isolated: Whether it is `IsolatedFromAbove`. Always False if unregistered.
        implements: Tells whether its ops have a trait or implement an interface.
    """

    name: str
    registered: bool
    isolated: bool
    implements: Callable[[type], bool]


class PrintFlags(NamedTuple):
    """How to print an op.

    Attributes:
        generic: Use the generic form.
        debuginfo: Print locations.
        local_scope: Print nothing outside of the op, such as aliases for what it uses.
        elide_elements: Leave out the values of constants with more elements than this.
        elide_resources: Leave out resources with more characters than this.
        skip_regions: Print `{...}` for what is inside.
        pretty_locations: Print locations for people, which cannot be read back.
        name_locations: Name values after their locations that are names.
        assume_verified: Print in custom form without asking whether the op is valid.
    """

    generic: bool = False
    debuginfo: bool = False
    local_scope: bool = False
    elide_elements: int | None = None
    elide_resources: int | None = None
    skip_regions: bool = False
    pretty_locations: bool = False
    name_locations: bool = False
    assume_verified: bool = False


class InvalidIR(Exception):  # noqa: N818 - says what is, like StopIteration; never leaves passel
    """Raised by an adapter's `verify`.

    Attributes:
        op: The op that is invalid, which may be nested in the one verified.
        message: Why, without the op's name.
        notes: What else to look at: an op, and what to say about it.
    """

    def __init__(self, op: Any, message: str, notes: Sequence[tuple[Any, str]] = ()) -> None:
        super().__init__(message)
        self.op: Any = op
        self.message: str = message
        self.notes: tuple[tuple[Any, str], ...] = tuple(notes)


class IRAdapter(Protocol):
    """One IR's side of the contract.

    An adapter has no state of a run. Methods that take an op may be called from several
    threads for ops that are not nested in each other.

    Attributes:
        name: The IR's name, such as `xdsl`.
    """

    name: str

    @property
    def key_of(self) -> Callable[[Any], Hashable]:
        """A function from an op to its identity key.

        The key is the same object for all ops of one name in one context: a class or an
        interned string. It is asked for every op that the scheduler visits, so the function
        should be as cheap as the builtin `type`.
        """
        ...

    def create_context(self) -> Any:
        """Return a new context with every dialect of the installation available."""
        ...

    def context_of(self, op: Any) -> Any:
        """Return the context that `op` belongs to, or None if ops do not know theirs."""
        ...

    def load_dialects(self, context: Any, names: Iterable[str]) -> None:
        """Load dialects by name. Raises `LookupError` for one that does not exist."""
        ...

    def kind_of(self, op: Any) -> OpKind:
        """Return what is known of ops of this op's name. Called once per key and run."""
        ...

    def kind_named(self, context: Any, name: str) -> OpKind | None:
        """Return the kind of the registered op `name`, or None if there is none."""
        ...

    def suggest_op(self, context: Any, name: str) -> str:
        """Return `; did you mean 'x'?` for a misspelt op name, or an empty string."""
        ...

    def children(self, op: Any) -> Sequence[Any]:
        """Return the ops immediately inside the regions of `op`, in program order."""
        ...

    def parent(self, op: Any) -> Any:
        """Return the op around `op`, or None at the top."""
        ...

    def symbol_name(self, op: Any) -> str | None:
        """Return the name that `op` defines as a symbol, if it does."""
        ...

    def location(self, op: Any) -> Location:
        """Return where `op` comes from."""
        ...

    def verify(self, op: Any, *, recursive: bool) -> None:
        """Check `op`, and what is nested in it if `recursive`.

        Raises:
            InvalidIR: For the first op that is invalid.
        """
        ...

    def print_op(self, op: Any, flags: PrintFlags) -> str:
        """Return `op` as text, without a final newline. Must work for invalid ops too."""
        ...

    def fingerprint(self, op: Any) -> object:
        """Return a value that equals a later one only if nothing in `op` changed between.

        Covers everything nested in `op` but not its own place. May be conservative (differ
        although nothing changed), never optimistic. Lives at most as long as a run.
        """
        ...


@runtime_checkable
class WrapsPasses(Protocol):
    """Optional ability of an adapter: its IR has passes of its own that passel can run."""

    def wrap_pass(self, foreign: Any) -> Any:
        """Return the IR's own pass `foreign` as a passel `Pass`.

        Raises:
            TypeError: It is not a pass of this IR.
        """
        ...


@runtime_checkable
class TakesContainers(Protocol):
    """Optional ability of an adapter: other objects than ops stand for ops, such as modules."""

    def op_of(self, thing: Any) -> Any:
        """Return the op as passes see it, given it or an object that stands for it."""
        ...


@runtime_checkable
class BringsPasses(Protocol):
    """Optional ability of an adapter: its IR has passes by name that no registry knows."""

    def passes_among(self, registry: Any) -> Any:
        """Return a registry with the IR's own passes and what of `registry` can run on it.

        Args:
            registry: A `PassRegistry`; None for the default one.
        """
        ...


@runtime_checkable
class EntersContexts(Protocol):
    """Optional ability of an adapter: its IR has a current context, as in `with Context():`."""

    def entered_context(self) -> Any:
        """Return the context that the calling thread is in, or None. Must import nothing."""
        ...


@runtime_checkable
class FusesPasses(Protocol):
    """Optional ability of an adapter: its IR runs several passes in one call, outside Python.

    Such an IR has a verifier of its own as well, faster than a fingerprint, so that the run
    verifies after each pass instead of looking for changes.
    """

    def fuse(self, steps: Sequence[Any], *, verify: bool) -> tuple[Any, ...]:
        """Return steps of a schedule with those that follow each other made one if possible.

        Args:
            steps: What runs on one op, in order.
            verify: Whether the IR is to be verified after each of them.

        Returns:
            The steps; a `FusedStep` for some that are now one.
        """
        ...


@runtime_checkable
class LosesOps(Protocol):
    """Optional ability of an adapter: ops can be gone while there are Python objects for them.

    What is gone must not be touched, so a run asks before it does.
    """

    def is_lost(self, op: Any, *, nested: bool) -> bool:
        """Tell whether the op was erased, or if it was `nested` taken out of the op around."""
        ...

    def count_children(self, op: Any) -> int:
        """Return the number of `children`, for less than it costs to make them."""
        ...


@runtime_checkable
class WritesSources(Protocol):
    """Optional ability of an adapter: IR as a file that reads back as the same IR.

    Reproducers use it; without it they hold what `print_op` prints.
    """

    def print_source(self, op: Any, context: Any) -> str:
        """Return `op` in its most faithful form, without a final newline.

        What belongs to it at the level of files, such as resources, is included.
        """
        ...

    def readable_source(self, text: str, context: Any) -> str:
        """Return such a text in its usual form if that loses nothing, else as it is."""
        ...

    def reading_flags(self, op: Any, context: Any) -> Sequence[str]:
        """Return the flags that `passel-opt` needs to read it."""
        ...


AbilityT = TypeVar("AbilityT")


def ability_of(adapter: object, ability: type[AbilityT]) -> AbilityT | None:
    """Return an adapter as one with an optional ability, or None if it does not have it.

    `isinstance` takes longer than a short run.
    """
    return cast("AbilityT", adapter) if _fulfils(type(adapter), ability) else None


@cache
def _fulfils(kind: type, ability: type) -> bool:
    return issubclass(kind, ability)


@cache
def _adapters() -> dict[str, Callable[[], IRAdapter]]:
    # Imported late: reading package metadata costs more than the rest of `import passel`.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return {point.name: point.load for point in entry_points(group="passel.adapters")}


@cache
def _adapter_named(name: str) -> IRAdapter:
    """Load an adapter once; entry points name a class without constructor arguments."""
    return _adapters()[name]()()  # pyright: ignore[reportCallIssue, reportUnknownVariableType]


def adapter_for(thing: object) -> IRAdapter:
    """Return the adapter of the IR that an op (or a pass of that IR) belongs to.

    It is found by the top-level package of the object's class or of a base class, among the
    entry points `passel.adapters` of all installed packages: an entry point's name is that
    package's name, its value a class that fulfils `IRAdapter`.

    Raises:
        AdapterError: No installed adapter claims it.
    """
    names = _adapters()
    for base in type(thing).__mro__:
        root = base.__module__.partition(".")[0]
        if root in names:
            return _adapter_named(root)
    known = ", ".join(sorted(names)) or "none"
    msg = (
        f"no adapter for {type(thing).__module__}.{type(thing).__qualname__} objects "
        f"(installed adapters: {known}); pass adapter=... to PassManager"
    )
    raise AdapterError(msg)


def entered_context(adapter: object | None = None) -> Any:
    """Return the IR's context that the calling thread is in, or None.

    Args:
        adapter: The IR's; by default that of any IR that has been imported already.
    """
    if adapter is not None:
        enters = ability_of(adapter, EntersContexts)
        return None if enters is None else enters.entered_context()
    entered = (entered_context(each) for each in imported_irs())
    return next((context for context in entered if context is not None), None)


def imported_irs() -> Iterator[IRAdapter]:
    """Yield the adapters of the IRs whose packages have been imported."""
    return (_adapter_named(name) for name in _adapters() if name in sys.modules)


def op_name_of(anchor: str | type) -> str:
    """Return the op name that an anchor stands for: a name, or an op class of any IR.

    An op class carries its name as `name` (xDSL) or `OPERATION_NAME` (MLIR's bindings).

    Raises:
        DefinitionError: The class carries no op name.
    """
    if isinstance(anchor, str):
        return anchor
    for attribute in ("OPERATION_NAME", "name"):
        name = getattr(anchor, attribute, None)
        if isinstance(name, str):
            return name
    msg = f"{anchor.__qualname__} is not an op class: it has no op name"
    raise DefinitionError(msg)
