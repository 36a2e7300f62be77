"""Sources of passes: what an entry of a registry says, and where entries come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from passel.diagnostics import brief
from passel.errors import DefinitionError, PasselError
from passel.ir.left_out import report_left_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from passel.passes.base import Pass
    from passel.passes.options import Options


class PassInfo:
    """A registered pass.

    Attributes:
        name: Its name in textual pipelines.
        origin: Who registered it, for messages.
        factory: Returns the pass class, or a pass with the options that are its defaults; either
            may be of an IR's own kind. Called once.
        ir: The name of the only IR that it is for, as its adapter's `name`; else empty.
    """

    __slots__ = ("_loaded", "factory", "ir", "name", "origin")

    def __init__(self, name: str, origin: str, factory: Callable[[], Any], ir: str = "") -> None:
        self.name: str = name
        self.origin: str = origin
        self.factory: Callable[[], Any] = factory
        self.ir: str = ir
        self._loaded: type[Pass[Any, Any]] | None = None

    @property
    def pass_class(self) -> type[Pass[Any, Any]]:
        """The pass class, imported now if it was not yet.

        Raises:
            DefinitionError: The factory raises something, or returns something else.
        """
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle needs.

        Raises:
            TypeError: The factory is in a function, or is a lambda.
        """
        if "<" in getattr(self.factory, "__qualname__", ""):
            raise TypeError(
                f"pass '{self.name}' of {self.origin} is registered with a lambda or a local "
                "function, which cannot be pickled: register it as 'package.module:Class'"
            )
        return PassInfo, (self.name, self.origin, self.factory, self.ir)

    def _load(self) -> type[Pass[Any, Any]]:
        from passel.passes.factory import class_of

        problem = f"pass '{self.name}' of {self.origin} cannot be loaded"
        try:
            loaded = self.factory()
        except PasselError:
            raise
        except (Exception, SystemExit) as error:
            msg = f"{problem}: {brief(error)}"
            raise DefinitionError(msg) from error
        try:
            return class_of(loaded, self.name)
        except DefinitionError as error:
            raise DefinitionError(f"{problem}: {error}") from error


class PassPipelineInfo(NamedTuple):
    """A registered pipeline: a name for several passes, with options of its own.

    Attributes:
        name: Its name in textual pipelines.
        build: Adds the passes to a manager; called with the manager and the options.
        options: The class of its options, or None if it has none.
        summary: One line for help.
        origin: Who registered it, for messages.
        ir: The name of the only IR that it is for, as its adapter's `name`; else empty.
    """

    name: str
    build: Callable[..., object]
    options: type[Options] | None = None
    summary: str = ""
    origin: str = ""
    ir: str = ""


class PassSource(Protocol):
    """Where the passes and pipelines of names come from.

    A registry is one, with entries for any IR. An IR that has passes of its own brings
    another; it is asked after what is registered.
    """

    @property
    def ir(self) -> str:
        """The name of the only IR that it is for; empty if its entries say so themselves."""
        ...

    def lookup_pass(self, name: str, *, ir: str = "") -> PassInfo | None:
        """Return the pass of this name; see `PassRegistry.lookup_pass`."""
        ...

    def lookup_pipeline(self, name: str, *, ir: str = "") -> PassPipelineInfo | None:
        """Return the pipeline of this name."""
        ...

    def passes(self, *, ir: str = "") -> Iterable[PassInfo]:
        """Yield all passes, or those for one IR, as far as they can be listed."""
        ...

    def pipelines(self, *, ir: str = "") -> Iterable[PassPipelineInfo]:
        """Yield all pipelines, or those for one IR, as far as they can be listed."""
        ...

    def names(self, *, ir: str = "") -> Iterable[str]:
        """Yield what a misspelt name may stand for, at little cost; some may not exist."""
        ...

    def copy(self) -> PassSource:
        """Return a source with the same entries, which later changes do not reach."""
        ...


InfoT = TypeVar("InfoT", PassInfo, PassPipelineInfo)


class Table(Generic[InfoT]):
    """Entries by name, then by the IR that they are for."""

    def __init__(self) -> None:
        self._by_name: dict[str, dict[str, InfoT]] = {}
        self._overriding: set[tuple[str, str]] = set()

    def add(self, info: InfoT, *, override: bool) -> None:
        """Add an entry, in place of what hides it."""
        if not info.ir:
            self._by_name[info.name] = {}
        self._by_name.setdefault(info.name, {})[info.ir] = info
        if override:
            self._overriding.add((info.name, info.ir))

    def overrides(self, info: InfoT) -> bool:
        """Return whether an entry was added to override others."""
        return (info.name, info.ir) in self._overriding

    def find(self, name: str, ir: str) -> InfoT | None:
        """Return the entry of a name, for one IR or for whichever it is."""
        known = self._by_name.get(name, {})
        found = known.get(ir) or known.get("")
        return found if found or ir else next(iter(known.values()), None)

    def entries(self, ir: str) -> Iterator[InfoT]:
        """Yield the entry of each name, for one IR or for whichever it is."""
        return filter(None, (self.find(name, ir) for name in self._by_name))

    def copy(self) -> Table[InfoT]:
        """Return a table with the same entries."""
        other = Table[InfoT]()
        other._by_name = {name: dict(known) for name, known in self._by_name.items()}
        other._overriding = set(self._overriding)
        return other


def concerns(theirs: str, wanted: str) -> bool:
    """Return whether what is for one IR, or for all, is wanted for another one, or for any."""
    return not theirs or not wanted or theirs == wanted


def listed(*entries: Iterable[InfoT]) -> Iterator[InfoT]:
    """Return entries by name, the first of each; what they lack is reported."""
    found: dict[str, InfoT] = {}
    for each in entries:
        for info in each:
            found.setdefault(info.name, info)
    report_left_out()
    return iter([found[name] for name in sorted(found)])
