"""Arguments of `OpPassManager.add`: what they may be, and the passes that they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from passel.errors import AdapterError, DefinitionError
from passel.ir import WrapsPasses, adapter_for, op_name_of
from passel.passes.base import InterfacePass, OperationPass, Pass

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from passel.passes.callables import ExternalPass
    from passel.passes.op_pass_manager import OpPassManager
    from passel.pipeline import PassNode, PipelineNode

    # The last two stand for objects of an IR's own kind.
    Addable: TypeAlias = (
        Pass[Any, Any]
        | OpPassManager
        | str
        | PassNode
        | PipelineNode
        | "ForeignPass"
        | Callable[[Any, ExternalPass], object]
        | Callable[[Any], object]
    )


class ForeignPass(Protocol):
    """A pass of an IR's own kind that is applied to an op, such as xDSL's `ModulePass`."""

    def apply(self, ctx: Any, op: Any, /) -> object:
        """Run the pass."""
        ...


def as_pass(item: object) -> Pass[Any]:
    """Return the pass that an argument of `add` stands for.

    Raises:
        DefinitionError: Its class, or function, cannot be run, such as for lack of an anchor.
        TypeError: It is no pass; with what it is, and the way out.
    """
    if isinstance(item, Pass):
        if isinstance(item, (OperationPass, InterfacePass)) and item.anchor is None:
            item.check_complete()
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
    return _pass_of(
        function, name=name, argument=argument, description=description, op_name=op_name
    )


def _from_function(item: Any) -> Pass[Any]:
    if callable(getattr(item, "build", None)):
        name = type(item).__name__
        msg = f"expected a pass, got a {name}, which makes pipelines: add what its .build() returns"
        raise TypeError(msg)
    if callable(item):
        return _pass_of(item)
    is_several = type(item) in (list, tuple)
    hint = "; give each by itself: add(*passes)" if is_several else ""
    msg = f"expected a pass, a pass manager, text or a function, got {_shown(item)}{hint}"
    raise TypeError(msg)


def _pass_of(function: Callable[[Any, ExternalPass], object], **described: Any) -> Pass[Any]:
    from passel.passes.callables import pass_of

    return pass_of(function, **described)


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
