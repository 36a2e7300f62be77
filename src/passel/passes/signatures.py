"""Checks of methods: whether they can be called as runs call them.

Python finds out when it calls them, which is in a run, and then names the caller's line.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Callable


class Method(NamedTuple):
    """A method of passes that runs call.

    Attributes:
        header: How it is written.
        arguments: The names of what it is called with.
        extra: What the last argument is, for messages; may be empty.
    """

    header: str
    arguments: tuple[str, ...]
    extra: str = ""


METHODS = {
    "run": Method(
        "run(self, op, ctx)", ("op", "ctx"), ", where ctx is the PassContext of this execution"
    ),
    "initialize": Method("initialize(self, ir_context)", ("ir_context",)),
    "can_schedule_on": Method("can_schedule_on(self, kind)", ("kind",)),
}
_CONTEXTS = {"ctx", "context"}
_ELSEWHERE = ("apply", "run_on_operation", "runOnOperation", "__call__", "rewrite")
"""Names of the method in xDSL, MLIR and other frameworks."""


def check_methods(cls: type[Any]) -> None:
    """Refuse methods of a class that cannot be called as a run calls them.

    Raises:
        DefinitionError: One of its own takes other parameters, or is no method.
    """
    for name, method in METHODS.items():
        declared = vars(cls).get(name)
        if declared is not None and not _is_plain(declared, len(method.arguments)):
            _check(declared, f"{cls.__qualname__}.{name}", method)
    run = vars(cls).get("run")
    if run is not None and (names := _parameters(run))[1:2] and names[1] in _CONTEXTS:
        msg = (
            f"{cls.__qualname__}.run takes '{names[1]}' first; a pass is run with the op first: "
            f"write {METHODS['run'].header}"
        )
        raise DefinitionError(msg)


def check_run(cls: type[Any], declared: object) -> None:
    """Refuse a class without a body, when it is to be used.

    Args:
        cls: The class.
        declared: The `run` of the class that all derive from, which runs nothing.

    Raises:
        DefinitionError: It has no `run` of its own.
    """
    if cls.run is not declared:
        return
    declared_names = {name for base in cls.__mro__ for name in vars(base)}
    other = next((name for name in _ELSEWHERE if name in declared_names), "")
    way_out = f"write its {other} as {METHODS['run'].header}" if other else "write it"
    msg = f"{cls.__qualname__} does not define {METHODS['run'].header}: {way_out}"
    raise DefinitionError(msg)


def check_function(function: Callable[..., object], name: str) -> None:
    """Refuse a function that cannot be called as a pass.

    Raises:
        DefinitionError: It takes another number of arguments than two.
    """
    if not _accepts(function, 2):
        msg = (
            f"{name}{_shown(function)} cannot be a pass: write {name}(op, handle), where handle "
            "is the ExternalPass with signal_pass_failure()"
        )
        raise DefinitionError(msg)


def check_making(cls: type[Any]) -> None:
    """Refuse a class that takes the making of its instances into its own hands.

    Args:
        cls: A class that has not been made a dataclass yet.

    Raises:
        DefinitionError: It has an `__init__`, or a `__post_init__` that leaves out the checks.
    """
    own = vars(cls)
    if "__init__" in own:
        names = [each for each in _parameters(own["__init__"])[1:] if each.isidentifier()]
        listed = ", ".join(f"'{each}'" for each in names) or "its options"
        example = names[0] if names else "limit"
        msg = (
            f"{cls.__qualname__} defines __init__, which is made from the annotated fields: "
            f"declare {listed} in the class body, as in '{example}: int = 8', and build what is "
            "costly in initialize(self, ir_context)"
        )
        raise DefinitionError(msg)
    hook = own.get("__post_init__")
    code = getattr(hook, "__code__", None)
    if code is not None and "__post_init__" not in code.co_names:
        msg = (
            f"{cls.__qualname__}.__post_init__ must begin with super().__post_init__(), which "
            "checks the values"
        )
        raise DefinitionError(msg)


def _check(declared: Any, name: str, method: Method) -> None:
    function: Any = getattr(declared, "__func__", declared)  # of a static or class method
    if not callable(function) and not hasattr(declared, "__get__"):
        msg = f"{name} is {declared!r}, not a method: write {method.header}"
        raise DefinitionError(msg)
    implicit = 0 if isinstance(declared, staticmethod) else 1
    if not _accepts(function, implicit + len(method.arguments)):
        msg = (
            f"{name}{_shown(function)} cannot be called with {_listed(method.arguments)}: "
            f"write {method.header}{method.extra}"
        )
        raise DefinitionError(msg)


def _is_plain(function: object, arguments: int) -> bool:
    """Return whether a method has just the parameters that it needs, as most have."""
    code = getattr(function, "__code__", None)
    return code is not None and code.co_argcount == arguments + 1 and not code.co_kwonlyargcount


def _accepts(function: Any, arguments: int) -> bool:
    """Return whether something can be called with so many arguments, or has no signature."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*range(arguments))
    except TypeError:
        return False
    return True


def _parameters(function: object) -> tuple[str, ...]:
    code = getattr(function, "__code__", None)
    return () if code is None else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _shown(function: Any) -> str:
    return f"({', '.join(inspect.signature(function).parameters)})"


def _listed(arguments: tuple[str, ...]) -> str:
    return " and ".join(f"'{each}'" for each in arguments)
