"""Functions as passes, as MLIR's Python bindings take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from passel.errors import PassFailure
from passel.passes.base import Pass
from passel.passes.definition import check_body
from passel.passes.factory import make_pass_class
from passel.passes.signatures import check_function

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
            it, it does not take two arguments, or the name does not read back.

    Example:
        >>> print(pass_of(lambda op, pass_: None))
        unknown<lambda>
    """
    if not callable(function):
        msg = f"expected a function, got {function!r}"
        raise TypeError(msg)
    own_name: str = getattr(function, "__name__", type(function).__name__)
    check_body(function, own_name)
    check_function(function, own_name)
    made = make_pass_class(
        CallablePass,
        name or own_name.strip("<>"),
        name=argument,
        doc=description or function.__doc__,
        function=staticmethod(function),
        anchor=op_name or None,
    )
    return made()
