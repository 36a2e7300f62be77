"""Functions as passes, as MLIR's bindings take them, and all else that `add` takes as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from passel.errors import AdapterError, DefinitionError, PassFailure
from passel.ir import WrapsPasses, adapter_for, op_name_of
from passel.passes.base import Pass
from passel.passes.definition import check_body
from passel.passes.factory import make_pass_class

if TYPE_CHECKING:
    from passel.passes.context import PassContext


class CallablePass(Pass[Any]):
    """A pass that is a function; `pass_of` makes a subclass for each.

    It has no options and no registered name, so that a pipeline with it prints, but does not
    parse again.

    Attributes:
        function: Called with the op and an `ExternalPass`.
    """

    can_thread = False  # it may change what it can see
    function: ClassVar[Callable[[Any, ExternalPass], object]]

    def run(self, op: Any, ctx: PassContext) -> None:
        """Call the function.

        Raises:
            PassFailure: It has signalled failure.
        """
        handle = ExternalPass()
        self.function(op, handle)
        if handle.failed:
            raise PassFailure


class ExternalPass:
    """Second argument of a function that is a pass.

    Attributes:
        failed: Whether the function has signalled failure.

    Source: `mlir.passmanager.ExternalPass`, MLIR 22.
    """

    def __init__(self) -> None:
        self.failed: bool = False

    def signal_pass_failure(self) -> None:
        """Let the pass fail when the function returns."""
        self.failed = True


class ForeignPass(Protocol):
    """A pass of an IR's own kind that is applied to an op, such as xDSL's `ModulePass`."""

    def apply(self, ctx: Any, op: Any, /) -> object:
        """Run the pass."""


def pass_of(
    function: Callable[[Any, ExternalPass], object],
    *,
    name: str | None = None,
    argument: str = "",
    description: str = "",
    op_name: str = "",
) -> CallablePass:
    """Return a function as a pass.

    Args:
        function: Called with the op and an object with `signal_pass_failure()`.
        name: The pass's name in reports; by default the function's.
        argument: Its name in pipelines.
        description: What it does; by default what the function's docstring says.
        op_name: The name of the ops that it runs on; by default any op.

    Raises:
        TypeError: It cannot be called.
        DefinitionError: It is asynchronous or a generator, so that calling it would not run
            it, or the name does not read back.

    Example:
        >>> print(pass_of(lambda op, pass_: None))
        unknown<lambda>
    """
    if not callable(function):
        msg = f"expected a function, got {function!r}"
        raise TypeError(msg)
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
    """Return the pass that an argument of `add` stands for.

    Raises:
        DefinitionError: It is a function that would not run.
        TypeError: It is no pass; with what it is, and the way out.
    """
    if isinstance(item, Pass):
        return item  # pyright: ignore[reportUnknownVariableType]
    if isinstance(item, type):
        raise TypeError(_no_instance(item))
    try:
        adapter = adapter_for(item)
    except AdapterError:
        adapter = None
    if adapter is None:
        return _from_function(item)
    if not isinstance(adapter, WrapsPasses):
        msg = f"the {adapter.name} adapter cannot wrap passes such as {_shown(item)}"
        raise TypeError(msg)
    return adapter.wrap_pass(item)


def described_pass(
    passes: tuple[object, ...], name: str | None, argument: str, description: str, op_name: str
) -> Pass[Any]:
    """Return a function as a pass with a name and a description of its own.

    Raises:
        DefinitionError: The function cannot be run, or the name does not read back.
        TypeError: It is not one function.
    """
    if len(passes) != 1 or isinstance(passes[0], type) or not callable(passes[0]):
        msg = "name, argument, description and op_name are for one function that is a pass"
        raise TypeError(msg)
    function: Any = passes[0]
    return pass_of(function, name=name, argument=argument, description=description, op_name=op_name)


def _from_function(item: Any) -> Pass[Any]:
    if callable(getattr(item, "build", None)):
        name = type(item).__name__
        msg = f"expected a pass, got a {name}, which makes pipelines: add what its .build() returns"
        raise TypeError(msg)
    if callable(item):
        return pass_of(item)
    is_several = type(item) in (list, tuple)
    hint = "; give each by itself: add(*passes)" if is_several else ""
    msg = f"expected a pass, a pass manager, text or a function, got {_shown(item)}{hint}"
    raise TypeError(msg)


def _no_instance(given: Any) -> str:
    name = given.__qualname__
    if not issubclass(given, Pass) and not hasattr(given, "apply"):
        try:
            op = op_name_of(given)
        except DefinitionError:
            pass
        else:
            return f"expected a pass, got {name}, the class of '{op}' ops; write nest({name})"
    return f"expected a pass, got the class {name}; write {name}()"


def _shown(item: Any) -> str:
    text = repr(item)
    return text if "\n" not in text else f"{text.partition(chr(10))[0]}..."
