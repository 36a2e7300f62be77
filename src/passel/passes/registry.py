"""Registries in which passes and pipelines are looked up by name, and loaded on first use.

A registry searches its own entries, then other registries, then the IR's own passes. An IR's own
passes are the passes of its framework, such as xDSL's passes or MLIR's C++ passes.

Textual pipelines use `default_registry()` by default. Installed packages add passes to the default
registry through entry points.
"""

from __future__ import annotations

from functools import cache, partial
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from passel.diagnostics import closest, log_warning_once, suggest
from passel.errors import DefinitionError, DuplicateNameError
from passel.installed import entry_points, leave_out, package_of
from passel.ir.adapters import adapter_names
from passel.passes.base import Pass
from passel.passes.entries import PassInfo, PassPipelineInfo
from passel.pipeline.lexer import check_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.metadata import EntryPoint

    from passel.passes.entries import Registered
    from passel.passes.options import Options

PassT = TypeVar("PassT", bound="type[Pass[Any, Any]] | str")

_lock = RLock()
"""The lock for loading deferred entries, so that a second thread waits for the entries."""


class PassRegistry:
    """A registry of passes and pipelines, which are looked up by name.

    Names are unique per IR. Passes for different IRs may share a name. Passes that are added to
    `PassRegistry(other)`, which also searches `other`, are not added to `other`.

    Args:
        sources: The sources to search, in order, for names that are not in this registry. They are
            registries, or objects with the attribute `ir` and the methods `lookup`, `entries` and
            `names` of a registry. `entries` may leave out what `lookup` finds, since MLIR cannot
            list its passes.
        scope: The name of the IR that lookups use by default; an empty string for any IR.

    Attributes:
        added: The registered names, in the order of registration. Names that a function passed to
            `defer` registers are not included.

    Example:
        >>> from passel import Pass
        >>> registry = PassRegistry()
        >>> @registry.register
        ... class Noop(Pass):
        ...     '''Do nothing.'''
        ...
        ...     name = "noop"
        >>> registry.lookup_pass("noop").pass_class.summary()
        'Do nothing.'

    Source: `mlir::PassInfo` and `mlir::registerPass`, MLIR 22. MLIR has one global registry.
    """

    ir = ""

    def __init__(self, *sources: Any, scope: str = "") -> None:
        self.scope: str = scope
        self.added: list[str] = []
        self._sources = sources
        self._entries: dict[str, dict[str, Registered]] = {}  # by name, then by IR
        self._deferred: list[_Deferred] = []
        self._package: str | None = None  # whose entries are being loaded; None for none

    def register(
        self,
        pass_: PassT,
        factory: Callable[[], Any] | str | None = None,
        *,
        origin: str = "",
        ir: str = "",
        override: bool = False,
    ) -> PassT:
        """Register a pass class, or a name and a factory that provides the pass class later.

        Registering the same class again has no effect. A class that is defined again, because a
        notebook cell is rerun or a module is reloaded, replaces the old class.

        Args:
            pass_: The pass class or the name of the pass. The method also works as a class
                decorator.
            factory: The location of the class, `package.module:Class`, or a function that is called
                when the pass is first used. The function returns the class, or a pass such as
                `Unroll(factor=16)` whose option values become the defaults. If these values differ
                from the defaults of the class, the registered name must differ from the `name` of
                the class. The function can also return a pass or pass class of another framework,
                such as xDSL. The IR's adapter then wraps the pass.
            origin: A phrase for messages that says what registers the pass. The default is the
                module of the class; if `factory` is a function, the default is the function.
            ir: The name of the IR that the pass applies to. If the first argument is a class, its
                attribute `ir` is used instead.
            override: Whether to replace any entry that already has this name.

        Returns:
            The first argument.

        Raises:
            DuplicateNameError: Another pass or a pipeline already has the name. If an entry point
                of an installed package registers the duplicate, the duplicate is skipped with a
                warning instead.
            DefinitionError: The class has no name, or the name is invalid.
        """
        if isinstance(pass_, str):
            if factory is None:
                raise TypeError(f"register('{pass_}') needs a pass class, or a factory of passes")
            name, made = pass_, factory
            place = factory.partition(":")[0] if isinstance(factory, str) else repr(factory)
        else:
            name, made, ir, place = pass_.name, pass_, pass_.ir, pass_.__module__
            if not name:
                raise DefinitionError(f"cannot register {pass_.__qualname__}, which has no name")
        check_name(name, "a pass")
        self._add(PassInfo(name, origin or self._origin(place), made, ir), override)
        return pass_

    def register_pipeline(
        self,
        name: str,
        build: Callable[..., object],
        *,
        options: type[Options] | None = None,
        summary: str = "",
        ir: str = "",
        override: bool = False,
    ) -> None:
        """Register a function that builds a pipeline.

        Args:
            name: The name of the pipeline in textual pipelines. A pipeline hides a pass with the
                same name.
            build: A function that adds passes to its first argument, an `OpPassManager`. If the
                pipeline has options, the second argument is an instance of `options`.
            options: The class of the pipeline's options; None if the pipeline has no options.
            summary: A one-line description for help.
            ir: The name of the IR that the pipeline applies to; an empty string for any IR.
            override: Whether to replace any entry that already has this name.

        Raises:
            DuplicateNameError: Another pipeline already has the name; see `register`.
            DefinitionError: The name is invalid.

        Source: `mlir::PassPipelineRegistration`, MLIR 22.
        """
        check_name(name, "a pipeline")
        origin = self._origin(build.__module__)
        self._add(PassPipelineInfo(name, build, options, summary, origin, ir), override)

    def _origin(self, place: str) -> str:
        """Return the origin of a registration: a place, and the package if the package is known."""
        return f"{place} in package {self._package}" if self._package else place

    def _add(self, info: Registered, override: bool) -> None:
        """Add an entry, or report or reject a duplicate name."""
        known = self.lookup(info.name, ir=info.ir)
        if known is None or override or _may_replace(info, known):
            by_ir = self._entries.setdefault(info.name, {})
            if not info.ir:
                by_ir.clear()
            by_ir[info.ir] = info
            if self._package is None:
                self.added.append(info.name)
        elif not self._package:
            raise DuplicateNameError(
                f"'{info.name}' is registered by {known.origin} and again by {info.origin}; use "
                "override=True to replace the first"
            )
        else:
            log_warning_once(
                f"'{info.name}' from package {self._package} is skipped: {known.origin} registered "
                "the name first; to replace that entry, use override=True"
            )

    def defer(
        self, load: Callable[[PassRegistry], None], *, ir: str = "", package: str = ""
    ) -> None:
        """Register a function that adds entries to the registry when a name is first looked up.

        Args:
            load: The function. It is called at most once, with this registry as its argument.
            ir: The name of the IR that all entries apply to; an empty string for any IR. Lookups
                for other IRs do not call the function.
            package: The name of the package that registers the entries, for messages.
        """
        self._deferred.append(_Deferred(load, ir, package))

    def _loaded(self, ir: str) -> str:
        """Load the deferred entries for an IR, and return the IR, by default the scope."""
        ir = ir or self.scope
        with _lock:
            # Functions that add entries may look up names and defer more.
            while self._package is None and (
                found := next((each for each in self._deferred if _concerns(each.ir, ir)), None)
            ):
                self._deferred.remove(found)
                self._package = found.package
                try:
                    found.load(self)
                finally:
                    self._package = None
        return ir

    def lookup(self, name: str, *, ir: str = "") -> Registered | None:
        """Return the pass or pipeline registered under `name`; None for an unknown name.

        Args:
            name: The name in textual pipelines.
            ir: The name of the IR that the entry must apply to; by default the registry's `scope`.
        """
        ir = self._loaded(ir)
        found = (source.lookup(name, ir=ir) for source in self._sources_for(ir))
        return self._own(name, ir) or next(filter(None, found), None)

    def lookup_pass(self, name: str, *, ir: str = "") -> PassInfo | None:
        """Return the pass registered under `name`; None for a pipeline or an unknown name."""
        found = self.lookup(name, ir=ir)
        return found if isinstance(found, PassInfo) else None

    def _own(self, name: str, ir: str) -> Registered | None:
        known = self._entries.get(name, {})
        found = known.get(ir) or known.get("")
        return found if found or ir else next(iter(known.values()), None)

    def __contains__(self, name: str) -> bool:
        """Return whether a pass or a pipeline is registered under `name`."""
        return self.lookup(name) is not None

    def entries(self, *, ir: str = "") -> list[Registered]:
        """Return all passes and pipelines for an IR, sorted by name.

        The modules of the passes are not imported.

        Args:
            ir: The name of the IR; by default the registry's `scope`.
        """
        ir = self._loaded(ir)
        found = {name: info for name in self._entries if (info := self._own(name, ir))}
        for source in self._sources_for(ir):
            for info in source.entries(ir=ir):
                found.setdefault(info.name, info)
        return [found[name] for name in sorted(found)]

    def passes(self, *, ir: str = "") -> list[PassInfo]:
        """Return all passes for an IR, sorted by name; see `entries`."""
        return [info for info in self.entries(ir=ir) if isinstance(info, PassInfo)]

    def names(self, *, ir: str = "") -> Iterator[str]:
        """Yield names for spelling suggestions, without checking that the named passes exist."""
        ir = self._loaded(ir)
        yield from (name for name in self._entries if self._own(name, ir))
        for source in self._sources_for(ir):
            yield from source.names(ir=ir)

    def suggest(self, name: str, *, ir: str = "") -> str:
        """Return `; did you mean 'x'?` for an unknown name, or an empty string."""
        close = closest(name, self.names(ir=ir))
        # The closest name may not exist after all.
        return suggest(name, [close]) if close and self.lookup(close, ir=ir) else ""

    def _sources_for(self, ir: str) -> Iterator[PassRegistry]:
        return (source for source in self._sources if _concerns(source.ir, ir))


def _concerns(theirs: str, wanted: str) -> bool:
    """Return whether two names of IRs are equal, or one is empty and matches any IR."""
    return not theirs or not wanted or theirs == wanted


def _may_replace(new: Registered, old: Registered) -> bool:
    """Return whether an entry may replace an earlier entry without `override`.

    A pipeline hides a pass, and a class replaces the class of the same definition, which was
    executed again. Classes that are local to a function are different.
    """
    if isinstance(old, PassPipelineInfo) or isinstance(new, PassPipelineInfo):
        return isinstance(old, PassInfo)
    cls: Any = new.factory
    if not (isinstance(cls, type) and issubclass(cls, Pass)):
        return False
    known = old.pass_class
    is_same_place = (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__)
    return known is cls or (is_same_place and "<locals>" not in cls.__qualname__)


class _Deferred(NamedTuple):
    """A function that adds entries, called when a name is first looked up."""

    load: Callable[[PassRegistry], None]
    ir: str
    package: str


class _DefaultRegistry(PassRegistry):
    def __reduce__(self) -> tuple[Any, ...]:
        return default_registry, ()


@cache
def default_registry() -> PassRegistry:
    """Return the registry with the passes of all installed packages.

    The first call creates the registry. An installed package registers passes through an entry
    point in the group `passel.passes`. Each entry point names a function that takes a registry. The
    function is called when a name is first looked up, or when all entries are listed. If the
    function fails, the passes that it has not registered yet are skipped, and the logger `passel`
    warns about the package. If the name of an entry point is the name of an IR, the passes of the
    entry point are for that IR only, and lookups for other IRs do not load the entry point. The
    names of IRs are the names of the entry points in the group `passel.adapters`.
    """
    registry = _DefaultRegistry()
    registry.defer(_find_installed)
    return registry


def _find_installed(registry: PassRegistry) -> None:
    irs = adapter_names()
    # passel's passes come first, so that other packages must override to take one of their names.
    for point in sorted(entry_points("passel.passes"), key=lambda p: p.module[:7] != "passel."):
        ir = point.name if point.name in irs else ""
        registry.defer(partial(_load, point), ir=ir, package=package_of(point))


def _load(point: EntryPoint, registry: PassRegistry) -> None:
    try:
        point.load()(registry)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a broken package must not stop the tool
        leave_out(point, error)
