"""Programs before and after pipelines of passel's passes: they must compute the same."""

from __future__ import annotations

from functools import cache, lru_cache
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from claims import Analyse, snapshot

from passel import PassFailedError, PassManager
from passel.ir import PrintFlags
from passel.xdsl import XDSLAdapter, parse_source
from random_programs.execution import execute_all
from random_programs.generator import random_program

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.context import Context
    from xdsl.ir import Operation

    from passel import Diagnostic

ELEMENTS: Final = (
    "canonicalize",
    "canonicalize{top-down=false}",
    "canonicalize{max-iterations=1}",
    "canonicalize{max-num-rewrites=3 region-simplify=disabled}",
    "func.func(canonicalize)",
    "cse",
    "func.func(cse)",
    "dce",
    "func.func(dce)",
    "sccp",
    "func.func(sccp)",
    "mem2reg",
    "mem2reg{region-simplify=false}",
    "func.func(mem2reg)",
    "inline",
    "inline{default-pipeline={}}",
    "inline{default-pipeline={mem2reg,cse} max-iterations=2}",
    "inline{inlining-threshold=60}",
    "licm",
    "func.func(loop-invariant-code-motion)",
    "symbol-dce",
    "strip-debuginfo",
    "composite-fixed-point-pass{pipeline={canonicalize,cse,sccp}}",
    "composite-fixed-point-pass{pipeline={func.func(licm,mem2reg),inline,symbol-dce}}",
)
"""Parts of pipelines on a module: passel's own passes, with and without options."""


class Case(NamedTuple):
    """A program and what is done to it.

    Attributes:
        program: The module as text.
        pipeline: The elements of a pipeline on the module.
    """

    program: str
    pipeline: tuple[str, ...]


class Finding(NamedTuple):
    """A case that goes wrong.

    Attributes:
        case: The case.
        problem: What is wrong, starting with its kind: `passes`, `claims` or `computes`.
    """

    case: Case
    problem: str

    @property
    def kind(self) -> str:
        """What sort of problem it is."""
        return self.problem.partition(":")[0]

    def __str__(self) -> str:
        pipeline = ",".join(self.case.pipeline)
        return f"{self.problem}\n// builtin.module({pipeline})\n{self.case.program}"


def random_cases(seed: int, pipelines: int = 3) -> list[Case]:
    """Return a random program with random pipelines."""
    choose = Random(seed)  # noqa: S311 - repeatable inputs
    program = random_program(seed)
    return [
        Case(program, tuple(choose.choices(ELEMENTS, k=choose.choice((1, 1, 2, 3, 5)))))
        for _ in range(pipelines)
    ]


def check(cases: Iterable[Case]) -> list[Finding]:
    """Return what goes wrong, in the order of the cases."""
    findings: dict[Case, Finding] = {}
    after: dict[Case, str] = {}
    cases = list(cases)
    for case in cases:
        try:
            after[case] = transform(case)
        except PassFailedError as error:
            findings[case] = Finding(case, f"passes: {error}")
        except UntrueClaimError as error:
            findings[case] = Finding(case, f"claims: {error}")
    texts = list(dict.fromkeys([case.program for case in after] + list(after.values())))
    output = dict(zip(texts, execute_all(texts), strict=True))
    for case, text in after.items():
        expected, found = output[case.program], output[text]
        if not expected.startswith("failed:") and found != expected:
            message = f"computes: {found!r} instead of {expected!r}"
            findings[case] = Finding(case, message)
    return [findings[case] for case in cases if case in findings]


class UntrueClaimError(Exception):
    """A pass that said that it changed nothing did change something."""


def transform(case: Case) -> str:
    """Run a case's pipeline, with everything verified, and return the program after it.

    Raises:
        PassFailedError: A pass fails, or what it leaves is invalid, or an analysis that it
            preserves is not what it would be.
        UntrueClaimError: A pass changes the module and says that it did not.
    """
    context = _context()
    module = _parsed(case.program).clone()
    for element in case.pipeline:
        before = snapshot(module)
        manager = PassManager("builtin.module", context)
        manager.add(*[Analyse()] * (element is case.pipeline[-1]), element)
        manager.enable_verifier("always")
        manager.enable_analysis_verifier()
        result = manager.run(module, on_diagnostic=_ignore)
        if result.changed is False and snapshot(module) != before:
            raise UntrueClaimError(f"{element} says that it changed nothing")
    return XDSLAdapter().print_op(module, PrintFlags())


def _ignore(_: Diagnostic) -> None:
    """Composite passes that take long to converge say so."""


@cache
def _context() -> Context:
    return XDSLAdapter().create_context()


@lru_cache(maxsize=8)
def _parsed(program: str) -> Operation:
    return parse(program)


def parse(program: str) -> Operation:
    """Parse a program."""
    return parse_source(_context(), program, "program.mlir")
