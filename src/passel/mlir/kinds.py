"""The `OpKind` for each op name, which passel determines once per context."""

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
    """A cache of `OpKind` objects, with one object per context and op name.

    Args:
        bindings: The build of MLIR's Python bindings that creates the contexts.
    """

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self._known: WeakKeyDictionary[Any, dict[str, OpKind]] = WeakKeyDictionary()

    def kind(self, context: Any, name: str) -> OpKind:
        """Return the kind of the ops called `name`, whether or not the name is registered."""
        known = self._known.setdefault(context, {})
        kind = known.get(name)
        if kind is None:
            if not self.is_registered(context, name):
                # Not cached: its dialect may be defined or loaded later.
                return OpKind(name, registered=False, isolated=False, implements=_nothing)
            kind = known[name] = OpKind(
                name,
                registered=True,
                isolated=self._is_isolated(context, name),
                implements=self._implements(context, name),
            )
        return kind

    def is_registered(self, context: Any, name: str) -> bool:
        """Return whether an op name is registered. If necessary, load the op's dialect first."""
        with suppress(TypeError, ValueError):  # an unknown dialect, or a name that is not UTF-8
            context.get_dialect_descriptor(name.partition(".")[0])
            return bool(context.is_registered_operation(name))
        return False

    def _is_isolated(self, context: Any, name: str) -> bool:
        """Return whether the ops with a registered name are isolated from above.

        Few builds can query the trait. This method creates an empty op and runs a pass manager on
        the op without verification. The run fails if the op is not isolated.

        Source: `OpToOpPassAdaptor::run`, MLIR 22.
        """
        ir = self._bindings.ir
        with context_lock(context), calls_of(self._bindings).reporting(context, bool):
            op = ir.Operation.create(name, loc=ir.Location.unknown(context))
            kind = self._bindings.passmanager.PassManager
            try:  # a pass that leaves an empty op unchanged
                manager = kind.parse("any(cse)", context)
            except ValueError:  # a build without `cse`; a callable needs NumPy
                manager = kind("any", context=context)
                manager.add(_nothing)
            manager.enable_verifier(False)
            with suppress(ir.MLIRError):
                manager.run(op)
                return True
            return False

    def _implements(self, context: Any, name: str) -> Callable[[type], bool]:
        """Return a function that tests whether the ops called `name` implement an interface."""
        ir = self._bindings.ir
        of = ref(context)  # the cache for a context must not keep the context alive

        def implements(interface: type) -> bool:
            context = of()
            op = ir.Operation.create(name, loc=ir.Location.unknown(context))
            op_class: Any = op.opview.__class__
            if interface is FunctionLike:
                return hasattr(op_class, "sym_name") and hasattr(op_class, "function_type")
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
    """Return false, either as a pass without effect or as a test for interfaces."""
    return False
