"""Random programs: functions that compute, branch, loop, call, recurse, and use memory.

A program is a module whose function `entry` takes nothing, prints with `printI64` and
`printNewline`, and returns nothing. It ends, and nothing in it is undefined, so whatever a
correct pass does to it, it prints the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from random_programs.graphs import Graph
from random_programs.values import BUFFER, NUMBERS, SLOT, Values

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_STEPS = 3_000
"""About how many ops one call of a function may execute."""
_DEEPEST = 3
"""How many regions statements are nested in at most."""

_DIVISIONS = ("divui", "remui", "ceildivui", "divsi", "remsi", "floordivsi", "ceildivsi")

_HEAD: Final = """\
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%x: i64) {
  func.call @printI64(%x) : (i64) -> ()
  func.call @printNewline() : () -> ()
  func.return
}"""
_INPUTS = ((0, 1, 0), (-5, 3, 2), (2**31 - 1, -(2**63), 3))


@dataclass(frozen=True)
class Function:
    """A function that others may call.

    Attributes:
        name: Its symbol.
        parameters: The types of its parameters; the first counts down if it is recursive.
        results: The types of its results.
        steps: About how many ops a call executes.
        recursive: Whether its first parameter is how deep it may call itself.
    """

    name: str
    parameters: tuple[str, ...]
    results: tuple[str, ...]
    steps: int
    recursive: bool = False

    @property
    def type(self) -> str:
        """Its type as calls write it."""
        return f"({', '.join(self.parameters)}) -> ({', '.join(self.results)})"


def random_program(seed: int) -> str:
    """Return the program of a seed.

    Example:
        >>> random_program(7) == random_program(7)
        True
    """
    choose = Random(seed)  # noqa: S311 - repeatable inputs
    functions: list[Function] = []
    texts: list[str] = []
    for number in range(choose.randint(0, 3)):
        if choose.random() < 0.3:
            texts += _recursive_pair(choose, functions, number)
        else:
            kinds = (*NUMBERS, *NUMBERS, BUFFER, SLOT)
            signature = Function(
                f"f{number}",
                tuple(choose.choices(kinds, k=choose.randint(0, 3))),
                tuple(choose.choices(NUMBERS, k=choose.randint(0, 2))),
                0,
            )
            texts.append(_define(choose, functions, signature))
    main = Function("main", ("i32", "i64", "index", BUFFER), ("i32", "i64"), 0)
    texts.append(_define(choose, functions, main))
    choose.shuffle(texts)
    return "\n".join([_HEAD, *texts, _entry()]) + "\n"


def _entry() -> str:
    body = Values(Random(0))  # noqa: S311 - makes no choice
    for inputs in _INPUTS:
        values = [
            body.constant(kind, n) for kind, n in zip(("i32", "i64", "index"), inputs, strict=True)
        ]
        memory = body.make(f"memref.alloca() : {BUFFER}", BUFFER)
        places = [body.constant("index", place) for place in range(4)]
        for place in places:
            body.emit(f"memref.store {values[0]}, {memory}[{place}] : {BUFFER}")
        result = body.name()
        body.emit(
            f"{result}:2 = func.call @main({', '.join([*values, memory])})"
            f" : (i32, i64, index, {BUFFER}) -> (i32, i64)"
        )
        shown = [(f"{result}#0", "i32"), (f"{result}#1", "i64")]
        loads = [body.make(f"memref.load {memory}[{place}] : {BUFFER}", "i32") for place in places]
        shown += [(load, "i32") for load in loads]
        for value, kind in shown:
            body.emit(f"func.call @show({body.as_i64(value, kind)}) : (i64) -> ()")
    return "\n".join(["func.func @entry() {", *body.lines, "func.return", "}"])


def _define(choose: Random, functions: list[Function], signature: Function) -> str:
    """Return the text of a function, which later ones may call."""
    body = Body(choose, functions)
    head = body.start(signature, private=choose.random() < 0.7)
    if choose.random() < 0.4:
        Graph(body).fill(signature.results, "func.return")
    else:
        body.statements(choose.randint(3, 12))
        body.show_all(6)
        body.end("func.return", signature.results)
    functions.append(Function(signature.name, signature.parameters, signature.results, body.steps))
    return "\n".join([head, *body.lines, "}"])


def _recursive_pair(choose: Random, functions: list[Function], number: int) -> list[str]:
    """Return the texts of a function that calls itself, or of two that call each other."""
    names = [f"r{number}", f"q{number}"][: choose.randint(1, 2)]
    parameters = ("i32", *choose.choices(NUMBERS, k=choose.randint(0, 2)))
    results = tuple(choose.choices(NUMBERS, k=choose.randint(1, 2)))
    signatures = [Function(name, parameters, results, 0) for name in names]
    texts: list[str] = []
    steps = 0
    for index, signature in enumerate(signatures):
        body = Body(choose, functions)
        head = body.start(signature, private=choose.random() < 0.7)
        body.recurse(signatures[(index + 1) % len(signatures)])
        texts.append("\n".join([head, *body.lines, "}"]))
        steps += body.steps
    functions += [Function(name, parameters, results, 5 * steps, recursive=True) for name in names]
    return texts


class Body(Values):
    """The body of a function.

    Args:
        choose: Makes all choices.
        functions: What it may call.

    Attributes:
        steps: About how many ops it executes.
        times: About how often the ops that are added next are executed.
    """

    def __init__(self, choose: Random, functions: Sequence[Function]) -> None:
        super().__init__(choose)
        self.functions = functions
        self.steps = 0
        self.times = 1
        self._depth = 0

    def emit(self, text: str) -> None:
        """Add an op without results."""
        self.steps += self.times
        super().emit(text)

    def make(self, expression: str, kind: str, *, visible: bool = True) -> str:
        """Add an op with one result."""
        self.steps += self.times
        return super().make(expression, kind, visible=visible)

    def start(self, signature: Function, *, private: bool) -> str:
        """Bring the parameters into scope, and return the line that the function starts with."""
        names = [self.define(self.name(), kind) for kind in signature.parameters]
        pairs = zip(names, signature.parameters, strict=True)
        arguments = ", ".join(f"{name}: {kind}" for name, kind in pairs)
        results = f" -> ({', '.join(signature.results)})" if signature.results else ""
        word = "private " if private else ""
        mark = " attributes {no_inline}" if self.choose.random() < 0.1 else ""
        return f"func.func {word}@{signature.name}({arguments}){results}{mark} {{"

    def statements(self, count: int) -> None:
        """Add some statements."""
        plain = (*[self.compute_some] * 9, *[self.load, self.store] * 2, self.allocate, self.show)
        nesting = (self.call, self.branch, self.switch, self.count, self.repeat)
        nesting = (*nesting, self.execute, self.divide_if_possible, self.divide_in_loop)
        for _ in range(count):
            may_nest = self._depth < _DEEPEST and self.choose.random() < 0.25
            if self.steps < _MOST_STEPS:
                self.choose.choice(nesting if may_nest else plain)()

    def end(self, op: str, kinds: Sequence[str]) -> None:
        """Add a terminator that passes values on."""
        values = [self.value(kind) for kind in kinds]
        types = f" {', '.join(values)} : {', '.join(kinds)}" if kinds else ""
        self.emit(op + types)

    def compute_some(self) -> None:
        """Compute a few things, and perhaps print the last."""
        for _ in range(self.choose.randint(1, 4)):
            self.compute()
        if self.choose.random() < 0.3:
            self.show_all(1)

    def show(self) -> None:
        """Print a number."""
        kind = self.choose.choice(NUMBERS)
        number = self.as_i64(self.value(kind), kind)
        self.emit(f"func.call @show({number}) : (i64) -> ()")

    def show_all(self, most: int) -> None:
        """Print the newest numbers in scope."""
        known = [(value, kind) for kind in NUMBERS for value in self.known(kind)[-2:]]
        for value, kind in self.choose.sample(known, min(most, len(known))):
            self.emit(f"func.call @show({self.as_i64(value, kind)}) : (i64) -> ()")

    def call(self) -> None:
        """Call a function that does not take too long."""
        left = (_MOST_STEPS - self.steps) // self.times
        if found := [function for function in self.functions if function.steps < left]:
            callee = self.choose.choice(found)
            self._call(callee, self.masked("i32", 3) if callee.recursive else None)

    def _call(self, callee: Function, first: str | None) -> None:
        arguments = [] if first is None else [first]
        for kind in callee.parameters[len(arguments) :]:
            if not kind.startswith("memref"):
                arguments.append(self.value(kind))
                continue
            while not self.known(kind):
                self.allocate()
            arguments.append(self.choose.choice(self.known(kind)))
        names = [self.name() for _ in callee.results]
        left = f"{', '.join(names)} = " if names else ""
        self.emit(f"{left}func.call @{callee.name}({', '.join(arguments)}) : {callee.type}")
        self.steps += self.times * callee.steps
        self._define_all(names, callee.results)

    def recurse(self, callee: Function) -> None:
        """Be the body of a function that calls another, with less left to do."""
        left = self.known("i32")[0]
        self.statements(self.choose.randint(1, 5))
        zero, one = self.constant("i32", 0), self.constant("i32", 1)
        more = self.make(f"arith.cmpi sgt, {left}, {zero} : i32", "i1", visible=False)
        names = [self.name() for _ in callee.results]
        kinds = ", ".join(callee.results)
        self.emit(f"{', '.join(names)} = scf.if {more} -> ({kinds}) {{")
        self.push()
        less = self.make(f"arith.subi {left}, {one} : i32", "i32")
        self.statements(self.choose.randint(0, 3))
        self._call(callee, less)
        self.end("scf.yield", callee.results)
        self.pop()
        self.emit("} else {")
        self._region(3, "scf.yield", callee.results)
        self.emit("}")
        self._define_all(names, callee.results)
        self.statements(self.choose.randint(0, 3))
        self.end("func.return", callee.results)

    def _region(self, most: int, terminator: str, kinds: Sequence[str]) -> None:
        """Add statements in a scope of their own, and what ends them."""
        self._depth += 1
        self.push()
        self.statements(self.choose.randint(0, max(most - 2 * self._depth, 1)))
        self.end(terminator, kinds)
        self.pop()
        self._depth -= 1

    def _results(self) -> tuple[list[str], list[str], str, str]:
        """Choose results of an op with regions: types, names, and both as ops write them."""
        kinds = self.choose.choices(NUMBERS, k=self.choose.randint(0, 2))
        names = [self.name() for _ in kinds]
        left = f"{', '.join(names)} = " if names else ""
        right = f" -> ({', '.join(kinds)})" if kinds else ""
        return kinds, names, left, right

    def _define_all(self, names: Sequence[str], kinds: Sequence[str]) -> None:
        for name, kind in zip(names, kinds, strict=True):
            self.define(name, kind)

    def branch(self) -> None:
        """Add an `scf.if`."""
        kinds, names, left, right = self._results()
        self.emit(f"{left}scf.if {self.value('i1')}{right} {{")
        self._region(6, "scf.yield", kinds)
        if kinds or self.choose.random() < 0.5:
            self.emit("} else {")
            self._region(6, "scf.yield", kinds)
        self.emit("}")
        self._define_all(names, kinds)

    def divide_if_possible(self) -> None:
        """Divide where a check says that it may be done, and nowhere else."""
        kind = self.choose.choice(("i32", "i64", "index"))
        a, b = self.value(kind), self.value(kind)
        zero = self.constant(kind, 0)
        op = self.choose.choice(_DIVISIONS)
        predicate = "sgt" if op.endswith("si") else "ne"
        flag = self.make(f"arith.cmpi {predicate}, {b}, {zero} : {kind}", "i1")
        name = self.name()
        self.emit(f"{name} = scf.if {flag} -> ({kind}) {{")
        result = self.make(f"arith.{op} {a}, {b} : {kind}", kind, visible=False)
        self.emit(f"scf.yield {result} : {kind}")
        self.emit("} else {")
        self.emit(f"scf.yield {self.choose.choice((a, b, zero))} : {kind}")
        self.emit("}")
        self.define(name, kind)

    def divide_in_loop(self) -> None:
        """Divide in a loop that runs no iteration where that may not be done."""
        kind = self.choose.choice(("i32", "i64", "index"))
        a, b, zero = self.value(kind), self.value(kind), self.constant(kind, 0)
        op = self.choose.choice(_DIVISIONS)
        predicate = "sgt" if op.endswith("si") else "ne"
        flag = self.make(f"arith.cmpi {predicate}, {b}, {zero} : {kind}", "i1", visible=False)
        once = self.make(f"arith.extui {flag} : i1 to i32", "i32", visible=False)
        high = self.make(f"arith.index_cast {once} : i32 to index", "index", visible=False)
        low, step = self.constant("index", 0), self.constant("index", 1)
        name, carried, variable = self.name(), self.name(), self.name()
        self.emit(
            f"{name} = scf.for {variable} = {low} to {high} step {step}"
            f" iter_args({carried} = {a}) -> ({kind}) {{"
        )
        result = self.make(f"arith.{op} {a}, {b} : {kind}", kind, visible=False)
        self.emit(f"scf.yield {result} : {kind}")
        self.emit("}")
        self.define(name, kind)

    def switch(self) -> None:
        """Add an `scf.index_switch`."""
        kinds, names, left, _ = self._results()
        right = f" -> {', '.join(kinds)}" if kinds else ""  # without the parentheses of others
        self.emit(f"{left}scf.index_switch {self.value('index')}{right}")
        for case in self.choose.sample((-1, 0, 1, 2, 3), self.choose.randint(0, 2)):
            self.emit(f"case {case} {{")
            self._region(6, "scf.yield", kinds)
            self.emit("}")
        self.emit("default {")
        self._region(6, "scf.yield", kinds)
        self.emit("}")
        self._define_all(names, kinds)

    def count(self) -> None:
        """Add an `scf.for` of at most three iterations."""
        kinds, names, left, right = self._results()
        low, step = self.constant("index", self.choose.randint(0, 1)), self.constant("index", 1)
        high = self.masked("index", 3)
        carried = [self.name() for _ in kinds]
        starts = [self.value(kind) for kind in kinds]
        pairs = ", ".join(f"{c} = {s}" for c, s in zip(carried, starts, strict=True))
        arguments = f" iter_args({pairs}){right}" if kinds else ""
        variable = self.name()
        self.emit(f"{left}scf.for {variable} = {low} to {high} step {step}{arguments} {{")
        self.times *= 3
        self.push()
        self.define(variable, "index")
        self._define_all(carried, kinds)
        self._region(6, "scf.yield", kinds)
        self.pop()
        self.times //= 3
        self.emit("}")
        self._define_all(names, kinds)

    def repeat(self) -> None:
        """Add an `scf.while` that counts down."""
        kinds, names, left, _ = self._results()
        kinds = ["i32", *kinds]
        names = [self.name(), *names]
        left = f"{', '.join(names)} = "
        starts = [self.masked("i32", 3), *(self.value(kind) for kind in kinds[1:])]
        before, after = ([self.name() for _ in kinds] for _ in range(2))
        pairs = ", ".join(f"{b} = {s}" for b, s in zip(before, starts, strict=True))
        types = ", ".join(kinds)
        self.emit(f"{left}scf.while ({pairs}) : ({types}) -> ({types}) {{")
        self.times *= 4
        self._depth += 1
        self.push()
        self._define_all(before[1:], kinds[1:])
        self.statements(self.choose.randint(0, 2))
        zero = self.constant("i32", 0)
        more = self.make(f"arith.cmpi sgt, {before[0]}, {zero} : i32", "i1", visible=False)
        if self.choose.random() < 0.3:
            more = self.make(f"arith.andi {more}, {self.value('i1')} : i1", "i1")
        passed = [before[0], *(self.value(kind) for kind in kinds[1:])]
        self.emit(f"scf.condition({more}) {', '.join(passed)} : {types}")
        self.pop()
        pairs = ", ".join(f"{a}: {kind}" for a, kind in zip(after, kinds, strict=True))
        self.emit("} do {")
        self.lines.append(f"^bb0({pairs}):")
        self.push()
        self._define_all(after, kinds)
        self.statements(self.choose.randint(0, 3))
        less = self.make(f"arith.subi {after[0]}, {self.constant('i32', 1)} : i32", "i32")
        passed = [less, *(self.value(kind) for kind in kinds[1:])]
        self.emit(f"scf.yield {', '.join(passed)} : {types}")
        self.pop()
        self._depth -= 1
        self.times //= 4
        self.emit("}")
        self._define_all(names, kinds)

    def execute(self) -> None:
        """Add an `scf.execute_region`, of one block or several."""
        kinds, names, left, right = self._results()
        self.emit(f"{left}scf.execute_region{right} {{")
        if self._depth < 2 and self.choose.random() < 0.6:
            self._depth += 1
            self.push()
            Graph(self).fill(kinds, "scf.yield")
            self.pop()
            self._depth -= 1
        else:
            self._region(6, "scf.yield", kinds)
        self.emit("}")
        self._define_all(names, kinds)
