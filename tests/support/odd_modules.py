"""Random modules that no frontend would write."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from random_programs.generator import random_program
from xdsl_inputs import xdsl_context

from passel.xdsl import parse_source

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation, SSAValue


@lru_cache(1)
def _program(seed: int) -> Operation:
    return parse_source(xdsl_context(), random_program(seed), "random.mlir")


def odd_module(seed: int) -> Operation:
    """Return the longest functions of a random program, with ops, operands and branches moved.

    Values are used where they are not defined, blocks cannot be reached, much is dead. The same
    seed gives the same module.
    """
    random = Random(seed)  # noqa: S311 - repeatable
    module = _program(seed).clone()
    functions = sorted(module.regions[0].block.ops, key=lambda op: len([*op.walk()]))
    for function in functions[:-2]:
        function.detach()
    for function in functions[-2:]:
        values: dict[Attribute, list[SSAValue]] = defaultdict(list)
        for op in [*function.walk()]:
            for result in op.results:
                values[result.type].append(result)
            if op is function or (block := op.parent) is None or block.parent is None:
                continue
            for index, operand in enumerate(op.operands):
                if random.random() < 0.1:
                    op.operands[index] = random.choice([operand, *values[operand.type]])
            others = [*block.parent.blocks][1:]
            if op.successors and random.random() < 0.3:
                op.successors = [random.choice(others) for _ in op.successors]
            if op is not block.last_op and random.random() < 0.1:
                op.detach()
                block.insert_op_before(op, random.choice([*block.ops]))
    return module
