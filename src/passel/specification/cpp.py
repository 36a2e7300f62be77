"""Interpreting C++ code in declarations: types, defaults, choices, and op and dialect classes.

The functions raise `UnknownCpp` for code that only a C++ compiler can evaluate. Generated Python
files contain such code in comments.
"""

from __future__ import annotations

import re
import typing
from typing import TYPE_CHECKING, NamedTuple

from passel.passes import numbers

if TYPE_CHECKING:
    from passel.passes.numbers import IntRange


class UnknownCpp(Exception):  # noqa: N818 - caught in this package
    """The error for a C++ type or value that only a C++ compiler can evaluate."""


class Choice(NamedTuple):
    """A C++ enumerator that an option accepts as a value.

    Attributes:
        constant: The C++ name of the enumerator.
        keyword: The text of the value in pipelines.
    """

    constant: str
    keyword: str


INTEGERS: dict[str, tuple[str, ...]] = {
    "Int8": ("int8_t", "signed char"),
    "Int16": ("int16_t", "short"),
    "Int32": ("int", "int32_t", "signed"),
    "Int64": ("int64_t", "long", "long long", "ssize_t", "ptrdiff_t", "intptr_t"),
    "UInt8": ("uint8_t", "unsigned char"),
    "UInt16": ("uint16_t", "unsigned short"),
    "UInt32": ("unsigned", "unsigned int", "uint32_t"),
    "UInt64": ("uint64_t", "unsigned long", "unsigned long long", "size_t", "uintptr_t"),
}
"""The C++ names of each type in `passel.passes.numbers`, on platforms with a 64-bit `long`."""

RANGES: dict[str, IntRange] = {
    name: typing.get_args(getattr(numbers, name))[1] for name in INTEGERS
}
"""The ranges of the integer types, by type name."""

_TYPES = {
    "bool": "bool",
    "float": "float",
    "double": "float",
    "std::string": "str",
    "StringRef": "str",
    "std::string_view": "str",
    "OpPassManager": "OpPassManager",
    **{cpp: python for python, names in INTEGERS.items() for cpp in names},
}
_QUALIFIERS = re.compile(r"\b(const|enum|class|struct|typename)\b|&")
_OPTIONAL = re.compile(r"std::optional<(.+)>")
_NAMESPACES = re.compile(r"^(::)?((mlir|llvm)::)?")

_OPS = {
    "LLVM::LLVMFuncOp": "llvm.func",
    "ModuleOp": "builtin.module",
    "async::FuncOp": "async.func",
    "emitc::ClassOp": "emitc.class",
    "emitc::FileOp": "emitc.file",
    "emitc::FuncOp": "emitc.func",
    "func::FuncOp": "func.func",
    "gpu::GPUFuncOp": "gpu.func",
    "gpu::GPUModuleOp": "gpu.module",
    "ml_program::FuncOp": "ml_program.func",
    "ml_program::SubgraphOp": "ml_program.subgraph",
    "pdl::PatternOp": "pdl.pattern",
    "pdl_interp::FuncOp": "pdl_interp.func",
    "shape::FuncOp": "shape.func",
    "spirv::FuncOp": "spirv.func",
    "spirv::ModuleOp": "spirv.module",
    "transform::NamedSequenceOp": "transform.named_sequence",
    "wasmssa::FuncOp": "wasmssa.func",
}
"""The names of the ops on which MLIR's passes are anchored, by C++ class."""

_DIALECTS = {"BuiltinDialect": "builtin", "DLTIDialect": "dlti"}
"""The names of dialects whose C++ classes have no namespace, by C++ class."""


def normalized(name: str) -> str:
    """Remove qualifiers and a leading namespace `mlir` or `llvm` from a C++ name or type.

    Example:
        >>> normalized("const ::mlir::func::FuncOp &"), normalized("enum FusionMode")
        ('func::FuncOp', 'FusionMode')
    """
    return _NAMESPACES.sub("", " ".join(_QUALIFIERS.sub(" ", name).split()))


def python_type(cpp_type: str) -> str:
    """Return the Python annotation for a C++ type.

    Raises:
        UnknownCpp: If passel has no Python type for the C++ type.

    Example:
        >>> python_type("uint32_t"), python_type("::llvm::StringRef")
        ('UInt32', 'str')
    """
    name = normalized(cpp_type)
    if name not in _TYPES:
        raise UnknownCpp(cpp_type)
    return _TYPES[name]


def optional_type(cpp_type: str) -> str:
    """Return the value type of a `std::optional` type; for any other type, an empty string.

    Example:
        >>> optional_type("std::optional<unsigned>")
        'unsigned'
    """
    found = _OPTIONAL.fullmatch(normalized(cpp_type))
    return found[1] if found else ""


def op_name(cpp_class: str) -> str:
    """Return the op name for an op class in MLIR's C++ code.

    Raises:
        UnknownCpp: If no pass in upstream MLIR is anchored on the op.
    """
    name = normalized(cpp_class)
    if name not in _OPS:
        raise UnknownCpp(cpp_class)
    return _OPS[name]


def dialect_name(cpp_class: str) -> str:
    """Derive the name of a dialect from the namespace of its C++ class.

    Raises:
        UnknownCpp: If the class has no namespace, and is not `BuiltinDialect` or `DLTIDialect`.

    Example:
        >>> dialect_name("::mlir::LLVM::LLVMDialect"), dialect_name("cf::ControlFlowDialect")
        ('llvm', 'cf')
    """
    *namespaces, name = normalized(cpp_class).split("::")
    if not namespaces and name in _DIALECTS:
        return _DIALECTS[name]
    if not namespaces or not namespaces[-1]:
        raise UnknownCpp(cpp_class)
    return namespaces[-1].lower()


# -- Choices ---------------------------------------------------------------------------------

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_CHOICE = re.compile(
    rf"\bclEnumVal(?P<named>N?)\s*\((?P<constant>[^,]+),\s*"
    rf"(?P<keyword>(?:{_STRING.pattern}\s*)+(?=[,)])|)"
)


def choices(flags: str) -> tuple[Choice, ...]:
    """Return the values that `llvm::cl::values` lists in the flags of an option.

    Raises:
        UnknownCpp: If a keyword is not a string literal.

    Example:
        >>> choices('llvm::cl::values(clEnumValN(Mode::Fast, "fast", "Be fast, (really)."))')
        (Choice(constant='Mode::Fast', keyword='fast'),)
    """
    found = ((each["constant"].strip(), each) for each in _CHOICE.finditer(flags))
    # Without an `N`, the name of the constant is the keyword.
    return tuple(Choice(c, _string(each["keyword"]) if each["named"] else c) for c, each in found)


def choice_of(constant: str, among: tuple[Choice, ...]) -> str:
    """Return the keyword of the choice whose C++ constant is `constant`.

    Either constant may omit leading qualifiers, such as a namespace.

    Raises:
        UnknownCpp: If no choice has this constant.
    """
    parts = normalized(constant).split("::")
    for choice in among:
        others = normalized(choice.constant).split("::")
        length = min(len(parts), len(others))
        if parts[-length:] == others[-length:]:
            return choice.keyword
    raise UnknownCpp(constant)


# -- Values ----------------------------------------------------------------------------------

_INTEGER = re.compile(r"([-+]?)(0[xX][\da-fA-F]+|0|[1-9]\d*)([uUlL]*)")
_FLOAT = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)[fFlL]?")
_LIMIT = re.compile(r"(?:::)?std::numeric_limits<(.+)>::(max|min|lowest)\(\)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", '"': '"', "'": "'", "\\": "\\"}


def value(expression: str, type_name: str) -> bool | int | float | str:
    """Evaluate a C++ constant expression, and return the value as a Python object.

    Args:
        expression: The C++ expression.
        type_name: The name of the Python type, as returned by `python_type`.

    Raises:
        UnknownCpp: If the expression is neither a literal nor a numeric limit, or the Python type
            cannot represent the value.

    Example:
        >>> value("-1u", "UInt32"), value('"a" "b"', "str"), value("false", "bool")
        (4294967295, 'ab', False)
    """
    text = expression.strip()
    if type_name == "str":
        return _string(text)
    if type_name == "float":
        return _float(text)
    if type_name == "bool":
        return text == "true" if text in {"true", "false"} else bool(_integer(text))
    if type_name not in RANGES:
        raise UnknownCpp(expression)
    bounds = RANGES[type_name]
    found = _integer(text)
    if not bounds.minimum:
        found %= bounds.maximum + 1  # as C++ converts it
    if not bounds.minimum <= found <= bounds.maximum:
        raise UnknownCpp(expression)
    return found


def _integer(text: str) -> int:
    limit = _LIMIT.fullmatch(text)
    if limit:
        bounds = RANGES.get(python_type(limit[1]))
        if bounds is None:
            raise UnknownCpp(text)
        return bounds.maximum if limit[2] == "max" else bounds.minimum
    literal = _INTEGER.fullmatch(text)
    if not literal:
        raise UnknownCpp(text)
    sign, digits, suffix = literal.groups()
    found = int(f"{sign}{digits}", 0)
    if "u" in suffix.lower():
        found %= 2 ** (64 if "l" in suffix.lower() else 32)
    return found


def _float(text: str) -> float:
    literal = _FLOAT.fullmatch(text)
    if not literal:
        return float(_integer(text))
    return float(text.rstrip("fFlL"))


def _string(text: str) -> str:
    """Return the value of adjacent string literals."""
    parts = _STRING.findall(text)
    if not parts or _STRING.sub("", text).strip():
        raise UnknownCpp(text)
    return re.sub(r"\\(.)", _unescaped, "".join(parts), flags=re.DOTALL)


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1] not in _ESCAPES:
        raise UnknownCpp(escape[0])
    return _ESCAPES[escape[1]]
