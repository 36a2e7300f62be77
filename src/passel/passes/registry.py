"""Registries: names to passes and pipelines, loaded when they are first used.

A registry is an object. `default_registry()` is the one that textual pipelines use when
they are given none; installed packages add to it through entry points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from passel.diagnostics import brief, log_exception, suggest
from passel.errors import DefinitionError, DuplicateNameError, PasselError
from passel.passes.base import Pass
from passel.passes.definition import check_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passel.passes.options import Options

_IRS = ("mlir", "xdsl")
"""IRs of their own entry points."""

PassT = TypeVar("PassT", bound=Pass[Any])


@dataclass(slots=True)
class PassInfo:
    """A registered pass.

    Attributes:
        name: Its name in textual pipelines.
        origin: Who registered it, for messages.
        factory: Returns the pass class; called once.
        ir: The name of the only IR that it is for, as its adapter's `name`; else empty.
    """

    name: str
    origin: str
    factory: Callable[[], type[Pass[Any]]] = field(repr=False)
    ir: str = ""
    _loaded: type[Pass[Any]] | None = field(default=None, repr=False)

    @property
    def pass_class(self) -> type[Pass[Any]]:
        """The pass class, imported now if it was not yet.

        Raises:
            DefinitionError: The factory raises something, or returns something else.
        """
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> type[Pass[Any]]:
        problem = f"pass '{self.name}' of {self.origin} cannot be loaded"
        try:
            loaded = self.factory()
        except PasselError:
            raise
        except (Exception, SystemExit) as error:
            msg = f"{problem}: {brief(error)}"
            raise DefinitionError(msg) from error
        if not (isinstance(loaded, type) and issubclass(loaded, Pass)):  # pyright: ignore[reportUnnecessaryIsInstance] - a stranger's
            msg = f"{problem}: {loaded!r} is no pass class"
            raise DefinitionError(msg)
        return loaded


class PassPipelineInfo(NamedTuple):
    """A registered pipeline: a name for several passes, with options of its own.

    Attributes:
        name: Its name in textual pipelines.
        build: Adds the passes to a manager; called with the manager and the options.
        options: The class of its options, or None if it has none.
        summary: One line for help.
        origin: Who registered it, for messages.
    """

    name: str
    build: Callable[..., None]
    options: type[Options] | None = None
    summary: str = ""
    origin: str = ""


class PassRegistry:
    """Passes and pipelines by name.

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

    def __init__(self) -> None:
        self._passes: dict[str, PassInfo] = {}
        self._pipelines: dict[str, PassPipelineInfo] = {}
        self._deferred: list[_Deferred] = []
        self._is_loading = False

    @overload
    def register(self, pass_: type[PassT], *, override: bool = False) -> type[PassT]: ...
    @overload
    def register(
        self,
        pass_: str,
        factory: Callable[[], type[Pass[Any]]],
        *,
        origin: str = "",
        ir: str = "",
        override: bool = False,
    ) -> None: ...
    def register(
        self,
        pass_: Any,
        factory: Callable[[], type[Pass[Any]]] | None = None,
        *,
        origin: str = "",
        ir: str = "",
        override: bool = False,
    ) -> Any:
        """Register a pass class, or a name with a factory that imports the class later.

        Registering the same class again does nothing.

        Args:
            pass_: The class (then this works as a decorator) or the name.
            factory: Returns the class, if the first argument is a name.
            origin: Who registers it, for messages.
            ir: The name of the only IR that it is for, if the first argument is a name.
            override: Replace what has the name already.

        Raises:
            DuplicateNameError: Another pass has the name.
            DefinitionError: The class has no name, or the name does not read back.
        """
        if isinstance(pass_, str):
            if factory is None:
                msg = f"register('{pass_}') needs a factory that returns the pass class"
                raise TypeError(msg)
            check_name(pass_, "a pass")
            info = PassInfo(pass_, origin or repr(factory), factory, ir)
            self._add(self._passes, info, override=override)
            return None
        if not pass_.name:
            msg = f"trying to register {pass_.__qualname__}, which has no name"
            raise DefinitionError(msg)
        self._load()
        known = self._passes.get(pass_.name)
        if known is None or known.pass_class is not pass_:
            info = PassInfo(pass_.name, pass_.__module__, lambda: pass_, pass_.ir)
            self._add(self._passes, info, override=override)
        return pass_

    def register_pipeline(
        self,
        name: str,
        build: Callable[..., None],
        *,
        options: type[Options] | None = None,
        summary: str = "",
        override: bool = False,
    ) -> None:
        """Register a pipeline.

        Args:
            name: Its name in textual pipelines; may be that of a pass, which it then hides.
            build: Called with an `OpPassManager` to add passes to, and with an instance of
                `options` if it has options.
            options: The class of its options.
            summary: One line for help.
            override: Replace what has the name already.

        Raises:
            DuplicateNameError: Another pipeline has the name.
            DefinitionError: The name does not read back.

        Source: `mlir::PassPipelineRegistration`, MLIR 22.
        """
        check_name(name, "a pipeline")
        info = PassPipelineInfo(name, build, options, summary, build.__module__)
        self._add(self._pipelines, info, override=override)

    def defer(self, load: Callable[[PassRegistry], None], *, ir: str = "") -> None:
        """Let a function add entries when a name is first looked up.

        Args:
            load: Called with this registry, at most once.
            ir: The name of the only IR that the entries are for; a lookup for another one
                does not call it.
        """
        self._deferred.append(_Deferred(load, ir))

    def _load(self, ir: str = "") -> None:
        """Call what was deferred, unless this is called by that."""
        if self._is_loading or not self._deferred:
            return
        self._is_loading = True
        try:
            for deferred in list(self._deferred):
                if not ir or deferred.ir in ("", ir):
                    self._deferred.remove(deferred)
                    deferred.load(self)
        finally:
            self._is_loading = False

    @property
    def registered(self) -> PassRegistry:
        """What packages and users have registered, without what an IR brings itself."""
        return self

    def lookup_pass(self, name: str, *, ir: str = "") -> PassInfo | None:
        """Return the pass registered under `name`.

        Args:
            name: The textual name.
            ir: The name of the IR that it is wanted for, if only one will do.
        """
        self._load(ir)
        info = self._passes.get(name)
        return info if info is None or not ir or info.ir in ("", ir) else None

    def lookup_pipeline(self, name: str, *, ir: str = "") -> PassPipelineInfo | None:
        """Return the pipeline registered under `name`."""
        self._load(ir)
        return self._pipelines.get(name)

    def __contains__(self, name: str) -> bool:
        """Tell whether a pass or a pipeline has this name."""
        return self.lookup_pass(name) is not None or self.lookup_pipeline(name) is not None

    def passes(self, *, ir: str = "") -> Iterator[PassInfo]:
        """Yield all passes, or those for one IR, sorted by name; none is imported by it."""
        self._load(ir)
        found = (info for info in self._passes.values() if not ir or info.ir in ("", ir))
        return iter(sorted(found, key=lambda info: info.name))

    def pipelines(self, *, ir: str = "") -> Iterator[PassPipelineInfo]:
        """Yield all pipelines, sorted by name."""
        self._load(ir)
        return iter(sorted(self._pipelines.values(), key=lambda info: info.name))

    def suggest(self, name: str, *, ir: str = "") -> str:
        """Return `; did you mean 'x'?` for a name that is not registered, or nothing."""
        names = [info.name for info in (*self.passes(ir=ir), *self.pipelines(ir=ir))]
        return suggest(name, names)

    def copy(self) -> PassRegistry:
        """Return a registry with the same entries, to add to without changing this one."""
        self._load()
        other = PassRegistry()
        other._passes = dict(self._passes)
        other._pipelines = dict(self._pipelines)
        return other

    def _add(self, table: dict[str, Any], info: Any, *, override: bool) -> None:
        self._load()
        known = table.get(info.name)
        if known is not None and not override:
            raise DuplicateNameError(info.name, known.origin, info.origin)
        table[info.name] = info


class _Deferred(NamedTuple):
    """What adds entries later."""

    load: Callable[[PassRegistry], None]
    ir: str


@cache
def default_registry() -> PassRegistry:
    """Return the registry of all installed packages' passes, made when first asked for.

    An installed package adds to it by an entry point of the group `passel.passes`: a
    function that is called with the registry. One that fails is reported in the log
    `passel` and left out. Entry points `xdsl` and `mlir` are for passes on that IR alone, and
    not loaded for another one.
    """
    # Imported late: reading package metadata costs more than the rest of `import passel`.
    from importlib.metadata import entry_points  # noqa: PLC0415

    registry = PassRegistry()
    for point in sorted(entry_points(group="passel.passes"), key=lambda point: point.name):
        registry.defer(_loader(point), ir=point.name if point.name in _IRS else "")
    return registry


def _loader(point: Any) -> Callable[[PassRegistry], None]:
    def load(registry: PassRegistry) -> None:
        try:
            point.load()(registry)
        except Exception:  # noqa: BLE001 - a broken package must not take the tool with it
            log_exception(f"entry point '{point.name}' of passel.passes failed; skipped")

    return load
