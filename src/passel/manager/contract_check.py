"""Holding a pipeline to what its passes declare about each other, before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.diagnostics import Severity, log_warning
from passel.installed import entry_points
from passel.passes.walking import walk

if TYPE_CHECKING:
    from passel.contracts import DeclarationTable, Violation
    from passel.ir import IRAdapter
    from passel.passes.tree import PassTree


def hold_to_contracts(
    tree: PassTree, adapter: IRAdapter, declarations: DeclarationTable | None
) -> bool:
    """Refuse a pipeline in which a pass does not get what it requires, and warn of its order.

    Returns whether there was a warning.

    Args:
        tree: A pass manager.
        adapter: The IR that it runs on.
        declarations: What is declared of passes beside what their classes say; by default what
            installed packages declare.

    Raises:
        ContractError: A pass requires an analysis, a dialect or another pass, and does not get it.
    """
    way_out = "PassManager(..., check=False) skips this"
    found = broken_contracts(tree, adapter, way_out, declarations)
    for warning in found:
        log_warning(warning.message)
    return bool(found)


def broken_contracts(
    tree: PassTree,
    adapter: IRAdapter,
    way_out: str,
    declarations: DeclarationTable | None = None,
) -> tuple[Violation, ...]:
    """Return what in a pipeline is worth a warning; arguments and errors as above.

    Args:
        tree: As above.
        adapter: As above.
        way_out: How not to be told, for all messages.
        declarations: As above.
    """
    if declarations is None and not _demands(tree, adapter):
        return ()
    from passel.contracts import check_contracts, refuse  # noqa: PLC0415 - most demand nothing

    found = [
        each._replace(message=f"{each.message} ({way_out})")
        for each in check_contracts(tree, declarations, adapter=adapter)
        if each.severity is not Severity.REMARK
    ]
    refuse(found)
    return tuple(found)


def _demands(tree: PassTree, adapter: IRAdapter) -> bool:
    """Return whether passes may demand something of others, which passel's own tables do not."""
    contracts = (visit.pass_.contract for visit in walk(tree, adapter))
    return any(each.requires or each.constraints for each in contracts) or any(
        not point.module.startswith("passel.") for point in entry_points("passel.declarations")
    )
