"""Holding a pipeline to what its passes declare about each other, before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.diagnostics import Severity
from passel.installed import entry_points
from passel.passes.walking import walk

if TYPE_CHECKING:
    from passel.contracts import DeclarationTable, Violation
    from passel.ir import IRAdapter
    from passel.passes.tree import PassTree


def broken_contracts(
    tree: PassTree,
    adapter: IRAdapter,
    way_out: str,
    declarations: DeclarationTable | None = None,
) -> tuple[Violation, ...]:
    """Refuse a pipeline in which a pass does not get what it requires; return what to warn of.

    Args:
        tree: A pass manager.
        adapter: The IR that it runs on.
        way_out: How to skip this, for all messages.
        declarations: What is declared of passes beside what their classes say; by default what
            installed packages declare.

    Raises:
        ContractError: A pass requires an analysis, a dialect or another pass, and does not get it.
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
