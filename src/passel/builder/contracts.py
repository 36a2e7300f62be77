"""Holding a manager to contracts more strictly than it holds itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.contracts.check import check_contracts, refuse
from passel.contracts.declarations import default_declarations
from passel.instruments.contract_verifier import ContractVerifier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.contracts.declarations import DeclarationTable
    from passel.contracts.walk import Region
    from passel.manager import PassManager


def enforce_contracts(
    manager: PassManager,
    declarations: DeclarationTable | None = None,
    *,
    regions: Iterable[Region] = (),
    verify: bool = False,
) -> None:
    """Refuse a pipeline that breaks contracts, and let its runs count on the declarations.

    Args:
        manager: The manager.
        declarations: As for `check_contracts`.
        regions: As for `check_contracts`.
        verify: Whether its runs check what is declared as well, which is slow.

    Raises:
        ContractError: A contract is broken.
    """
    declarations = declarations or default_declarations()
    refuse(check_contracts(manager, declarations, regions=regions))
    manager.use_contracts(declarations)
    if verify:
        manager.add_instrumentation(ContractVerifier(declarations))
        manager.enable_analysis_verifier()
