"""Run functions in xDSL's interpreter, so that their results can be compared."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from math import prod
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.interpreter import Interpreter
from xdsl.interpreters import register_implementations
from xdsl.interpreters.builtin import xtype_for_el_type
from xdsl.interpreters.shaped_array import ShapedArray
from xdsl.interpreters.utils.ptr import TypedPtr
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import InterpretationError

from passel.search.oracle import NotComputedError, NotEndedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.context import Context
    from xdsl.ir import Operation

_INDEX_WIDTH = 64
_SEEDS = 4
_SMALL = 8
"""The upper bound of random indices, so that loops terminate and accesses are in range."""


class _Deadline(Interpreter.Listener):
    """A listener that stops a function when the time limit is exceeded."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = monotonic() + seconds

    def will_interpret_op(self, op: Operation, args: tuple[Any, ...]) -> None:
        """Raise an error if the time limit is exceeded."""
        if monotonic() > self._end:
            raise NotEndedError(f"takes longer than {self._seconds:g} s")


def computed(
    module: Operation,
    context: Context,
    symbol: str,
    arguments: str,
    seconds: float,
) -> list[str]:
    """Run a function, and return the arguments and results of each run as text.

    Args:
        module: The module that contains the function.
        context: The context of the module.
        symbol: The function's name.
        arguments: The function's arguments as a list of attributes, such as `1 : i32, 2.0 : f32`.
            If `arguments` is empty, the function runs several times on pseudo-random arguments.
            Every call of `computed` passes the same pseudo-random arguments to a function.
        seconds: The time limit for all runs together, in seconds.

    Raises:
        NotComputedError: If the module has no function `symbol` with a body, or if the interpreter
            fails on the function or its arguments.
        NotEndedError: If the runs exceed the time limit.
    """
    op = _bodies(module).get(symbol)
    if op is None or not isinstance(module, ModuleOp):
        raise NotComputedError("is not a function with a body in a module")
    runs = [Random(seed) for seed in range(1 if arguments else _SEEDS)]  # noqa: S311 - repeatable
    deadline = _Deadline(seconds)
    return [_run(module, context, op, arguments, numbers, deadline) for numbers in runs]


def functions(module: Operation) -> Sequence[str]:
    """Return the names of a module's functions that have a body."""
    return [*_bodies(module)]


def _bodies(module: Operation) -> dict[str, FuncOp]:
    ops = module.body.ops if isinstance(module, ModuleOp) else ()
    return {op.sym_name.data: op for op in ops if isinstance(op, FuncOp) and op.body.blocks}


def _run(
    module: ModuleOp,
    context: Context,
    op: FuncOp,
    text: str,
    numbers: Random,
    deadline: _Deadline,
) -> str:
    interpreter = Interpreter(
        module, index_bitwidth=_INDEX_WIDTH, file=(said := StringIO()), listeners=(deadline,)
    )
    register_implementations(interpreter, context)
    types = op.function_type.inputs.data
    try:
        if text:
            arguments = _given(interpreter, context, text, types)
        else:
            arguments = tuple(_random_argument(interpreter, each, numbers) for each in types)
        taken = ", ".join(map(_shown, arguments))
        with redirect_stdout(said):
            results = interpreter.call_op(op, arguments)
    except NotComputedError:
        raise
    except Exception as error:
        kind = "" if isinstance(error, InterpretationError) else f"{type(error).__name__}: "
        raise NotComputedError(f"{kind}{error}") from error
    text = f"({taken}) -> ({', '.join(map(_shown, results))})"
    if left := [_shown(each) for each in arguments if isinstance(each, ShapedArray)]:
        text += f", arguments after the call: ({', '.join(left)})"
    return text + f", output: {said.getvalue()!r}" * bool(said.getvalue())


def _given(
    interpreter: Interpreter, context: Context, text: str, types: Sequence[Attribute]
) -> tuple[Any, ...]:
    parser = Parser(context, text, "arguments")
    given = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_attribute)
    if len(given) != len(types):
        noun = "argument" if len(types) == 1 else "arguments"
        raise NotComputedError(f"takes {len(types)} {noun}, not {len(given)}")
    return tuple(map(interpreter.value_for_attribute, given, types))


def _shown(value: Any) -> str:
    if isinstance(value, Attribute):
        return str(value)
    return f"{value.shape} {value.data}" if isinstance(value, ShapedArray) else repr(value)  # pyright: ignore[reportUnknownMemberType] - of any elements


def _random_argument(interpreter: Interpreter, kind: Attribute, numbers: Random) -> Any:
    """Return a random argument, in the form that the interpreter expects."""
    value = _random_value(kind, numbers)
    if isinstance(kind, MemRefType | TensorType):
        return value
    make: Any = FloatAttr if isinstance(kind, AnyFloat) else IntegerAttr
    return interpreter.value_for_attribute(make(value, kind), kind)


def _random_value(kind: Attribute, numbers: Random) -> Any:
    if isinstance(kind, IntegerType):
        bits = numbers.getrandbits(kind.bitwidth)
        return bits - (1 << kind.bitwidth) if bits >> (kind.bitwidth - 1) else bits
    if isinstance(kind, IndexType):
        return numbers.randrange(_SMALL)
    if isinstance(kind, AnyFloat):
        return float(numbers.randrange(-_SMALL, _SMALL))
    if isinstance(kind, MemRefType | TensorType) and all(size >= 0 for size in kind.get_shape()):
        shaped = cast("MemRefType[Attribute] | TensorType[Attribute]", kind)
        element, shape = shaped.get_element_type(), list(shaped.get_shape())
        values = [_random_value(element, numbers) for _ in range(prod(shape))]
        xtype = xtype_for_el_type(element, _INDEX_WIDTH)
        return ShapedArray(TypedPtr[Any].new(values, xtype=xtype), shape)
    raise NotComputedError(f"takes a {kind}; give arguments, as in @name(1 : i32)")
