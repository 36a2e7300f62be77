"""The adapter for xDSL.

The adapter hides two peculiarities of xDSL. All unregistered ops share one name and claim to have
every trait. The message of each verifier error contains the whole module.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnregisteredOp
from xdsl.ir import Dialect, Operation
from xdsl.traits import CallableOpInterface, IsolatedFromAbove, OpTrait

from passel.diagnostics import Location, closest, suggest
from passel.errors import DefinitionError
from passel.ir import FunctionLike, IRAdapter, OpKind
from passel.xdsl.fast import switch as switch_fast_paths
from passel.xdsl.fingerprint import fingerprint
from passel.xdsl.locations import convert_location
from passel.xdsl.printing import is_unregistered, print_source, printed, readable_source
from passel.xdsl.release import INSTALLED
from passel.xdsl.symbols import CALLABLES, ops_in
from passel.xdsl.transport.changes import checked_snapshot, decode_changes, encode_changes
from passel.xdsl.verification import verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from passel.frontend import Frontend
    from passel.ir import PrintFlags


class XDSLAdapter(IRAdapter):
    """The adapter for xDSL's ops. Its contexts are `xdsl.context.Context` objects.

    Args:
        dominance: Whether the verifier checks that definitions dominate uses, as MLIR's verifier
            does. xDSL's own verifier does not check dominance.
        dialects: Dialects to register in new contexts besides the installed dialects. An additional
            dialect replaces an installed dialect of the same name.
    """

    name = "xdsl"

    def __init__(self, *, dominance: bool = True, dialects: Sequence[Dialect] = ()) -> None:
        switch_fast_paths()
        self._dominance = dominance
        self._dialects = tuple(dialects)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        switch_fast_paths()  # of another process

    def create_context(self) -> Context:
        """Return a new context in which the adapter's dialects are registered, but not loaded."""
        from passel.xdsl.registration import installed_universe

        context, own = Context(), {each.name: lambda each=each: each for each in self._dialects}
        for name, factory in {**installed_universe().all_dialects, **own}.items():
            context.register_dialect(name, factory)
        return context

    def is_dialect(self, thing: object) -> bool:
        """Return whether an object is a `Dialect`."""
        return isinstance(thing, Dialect)

    def with_dialects(self, dialects: Sequence[Any]) -> XDSLAdapter:
        """Return a copy of the adapter with additional dialects.

        An additional dialect replaces the adapter's dialect of the same name, if there is one.

        Raises:
            DefinitionError: If an object is not a `Dialect`.
        """
        for each in dialects:
            if not isinstance(each, Dialect):
                raise DefinitionError(f"expected an xDSL Dialect, got {each!r}")
        return XDSLAdapter(dominance=self._dominance, dialects=(*self._dialects, *dialects))

    def make_frontend(self) -> Frontend:
        """Create a frontend that reads and prints files during one run of a command-line tool."""
        from passel.xdsl.frontend import XDSLFrontend

        return XDSLFrontend(self)

    def context_of(self, op: Operation) -> None:
        """Return None, since xDSL's ops do not refer to their context."""

    def load_dialects(self, context: Context, names: Iterable[str]) -> None:
        """Load the named dialects into a context unless they are already loaded."""
        for name in names:
            if name != "builtin" and context.get_optional_dialect(name) is None:
                known = list(context.registered_dialect_names)
                raise LookupError(f"no dialect '{name}' is registered{suggest(name, known)}")

    def kind_of(self, op: Operation) -> OpKind:
        """Return the `OpKind` that describes all ops with the same name as `op`."""
        if isinstance(op, UnregisteredOp):
            name = op.op_name.data
            return OpKind(name, registered=False, isolated=False, implements=_implements_nothing)
        return _kind(type(op))

    def kind_named(self, context: Context, name: str) -> OpKind | None:
        """Return the `OpKind` for an op name, or None if no such op is registered.

        If necessary, the dialect of the op is loaded into the context.
        """
        op_class = _known_op(context, name)
        # Unregistered ops that occurred are in the table as well.
        return None if op_class is None or issubclass(op_class, UnregisteredOp) else _kind(op_class)

    def suggest_op(self, context: Context, name: str) -> str:
        """Return a hint that suggests the registered op whose name is most similar to `name`."""
        dialects = list(context.registered_dialect_names)
        dialect, _, _ = name.partition(".")
        if dialect not in dialects:
            dialect = closest(dialect, dialects)
        if dialect:
            self.load_dialects(context, [dialect])
        registered = (op for op in context.loaded_ops if not issubclass(op, UnregisteredOp))
        return suggest(name, [op.name for op in registered])

    def children(self, op: Operation) -> list[Operation]:
        """Return the ops immediately inside the regions of `op`."""
        return [*ops_in(op)]

    def parent(self, op: Operation) -> Operation | None:
        """Return the op that immediately encloses `op`, or None at the top level."""
        return op.parent_op()

    def symbol_name(self, op: Operation) -> str | None:
        """Return the `sym_name` of an op, or None if the op has no `sym_name`."""
        name = op.get_attr_or_prop("sym_name")
        return name.data if isinstance(name, StringAttr) else None

    def location(self, op: Operation) -> Location:
        """Return the location of an op, converted from xDSL's location attribute."""
        return convert_location(op.location)

    def verify(self, op: Operation, *, recursive: bool) -> None:
        """Verify an op. An error names the first invalid op, which may be nested inside `op`."""
        verify(op, recursive=recursive, dominance=self._dominance)

    def print_op(self, op: Operation, flags: PrintFlags) -> str:
        """Print an op with xDSL's printer; if a custom printer fails, use the generic form."""
        try:
            return printed(op, flags)
        except Exception:  # noqa: BLE001 - invalid IR breaks custom printers in any way
            return printed(op, flags._replace(generic=True))

    def prints_apart(self, op: Operation) -> bool:
        """Return whether the ops inside an op share no values, and so can be printed separately."""
        if len(op.regions) != 1 or not (op.parent is None or _kind(type(op)).isolated):
            return False
        block = op.regions[0].first_block
        if block is None or block.next_block is not None or block.args or block.first_op is None:
            return False
        return all(
            not each.results and (not each.regions or self.kind_of(each).isolated)
            for each in block.ops
        )

    # Runs call these functions for each op and each pass, so no method wraps them.
    key_of: Any = staticmethod(type)  # one class per op name and context
    fingerprint: Any = staticmethod(fingerprint)
    renew_fingerprint: Any = staticmethod(fingerprint)

    print_source: Any = staticmethod(print_source)
    place_of: Any = attrgetter("parent")  # a block
    readable_source: Any = staticmethod(readable_source)

    def versions(self) -> Mapping[str, str]:
        """Return the version of the installed xDSL."""
        return {"xdsl": INSTALLED}

    def ship(self, ops: Sequence[Operation], context: Context) -> bytes:
        """Encode copies of ops, so that another process can run passes on the copies."""
        from passel.xdsl.transport.shipping import ship

        return ship(ops, context)

    def receive(self, data: bytes) -> tuple[Context, Sequence[Operation]]:
        """Decode the ops and the context that `ship` encoded."""
        from passel.xdsl.transport.shipping import receive

        return receive(data, lambda dialects: self.with_dialects(dialects).create_context())

    # Changes travel to and from worker processes as `passel.xdsl.transport.changes` encodes them.
    note: Any = staticmethod(checked_snapshot)
    encode_changes: Any = staticmethod(encode_changes)
    decode_changes: Any = staticmethod(decode_changes)

    def limited_rewrites(self, limit: int | None) -> AbstractContextManager[list[str]]:
        """Return a context manager that limits pattern rewrites and yields a list of them."""
        from passel.xdsl.rewrites import limited_rewrites

        return limited_rewrites(limit)

    @property
    def functions(self) -> Callable[[Operation], Sequence[str]]:
        """The function that returns the names of a module's functions that have a body."""
        from passel.xdsl.interpreting import functions

        return functions

    @property
    def computed(self) -> Callable[[Operation, Context, str, str, float], Sequence[str]]:
        """The function that runs a function in xDSL's interpreter; see `interpreting.computed`."""
        from passel.xdsl.interpreting import computed

        return computed

    def reading_flags(self, op: Operation, context: Context) -> tuple[str, ...]:
        """Return the command-line flags that a tool needs to parse the text of an op."""
        flags = [] if isinstance(op, ModuleOp) else ["--no-implicit-module"]
        if any(map(is_unregistered, op.walk())):
            flags.append("--allow-unregistered-dialect")
        return tuple(flags)

    def wrap_pass(self, foreign: Any) -> Any:
        """Wrap a `ModulePass` object as a passel pass, or a `ModulePass` class as a pass class.

        The wrapped pass runs on any isolated op.
        """
        from xdsl.passes import ModulePass

        from passel.xdsl.module_passes import pass_class_for, wrap_module_pass

        if ModulePass in getattr(foreign, "__mro__", ()):
            return pass_class_for(foreign)
        if not isinstance(foreign, ModulePass):
            what = f"a '{foreign.name}' op" if isinstance(foreign, Operation) else repr(foreign)
            raise TypeError(f"expected a pass, got {what}")
        return wrap_module_pass(foreign)


def _implements_nothing(interface: type) -> bool:  # noqa: ARG001
    return False


def _known_op(context: Context, name: str) -> type[Operation] | None:
    """Return the class of a registered op by name, and load its dialect if necessary."""
    # Pipelines are for modules, and few of these need anything else of their dialect.
    if name == ModuleOp.name:
        return ModuleOp
    context.get_optional_dialect(name.partition(".")[0])
    # Not `get_optional_op`, which invents an op if unregistered ones are allowed.
    return next((op for op in context.loaded_ops if op.name == name), None)


def _kind(op_class: type[Operation]) -> OpKind:
    name = op_class.name
    isolated = name in CALLABLES or op_class.has_trait(IsolatedFromAbove)

    def implements(interface: type) -> bool:
        if interface is FunctionLike:
            return name in CALLABLES or op_class.has_trait(CallableOpInterface)
        if issubclass(interface, OpTrait):
            return op_class.has_trait(interface)
        return issubclass(op_class, interface)

    return OpKind(name, registered=True, isolated=isolated, implements=implements)
