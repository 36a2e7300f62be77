"""Which adapter answers for an object: those of installed packages, found by entry points."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

from passel.errors import AdapterError, DefinitionError
from passel.installed import entry_points
from passel.ir.abilities import EntersContexts, ability_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator

    from passel.ir.contract import IRAdapter


@cache
def _adapters() -> dict[str, Callable[[], IRAdapter]]:
    return {point.name: point.load for point in entry_points("passel.adapters")}


@cache
def adapter_named(name: str) -> IRAdapter:
    """Return the installed adapter of a name, made once, by a class without arguments."""
    return _adapters()[name]()()  # pyright: ignore[reportCallIssue, reportUnknownVariableType]


def adapter_names() -> Collection[str]:
    """Return the names under which adapters are installed."""
    return _adapters().keys()


def adapter_for(thing: object) -> IRAdapter:
    """Return the adapter of the IR that an op (or a pass of that IR) belongs to.

    It is found by the top-level package of the object's class or of a base class, among the
    entry points `passel.adapters` of all installed packages: an entry point's name is that
    package's name, its value a class that fulfils `IRAdapter`.

    Raises:
        AdapterError: No installed adapter claims it.
    """
    names = _adapters()
    for base in type(thing).__mro__:
        root = base.__module__.partition(".")[0]
        if root in names:
            return adapter_named(root)
    known = ", ".join(sorted(names)) or "none"
    msg = (
        f"no adapter for {type(thing).__module__}.{type(thing).__qualname__} objects "
        f"(installed adapters: {known}); pass adapter=... to PassManager"
    )
    raise AdapterError(msg)


def entered_context(adapter: object | None = None) -> Any:
    """Return the IR's context that the calling thread is in, or None.

    Args:
        adapter: The IR's; by default that of any IR that has been imported already.
    """
    if adapter is not None:
        enters = ability_of(adapter, EntersContexts)
        return None if enters is None else enters.entered_context()
    entered = (entered_context(each) for each in imported_irs())
    return next((context for context in entered if context is not None), None)


_running: ContextVar[IRAdapter | None] = ContextVar("running", default=None)


@contextmanager
def running_on(adapter: IRAdapter) -> Generator[None]:
    """Let the names in pipelines that passes build meanwhile be those of an IR.

    Holds for the calling thread; others take part by `contextvars.copy_context`.

    Args:
        adapter: The adapter of the IR whose ops passes run on.
    """
    token = _running.set(adapter)
    try:
        yield
    finally:
        _running.reset(token)


def running_adapter() -> IRAdapter | None:
    """Return the adapter of the IR whose ops the passes of the calling thread run on, if any."""
    return _running.get()


def imported_irs() -> Iterator[IRAdapter]:
    """Yield the adapters of the IRs whose packages have been imported."""
    return (adapter_named(name) for name in _adapters() if name in sys.modules)


def op_name_of(anchor: str | type) -> str:
    """Return the op name that an anchor stands for: a name, or an op class of any IR.

    An op class carries its name as `name` (xDSL) or `OPERATION_NAME` (MLIR's bindings).

    Raises:
        DefinitionError: The class carries no op name.
    """
    if isinstance(anchor, str):
        return anchor
    for attribute in ("OPERATION_NAME", "name"):
        name = getattr(anchor, attribute, None)
        if isinstance(name, str):
            return name
    shown = getattr(anchor, "__qualname__", anchor)
    msg = f"{shown} is not an op class: it has no op name"
    raise DefinitionError(msg)
