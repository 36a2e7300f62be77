"""Random modules that no frontend would write, but that parsers take.

Values are used before they are defined, blocks cannot be reached, regions are dead, symbols are
there twice. Nothing holds but what the generic form asks for: most modules are not valid.
"""

from __future__ import annotations

from itertools import count
from random import Random
from typing import Final, NamedTuple

_DEEPEST: Final = 3
"""How many regions ops are nested in at most."""

_ATTRIBUTES: Final = ("", "", " {a = 1 : i32}", " {b, a = 1 : i64}", " {sym = @f0}")


class _Op(NamedTuple):
    """An op without regions.

    Attributes:
        name: Its name.
        operands: The types of its operands.
        results: The types of its results.
        properties: Texts of properties, of which one is taken.
    """

    name: str
    operands: tuple[str, ...]
    results: tuple[str, ...] = ()
    properties: tuple[str, ...] = ("",)


_MEMORY: Final = "memref<4xi32>"
_NO_OVERFLOW: Final = (" <{overflowFlags = #arith.overflow<none>}>",)
_OPS: Final = (
    *(
        _Op(f"arith.{name}", (kind, kind), (kind,), flags)
        for names, flags in (
            (("addi", "subi", "muli", "shli"), _NO_OVERFLOW),
            (("andi", "ori", "xori", "minsi", "divsi", "remui"), ("",)),
        )
        for name in names
        for kind in ("i32", "index")
    ),
    *(
        _Op("arith.constant", (), (kind,), tuple(f" <{{value = {n} : {kind}}}>" for n in range(3)))
        for kind in ("i32", "i32", "index", "index", "i64")
        for _ in range(4)
    ),
    _Op("arith.constant", (), ("f32",), (" <{value = -0.0 : f32}>", " <{value = 0.0 : f32}>")),
    _Op("arith.cmpi", ("i32", "i32"), ("i1",), tuple(f" <{{predicate = {n}}}>" for n in range(10))),
    _Op("arith.select", ("i1", "index", "index"), ("index",)),
    _Op("memref.alloc", (), (_MEMORY,), (" <{operandSegmentSizes = array<i32: 0, 0>}>",)),
    *2 * (_Op("memref.load", (_MEMORY, "index"), ("i32",)),),
    _Op("memref.store", ("i32", _MEMORY, "index")),
    *2 * (_Op("test.pureop", ("i32", "i1"), ("i32", "i64"), _ATTRIBUTES),),
    _Op("test.op", ("i32",), ("i32",), _ATTRIBUTES),
    _Op("test.op", ("i64", "index")),
    _Op("un.known", ("i32",), ("i1",), _ATTRIBUTES),
    _Op("func.call", ("i32",), (), (" <{callee = @f0}>",)),
)

_Scope = dict[str, list[str]]
"""Names of values that can be used, by their types."""


def odd_module(seed: int) -> str:
    """Return the text of a module, the same for the same seed.

    Example:
        >>> odd_module(1).splitlines()[0]
        '"builtin.module"() ({'
    """
    return _Writer(seed).module()


class _Writer:
    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - a seed gives the same module each time
        self._numbers = count()
        self._lines: list[str] = []
        self._later: list[tuple[str, str]] = []  # names that have been used, with their types

    def module(self) -> str:
        self._isolated("builtin.module", "", 0)
        return "\n".join(self._lines)

    def _isolated(self, name: str, properties: str, depth: int) -> None:
        """Write an op whose regions see no values from outside."""
        outer, self._later = self._later, []
        self._lines.append(f'"{name}"(){properties} ({{')
        if name == "func.func":
            argument = self._new("i32", scope := _Scope())
            self._blocks(scope, depth, "func.return", f"{argument}: i32")
        else:
            self._ops({}, depth, 12)
            self._define_later()
        self._lines.append("}) : () -> ()")
        self._later = outer

    def _blocks(self, scope: _Scope, depth: int, end: str, arguments: str = "") -> None:
        """Write blocks, of which any may be unreachable, and jumps from each to any other."""
        first, number = next(self._numbers), self._random.choice((1, 1, 2, 3))
        for n in range(number):
            here = {kind: [*names] for kind, names in scope.items()}
            if n:
                arguments = f"{self._new('i32', here)}: i32"
            self._lines.append(f"^b{first}_{n}({arguments}):" if arguments else f"^b{first}_{n}:")
            self._ops(here, depth, 5)
            if n == 0 and end == "func.return":
                self._define_later()
            value = self._use("i32", here)
            if number > 1 and self._random.random() < 0.6:
                target = f"^b{first}_{self._random.randrange(1, number)}"
                self._lines.append(f'"cf.br"({value}) [{target}] : (i32) -> ()')
            elif end == "func.return":
                self._lines.append(f'"func.return"({value}) : (i32) -> ()')
            else:
                self._lines.append(f'"{end}"() : () -> ()')
        if end == "func.return" and self._later:  # what the last blocks have used
            self._lines.append(f"^b{first}_{number}:")
            self._define_later()
            self._lines.append('"test.termop"() : () -> ()')

    def _ops(self, scope: _Scope, depth: int, most: int) -> None:
        for _ in range(self._random.randint(0, most)):
            if depth < _DEEPEST and self._random.random() < 0.2:
                self._random.choice((self._if, self._region, self._function))(scope, depth + 1)
            else:
                self._op(self._random.choice(_OPS), scope)

    def _op(self, op: _Op, scope: _Scope) -> None:
        operands = [self._use(kind, scope) for kind in op.operands]
        names = [self._new(kind, scope) for kind in op.results]
        results = f"{', '.join(names)} = " if names else ""
        self._lines.append(
            f'{results}"{op.name}"({", ".join(operands)}){self._random.choice(op.properties)} : '
            f"({', '.join(op.operands)}) -> ({', '.join(op.results)})"
        )

    def _if(self, scope: _Scope, depth: int) -> None:
        self._lines.append(f'"scf.if"({self._use("i1", scope)}) ({{')
        self._ops({kind: [*names] for kind, names in scope.items()}, depth, 3)
        self._lines.append('"scf.yield"() : () -> ()\n}, {\n}) : (i1) -> ()')

    def _region(self, scope: _Scope, depth: int) -> None:
        name = self._random.choice(("test.op", "test.pureop", "un.region"))
        self._lines.append(f'"{name}"() ({{')
        self._blocks(scope, depth, "test.termop")
        self._lines.append("}) : () -> ()")

    def _function(self, scope: _Scope, depth: int) -> None:
        symbol = f"f{self._random.choice((0, next(self._numbers)))}"
        visibility = self._random.choice(("", ', sym_visibility = "private"'))
        properties = f'sym_name = "{symbol}", function_type = (i32) -> i32{visibility}'
        self._isolated("func.func", f" <{{{properties}}}>", depth)

    def _new(self, kind: str, scope: _Scope) -> str:
        name = f"%v{next(self._numbers)}"
        scope.setdefault(kind, []).append(name)
        return name

    def _use(self, kind: str, scope: _Scope) -> str:
        """Return a value of a type: mostly one of the last, at times one that is defined later."""
        if scope.get(kind) and self._random.random() < 0.9:
            return self._random.choice(scope[kind][-6:])
        self._later.append((f"%later{next(self._numbers)}", kind))
        return self._later[-1][0]

    def _define_later(self) -> None:
        for name, kind in self._later:
            self._lines.append(f'{name} = "test.pureop"() : () -> {kind}')
        self._later = []
