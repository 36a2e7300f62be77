"""Refusing pipelines in which a pass does not get what it requires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.contracts.walk import ContractWalk
from passel.errors import ContractError, Problem
from passel.passes.reachable import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.contracts.walk import Violation
    from passel.passes.op_pass_manager import OpPassManager


def check_contracts(tree: OpPassManager) -> None:
    """Refuse a pipeline in which a pass does not get what it requires.

    Raises:
        ContractError: A pass requires an analysis or a dialect, and does not get it.
    """
    if any(visit.pass_.requires for visit in walk(tree)):
        refuse(ContractWalk().violations(tree))


def refuse(violations: Sequence[Violation]) -> None:
    """Raise an error for violations.

    Raises:
        ContractError: There are any.
    """
    if violations:
        problems = (Problem(each.message, each.offender.span) for each in violations)
        raise ContractError(*problems, violations=violations)
