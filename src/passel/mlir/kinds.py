"""Facts about ops by name, determined once per context."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from passel.ir import FunctionLike, OpKind
from passel.mlir.bindings import context_lock
from passel.mlir.calls import calls_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.mlir.bindings import Bindings


class Kinds:
    """The kinds of ops, by context and name.

    Args:
        bindings: The build of the contexts.
    """

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self._known: WeakKeyDictionary[Any, dict[str, OpKind]] = WeakKeyDictionary()

    def kind(self, context: Any, name: str) -> OpKind:
        """Return the kind of ops with a name, which may be unregistered."""
        known = self._known.setdefault(context, {})
        kind = known.get(name)
        if kind is None:
            if not self.is_registered(context, name):
                # Not remembered: its dialect may be defined or loaded later.
                return OpKind(name, registered=False, isolated=False, implements=_nothing)
            kind = known[name] = OpKind(
                name,
                registered=True,
                isolated=self._is_isolated(context, name),
                implements=self._implements(context, name),
            )
        return kind

    def is_registered(self, context: Any, name: str) -> bool:
        """Return whether an op is registered, loading its dialect if need be."""
        try:
            if context.is_registered_operation(name):
                return True
        except TypeError:  # a name from a command line that is not UTF-8; no op is called so
            return False
        dialect, dot, _ = name.partition(".")
        if not dot or not dialect:
            return False
        with suppress(ValueError):
            context.get_dialect_descriptor(dialect)
            return bool(context.is_registered_operation(name))
        return False

    def has_isolated_ops(self, context: Any, name: str) -> bool:
        """Return whether ops with a registered name are symbol tables, such as modules.

        Symbol tables usually have isolated ops immediately inside.
        """
        ir = self._bindings.ir
        op = ir.Operation.create(name, regions=1, loc=ir.Location.unknown(context))
        op.regions[0].blocks.append()
        with suppress(TypeError):
            return bool(ir.SymbolTable(op))
        return False

    def is_function(self, context: Any, name: str) -> bool:
        """Return whether ops with a registered name are functions, and thus symbols."""
        ir = self._bindings.ir
        op_class: Any = ir.Operation.create(name, loc=ir.Location.unknown(context)).opview.__class__
        return hasattr(op_class, "sym_name") and hasattr(op_class, "function_type")

    def _is_isolated(self, context: Any, name: str) -> bool:
        """Return whether ops with a registered name are isolated from above.

        A pass manager refuses to run on an op that is not, which works on an empty op without
        verification. Few builds have a query for the trait.

        Source: `OpToOpPassAdaptor::run`, MLIR 22.
        """
        ir = self._bindings.ir
        with context_lock(context), calls_of(self._bindings).reporting(context, bool):
            op = ir.Operation.create(name, loc=ir.Location.unknown(context))
            kind = self._bindings.passmanager.PassManager
            try:  # a pass that leaves an empty op unchanged
                manager = kind.parse("any(cse)", context)
            except ValueError:  # a build without it; a callable has the bindings import NumPy
                manager = kind("any", context=context)
                manager.add(_nothing)
            manager.enable_verifier(False)
            with suppress(ir.MLIRError):
                manager.run(op)
                return True
            return False

    def _implements(self, context: Any, name: str) -> Callable[[type], bool]:
        """Return the test for interfaces of ops of a registered name."""
        ir = self._bindings.ir
        of = ref(context)  # what is remembered for a context must not keep it alive

        def implements(interface: type) -> bool:
            context = of()
            if interface is FunctionLike:
                return self.is_function(context, name)
            op = ir.Operation.create(name, loc=ir.Location.unknown(context))
            op_class: Any = op.opview.__class__
            if issubclass(op_class, interface):
                return True
            if interface.__module__ != ir.OpView.__module__:
                return False
            if hasattr(interface, "attach"):  # a trait
                return bool(op.has_trait(interface))
            with suppress(TypeError, ValueError):
                return bool(interface(op, context))
            return False

        return implements


def _nothing(*_: Any) -> bool:
    """Do nothing, as a pass; implement no interface, as a test for interfaces."""
    return False
