"""The interface of adapters, through which passel accesses the ops of an IR.

passel has no IR of its own. An adapter implements this interface for one IR. passel never accesses
ops directly, and annotates ops with the type `Any`.
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


ANY = "any"
"""The anchor of a pipeline that runs on every op that all passes of the pipeline accept."""


class FunctionLike:
    """The interface of function ops in any IR, for use in `InterfacePass[FunctionLike]`.

    Source: `mlir::FunctionOpInterface`, MLIR 22. xDSL and MLIR's bindings have no such class.
    """


class OpKind(NamedTuple):
    """The properties that all ops with the same name have in common.

    Attributes:
        name: The full name of the ops, such as `func.func`. For unregistered ops, `name` is the
            name in the text of the IR.
        registered: Whether a loaded dialect defines the ops.
        isolated: Whether the ops are registered and have the trait `IsolatedFromAbove`.
        implements: A function that takes the class of a trait or an interface, and returns whether
            the ops have the trait or implement the interface.
    """

    name: str
    registered: bool
    isolated: bool
    implements: Callable[[type], bool]


class PrintFlags(NamedTuple):
    """Flags for printing an op.

    Attributes:
        generic: Whether to print the generic form.
        debuginfo: Whether to print locations.
        local_scope: Whether to print only the op itself, without attribute aliases before it.
        elide_elements: The maximum number of elements in a printed constant; None for no limit.
        elide_resources: The maximum number of characters in a printed resource; None for no limit.
        skip_regions: Whether to print `{...}` for each region.
        pretty_locations: Whether to print locations in a short form, which cannot be parsed.
        name_locations: Whether to use the names in `NameLoc` locations as value names.
        assume_verified: Whether to print the custom form without verifying the op first.
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


class InvalidIR(Exception):  # noqa: N818 - a condition, like StopIteration; never leaves passel
    """The exception that `IRAdapter.verify` raises for an invalid op.

    Attributes:
        op: The invalid op, which is either the argument of `verify` or an op nested in it.
        message: The error message, without the name of the op.
        notes: The notes of the error. Each note is a pair of a location and a text.
    """

    def __init__(self, op: Any, message: str, notes: Sequence[tuple[Location, str]] = ()) -> None:
        super().__init__(message)
        self.op: Any = op
        self.message: str = message
        self.notes: tuple[tuple[Location, str], ...] = tuple(notes)


class IRAdapter(ABC):
    """The base class of adapters to IRs. A subclass must define the fourteen abstract methods.

    An adapter must not store data about a run. Several threads may call methods with an op argument
    at the same time, but only for ops that are not nested in each other.

    Attributes:
        name: The name of the IR, such as `xdsl`.
        finds_changes: Whether a run compares fingerprints in order to verify only changed ops. Set
            this to False if the IR's verifier is faster than the fingerprints.
        allows_threads: Whether several Python threads may use ops of one context at the same time.
        survives_loss: Whether the siblings of an erased op can still be accessed.
    """

    name: str
    finds_changes: bool = True
    allows_threads: bool = True
    survives_loss: bool = True

    @property
    @abstractmethod
    def key_of(self) -> Callable[[Any], Hashable]:
        """A function that takes an op, and returns a key for the name of the op.

        Within one context, all ops with the same name must have the same key. A key may be a class
        or an interned string. The function is called for every op that a run visits, so it should
        be as cheap as the builtin `type`.
        """

    @classmethod
    def for_package(cls, package: str) -> IRAdapter | None:  # noqa: ARG003 - for subclasses
        """Return an adapter for a package or module that has no entry point.

        By default, the method returns None, which means that the class supports no such package.
        """
        return None

    @abstractmethod
    def create_context(self) -> Any:
        """Create a context of the IR in which all installed dialects are available."""

    @abstractmethod
    def context_of(self, op: Any) -> Any:
        """Return the context of `op`, or None if the IR's ops do not refer to a context."""

    @abstractmethod
    def load_dialects(self, context: Any, names: Iterable[str]) -> None:
        """Load the dialects called `names` into a context.

        Raises:
            LookupError: If a dialect does not exist.
        """

    @abstractmethod
    def kind_of(self, op: Any) -> OpKind:
        """Return the `OpKind` of `op`. A run calls this method once for each key from `key_of`."""

    @abstractmethod
    def kind_named(self, context: Any, name: str) -> OpKind | None:
        """Return the `OpKind` of the ops called `name`, or None if the ops are unregistered."""

    @abstractmethod
    def suggest_op(self, context: Any, name: str) -> str:
        """Return `; did you mean 'x'?` if `name` resembles an op name, else an empty string."""

    @abstractmethod
    def children(self, op: Any) -> Sequence[Any]:
        """Return the ops immediately inside the regions of `op`, in program order."""

    @abstractmethod
    def parent(self, op: Any) -> Any:
        """Return the op that immediately encloses `op`, or None if `op` is a top-level op."""

    @abstractmethod
    def symbol_name(self, op: Any) -> str | None:
        """Return the name of the symbol that `op` defines, or None if `op` defines no symbol."""

    @abstractmethod
    def location(self, op: Any) -> Location:
        """Return the source location of `op`."""

    @abstractmethod
    def verify(self, op: Any, *, recursive: bool) -> None:
        """Verify `op` and, if `recursive` is true, all nested ops.

        If `recursive` is false, the run verifies the nested ops separately, so the method checks
        only the op itself and the relations between its nested ops, such as between a call and its
        callee. If the IR cannot verify an op without its nested ops, the method ignores
        `recursive`.

        Raises:
            InvalidIR: If an op is invalid. The error's attribute `op` is the first invalid op.
        """

    def verification_error(self, op: Any, *, recursive: bool) -> InvalidIR | None:
        """Return the `InvalidIR` error that `verify` raises, or None if `op` is valid.

        Any other exception from the verifier is converted to an `InvalidIR` error about `op`.
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
        """Return the text of `op`, which may be invalid. The text does not end with a newline."""

    @abstractmethod
    def fingerprint(self, op: Any, *, recursive: bool = True) -> object:
        """Return a fingerprint of `op`, which equals a later fingerprint only if `op` is unchanged.

        A fingerprint covers all nested ops, but not the position of `op`. If `recursive` is false,
        the fingerprint covers only the attributes and blocks of `op` and the order of the ops
        immediately inside it. The fingerprints of an unchanged op may differ, but the fingerprints
        before and after a change must not be equal. A run compares only fingerprints that the same
        run has computed.
        """

    # -- Methods whose defaults suit most IRs -----------------------------------------------

    def prepare(self, context: Any, passes: Iterable[object]) -> None:  # noqa: B027 - few need it
        """Prepare a context for running `passes` in it, for example by loading dialects."""

    def reporting(
        self, context: Any, report: Callable[[Diagnostic], bool]
    ) -> AbstractContextManager[object]:
        """Return a context manager that sends diagnostics of the IR's own library to `report`."""
        return nullcontext()

    def renew_fingerprint(self, op: Any, last: Any) -> object:
        """Return `last` if `op` still has this fingerprint, otherwise a new fingerprint."""
        now = self.fingerprint(op)
        return last if now == last else now

    def is_surely(self, known: Any, op: Any) -> bool:
        """Return whether two ops with equal `identity_of` keys are the same op.

        The method returns False if `known` was erased and `op` was created later.
        """
        return True

    def op_of(self, thing: Any) -> Any:
        """Return the op that passes run on, given `thing`: an op, or an object that wraps an op."""
        return thing

    def identity_of(self, op: Any) -> Hashable:
        """Return a key that identifies an op and stays the same when the op changes.

        If the IR has several Python objects for one op, the keys of these objects must be equal. By
        default, the key is the op itself, which suits IRs that have one object per op and compare
        ops by identity.
        """
        return op

    def entered_context(self) -> Any:
        """Return the context that is current in the calling thread; None if no context is current.

        In MLIR's bindings, `with Context():` makes a context current. The method must not import
        modules.
        """
        return None

    def in_context(self, context: Any) -> AbstractContextManager[object]:
        """Return a context manager that makes `context` current in the calling thread."""
        return nullcontext()

    def alone_in(self, context: Any, jobs: int | None = None) -> AbstractContextManager[object]:
        """Return the context manager in which a run compiles and executes a pipeline.

        The context manager gives the run exclusive use of `context`. The default context manager
        does nothing, so several runs may use `context` at the same time.

        Args:
            context: The context of the IR, such as `mlir.ir.Context`.
            jobs: The number of threads that the IR's own library may use; None for no limit.
        """
        return nullcontext()

    def build_name(self) -> str:
        """Return the name of the adapter's entry point; by default, the name of the IR."""
        return self.name

    def make_frontend(self) -> Any:
        """Return a new `Frontend` for a single run of a tool such as `passel-opt`.

        Raises:
            AdapterError: If the IR has no frontend, which is the default.
        """
        raise AdapterError(f"the adapter '{self.name}' reads no files: define make_frontend()")

    def is_dialect(self, thing: Any) -> bool:
        """Return whether an object from a plugin is a dialect that `with_dialects` takes."""
        return False

    def with_dialects(self, dialects: Sequence[Any]) -> Any:
        """Return a copy of this adapter whose contexts contain additional dialects.

        Args:
            dialects: The dialects, which authors of tools and plugins provide. An additional
                dialect replaces an existing dialect with the same name.

        Raises:
            DefinitionError: If an object is not a dialect of this IR.
            AdapterError: If the adapter takes no dialects, which is the default.
        """
        raise AdapterError(f"the adapter '{self.name}' takes no dialects: define with_dialects()")

    def wrap_pass(self, foreign: Any) -> Any:
        """Return a `Pass` that runs a pass of the IR's own library.

        Args:
            foreign: Any object that a user adds to a pass manager, such as a pass object of the
                IR's library. If users can register the library's pass classes, `foreign` may also
                be a pass class. For a pass class, the method returns a `Pass` class with the same
                options.

        Returns:
            The pass, or None if the library has no passes that passel can run.

        Raises:
            TypeError: If the library has passes, but `foreign` is not one of them.
        """
        return None

    def pass_source(self) -> Any:
        """Return the source of the IR's own passes, or None if it has no named passes.

        Every call returns an equal source; see `PassRegistry` for what a source is.
        """
        return None

    def print_source(self, op: Any, context: Any) -> str:
        """Return text that parses to a copy of the op. The text does not end with a newline.

        A reproducer contains this text. The text also contains data that a file stores outside the
        op, such as external resources. By default, the method returns the text of `print_op`.
        """
        return self.print_op(op, PrintFlags())

    def readable_source(self, text: str, context: Any) -> str:
        """Convert text from `print_source` to the custom form of the IR.

        If the custom form would lose data, the method returns the text unchanged, as by default.
        """
        return text

    def reading_flags(self, op: Any, context: Any) -> Sequence[str]:
        """Return the flags that `passel-opt` needs to read the text of the op."""
        return [f"--ir={self.build_name()}"]

    @property
    def place_of(self) -> Callable[[Any], object]:
        """A function that returns the place of an op, by which runs detect erased and moved ops.

        After each pass on an op, the run compares the place of the op with its original place. The
        function must return equal places for an op until the op is moved or erased. The function
        is called once per pass and op, so it should be as cheap as an attribute access. It must not
        raise an exception for an erased op. By default, the place of an op is its parent op.
        """
        return self.parent

    def watch(self, op: Any, children: Sequence[Any]) -> Any:
        """Return a detector of erased or moved ops for IRs in which `place_of` cannot detect them.

        The default is None: a run compares the place of each op before the op's pipeline runs, and
        fingerprints detect later moves. A detector has two methods. `is_in_place(number)` returns
        whether a child is still in its original place, and is called in program order.
        `are_all_in_place()` returns whether all children are, after all pipelines have run.

        Args:
            op: The op whose nested ops pipelines will run on.
            children: The ops immediately inside `op`, in program order.
        """
        return None

    def versions(self) -> Mapping[str, str]:
        """Map the name of each package of the IR to its version, for records of runs."""
        return {}


def outwards(adapter: IRAdapter, op: Any) -> Iterator[Any]:
    """Yield an op, followed by its enclosing ops from the innermost to the outermost.

    Raises:
        AdapterError: If the adapter returns an op as its own parent op.
    """
    while op is not None:
        yield op
        outer = adapter.parent(op)
        if outer is not None and outer == op:
            raise AdapterError(f"{type(adapter).__name__}.parent must return None for the top op")
        op = outer
