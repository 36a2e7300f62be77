"""Functions as passes, as MLIR's Python bindings take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from passel.errors import PassFailure
from passel.passes import Pass

if TYPE_CHECKING:
    from passel.context import PassContext


class CallablePass(Pass[Any]):
    """A pass that is a function; `pass_of` makes a subclass for each.

    It has no options and no registered name, so that a pipeline with it prints, but does not
    parse again.

    Attributes:
        function: Called with the op and an `ExternalPass`.
    """

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
    """What a function that is a pass is given beside the op.

    Attributes:
        failed: Whether the function has signalled failure.

    Source: `mlir.passmanager.ExternalPass`, MLIR 22.
    """

    def __init__(self) -> None:
        self.failed: bool = False

    def signal_pass_failure(self) -> None:
        """Let the pass fail when the function returns."""
        self.failed = True


def pass_of(function: Callable[[Any, ExternalPass], object]) -> CallablePass:
    """Return a function as a pass for any op, under the function's name.

    Args:
        function: Called with the op and an object with `signal_pass_failure()`.

    Example:
        >>> print(pass_of(lambda op, pass_: None))
        unknown<lambda>
    """
    name = getattr(function, "__name__", type(function).__name__).strip("<>")
    namespace = {"function": staticmethod(function), "__doc__": function.__doc__}
    return type(name, (CallablePass,), namespace)()
