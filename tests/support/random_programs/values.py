"""Random straight-line code: constants, arithmetic, comparisons and casts, all of it defined.

Nothing that is made here has undefined behaviour: divisors are not zero (nor minus one, where
that overflows), shifts are shorter than the type, and overflow is ruled out where a flag does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from random import Random

WIDTHS: Final = {"i1": 1, "i8": 8, "i32": 32, "i64": 64, "index": 64}
NUMBERS: Final = tuple(WIDTHS)
WIDE: Final = ("i8", "i32", "i64", "index")
BUFFER: Final = "memref<4xi32>"
SLOT: Final = "memref<i32>"

_PLAIN = (
    *("addi", "subi", "muli", "andi", "ori", "xori"),
    *("maxsi", "minsi", "maxui", "minui"),
)
_DIVISIONS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")
_SHIFTS = ("shli", "shrsi", "shrui")
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


class Values:
    """Emits ops and knows which values are in scope.

    Args:
        choose: Makes all choices.

    Attributes:
        lines: The ops so far.
        scopes: Values by type, the innermost scope last.
    """

    def __init__(self, choose: Random) -> None:
        self.choose = choose
        self.lines: list[str] = []
        self.scopes: list[dict[str, list[str]]] = [{}]
        self._repeated: list[list[tuple[str, str]]] = [[]]
        self._names = 0
        self._only_constants = False

    def push(self, scope: dict[str, list[str]] | None = None) -> None:
        """Open a scope, empty or with what was in scope before."""
        self.scopes.append(scope or {})
        self._repeated.append([])

    def pop(self) -> dict[str, list[str]]:
        """Close the innermost scope and return what it held."""
        self._repeated.pop()
        return self.scopes.pop()

    def name(self) -> str:
        """Return a new name of a value."""
        self._names += 1
        return f"%v{self._names}"

    def define(self, name: str, kind: str) -> str:
        """Bring a value into scope."""
        self.scopes[-1].setdefault(kind, []).append(name)
        return name

    def known(self, kind: str) -> list[str]:
        """Return the values of a type that are in scope."""
        return [value for scope in self.scopes for value in scope.get(kind, ())]

    def emit(self, text: str) -> None:
        """Add an op without results."""
        self.lines.append(text)

    def make(self, expression: str, kind: str, *, visible: bool = True) -> str:
        """Add an op with one result, which others may use if it is visible."""
        name = self.name()
        self.lines.append(f"{name} = {expression}")
        return self.define(name, kind) if visible else name

    def again(self, expression: str, kind: str, *, visible: bool = True) -> str:
        """Add an op that may stand a second time where it is in scope."""
        if visible:
            self._repeated[-1].append((expression, kind))
        return self.make(expression, kind, visible=visible)

    def constant(self, kind: str, number: int | None = None) -> str:
        """Return a constant, by default one near the ends of its type or near zero."""
        if kind == "i1":
            flag = self.choose.random() < 0.5 if number is None else bool(number)
            return self.make(f"arith.constant {str(flag).lower()}", kind)
        if number is None:
            top = 1 << (WIDTHS[kind] - 1)
            special = (-top, 1 - top, -2, -1, 0, 0, 1, 1, 2, 3, 7, 8, top - 1)
            number = self.choose.choice((*special, self.choose.randrange(-top, top)))
        return self.make(f"arith.constant {number} : {kind}", kind)

    def value(self, kind: str) -> str:
        """Return a value of a type, new or in scope."""
        known = self.known(kind)
        if not known or self._only_constants or self.choose.random() < 0.15:
            return self.constant(kind)
        # Mostly new ones: chains of ops, so that much of a program reaches what it prints.
        return self.choose.choice(known[-4:] if self.choose.random() < 0.6 else known)

    def masked(self, kind: str, mask: int) -> str:
        """Return a value that has no bits outside of `mask`."""
        if self.choose.random() < 0.3:
            return self.constant(kind, self.choose.randrange(mask + 1))
        bits = self.constant(kind, mask)
        return self.again(f"arith.andi {self.value(kind)}, {bits} : {kind}", kind, visible=False)

    def positive(self, kind: str) -> str:
        """Return a value from 1 to 127."""
        one = self.constant(kind, 1)
        return self.again(
            f"arith.ori {self.masked(kind, 126)}, {one} : {kind}", kind, visible=False
        )

    def compute(self) -> None:
        """Add one op that computes something."""
        repeated = [entry for scope in self._repeated for entry in scope]
        if repeated and self.choose.random() < 0.15:
            self.make(*self.choose.choice(repeated))
            return
        kinds = (
            self._plain,
            self._plain,
            self._plain,
            self._division,
            self._shift,
            self._compare,
            self._compare,
            self._cast,
            self._cast,
            self._select,
            self._exact,
            self._extended,
        )
        self._only_constants = self.choose.random() < 0.3
        self.choose.choice(kinds)()
        self._only_constants = False

    def _plain(self) -> None:
        kind = self.choose.choice(NUMBERS)
        a, b = self.value(kind), self.value(kind)
        self.again(f"arith.{self.choose.choice(_PLAIN)} {a}, {b} : {kind}", kind)

    def _division(self) -> None:
        kind = self.choose.choice(WIDE)
        a, b = self.value(kind), self.positive(kind)
        self.again(f"arith.{self.choose.choice(_DIVISIONS)} {a}, {b} : {kind}", kind)

    def _shift(self) -> None:
        kind = self.choose.choice(WIDE)
        a, b = self.value(kind), self.masked(kind, WIDTHS[kind] - 1)
        self.again(f"arith.{self.choose.choice(_SHIFTS)} {a}, {b} : {kind}", kind)

    def _compare(self) -> None:
        kind = self.choose.choice(NUMBERS)
        a, b = self.value(kind), self.value(kind)
        self.again(f"arith.cmpi {self.choose.choice(_PREDICATES)}, {a}, {b} : {kind}", "i1")

    def _cast(self) -> None:
        source, target = self.choose.sample(NUMBERS, 2)
        if "index" in (source, target):
            op = "index_cast"
        elif WIDTHS[source] > WIDTHS[target]:
            op = "trunci"
        else:
            op = self.choose.choice(("extsi", "extui"))
        self.again(f"arith.{op} {self.value(source)} : {source} to {target}", target)

    def _select(self) -> None:
        kind = self.choose.choice(NUMBERS)
        flag, a, b = self.value("i1"), self.value(kind), self.value(kind)
        self.again(f"arith.select {flag}, {a}, {b} : {kind}", kind)

    def _exact(self) -> None:
        """Compute on small numbers, with flags that say that nothing overflows."""
        kind = self.choose.choice(("i32", "i64", "index"))
        a, b = self.masked(kind, 127), self.masked(kind, 127)
        op = self.choose.choice(("addi", "muli"))
        flags = self.choose.choice(("nsw", "nuw", "nsw, nuw"))
        self.again(f"arith.{op} {a}, {b} overflow<{flags}> : {kind}", kind)

    def _extended(self) -> None:
        kind = self.choose.choice(("i8", "i32", "i64"))
        op = self.choose.choice(("addui", "mulsi", "mului"))
        second = "i1" if op == "addui" else kind
        types = f"{kind}, i1" if op == "addui" else kind
        low, high = self.name(), self.name()
        a, b = self.value(kind), self.value(kind)
        self.emit(f"{low}, {high} = arith.{op}_extended {a}, {b} : {types}")
        self.define(low, kind)
        self.define(high, second)

    def as_i64(self, name: str, kind: str) -> str:
        """Return a number as an `i64`."""
        if kind == "i64":
            return name
        op = "index_cast" if kind == "index" else "extui" if kind == "i1" else "extsi"
        return self.make(f"arith.{op} {name} : {kind} to i64", "i64", visible=False)

    def load(self) -> None:
        """Read from memory in scope, if there is any."""
        kind = self.choose.choice((BUFFER, SLOT))
        if known := self.known(kind):
            memory = self.choose.choice(known)
            self.again(f"memref.load {memory}[{self._index(kind)}] : {kind}", "i32")

    def store(self) -> None:
        """Write to memory in scope, if there is any."""
        kind = self.choose.choice((BUFFER, SLOT))
        if known := self.known(kind):
            memory, value = self.choose.choice(known), self.value("i32")
            self.emit(f"memref.store {value}, {memory}[{self._index(kind)}] : {kind}")

    def allocate(self) -> str:
        """Make memory, and write all of it."""
        kind = self.choose.choice((BUFFER, SLOT, SLOT))
        op = self.choose.choice(("alloca", "alloca", "alloc"))
        memory = self.make(f"memref.{op}() : {kind}", kind, visible=False)
        places = [self.constant("index", i) for i in range(4)] if kind == BUFFER else [""]
        for place in places:
            self.emit(f"memref.store {self.value('i32')}, {memory}[{place}] : {kind}")
        return self.define(memory, kind)

    def _index(self, kind: str) -> str:
        return self.masked("index", 3) if kind == BUFFER else ""
