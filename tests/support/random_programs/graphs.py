"""Random control flow: blocks that branch forwards at will, and backwards a few times only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from random_programs.values import NUMBERS, SLOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from random_programs.generator import Body


class Graph:
    """Blocks and branches that fill a region."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._choose = body.choose
        count = self._choose.randint(2, 6)
        self._targets = [self._successors(block, count) for block in range(count)]
        self._dominators = _dominators(self._targets)
        self._labels = [f"^b{body.name()[2:]}" for _ in range(count)]
        self._parameters = [
            self._choose.choices(NUMBERS, k=self._choose.randint(0, 2)) if block else []
            for block in range(count)
        ]
        self._fuel = ""

    def _successors(self, block: int, count: int) -> list[int]:
        """Choose where a block branches to; going back is the first of three."""
        if block == count - 1:
            return []
        later = [
            self._choose.randrange(block + 1, count) for _ in range(self._choose.randint(1, 3))
        ]
        if block and len(later) == 1 and self._choose.random() < 0.4:
            return [self._choose.randint(1, block), *later]
        return later

    def fill(self, kinds: Sequence[str], terminator: str) -> None:
        """Add all blocks."""
        body = self._body
        three = body.constant("i32", 3)
        self._fuel = body.make(f"memref.alloca() : {SLOT}", SLOT, visible=False)
        body.emit(f"memref.store {three}, {self._fuel}[] : {SLOT}")
        scopes: list[dict[str, list[str]]] = []
        body.times *= 4
        for block, parameters in enumerate(self._parameters):
            if block:
                names = [body.name() for _ in parameters]
                pairs = ", ".join(f"{n}: {k}" for n, k in zip(names, parameters, strict=True))
                body.lines.append(
                    f"{self._labels[block]}({pairs}):" if pairs else f"{self._labels[block]}:"
                )
                above = [scopes[other] for other in self._dominators[block] if other < block]
                body.push(_merged(above))
                body.push()
                for name, kind in zip(names, parameters, strict=True):
                    body.define(name, kind)
            else:
                body.push()
                body.push()
            body.statements(self._choose.randint(0, 3))
            body.show_all(1)
            if self._targets[block]:
                self._branch(block)
            else:
                body.end(terminator, kinds)
            scopes.append(body.pop())
            body.pop()
        body.times //= 4

    def _branch(self, block: int) -> None:
        body, targets = self._body, self._targets[block]
        if targets[0] <= block:
            zero, one = body.constant("i32", 0), body.constant("i32", 1)
            left = body.make(f"memref.load {self._fuel}[] : {SLOT}", "i32", visible=False)
            less = body.make(f"arith.subi {left}, {one} : i32", "i32", visible=False)
            body.emit(f"memref.store {less}, {self._fuel}[] : {SLOT}")
            flag = body.make(f"arith.cmpi sgt, {left}, {zero} : i32", "i1", visible=False)
            body.emit(f"cf.cond_br {flag}, {self._to(targets[0])}, {self._to(targets[1])}")
        elif len(targets) == 1:
            body.emit(f"cf.br {self._to(targets[0])}")
        elif len(targets) == 2:
            flag = body.value("i1")
            body.emit(f"cf.cond_br {flag}, {self._to(targets[0])}, {self._to(targets[1])}")
        else:
            flag = body.value("i32")
            default, *cases = (self._to(target) for target in targets)
            values = self._choose.sample((-1, 0, 1, 2), len(cases))
            rows = [f"{value}: {case}" for value, case in zip(values, cases, strict=True)]
            body.emit(f"cf.switch {flag} : i32, [default: {default}, {', '.join(rows)}]")

    def _to(self, target: int) -> str:
        kinds = self._parameters[target]
        if not kinds:
            return self._labels[target]
        values = ", ".join(self._body.value(kind) for kind in kinds)
        return f"{self._labels[target]}({values} : {', '.join(kinds)})"


def _merged(scopes: Sequence[dict[str, list[str]]]) -> dict[str, list[str]]:
    merged: dict[str, list[str]] = {}
    for scope in scopes:
        for kind, names in scope.items():
            merged.setdefault(kind, []).extend(names)
    return merged


def _dominators(targets: Sequence[Sequence[int]]) -> list[set[int]]:
    """Return what dominates each block; of one that is never reached, only the entry."""
    everything = set(range(len(targets)))
    found = [{0}, *(set(everything) for _ in targets[1:])]
    changed = True
    while changed:
        changed = False
        for block in range(1, len(targets)):
            before = [found[other] for other, after in enumerate(targets) if block in after]
            new = (set[int].intersection(*before) if before else set(everything)) | {block}
            changed |= new != found[block]
            found[block] = new
    return [{0, block} if len(each) == len(targets) else each for block, each in enumerate(found)]
