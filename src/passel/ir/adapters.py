"""Lookup of the adapter of an object, among the entry points of installed packages.

An entry point that cannot be loaded is skipped, with a warning that gives the reason.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

from passel.diagnostics import brief, suggest
from passel.errors import AdapterError, DefinitionError
from passel.installed import entry_points, leave_out, package_of
from passel.ir.contract import IRAdapter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator
    from importlib.metadata import EntryPoint


@cache
def _adapters() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points("passel.adapters")}


@cache
def adapter_named(name: str) -> IRAdapter:
    """Return the installed adapter called `name`. Each adapter is created only once.

    Raises:
        AdapterError: If no adapter is called `name`, or the adapter cannot be loaded.
    """
    point = _adapters().get(name)
    if point is None:
        if (found := _claimed(name)) is not None:
            return found
        known = ", ".join(sorted(_adapters())) or "none"
        hint = suggest(name, _adapters())
        raise AdapterError(f"there is no adapter '{name}' (installed: {known}){hint}")
    subject = f"the adapter '{name}' from package {package_of(point)}"
    try:
        adapter = point.load()()
    except AdapterError:
        raise
    except (Exception, SystemExit) as error:
        raise AdapterError(f"{subject} cannot be used: {brief(error)}") from error
    if not isinstance(adapter, IRAdapter):
        kind = f"{type(adapter).__name__}, which is not derived from passel.ir.IRAdapter"
        raise AdapterError(f"{subject} is a {kind}")
    return adapter


@cache
def _claimed(package: str) -> IRAdapter | None:
    """Return the adapter for a package without an entry point; see `IRAdapter.for_package`."""
    for name in _adapters():
        with suppress(AdapterError):
            if (found := adapter_named(name).for_package(package)) is not None:
                return found
    return None


def has_adapter(name: str) -> bool:
    """Return whether an adapter called `name` exists, with or without an entry point."""
    return name in _adapters() or _claimed(name) is not None


def adapter_names() -> Collection[str]:
    """Return the entry-point names of all installed adapters."""
    return _adapters().keys()


def installed_name(adapter: IRAdapter) -> str:
    """Return the name under which the flag `--ir` finds the class of an adapter.

    If the class is not installed, or has no frontend, the function returns an empty string.
    """
    name, reads = adapter.build_name(), type(adapter).make_frontend is not IRAdapter.make_frontend
    is_found = reads and has_adapter(name) and type(adapter_named(name)) is type(adapter)
    return name if is_found else ""


def adapter_for(thing: object) -> IRAdapter:
    """Return the adapter for an op, or for a pass of an IR's own library.

    The object's class and its base classes are searched in method resolution order. The first class
    from a package with an adapter determines the adapter. An installed package declares an adapter
    with an entry point in the group `passel.adapters`. The entry point is named after the top-level
    package of the IR, and refers to a subclass of `IRAdapter`.

    Raises:
        AdapterError: If no adapter for the object's package is installed.
    """
    return adapter_of_class(type(thing))


def adapter_of_class(cls: type) -> IRAdapter:
    """Return the adapter for a class of ops or passes; see `adapter_for`.

    Raises:
        AdapterError: If no adapter for the package of the class is installed.
    """
    for base in cls.__mro__:
        root = base.__module__.partition(".")[0]
        if root in _adapters():
            return adapter_named(root)
        if (claimed := _claimed(base.__module__)) is not None:
            return adapter_named(claimed.build_name())
    known = ", ".join(sorted(_adapters())) or "none"
    way_out = "parse the text first" if cls is str else "pass adapter=... to PassManager"
    raise AdapterError(
        f"no adapter for {cls.__module__}.{cls.__qualname__} objects "
        f"(installed adapters: {known}); {way_out}"
    )


def entered_context(adapter: IRAdapter | None = None) -> Any:
    """Return the context that is current in the calling thread; None if no context is current.

    Args:
        adapter: The adapter of the IR whose context is returned; None to try all imported IRs.
    """
    if adapter is not None:
        return adapter.entered_context()
    # In a pass on another IR, the context of an enclosing run does not count.
    running, current = _running.get(), running_adapter()
    enclosing = [context for adapter, context in running if adapter is not current]
    for each in imported_irs():
        context = each.entered_context()
        if context is not None and not any(context is other for other in enclosing):
            return context
    return None


_running: ContextVar[tuple[tuple[IRAdapter, Any], ...]] = ContextVar("running", default=())
"""The adapter and the context of each active run of the calling thread, outermost first."""


@contextmanager
def running_on(adapter: IRAdapter, context: Any = None) -> Generator[None]:
    """Make an IR and its context current inside the `with` block, in which passes run.

    Pipelines that the passes build are for this IR by default. The IR and the context are current
    only in the calling thread. Other threads need `contextvars.copy_context` for the IR, and
    `IRAdapter.in_context` for the context.

    Args:
        adapter: The adapter of the IR.
        context: The context of the IR; None to enter no context.
    """
    token = _running.set((*_running.get(), (adapter, context)))
    try:
        with nullcontext() if context is None else adapter.in_context(context):
            yield
    finally:
        _running.reset(token)


def running_adapter() -> IRAdapter | None:
    """Return the adapter of the innermost run in the calling thread, or None outside runs."""
    running = _running.get()
    return running[-1][0] if running else None


def imported_irs() -> Iterator[IRAdapter]:
    """Yield the adapter of each IR whose package is imported.

    An adapter that cannot be loaded is left out with a warning.
    """
    for name, point in _adapters().items():
        # Libraries may create modules with these names without a file, such as `mlir` in ASTER.
        if getattr(sys.modules.get(name), "__spec__", None) is not None:
            try:
                yield adapter_named(name)
            except AdapterError as error:
                leave_out(point, error.__cause__ or error)
    # Packages with their own build of MLIR's bindings need no entry point.
    builds = {name.partition(".")[0] for name in sys.modules if name.endswith("._mlir_libs")}
    yield from map(adapter_named, filter(has_adapter, builds - _adapters().keys()))


_elsewhere: ContextVar[Callable[[str], IRAdapter]] = ContextVar("elsewhere", default=adapter_named)


@contextmanager
def crossing_with(find: Callable[[str], IRAdapter]) -> Generator[None]:
    """Inside the `with` block, replace the adapters that `xdsl(...)` and `mlir(...)` use.

    In a pipeline on one IR, `xdsl(...)` or `mlir(...)` runs a pipeline on the other IR. A tool
    calls this function so that pipelines on the other IR can also use the tool's dialects.

    Args:
        find: A function that takes the name of an IR and returns the adapter to use. The function
            is called when a pipeline crosses to the other IR.
    """
    token = _elsewhere.set(find)
    try:
        yield
    finally:
        _elsewhere.reset(token)


def crossing_adapter(name: str) -> IRAdapter:
    """Return the adapter that the enclosing `crossing_with` provides for the IR called `name`.

    Outside `crossing_with`, the result is the installed adapter.
    """
    return _elsewhere.get()(name)


def op_name_of(anchor: str | type, owner: str = "") -> str:
    """Return the op name of an anchor, which is either an op name or an op class of any IR.

    The op name of a class is its attribute `name` (xDSL) or `OPERATION_NAME` (MLIR's bindings).

    Args:
        anchor: The op name or the op class.
        owner: The first words of the error message, such as `MyPass: `.

    Raises:
        DefinitionError: If the class has no op name.
    """
    if isinstance(anchor, str):
        return anchor
    name = getattr(anchor, "OPERATION_NAME", None) or getattr(anchor, "name", None)
    if isinstance(name, str):
        return name
    shown = getattr(anchor, "__qualname__", anchor)
    raise DefinitionError(
        f"{owner}{shown} is not an op class: it has no op name; give it a class attribute `name`, "
        "or give the op's name as text (in a pass: anchor = '...')"
    )
