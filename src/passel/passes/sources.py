"""Sources of passes: what an entry of a registry says, and where entries come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from passel.diagnostics import brief
from passel.errors import DefinitionError, PasselError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
        from passel.passes.prototypes import class_of

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
