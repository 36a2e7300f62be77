"""IR that is read from texts in Python, by the frontend of its adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.errors import AdapterError
from passel.ir import BringsFrontend, InvalidIR, ability_of
from passel.ir.frontend import FrontendSettings, SourcePart, UnreadableError
from passel.passes.op_facts import invalid_diagnostic

if TYPE_CHECKING:
    from passel.ir import IRAdapter
    from passel.ir.frontend import Frontend, Parsed


def frontend_of(
    adapter: IRAdapter, *, implicit_module: bool = False, allow_unregistered: bool = False
) -> Frontend:
    """Return a frontend that reads the single op at the top of a text.

    Args:
        adapter: The adapter of the IR.
        implicit_module: Whether several ops at the top are put in a module.
        allow_unregistered: Whether contexts that it makes take ops of unknown dialects.

    Raises:
        AdapterError: The IR has no files.
    """
    brings = ability_of(adapter, BringsFrontend)
    if brings is None:
        raise AdapterError(f"the adapter of '{adapter.name}' cannot read files")
    frontend = brings.make_frontend()
    frontend.configure(
        FrontendSettings(implicit_module=implicit_module, allow_unregistered=allow_unregistered)
    )
    return frontend


def read_part(frontend: Frontend, part: SourcePart, context: Any) -> Parsed:
    """Return what a part of a source says, whose op at the top is valid.

    Raises:
        UnreadableError: It is not valid IR. Its diagnostics say where.
    """
    adapter = frontend.adapter
    parsed = frontend.parse(part, context, lambda _: None)
    if not frontend.verifies:
        try:
            adapter.verify(adapter.op_of(parsed.op), recursive=True)
        except InvalidIR as error:
            raise UnreadableError([invalid_diagnostic(adapter, error)]) from None
    return parsed
