"""The interface of adapters, through which passel accesses the ops of an IR.

passel has no IR of its own. An adapter implements this interface for one IR. The core never
accesses ops directly; in type annotations of the core, ops are `Any`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import AdapterError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from passel.diagnostics import Diagnostic, Location


class SiblingWatch:
    """Detection of erased and moved ops while pipelines run on sibling ops.

    Args:
        place_of: A function that returns the place of an op; see `Lifetime`.
        children: The nested ops, in program order.
    """

    def __init__(self, place_of: Callable[[Any], object], children: Sequence[Any]) -> None:
        self._place_of = place_of
        self._children = children

    def is_in_place(self, number: int, place: object) -> bool:
        """Return whether a child is in its original place. The method is called in program order.

        Args:
            number: The number of the child.
            place: The original place of the child.
        """
        now = self._place_of(self._children[number])
        return now is place or now == place

    def are_all_in_place(self) -> bool:
        """Return whether all children are in their places after all pipelines have run.

        A pass may change its own op. By default, the result is True: each op was in place before it
        was processed, and fingerprints detect later moves.
        """
        return True


class Lifetime:
    """A policy to detect that an op was erased or moved, by default from its place.

    Args:
        place_of: A function that returns the place of an op, such as its parent. Places are equal
            as long as the op is neither moved nor erased. The function is called once per pass and
            op, so it should be as cheap as an attribute. The function must not raise an error for
            an erased op.

    Attributes:
        survives_loss: Whether other ops can still be accessed after an op was erased.
    """

    survives_loss: bool = True

    def __init__(self, place_of: Callable[[Any], object]) -> None:
        self.place_of: Callable[[Any], object] = place_of

    def watch(self, op: Any, children: Sequence[Any]) -> SiblingWatch:
        """Return the watch for the ops immediately inside `op`."""
        return SiblingWatch(self.place_of, children)


ANY = "any"
"""The anchor of a pipeline that runs on every op that all its passes accept."""


class FunctionLike:
    """The interface of functions in any IR, as in `InterfacePass[FunctionLike]`.

    Source: `mlir::FunctionOpInterface`, MLIR 22, for which xDSL and MLIR's bindings have no class.
    """


class OpKind(NamedTuple):
    """Facts about all ops with the same name.

    Attributes:
        name: The full name of the op, such as `func.func`, even if the op is unregistered.
        registered: Whether the dialect defines the op.
        isolated: Whether the op is `IsolatedFromAbove`. This is False for unregistered ops.
        implements: A function that returns whether the op has a trait or implements an interface.
    """

    name: str
    registered: bool
    isolated: bool
    implements: Callable[[type], bool]


class PrintFlags(NamedTuple):
    """Flags for printing an op.

    Attributes:
        generic: Use the generic form.
        debuginfo: Print locations.
        local_scope: Print nothing outside the op, such as attribute aliases.
        elide_elements: Omit the values of constants with more elements than this number.
        elide_resources: Omit resources with more characters than this number.
        skip_regions: Print `{...}` for regions.
        pretty_locations: Print locations in a short form, which cannot be parsed.
        name_locations: Use the names in `NameLoc` locations as names of values.
        assume_verified: Print in custom form without verifying the op.
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
    """An op is invalid; raised by `verify` of an adapter.

    Attributes:
        op: The invalid op, which may be nested in the verified op.
        message: The reason, without the name of the op.
        notes: Further notes, each an op and a text about the op.
    """

    def __init__(self, op: Any, message: str, notes: Sequence[tuple[Any, str]] = ()) -> None:
        super().__init__(message)
        self.op: Any = op
        self.message: str = message
        self.notes: tuple[tuple[Any, str], ...] = tuple(notes)


class IRAdapter(ABC):
    """The base class of adapters, with fourteen abstract methods and some default methods.

    An adapter has no state that belongs to a run. Methods that take an op may be called from
    several threads for ops that are not nested in each other.

    Attributes:
        name: The name of the IR, such as `xdsl`.
        finds_changes: Whether a run detects changes by fingerprints, to verify only changed ops.
            Set it to False if the IR's own verifier is faster than fingerprints.
        allows_threads: Whether several Python threads may work on ops of one context.
    """

    name: str
    finds_changes: bool = True
    allows_threads: bool = True

    @property
    @abstractmethod
    def key_of(self) -> Callable[[Any], Hashable]:
        """A function that returns the key of an op.

        The key is the same object for all ops with the same name in a context, such as a class or
        an interned string. The function is called for every op that a run visits, so it should be
        as cheap as the builtin `type`.
        """

    @classmethod
    def for_package(cls, package: str) -> IRAdapter | None:  # noqa: ARG003 - for subclasses
        """Return an adapter for a package, or a module in a package, that has no entry point."""
        return None

    @abstractmethod
    def create_context(self) -> Any:
        """Return a new context in which all installed dialects are available."""

    @abstractmethod
    def context_of(self, op: Any) -> Any:
        """Return the context that `op` belongs to, or None if ops do not know their context."""

    @abstractmethod
    def load_dialects(self, context: Any, names: Iterable[str]) -> None:
        """Load dialects by name. Raises `LookupError` for a dialect that does not exist."""

    @abstractmethod
    def kind_of(self, op: Any) -> OpKind:
        """Return the `OpKind` for ops with the name of `op`. A run calls this once per key."""

    @abstractmethod
    def kind_named(self, context: Any, name: str) -> OpKind | None:
        """Return the kind of the registered op `name`, or None if there is none."""

    @abstractmethod
    def suggest_op(self, context: Any, name: str) -> str:
        """Return `; did you mean 'x'?` for a misspelled op name, or an empty string."""

    @abstractmethod
    def children(self, op: Any) -> Sequence[Any]:
        """Return the ops immediately inside the regions of `op`, in program order."""

    @abstractmethod
    def parent(self, op: Any) -> Any:
        """Return the op that encloses `op`, or None at the top."""

    @abstractmethod
    def symbol_name(self, op: Any) -> str | None:
        """Return the name of the symbol that `op` defines, if any."""

    @abstractmethod
    def location(self, op: Any) -> Location:
        """Return the source location of `op`."""

    @abstractmethod
    def verify(self, op: Any, *, recursive: bool) -> None:
        """Check `op` and, if `recursive`, all nested ops.

        If not `recursive`, the method must check only the rules of the op itself, and rules between
        nested ops, such as a call and its callee; nested ops are verified separately. If the IR
        cannot verify an op without its nested ops, the method always verifies both.

        Raises:
            InvalidIR: If an op is invalid. The error names the first invalid op.
        """

    def verification_error(self, op: Any, *, recursive: bool) -> InvalidIR | None:
        """Return the error that `verify` raises, or None if `op` is valid.

        Any other exception of the verifier becomes an error about `op`.
        """
        try:
            self.verify(op, recursive=recursive)
        except InvalidIR as error:
            return error
        except Exception as error:  # noqa: BLE001 - the verifier of an IR may raise anything
            from passel.tracebacks import brief_at  # noqa: PLC0415 - only needed in this case

            return InvalidIR(op, f"verifier crashed: {brief_at(error)}")
        return None

    @abstractmethod
    def print_op(self, op: Any, flags: PrintFlags) -> str:
        """Return `op` as text, without a final newline. This must also work for invalid ops."""

    @abstractmethod
    def fingerprint(self, op: Any, *, recursive: bool = True) -> object:
        """Return a value that is equal to a later value only if nothing in `op` has changed.

        A fingerprint covers all nested ops, but not the place of `op`. If not `recursive`, it
        covers only the op's own parts: attributes, blocks, and the order of the ops immediately
        inside. Fingerprints may differ although nothing changed, but must not be equal after a
        change. A run keeps fingerprints until its end at most.
        """

    # -- What most IRs answer alike ---------------------------------------------------------

    def prepare(self, context: Any, passes: Iterable[object]) -> None:  # noqa: B027 - few need it
        """Prepare a context before passes run in it."""

    def reporting(
        self, context: Any, report: Callable[[Diagnostic], bool]
    ) -> AbstractContextManager[object]:
        """Return a context manager that forwards diagnostics of the IR's own library."""
        return nullcontext()

    def renew_fingerprint(self, op: Any, last: Any) -> object:
        """Return the fingerprint `last` if nothing in `op` has changed since, else a new one."""
        now = self.fingerprint(op)
        return last if now == last else now

    def is_surely(self, known: Any, op: Any) -> bool:
        """Return whether an op is `known`, rather than a later op with the same identity."""
        return True

    def op_of(self, thing: Any) -> Any:
        """Return the op as passes get it, for the op or an object that wraps it."""
        return thing

    def identity_of(self, op: Any) -> Hashable:
        """Return a key that is equal for all objects of an op, even if the op changes.

        The default is the op itself, for IRs with one object per op that is compared by identity.
        """
        return op

    def entered_context(self) -> Any:
        """Return the current context of the calling thread, as in `with Context():`, or None.

        The method must not import modules.
        """
        return None

    def in_context(self, context: Any) -> AbstractContextManager[object]:
        """Return a context manager that makes a context current in the calling thread."""
        return nullcontext()

    def alone_in(self, context: Any, jobs: int | None = None) -> AbstractContextManager[object]:
        """Return the lock of a context, which a run holds while it compiles and runs.

        By default, several runs may use a context at once.

        Args:
            context: The IR's own context.
            jobs: The number of threads that the IR's own library may use; None for no limit.
        """
        return nullcontext()

    def build_name(self) -> str:
        """Return the name of the adapter in entry points; by default, the name of the IR."""
        return self.name

    def lifetime(self) -> Lifetime:
        """Return the policy for detecting erased ops, by default from their parents."""
        return Lifetime(self.parent)

    def misfit(self, context: Any, outer: str, inner: str) -> str:
        """Return the reason why some ops are never immediately inside certain other ops.

        Args:
            context: The IR's own context.
            outer: The name of the enclosing ops.
            inner: The name of the nested ops.

        Returns:
            A sentence without a final period; empty if the nesting is possible or unknown.
        """
        return ""

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the IR's packages by name, for records of runs."""
        return {}


def outwards(adapter: IRAdapter, op: Any) -> Iterator[Any]:
    """Yield an op and its enclosing ops, innermost first.

    Raises:
        AdapterError: If the adapter returns an op as its own parent.
    """
    while op is not None:
        yield op
        outer = adapter.parent(op)
        if outer is not None and outer == op:
            raise AdapterError(
                f"the adapter of '{adapter.name}' returns an op as its own enclosing op: "
                f"{type(adapter).__name__}.parent must return None at the top"
            )
        op = outer


def inwards(adapter: IRAdapter, op: Any) -> Iterator[Any]:
    """Yield an op and all nested ops, in program order."""
    waiting = [op]
    while waiting:
        yield (each := waiting.pop())
        waiting += reversed(adapter.children(each))
