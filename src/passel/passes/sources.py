"""Entries of registries: registered passes and pipelines, and where they come from."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from passel.diagnostics import brief
from passel.errors import DefinitionError, PasselError
from passel.passes.base import Pass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from passel.passes.options import Options


class PassInfo(NamedTuple):
    """A registered pass.

    Attributes:
        name: Its name in textual pipelines.
        origin: Who registered it, for messages.
        factory: The pass class, where it is (`package.module:Class`), or a function that returns
            it, or a pass with the options that are its defaults; either may be of an IR's own
            kind.
        ir: The name of the only IR that it applies to, as its adapter's `name`; else empty.
        overrides: Whether a later registration under the same name leaves it in place.
    """

    name: str
    origin: str
    factory: type[Pass[Any, Any]] | Callable[[], Any] | str
    ir: str = ""
    overrides: bool = False

    @property
    def pass_class(self) -> type[Pass[Any, Any]]:
        """The pass class, imported or made when it is first asked for.

        Raises:
            DefinitionError: The factory raises something, or returns something else.
        """
        return _pass_class(self)

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
        return PassInfo, tuple(self)


@cache
def _pass_class(info: PassInfo) -> type[Pass[Any, Any]]:
    from passel.passes.factory import class_of

    factory: Any = info.factory
    problem = f"pass '{info.name}' of {info.origin} cannot be loaded"
    try:
        if isinstance(factory, str):
            module, _, name = factory.partition(":")
            factory = getattr(import_module(module), name)
        elif not (isinstance(factory, type) and issubclass(factory, Pass)):
            factory = factory()
        return class_of(factory, info.name)
    except DefinitionError as error:
        raise DefinitionError(f"{problem}: {error}") from error
    except PasselError:
        raise
    except (Exception, SystemExit) as error:
        raise DefinitionError(f"{problem}: {brief(error)}") from error


class PassPipelineInfo(NamedTuple):
    """A registered pipeline: a name for several passes, with options of its own.

    Attributes:
        name: Its name in textual pipelines.
        build: Adds the passes to a manager; called with the manager and the options.
        options: The class of its options, or None if it has none.
        summary: One line for help.
        origin: Who registered it, for messages.
        ir: The name of the only IR that it applies to, as its adapter's `name`; else empty.
        overrides: Whether a later registration under the same name leaves it in place.
    """

    name: str
    build: Callable[..., object]
    options: type[Options] | None = None
    summary: str = ""
    origin: str = ""
    ir: str = ""
    overrides: bool = False


Registered: TypeAlias = PassInfo | PassPipelineInfo


class PassSource(Protocol):
    """Where names of passes and pipelines are looked up: a registry, or an IR's own passes."""

    @property
    def ir(self) -> str:
        """The name of the only IR that it applies to; empty if its entries say so themselves."""
        ...

    def lookup(self, name: str, *, ir: str = "") -> Registered | None:
        """Return the pass or pipeline of this name; see `PassRegistry.lookup`."""
        ...

    def entries(self, *, ir: str = "") -> Iterable[Registered]:
        """Yield all entries, or those for one IR, as far as they can be listed."""
        ...

    def names(self, *, ir: str = "") -> Iterable[str]:
        """Yield possible meanings of a misspelt name, cheaply; some may not exist."""
        ...
