"""Registries: names to passes and pipelines, loaded when they are first used.

A registry is an object, and a chain of sources: its own entries, then those of other
registries, then an IR's own passes. `default_registry()` is the one that textual pipelines
use when they are given none; installed packages add to it through entry points.
"""

from __future__ import annotations

from functools import cache
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, TypeVar, overload

from passel.diagnostics import closest, suggest
from passel.errors import DefinitionError, DuplicateNameError
from passel.installed import entry_points
from passel.ir import adapter_names
from passel.ir.left_out import leave_out, leave_out_name, package_of, report_left_out
from passel.passes.base import Pass
from passel.passes.sources import PassInfo, PassPipelineInfo
from passel.pipeline import check_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passel.installed import EntryPoint
    from passel.passes.options import Options
    from passel.passes.sources import PassSource, Registered

PassT = TypeVar("PassT", bound=Pass[Any, Any])

_loading = RLock()
"""Held while deferred entries are loaded: a second thread waits until all is there."""


class PassRegistry:
    """Passes and pipelines by name.

    Names are unique among what one IR can see: passes for different IRs may share one.

    Args:
        sources: Where names are looked up that this registry does not have itself, in order.
        scope: The name of the IR that lookups are for if they do not say; empty for any.

    Attributes:
        added: The names registered here so far, in order, except by deferred functions.

    Example:
        >>> registry = PassRegistry()
        >>> @registry.register
        ... class Noop(Pass):
        ...     '''Do nothing.'''
        ...
        ...     name = "noop"
        >>> registry.lookup_pass("noop").pass_class.summary()
        'Do nothing.'

    Source: `mlir::PassInfo` and `mlir::registerPass`, MLIR 22, where the registry is global.
    """

    ir = ""

    def __init__(self, *sources: PassSource, scope: str = "") -> None:
        self.scope: str = scope
        self.added: list[str] = []
        self._sources = sources
        self._entries: dict[str, dict[str, Registered]] = {}  # by name, then by IR
        self._deferred: list[_Deferred] = []
        self._is_loading = False
        self._package = ""  # whose entry point is being loaded

    @overload
    def register(self, pass_: type[PassT], *, override: bool = False) -> type[PassT]: ...
    @overload
    def register(
        self,
        pass_: str,
        factory: Callable[[], Any] | str,
        *,
        origin: str = "",
        ir: str = "",
        override: bool = False,
    ) -> None: ...
    def register(
        self,
        pass_: Any,
        factory: Callable[[], Any] | str | None = None,
        *,
        origin: str = "",
        ir: str = "",
        override: bool = False,
    ) -> Any:
        """Register a pass class, or a name with a factory that imports the class later.

        Registering the same class again does nothing. A class that is defined anew, by a cell of
        a notebook that is run again or a module that is reloaded, takes the place of the old one.

        Args:
            pass_: The class (then this works as a decorator) or the name.
            factory: If the first argument is a name: where the class is, as
                `package.module:Class`; or a function that returns the class, or a pass, such as
                `lambda: Unroll(factor=16)`. It is called when the pass is first used. The options
                of a pass that it returns are the defaults of what has the name, which must not
                be that of its class if that has others. Passes and classes of an IR's own kind
                will do if its adapter wraps them.
            origin: Who registers it, for messages.
            ir: The name of the only IR that it applies to, if the first argument is a name.
            override: Replace an existing entry of this name, or one that another package adds
                later without overriding.

        Raises:
            DuplicateNameError: Another pass has the name. Of an installed package, only the
                name is left out, and reported.
            DefinitionError: The class has no name, or the name does not read back.
        """
        if isinstance(pass_, str):
            if factory is None:
                msg = f"register('{pass_}') needs a factory that returns the pass class, or a pass"
                raise TypeError(msg)
            check_name(pass_, "a pass")
            place = factory.partition(":")[0] if isinstance(factory, str) else repr(factory)
            origin = origin or self._origin(place)
            self._add(PassInfo(pass_, origin, factory, ir, overrides=override))
            return None
        name, ir = pass_.name, pass_.ir
        if not name:
            msg = f"trying to register {pass_.__qualname__}, which has no name"
            raise DefinitionError(msg)
        known = None if override else self.lookup_pass(name, ir=ir)
        if known is None or known.pass_class is not pass_:
            is_anew = known is not None and _is_defined_anew(known.pass_class, pass_)
            info = PassInfo(name, self._origin(pass_.__module__), pass_, ir, overrides=override)
            self._add(info, replace=is_anew)
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
        """Register a pipeline.

        Args:
            name: Its name in textual pipelines; if a pass has the same name, it hides the pass.
            build: Called with an `OpPassManager` to add passes to, and with an instance of
                `options` if it has options.
            options: The class of its options.
            summary: One line for help.
            ir: The name of the only IR that it applies to; empty for any.
            override: As for passes.

        Raises:
            DuplicateNameError: Another pipeline has the name; see `register`.
            DefinitionError: The name does not read back.

        Source: `mlir::PassPipelineRegistration`, MLIR 22.
        """
        check_name(name, "a pipeline")
        origin = self._origin(build.__module__)
        info = PassPipelineInfo(name, build, options, summary, origin, ir, override)
        is_of_pass = not override and isinstance(self.lookup(name, ir=ir), PassInfo)
        self._add(info, replace=is_of_pass)

    def _origin(self, place: str) -> str:
        """Return who registers something, for messages: a place, and the package if it is known."""
        return f"{place} of package {self._package}" if self._package else place

    def _add(self, info: Registered, *, replace: bool = False) -> None:
        """Add an entry, unless another one has its name."""
        known = None if replace or info.overrides else self.lookup(info.name, ir=info.ir)
        if known is None:
            hidden = self._entries.setdefault(info.name, {})
            if not info.ir:
                hidden.clear()
            hidden[info.ir] = info
            if not self._is_loading:
                self.added.append(info.name)
        elif not self._package:
            raise DuplicateNameError(info.name, known.origin, info.origin)
        elif not known.overrides:
            leave_out_name(info.name, self._package, known.origin)

    def defer(
        self, load: Callable[[PassRegistry], None], *, ir: str = "", package: str = ""
    ) -> None:
        """Let a function add entries when a name is first looked up.

        Args:
            load: Called with this registry, at most once.
            ir: The name of the only IR that the entries are for; a lookup for another one
                does not call it.
            package: The package that registers them, as messages call it.
        """
        self._deferred.append(_Deferred(load, ir, package))

    def _loaded(self, ir: str) -> str:
        """Return the IR that a lookup is for, when what was deferred for it has been loaded."""
        ir = ir or self.scope
        if self._deferred:
            with _loading:
                if not self._is_loading:  # by this thread
                    self._load(ir)
        return ir

    def _load(self, ir: str) -> None:
        self._is_loading = True
        try:
            # Loading may defer more.
            while deferred := next((d for d in self._deferred if _concerns(d.ir, ir)), None):
                self._package = deferred.package
                try:
                    deferred.load(self)
                finally:
                    self._deferred.remove(deferred)
        finally:
            self._is_loading, self._package = False, ""

    def for_ir(self, ir: str, *sources: PassSource) -> PassRegistry:
        """Return a registry for one IR, which searches this registry, then other sources.

        Additions to the new registry do not change this one.

        Args:
            ir: The IR, as its adapter's `name`.
            sources: Searched for names not in this registry, such as the IR's own passes.
        """
        if ir == self.scope and all(source in self._sources for source in sources):
            return self
        return PassRegistry(self, *sources, scope=ir)

    def lookup(self, name: str, *, ir: str = "") -> Registered | None:
        """Return the pass or pipeline registered under `name`.

        Args:
            name: The textual name.
            ir: The name of the IR that it is wanted for, if only one will do.
        """
        ir = self._loaded(ir)
        behind = (source.lookup(name, ir=ir) for source in self._sources_for(ir))
        return self._own(name, ir) or next(filter(None, behind), None)

    def lookup_pass(self, name: str, *, ir: str = "") -> PassInfo | None:
        """Return the pass registered under `name`, as `lookup` does; None for a pipeline."""
        found = self.lookup(name, ir=ir)
        return found if isinstance(found, PassInfo) else None

    def _own(self, name: str, ir: str) -> Registered | None:
        known = self._entries.get(name, {})
        found = known.get(ir) or known.get("")
        return found if found or ir else next(iter(known.values()), None)

    def __contains__(self, name: str) -> bool:
        """Return whether a pass or a pipeline has this name."""
        return self.lookup(name) is not None

    def entries(self, *, ir: str = "") -> list[Registered]:
        """Return all passes and pipelines, or those for one IR, sorted by name.

        None of them is imported. Missing names are reported in the log `passel`.
        """
        ir = self._loaded(ir)
        behind = (info for source in self._sources_for(ir) for info in source.entries(ir=ir))
        found: dict[str, Registered] = {}
        for info in (*filter(None, (self._own(name, ir) for name in self._entries)), *behind):
            found.setdefault(info.name, info)
        report_left_out()
        return [found[name] for name in sorted(found)]

    def passes(self, *, ir: str = "") -> list[PassInfo]:
        """Return the passes among `entries`."""
        return [info for info in self.entries(ir=ir) if isinstance(info, PassInfo)]

    def pipelines(self, *, ir: str = "") -> list[PassPipelineInfo]:
        """Return the pipelines among `entries`."""
        return [info for info in self.entries(ir=ir) if isinstance(info, PassPipelineInfo)]

    def names(self, *, ir: str = "") -> Iterator[str]:
        """Yield possible meanings of a misspelt name; some of an IR's own may not exist."""
        ir = self._loaded(ir)
        yield from (name for name in self._entries if self._own(name, ir))
        for source in self._sources_for(ir):
            yield from source.names(ir=ir)

    def suggest(self, name: str, *, ir: str = "") -> str:
        """Return `; did you mean 'x'?` for a name that is not registered, or nothing."""
        close = closest(name, self.names(ir=ir))
        report_left_out()
        # What is close may not exist after all.
        return suggest(name, [close]) if close and self.lookup(close, ir=ir) else ""

    def copy(self) -> PassRegistry:
        """Return a registry with the same entries, to add to without changing this one."""
        sources = (s.copy() if isinstance(s, PassRegistry) else s for s in self._sources)
        other = PassRegistry(*sources, scope=self.scope)
        with _loading:
            other._deferred = list(self._deferred)
            other._entries = {name: dict(known) for name, known in self._entries.items()}
        return other

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Return what pickle needs; the registry of installed passes is that of who unpickles."""
        return (
            (default_registry, ())
            if self is default_registry()
            else super().__reduce_ex__(protocol)
        )

    def _sources_for(self, ir: str) -> Iterator[PassSource]:
        return (source for source in self._sources if _concerns(source.ir, ir))


def _concerns(theirs: str, wanted: str) -> bool:
    """Return whether what is for one IR, or for all, is wanted for another one, or for any."""
    return not theirs or not wanted or theirs == wanted


def _is_defined_anew(old: type, new: type) -> bool:
    """Return whether a class is what the definition of an old one has made when it ran again.

    What a function makes from other values is another class.
    """
    names = [(each.__module__, each.__qualname__) for each in (old, new)]
    return names[0] == names[1] and "<locals>" not in new.__qualname__


class _Deferred(NamedTuple):
    """Entries that are added when a name is first looked up."""

    load: Callable[[PassRegistry], None]
    ir: str
    package: str


def installed_registry() -> PassRegistry:
    """Return a registry of the passes of installed packages."""
    registry = PassRegistry()
    registry.defer(_find_installed)
    return registry


@cache
def default_registry() -> PassRegistry:
    """Return the registry of all installed packages' passes, made when first asked for.

    An installed package adds to it by an entry point of the group `passel.passes`: a
    function that is called with a registry. One that fails is left out, and reported, in the
    log `passel`, when a name is not found or all are listed. An entry point with the name of an
    IR that has an adapter (group `passel.adapters`) is for passes on that IR alone, and not
    loaded for another one.
    """
    return installed_registry()


def _find_installed(registry: PassRegistry) -> None:
    irs = adapter_names()
    # passel's own come first, so that a name of theirs is another package's only if it overrides.
    for point in sorted(entry_points("passel.passes"), key=lambda point: point.package != "passel"):
        ir = point.name if point.name in irs else ""
        registry.defer(_loader(point), ir=ir, package=package_of(point))


def _loader(point: EntryPoint) -> Callable[[PassRegistry], None]:
    def load(registry: PassRegistry) -> None:
        try:
            point.load()(registry)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a broken package must not take the tool with it
            leave_out(point, "passel.passes", error)

    return load
