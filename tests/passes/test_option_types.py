"""How values of each type are read, printed and checked."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any, Literal

import pytest

from passel import DefinitionError, OpPassManager, OptionError, Options
from passel.passes.numbers import Int64, IntRange, UInt32
from passel.passes.option_types import codec_for


class Shade(Enum):
    """Has strings for values: its keywords."""

    LIGHT = "light-ish"
    DARK = "dark"


class Number(Enum):
    """Has other values: its names are the keywords."""

    ONE_HALF = 0.5
    TWO = 2


class Point:
    """A class that reads and prints itself."""

    option_metavar = "<x/y>"

    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self) -> int:
        return hash((self.x, self.y))

    @classmethod
    def from_option_text(cls, text: Any, scope: Any) -> Point:  # noqa: ARG003 - the contract
        """Read `x/y`."""
        x, y = text.text.split("/")
        return cls(int(x), int(y))

    def to_option_text(self, *, all_options: bool) -> str:
        """Print `x/y`."""
        return f"{self.x}/{self.y}"


class Size(Options):
    """A nested struct."""

    width: int = 1
    label: str = ""


class All(Options):
    """One option of each type."""

    b: bool = False
    i: int = 0
    f: float = 0.0
    s: str = ""
    lit: Literal["fast", "slow", 3] = "fast"
    shade: Shade = Shade.DARK
    number: Number = Number.TWO
    ints: tuple[int, ...] = ()
    strs: tuple[str, ...] = ()
    flags: tuple[bool, ...] = ()
    nested: tuple[tuple[int, ...], ...] = ()
    maybe: int | None = 0
    maybe_s: str | None = ""
    maybe_b: bool | None = False
    maybe_lit: Literal["none", "some"] | None = "some"
    size: Size = Size()
    sizes: tuple[Size, ...] = ()
    point: Point = Point(0, 0)
    pm: OpPassManager = OpPassManager("m").frozen()
    count: UInt32 = 0
    die: Annotated[int, "noted", IntRange(1, 6)] = 6
    offsets: tuple[Int64 | None, ...] = ()
    noted: Annotated[str, "a note that is nobody's"] = ""


HELD = OpPassManager("m").add(OpPassManager("f")).frozen()
VALUES: list[tuple[str, dict[str, Any]]] = [
    # Flags.
    ("b", {"b": True, "b=": True, "b=true b=false": False}),
    ("b", {f"b={text}": True for text in ("true", "TRUE", "True", "1")}),
    ("b", {f"b={text}": False for text in ("false", "FALSE", "False", "0")}),
    # Integers.
    ("i", {"i=7": 7, "i=-7": -7, "i=0x1F": 31, "i=0b101": 5, "i=017": 15, "i=-0x10": -16}),
    ("i", {"i=0": 0, "i=00": 0, "i={7}": 7, "i=' 7 '": 7, "i=1 i=2": 2}),
    ("count", {"count=0xffffffff": 2**32 - 1}),
    ("die", {"die=1": 1}),
    ("offsets", {"offsets={-1,none}": (-1, None)}),
    ("noted", {"noted=x": "x"}),
    # Floating point numbers.
    ("f", {"f=1": 1.0, "f=1.5": 1.5, "f=.5": 0.5, "f=5.": 5.0, "f=-1e3": -1000.0, "f=1E-2": 0.01}),
    ("f", {"f=0x1p4": 16.0, "f=inf": math.inf, "f=-INF": -math.inf}),
    ("f", {"f=1e999": math.inf, "f=0x1p99999": math.inf}),
    # Strings and choices.
    ("s", {"s=x": "x", "s=": "", "s={x y}": "x y", "s=' x '": " x "}),
    ("lit", {"lit=slow": "slow", "lit=3": 3}),
    ("shade", {"shade=light-ish": Shade.LIGHT}),
    ("number", {"number=one-half": Number.ONE_HALF}),
    # Lists.
    ("ints", dict.fromkeys(("ints={1,2}", 'ints="1,2"', "ints='1,2'", "ints=1,2"), (1, 2))),
    ("ints", {"ints={ 1 , 2 }": (1, 2), "ints=": (), "ints={}": (), "ints=1 ints=2,3": (1, 2, 3)}),
    ("strs", {"strs={a,b},c": ("a,b", "c"), "strs=1,,2": ("1", "", "2"), 'strs={""}': ("",)}),
    ("strs", {"strs=f(a,b),[c,d],'e,f'": ("f(a,b)", "[c,d]", "e,f"), 'strs={"a}",b}': ("a}", "b")}),
    ("flags", {"flags=1,false": (True, False)}),
    ("nested", {"nested={{1,2},{},{3}}": ((1, 2), (), (3,)), "nested={{1,2}}": ((1, 2),)}),
    # Optional values.
    ("maybe", {"maybe": None, "maybe=none": None, "maybe=5": 5}),
    ("maybe_s", {"maybe-s=none": None, 'maybe-s="none"': "none", "maybe-s=x": "x"}),
    ("maybe_b", {"maybe-b": True, "maybe-b=none": None}),
    ("maybe_lit", {"maybe-lit=none": None, 'maybe-lit="none"': "none"}),
    # Structs, classes of one's own, pipelines.
    ("size", {"size={width=3 label={a b}}": Size(width=3, label="a b"), "size={}": Size()}),
    ("size", {"size={width=3} size={label=x}": Size(label="x")}),
    ("sizes", {"sizes={{width=1},{label=x}}": (Size(), Size(label="x"))}),
    ("point", {"point=3/4": Point(3, 4)}),
    ("pm", {"pm=m(f())": HELD, "pm={ m( f( ) ) }": HELD}),
]


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [(field, text, value) for field, values in VALUES for text, value in values.items()],
)
def test_values_are_read(field: str, text: str, value: Any) -> None:
    """Text is read as MLIR reads it, and what is read prints so that it reads back equal."""
    options = All.parse(text)
    read = getattr(options, field)
    assert (read, type(read)) == (value, type(value))
    again = All.parse(options.option_text())
    assert again == options
    assert type(getattr(again, field)) is type(value)
    assert All.parse(options.option_text(all_options=True)) == options


def test_nan_is_read_and_printed() -> None:
    """NaN reads back, though it does not equal itself."""
    assert All(f=All.parse("f=nan").f).option_text() == "f=nan"


NO_NUMBERS = ("", "abc", "08", "1_0", "\u0661")
LONG = "expected -9223372036854775808 to 9223372036854775807, got 9223372036854775808"
WRONG: list[tuple[str, str, str]] = [
    ("b=x", "'x' is invalid value for boolean argument! Try 0 or 1", "x"),
    ("b=x b=1", "'x' is invalid value for boolean argument! Try 0 or 1", "x"),
    ("i", "requires a value!", "i"),
    *((f"i={text}", f"'{text}' value invalid for integer argument!", text) for text in NO_NUMBERS),
    ("count=-1", "expected 0 to 4294967295, got -1", "-1"),
    ("offsets={0x8000000000000000}", LONG, "0x8000000000000000"),
    ("f=x", "'x' value invalid for floating point argument!", "x"),
    ("f=\u0661", "'\u0661' value invalid for floating point argument!", "\u0661"),
    ("lit=fats", "'fats' is not one of fast, slow, 3; did you mean 'fast'?", "fats"),
    ("shade=LIGHT", "'LIGHT' is not one of light-ish, dark", "LIGHT"),
    ("ints", "requires a value!", "ints"),
    ("ints=1,,2", "'' value invalid for integer argument!", ""),
    ("ints={1,x}", "'x' value invalid for integer argument!", "x"),
    ("maybe=x", "'x' value invalid for integer argument!", "x"),
    ("size", "requires a value!", "size"),
    ("point=3", "not enough values to unpack (expected 2, got 1)", "3"),
    ("point", "requires a value!", "point"),
]
WRONG_INSIDE = [
    ("size={widht=1}", "no such option 'widht' for 'Size'; did you mean 'width'?", "widht"),
    ("size={width=x}", "option 'width' of 'Size': 'x' value invalid for integer argument!", "x"),
    ("pm=m(", "expected the name of a pass or pipeline here", ""),
    ("pm=m", "expected pass pipeline to be wrapped with the anchor operation type, e.g. ", "m"),
    ("pm=m(no-pass)", "'no-pass' does not refer to a registered pass or pass pipeline", "no-pass"),
]


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        *((t, f"option '{t.partition('=')[0]}' of All: {m}", marked) for t, m, marked in WRONG),
        *WRONG_INSIDE,
    ],
)
def test_wrong_values(text: str, message: str, marked: str) -> None:
    """Each way for a value to be wrong has its message, at its place."""
    with pytest.raises(OptionError) as info:
        All.parse("  " + text)
    (problem,) = info.value.problems
    assert problem.message.startswith(message)
    assert problem.span is not None
    assert problem.span.text == marked
    assert problem.span.source.text == "  " + text


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("b", 1, "expected bool, got 1"),
        ("i", True, "expected int, got True"),
        ("i", 1.0, "expected int, got 1.0"),
        ("count", -1, "expected 0 to 4294967295, got -1"),
        ("die", 0, "expected 1 to 6, got 0"),
        ("f", True, "expected float, got True"),
        ("f", 10**400, "int too large to convert to float"),
        ("s", 3, "expected str, got 3"),
        ("lit", "x", "expected one of fast, slow, 3, got 'x'"),
        ("shade", "dark", "expected one of light-ish, dark, got 'dark'"),
        ("ints", 1, "expected a tuple, got 1"),
        ("ints", "1", "expected a tuple, got '1'"),
        ("ints", (1, "2"), "expected int, got '2'"),
        ("maybe", "1", "expected int, got '1'"),
        ("size", {"width": 1}, "expected Size, got {'width': 1}"),
        ("point", 1, "expected Point, got 1"),
        ("pm", "m()", "expected OpPassManager, got 'm()'"),
    ],
)
def test_python_values_are_checked(field: str, value: Any, message: str) -> None:
    """A value of another type is refused where the pass is made, by the option's name."""
    name = field.replace("_", "-")
    with pytest.raises(OptionError) as info:
        All(**{field: value})
    assert str(info.value) == f"option '{name}' of All: {message}"


def test_python_values_become_canonical() -> None:
    """An int becomes a float and lists become tuples, so that equal options are equal."""
    made: Any = All(f=1, ints=[1, 2], nested=[[1], []], maybe=None)  # pyright: ignore[reportArgumentType]
    assert (made.f, made.ints, made.nested, made.maybe) == (1.0, (1, 2), ((1,), ()), None)
    assert type(made.f) is float


@pytest.mark.parametrize(
    ("hint", "metavar"),
    [
        (bool, ""),
        (int, "<int>"),
        (UInt32, "<uint>"),
        (tuple[Int64, ...], "<long>,..."),
        (Annotated[int, IntRange(0, 9, "digit")], "<digit>"),
        (Annotated[int, IntRange(2, 64)], "<2..64>"),
        (float, "<number>"),
        (str, "<string>"),
        (Literal["a", "b"], "<a|b>"),
        (Number, "<one-half|two>"),
        (tuple[int, ...], "<int>,..."),
        (tuple[bool, ...], "<list>"),
        (int | None, "<int>"),
        (Point, "<x/y>"),
        (OpPassManager, "<pass-manager>"),
    ],
)
def test_types_have_a_placeholder_for_help(hint: Any, metavar: str) -> None:
    """Help shows what kind of value an option takes; a flag takes none."""
    assert codec_for(hint).metavar == metavar


UNREADABLE = "is not an option type, since text cannot be converted to it"


@pytest.mark.parametrize(
    "hint",
    [bytes, int | str, Callable[[int], int], list[int], tuple[int, str], tuple, dict[str, int]],
    ids=str,
)
def test_types_that_cannot_be_read_are_refused(hint: Any) -> None:
    """The error lists the types that options may have."""
    with pytest.raises(DefinitionError, match=UNREADABLE):
        codec_for(hint)
