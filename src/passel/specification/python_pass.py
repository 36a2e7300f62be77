"""Converting declared passes to Python classes: names, types and default values."""

from __future__ import annotations

import json
import re
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.passes import Pass
from passel.passes.factory import field_for
from passel.specification.cpp import (
    INTEGERS,
    UnknownCpp,
    choice_of,
    choices,
    dialect_name,
    op_name,
    optional_type,
    python_type,
    value,
)
from passel.specification.tablegen import SpecificationError

if TYPE_CHECKING:
    from passel.specification.records import (
        OptionDeclaration,
        PassDeclaration,
        StatisticDeclaration,
    )

_HARD_TO_READ = {"I", "O", "l"}
"""The ambiguous one-letter names, which linters reject."""

MODULES = {"OpPassManager": "passel", **dict.fromkeys(INTEGERS, "passel.passes.numbers")}
"""The modules of option types that must be imported."""

_USED_BY_FIELDS = {"bool", "float", "str", "tuple", "option"}
"""The names that a field must not have, since later fields in the class body use the names."""

_BASE = re.compile(r"(?:::)?mlir::(Operation|Interface)Pass<(.*)>")
_ZERO: dict[str, Any] = {"bool": False, "float": 0.0, "str": "", **dict.fromkeys(INTEGERS, 0)}
"""The values of C++ variables without an initializer."""


class PythonOption(NamedTuple):
    """An option of a pass, as a field of a Python class.

    Attributes:
        field: The name of the field.
        name: The name of the option in pipelines.
        scalar: The Python type of a single value, such as `UInt32`; for an option with choices, an
            empty string.
        choices: The allowed values; empty if the declaration does not list values.
        is_list: Whether the option accepts several values.
        default: The default value. None if the option has no default, or if passel cannot evaluate
            the C++ default.
        help: The help text in one line.
        notes: Comments with the C++ types and defaults that cannot be expressed in Python.
    """

    field: str
    name: str
    scalar: str
    choices: tuple[str, ...]
    is_list: bool
    default: Any
    help: str
    notes: tuple[str, ...]

    @property
    def type(self) -> str:
        """The annotation of the field."""
        kind = self.scalar
        if self.choices:
            kind = f"Literal[{', '.join(map(literal, self.choices))}]"
        if self.is_list:
            return f"tuple[{kind}, ...]"
        return f"{kind} | None" if self.default is None else kind

    @property
    def default_text(self) -> str:
        """The default value as a Python expression."""
        return literal(self.default) if isinstance(self.default, str) else repr(self.default)

    @property
    def has_own_name(self) -> bool:
        """Whether `name` differs from `field.replace("_", "-")`."""
        return self.field.replace("_", "-") != self.name


class PythonPass(NamedTuple):
    """A pass as a Python class.

    Attributes:
        class_name: The name of the class.
        name: The name of the pass in pipelines.
        kind: The name of the base class: `Pass`, `OperationPass` or `InterfacePass`.
        target: The C++ class of the op or interface that the pass runs on; for a pass on any op, an
            empty string.
        anchor: The name of the op that the pass runs on. Empty if the pass runs on any op or on an
            interface, or if passel does not know the op name for the C++ class.
        dialects: The names of the dependent dialects.
        options: The options of the pass.
        statistics: The declared statistics of the pass, by the name of the attribute.
        notes: Comments about C++ classes of ops, interfaces and dialects for which passel has no
            Python name.
    """

    class_name: str
    name: str
    kind: str
    target: str
    anchor: str
    dialects: tuple[str, ...]
    options: tuple[PythonOption, ...]
    statistics: dict[str, StatisticDeclaration]
    notes: tuple[str, ...]


def in_python(declared: PassDeclaration, *, by_variable: bool = False) -> PythonPass:
    """Convert a declared pass to a Python class.

    Args:
        declared: The declared pass.
        by_variable: Whether to derive field names from the C++ variables instead of the option
            names.

    Raises:
        SpecificationError: If passel does not support the C++ base class, or a name is not valid in
            Python.
    """
    name, where = declared.def_name, str(declared.place)
    if not name or name.startswith("anonymous_"):
        raise SpecificationError(
            f"pass '{declared.argument}' has no class name; write def Name : ...", where
        )
    if iskeyword(name):
        raise SpecificationError(f"'{name}' is a reserved word in Python; rename the def", where)
    kind, target = _kind(declared)
    anchor, notes = "", list[str]()
    if kind == "OperationPass":
        try:
            anchor = op_name(target)
        except UnknownCpp:
            notes.append(f"Runs on C++ class `{target}`, whose op name is unknown: set `anchor`.")
    elif kind == "InterfacePass":
        notes.append(f"Runs on ops with the C++ interface `{target}`: set `interface`.")
    dialects = _dialects(declared, notes)
    options = tuple(_option(each, declared, by_variable=by_variable) for each in declared.options)
    statistics = {_attribute(each): each for each in declared.statistics}
    return PythonPass(
        name, declared.argument, kind, target, anchor, dialects, options, statistics, tuple(notes)
    )


def _kind(declared: PassDeclaration) -> tuple[str, str]:
    """Return the Python base class, and the C++ class of the op or interface."""
    base = _BASE.fullmatch(declared.base_class.strip())
    if base is None:
        raise SpecificationError(
            f"base class '{declared.base_class}' of pass '{declared.argument}' is unknown; "
            "use Pass or InterfacePass",
            str(declared.place),
        )
    target = base[2].strip()
    if base[1] == "Interface":
        return "InterfacePass", target
    return ("OperationPass" if target else "Pass"), target


def _dialects(declared: PassDeclaration, notes: list[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for each in declared.dependent_dialects:
        try:
            found[dialect_name(each)] = None
        except UnknownCpp:
            notes.append(f"Depends on dialect class `{each}`, whose dialect name is unknown.")
    return tuple(sorted(found))


# -- Options ---------------------------------------------------------------------------------


def _option(
    declared: OptionDeclaration, owner: PassDeclaration, *, by_variable: bool
) -> PythonOption:
    """Convert a declared option to a field."""
    notes: list[str] = []
    keywords = _keywords(declared, notes)
    scalar = "" if keywords else _scalar(declared, notes)
    default: Any = () if declared.is_list else _default(declared, scalar, notes)
    return PythonOption(
        field=_field(declared, owner, by_variable=by_variable),
        name=declared.argument,
        scalar=scalar,
        choices=keywords,
        is_list=declared.is_list,
        default=default,
        help=one_line(declared.description),
        notes=tuple(notes),
    )


def _keywords(declared: OptionDeclaration, notes: list[str]) -> tuple[str, ...]:
    """Return the keywords of the values that the declaration lists."""
    try:
        among = choices(declared.flags)
    except UnknownCpp:
        notes.append("Its choices in C++ are not literals.")
        return ()
    return tuple(dict.fromkeys(choice.keyword for choice in among))


def _scalar(declared: OptionDeclaration, notes: list[str]) -> str:
    try:
        return python_type(optional_type(declared.type) or declared.type)
    except UnknownCpp:
        notes.append(f"C++ type: `{one_line(declared.type)}`.")
        return "str"


def _default(declared: OptionDeclaration, scalar: str, notes: list[str]) -> Any:
    """Return the default value, or None if there is no default or the default is unknown."""
    if optional_type(declared.type) and declared.default in {"", "std::nullopt"}:
        return None
    try:
        if not scalar:
            return choice_of(declared.default, choices(declared.flags))
        if not notes:  # the syntax of unknown types is unknown
            return value(declared.default, scalar) if declared.default else _ZERO[scalar]
    except (KeyError, UnknownCpp):
        pass
    if declared.default:
        notes.append(f"C++ default: `{one_line(declared.default)}`.")
    return None


def _field(declared: OptionDeclaration, owner: PassDeclaration, *, by_variable: bool) -> str:
    """Return the field name, derived from the option name or the name of the C++ variable.

    Raises:
        SpecificationError: If neither of the two names is a valid Python name.
    """
    name, where = declared.argument, str(declared.place)
    if not name:
        raise SpecificationError(f"an option of pass '{owner.argument}' has no name", where)
    names = (name.replace("-", "_"), declared.cpp_name)
    for candidate in reversed(names) if by_variable else names:
        field = snake_case(candidate)
        if field.isidentifier() and candidate not in _HARD_TO_READ and not iskeyword(field):
            field = field.lstrip("_") or field
            return f"{field}_" if field in _USED_BY_FIELDS else field_for(Pass, field)
    raise SpecificationError(
        f"neither option '{name}' of pass '{owner.argument}' nor its variable "
        f"'{declared.cpp_name}' is a valid name in Python",
        where,
    )


def _attribute(declared: StatisticDeclaration) -> str:
    """Return the attribute name of a statistic, derived from the name of the C++ variable."""
    attribute = snake_case(declared.cpp_name)
    if attribute.isidentifier() and not iskeyword(attribute):
        return field_for(Pass, attribute)
    message = f"statistic name '{declared.cpp_name}' is not valid in Python"
    raise SpecificationError(message, str(declared.place))


def snake_case(name: str) -> str:
    """Convert a C++ name to snake case.

    Consecutive capital letters form a single word, so `numCSE` becomes `num_cse`.
    """
    words = re.sub(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return words.lower()


def one_line(text: str) -> str:
    """Replace each run of white space in a text with a single space."""
    return " ".join(text.split())


def literal(text: str) -> str:
    """Return a text as a Python string literal in double quotes.

    Example:
        >>> print(literal("it's"))
        "it's"
    """
    return json.dumps(text, ensure_ascii=False)  # which Python reads as well
