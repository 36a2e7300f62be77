"""Entries of registries, and the protocol of their sources."""

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
        name: The name in textual pipelines.
        origin: The origin of the registration, for messages.
        factory: The pass class, its location (`package.module:Class`), or a function that returns
            the class, or a pass whose options are the defaults. Passes of other frameworks are
            wrapped.
        ir: The name of the only IR that the pass applies to; empty for any.
        overrides: Whether the entry takes precedence over later ones with the same name.
    """

    name: str
    origin: str
    factory: type[Pass[Any, Any]] | Callable[[], Any] | str
    ir: str = ""
    overrides: bool = False

    @property
    def pass_class(self) -> type[Pass[Any, Any]]:
        """The pass class, imported or created at the first access.

        Raises:
            DefinitionError: The factory raises an exception, or returns another object.
        """
        return _pass_class(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the entry.

        Raises:
            TypeError: The factory is a lambda or a local function.
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
    """A registered pipeline: a name for several passes, with options.

    Attributes:
        name: The name in textual pipelines.
        build: A function that takes a manager and the options, and adds the passes.
        options: The class of the options, or None if there are none.
        summary: One line for help.
        origin: The origin of the registration, for messages.
        ir: The name of the only IR that the pipeline applies to; empty for any.
        overrides: Whether the entry takes precedence over later ones with the same name.
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
    """A source of passes and pipelines by name: a registry, or an IR's own passes."""

    @property
    def ir(self) -> str:
        """The name of the only IR of all entries; empty if entries differ."""
        ...

    def lookup(self, name: str, *, ir: str = "") -> Registered | None:
        """Return the pass or pipeline of this name; see `PassRegistry.lookup`."""
        ...

    def entries(self, *, ir: str = "") -> Iterable[Registered]:
        """Yield all entries, or those for one IR; entries that cannot be listed are left out."""
        ...

    def names(self, *, ir: str = "") -> Iterable[str]:
        """Yield candidates for suggestions without loading passes; some may not exist."""
        ...
