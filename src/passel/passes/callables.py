"""Conversion of functions, as MLIR's bindings take them, and other arguments of `add` to passes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from passel.errors import AdapterError, DefinitionError, PassFailure
from passel.ir import WrapsPasses, adapter_for, op_name_of
from passel.passes.base import Pass
from passel.passes.definition import check_body
from passel.passes.factory import make_pass_class

if TYPE_CHECKING:
    from passel.passes.context import PassContext


class CallablePass(Pass[Any]):
    """A pass that calls a function; `pass_of` creates a subclass for each function.

    It has no options or registered name. A pipeline that contains it can be printed, but the text
    does not parse.

    Attributes:
        function: The function, which takes the op and an `ExternalPass`.
    """

    can_thread = False  # it may change what it can see
    function: ClassVar[Callable[[Any, ExternalPass], object]]

    def run(self, op: Any, ctx: PassContext) -> None:
        """Call the function.

        Raises:
            PassFailure: The function signalled failure.
        """
        handle = ExternalPass()
        self.function(op, handle)
        if handle.failed:
            raise PassFailure


class ExternalPass:
    """The second argument of a function that is used as a pass.

    Attributes:
        failed: Whether the function signalled failure.

    Source: `mlir.passmanager.ExternalPass`, MLIR 22.
    """

    def __init__(self) -> None:
        self.failed: bool = False

    def signal_pass_failure(self) -> None:
        """Make the pass fail when the function returns."""
        self.failed = True


class ForeignPass(Protocol):
    """A pass of another framework, such as xDSL's `ModulePass`."""

    def apply(self, ctx: Any, op: Any, /) -> object:
        """Run the pass."""


def pass_of(
    *functions: object,
    name: str | None = None,
    argument: str = "",
    description: str = "",
    op_name: str = "",
) -> CallablePass:
    """Return a pass that calls a function.

    Args:
        functions: The function, called with the op and an object with `signal_pass_failure()`.
        name: The pass's name in reports; by default the function's.
        argument: The pass's name in pipelines.
        description: The pass's description; by default the function's docstring.
        op_name: The name of the ops that the pass runs on; by default it runs on any op.

    Raises:
        TypeError: The argument is not one function.
        DefinitionError: The function is asynchronous or a generator, so that a call would not
            run it, or the name is not valid.

    Example:
        >>> print(pass_of(lambda op, pass_: None))
        unknown<lambda>
    """
    if len(functions) != 1 or isinstance(functions[0], type) or not callable(functions[0]):
        msg = "name, argument, description and op_name apply only to a single function"
        raise TypeError(msg)
    function: Any = functions[0]
    own_name: str = getattr(function, "__name__", type(function).__name__)
    check_body(function, own_name)
    made = make_pass_class(
        CallablePass,
        name or own_name.strip("<>"),
        name=argument,
        doc=description or function.__doc__,
        function=staticmethod(function),
        anchor=op_name or None,
    )
    return made()


def as_pass(item: object) -> Pass[Any]:
    """Return the pass for an argument of `add`.

    Raises:
        DefinitionError: The argument is an asynchronous function or a generator.
        TypeError: The argument is not a pass.
    """
    if isinstance(item, Pass):
        return item  # pyright: ignore[reportUnknownVariableType]
    if isinstance(item, type):
        raise TypeError(f"expected a pass, got {_way_out_of_class(item)}")
    try:
        adapter = adapter_for(item)
    except AdapterError:
        if callable(item) and not callable(getattr(item, "build", None)):
            return pass_of(item)
        raise TypeError(_no_pass(item)) from None
    if not isinstance(adapter, WrapsPasses):
        msg = f"the {adapter.name} adapter cannot wrap passes such as {_shown(item)}"
        raise TypeError(msg)
    return adapter.wrap_pass(item)


def _no_pass(item: object) -> str:
    if callable(getattr(item, "build", None)):
        name = type(item).__name__
        return (
            f"expected a pass, got a {name}, which builds pipelines: add the result of its .build()"
        )
    is_several = type(item) in (list, tuple)
    hint = "; pass each one separately: add(*passes)" if is_several else ""
    return f"expected a pass, a pass manager, text or a function, got {_shown(item)}{hint}"


def _way_out_of_class(given: Any) -> str:
    name = given.__qualname__
    if not issubclass(given, Pass) and not hasattr(given, "apply"):
        with suppress(DefinitionError):
            return f"{name}, the class of '{op_name_of(given)}' ops; write nest({name})"
    return f"the class {name}; write {name}()"


def _shown(item: Any) -> str:
    first, newline, _ = repr(item).partition("\n")
    return f"{first}..." if newline else first
