"""Definition of classes: their dataclasses, and checks of what they declare.

Checks are made once. They refuse what Python accepts but would go wrong far away: in a run, in
a report, or not at all.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import DefinitionError
from passel.passes.statistics import Statistic
from passel.pipeline import check_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

_BODIES = ("run", "initialize", "can_schedule_on")
"""Methods whose result would be a promise to run them, if they were asynchronous."""

_IN_MLIR = {
    "canScheduleOn": "can_schedule_on(self, kind)",
    "dependentDialects": "dependent_dialects = ('arith',)",
    "getDependentDialects": "dependent_dialects = ('arith',)",
}
"""Names from C++ and from declarations, which would be ignored, with the names here."""

_LAZY: tuple[tuple[Callable[[object], bool], str], ...] = (
    (inspect.iscoroutinefunction, "an async function"),
    (inspect.isasyncgenfunction, "an asynchronous generator function"),
    (inspect.isgeneratorfunction, "a generator function (it has a 'yield')"),
)


def check_body(function: object, what: str) -> None:
    """Refuse a function that does nothing when it is called.

    Args:
        function: The function.
        what: How messages call it.

    Raises:
        DefinitionError: It is asynchronous, or a generator.
    """
    for is_lazy, kind in _LAZY:
        if is_lazy(function):
            msg = f"{what} is {kind}, so calling it would not run it; write a plain function"
            raise DefinitionError(msg)


def check_pass(cls: type[Any]) -> None:
    """Refuse what a pass class declares wrongly beside its options and its contract.

    Raises:
        DefinitionError: Its name does not read back, its body would not run, a method has
            other parameters, its anchor is no name, or a statistic has the name of an attribute.
    """
    declared = vars(cls)
    if "name" in declared:
        check_name(declared["name"], "a pass")
    for method in _BODIES:
        if method in declared:
            check_body(declared[method], f"{cls.__qualname__}.{method}")
    for name in declared.keys() & _IN_MLIR.keys():
        raise DefinitionError(f"{cls.__qualname__}.{name} is called {_IN_MLIR[name]} here")
    check_methods(cls)
    _check_anchor(cls, declared.get("anchor"))
    for attribute, value in declared.items():
        if isinstance(value, Statistic) and _is_taken(cls, attribute):
            _refuse_taken(cls, "statistic", attribute)


def _check_anchor(cls: type[Any], anchor: object) -> None:
    if anchor is None or isinstance(anchor, str):
        return
    shown = anchor.__qualname__ if isinstance(anchor, type) else repr(anchor)
    msg = (
        f"anchor of {cls.__qualname__} is {shown}, not the name of an op: derive from "
        f"OperationPass[{shown}], or write the name, as in anchor = 'func.func'"
    )
    raise DefinitionError(msg)


def make_dataclass(cls: type[Any]) -> None:
    """Make a class a frozen dataclass of its annotated fields.

    Args:
        cls: A class of options, or of passes.

    Raises:
        DefinitionError: It makes its instances itself, or a field is declared wrongly.
    """
    check_making(cls)
    try:
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    except (TypeError, ValueError):
        _check_defaults(cls)
        raise
    for method in ("__setattr__", "__delattr__"):
        delattr(cls, method)  # those of the base class say more
    _check_fields(cls)


def _check_defaults(cls: type[Any]) -> None:
    """Refuse fields of which no dataclass can be made.

    Args:
        cls: A class that `dataclass` has refused.

    Raises:
        DefinitionError: An option has no type, or its default can be changed.
    """
    try:
        annotations = inspect.get_annotations(cls)
    except NameError:  # from Python 3.14 on, types may be defined later
        return
    own: dict[str, Any] = dict(vars(cls))
    for name, value in own.items():
        if _is_field(value) and name not in annotations:
            msg = (
                f"option '{name}' of {cls.__qualname__} has no type: annotate it, as in "
                f"'{name}: int = option(...)'"
            )
            raise DefinitionError(msg) from None
        default = value.default if _is_field(value) else value
        is_option = name in annotations and "ClassVar" not in str(annotations[name])
        if is_option and type(default).__hash__ is None:
            way_out = "for a list, write tuple[int, ...] and (1, 2)"
            if isinstance(default, dict):
                way_out = "write a subclass of Options"
            msg = (
                f"default of option '{name}' of {cls.__qualname__} is {default!r}, which can be "
                f"changed, and passes are values: {way_out}"
            )
            raise DefinitionError(msg) from None


def _is_field(value: object) -> bool:
    return isinstance(value, dataclasses.Field)


def _check_fields(cls: type[Any]) -> None:
    """Refuse options whose names are taken or do not read back.

    Args:
        cls: A class that has been made a dataclass.

    Raises:
        DefinitionError: One of its own fields has the name of an attribute or method of a
            base class, or options share a name.
    """
    fields: dict[str, Any] = cls.__dataclass_fields__
    owners: dict[str, str] = {}
    for field in dataclasses.fields(cls):
        spelled: str = field.metadata.get("name") or field.name.replace("_", "-")
        for base in cls.__bases__:
            if getattr(base, "__dataclass_fields__", {}).get(field.name) is fields[field.name]:
                break
        else:
            check_name(spelled, "an option")
            if _is_taken(cls, field.name):
                _refuse_taken(cls, "option", field.name)
        for name in {field.name, spelled}:
            other = owners.setdefault(name, field.name)
            if other != field.name:
                msg = (
                    f"options '{other}' and '{field.name}' of {cls.__qualname__} are both "
                    f"written '{name}'"
                )
                raise DefinitionError(msg)


def _refuse_taken(cls: type[Any], what: str, name: str) -> None:
    owner = next(base for base in reversed(cls.__mro__) if name in _attributes(base))
    way_out = f"call it '{name}_', with '{name.replace('_', '-')}' as its name in text"
    if name in _annotated(owner):
        way_out = f"write '{name} = ...' without an annotation to set that, or {way_out}"
    msg = (
        f"{what} '{name}' of {cls.__qualname__} has the name of an attribute of every "
        f"{owner.__name__}: {way_out}"
    )
    raise DefinitionError(msg)


def is_taken(base: type[Any], name: str) -> bool:
    """Return whether a class or a base of it declares an attribute or a method of this name."""
    return any(name in _attributes(each) for each in base.__mro__)


def _is_taken(cls: type[Any], name: str) -> bool:
    return any(is_taken(base, name) for base in cls.__bases__)


def _attributes(cls: type[Any]) -> Iterator[str]:
    """Yield what a class declares beside options: methods, statistics and class variables."""
    if not hasattr(cls, "__dataclass_fields__") and cls.__module__ == "builtins":
        return
    options = {field.name for field in _options(cls)}
    yield from (name for name in _annotated(cls) if name not in options)
    for name, value in vars(cls).items():
        if name not in options and (
            isinstance(value, (classmethod, staticmethod, property, Statistic))
            or inspect.isfunction(value)
        ):
            yield name


def _annotated(cls: type[Any]) -> Collection[str]:
    """Return the options and class variables that a class of options or of passes declares."""
    if dataclasses.is_dataclass(cls):
        return cls.__dataclass_fields__
    return cls.__annotations__ if hasattr(cls, "option_infos") else ()


def _options(cls: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()


# -- Methods: whether they can be called as runs call them ------------------------------------


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
