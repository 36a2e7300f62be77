"""Creation of passes and pass classes at run time.

Passes are created from functions and from passes of other frameworks, such as xDSL. Pass classes
are created from prototypes.

A prototype is a registered pass whose option values become the defaults of a new pass class.

Source: the overload of `mlir::registerPass` that takes a function, MLIR 22.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, cast

from passel.errors import AdapterError, DefinitionError, PassFailure
from passel.ir.adapters import adapter_for, adapter_of_class
from passel.passes.base import Pass
from passel.passes.definition import check_body, is_taken
from passel.passes.options import option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passel.passes.context import PassContext

PassT = TypeVar("PassT", bound=Pass[Any, Any])


def make_pass_class(
    base: type[PassT],
    class_name: str,
    *,
    name: str = "",
    doc: str | None = None,
    module: str = "",
    options: Mapping[str, tuple[Any, Any]] = MappingProxyType({}),
    **attributes: Any,
) -> type[PassT]:
    """Create a subclass of a pass class, as a class statement would.

    Args:
        base: The base class, which defines `run`.
        class_name: The name of the class. Reports show this name, unless the class overrides
            `display_name`.
        name: The name of the pass in textual pipelines; an empty string for a pass without a name.
        doc: The docstring of the class. Its first line is the summary of the pass.
        module: The module of the class; by default the module of the base class.
        options: A dict that maps the field name of each option to a pair: the type of the option,
            and either its default value or the result of `option(...)`.
        attributes: Other attributes of the class, such as `anchor`.

    Raises:
        DefinitionError: The type of an option is not supported, or a name is invalid.
    """
    namespace: dict[str, Any] = {
        "__doc__": doc,
        "__module__": module or base.__module__,
        "__annotations__": {field: kind for field, (kind, _) in options.items()},
        **{field: default for field, (_, default) in options.items()},
        **({"name": name} if name else {}),
        **attributes,
    }
    return cast("type[PassT]", type(class_name, (base,), namespace))


def field_for(base: type[Pass[Any, Any]], name: str) -> str:
    """Return the field name for an option: `name`, or `name_` if the class already uses `name`."""
    return f"{name}_" if is_taken(base, name) else name


# -- Passes like a given one -------------------------------------------------------------------


def class_of(thing: Any, name: str) -> type[Pass[Any, Any]]:
    """Return the pass class for an object that is registered as a pass.

    Args:
        thing: A pass or a pass class, of passel or of another framework such as xDSL.
        name: The name under which the object is registered.

    Raises:
        DefinitionError: The object is neither a pass class nor a pass.
    """
    kind: type = thing if isinstance(thing, type) else type(thing)
    wrapped: Any = thing if Pass in kind.__mro__ else None
    with suppress(AdapterError, TypeError):
        if wrapped is None:
            wrapped = adapter_of_class(kind).wrap_pass(thing)
    if wrapped is None:
        raise DefinitionError(f"{thing!r} is not a pass class")
    return class_like(wrapped, name)


@cache  # passes of one prototype share a class, so that they can be equal
def class_like(pass_: Pass[Any, Any] | type[Pass[Any, Any]], name: str) -> type[Pass[Any, Any]]:
    """Return a pass class whose defaults are the option values of a pass.

    Args:
        pass_: A pass, whose option values become the defaults, or a pass class, whose defaults stay
            the same.
        name: The name of the new class in textual pipelines.

    Raises:
        DefinitionError: `name` is also the name of the pass's own class, which has different
            defaults. A printed pass would then not parse to an equal pass.

    Example:
        >>> class Unroll(Pass):
        ...     name = "unroll"
        ...     factor: int = 4
        ...     deep: bool = False
        >>> UnrollMuch = class_like(Unroll(factor=16), "unroll-much")
        >>> print(UnrollMuch(), UnrollMuch(factor=4), UnrollMuch().factor)
        unroll-much unroll-much{factor=4} 16
    """
    base, given = (pass_, ()) if isinstance(pass_, type) else (type(pass_), pass_.option_nodes())
    if name == base.name:
        if not given:
            return base
        optional = {each.name for each in base.option_infos() if not each.required}
        if any(node.key in optional for node in given):
            raise DefinitionError(
                f"{base.__name__} is also named '{name}', but '{pass_}' has different defaults; "
                "register the pass under a different name"
            )
    return make_pass_class(
        base,
        base.__name__,
        name=name,
        doc=base.documentation() or None,
        options={} if isinstance(pass_, type) else _options_like(pass_),
        prototype=pass_,
        __reduce__=_reduced,
    )


def _options_like(pass_: Pass[Any, Any]) -> dict[str, tuple[Any, Any]]:
    """Return options whose defaults are the values of a pass."""
    return {
        field.name: (
            field.type,
            option(default_factory=partial(getattr, pass_, field.name), **field.metadata),
        )
        for field in dataclasses.fields(pass_)
    }


def _reduced(pass_: Any) -> tuple[Any, ...]:
    """Return the arguments that recreate a pass, for pickle."""
    values = {field.name: getattr(pass_, field.name) for field in dataclasses.fields(pass_)}
    return _remade, (pass_.prototype, pass_.name, values)


def _remade(prototype: Any, name: str, values: dict[str, Any]) -> Any:
    return class_like(prototype, name)(**values)


# -- Functions, and other arguments of `add` ---------------------------------------------------


class ExternalPass:
    """The second argument of a function that is used as a pass.

    Attributes:
        failed: Whether the function signaled failure.

    Source: `mlir.passmanager.ExternalPass`, MLIR 22.
    """

    def __init__(self) -> None:
        self.failed: bool = False

    def signal_pass_failure(self) -> None:
        """Make the pass fail when the function returns."""
        self.failed = True


class CallablePass(Pass[Any]):
    """A pass that calls a function; `pass_of` creates one subclass for each function.

    The pass has no options and no registered name. A pipeline that contains the pass can be
    printed, but the printed text does not parse.

    Attributes:
        function: The function, which is called with the op and an `ExternalPass`.
    """

    can_thread = False  # the function may change anything that it can access
    function: ClassVar[Callable[[Any, ExternalPass], object]]

    def run(self, op: Any, ctx: PassContext) -> None:
        """Call the function on the op.

        Raises:
            PassFailure: The function signaled failure.
        """
        handle = ExternalPass()
        self.function(op, handle)
        if handle.failed:
            raise PassFailure


class ForeignPass(Protocol):
    """A pass of another framework, such as xDSL's `ModulePass`."""

    def apply(self, ctx: Any, op: Any, /) -> object:
        """Run the pass on an op."""


def pass_of(
    *functions: object,
    name: str | None = None,
    argument: str = "",
    description: str = "",
    op_name: str = "",
) -> CallablePass:
    """Return a pass that calls a function.

    Args:
        functions: Exactly one function, which is called with the op and an `ExternalPass`.
        name: The name of the pass in reports; by default the name of the function.
        argument: The name of the pass in printed pipelines.
        description: The description of the pass; by default the docstring of the function.
        op_name: The name of the ops that the pass runs on; by default the pass runs on any op.

    Raises:
        TypeError: The arguments are not a single function.
        DefinitionError: The function is asynchronous or a generator, or the name is invalid.

    Example:
        >>> print(pass_of(lambda op, pass_: None))
        unknown<lambda>
    """
    if len(functions) != 1 or isinstance(functions[0], type) or not callable(functions[0]):
        raise TypeError("name, argument, description and op_name apply only to a single function")
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
    """Convert an argument of `OpPassManager.add` to a pass.

    Raises:
        DefinitionError: The argument is an asynchronous function or a generator.
        TypeError: The argument is neither a pass nor a function.
    """
    if isinstance(item, Pass):
        return item  # pyright: ignore[reportUnknownVariableType]
    with suppress(AdapterError):
        if (wrapped := adapter_for(item).wrap_pass(item)) is not None:
            return wrapped
    if callable(item) and not isinstance(item, type):
        return pass_of(item)
    is_class = isinstance(item, type)
    given = f"the class {item.__name__}; write {item.__name__}()" if is_class else repr(item)
    raise TypeError(f"expected a pass, a pass manager, text or a function, got {given}")
