"""The entries of pass registries."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel.errors import DefinitionError, PasselError
from passel.passes.base import Pass

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from passel.passes.options import Options


class PassInfo(NamedTuple):
    """The registry entry of a pass.

    Attributes:
        name: The name of the pass in textual pipelines.
        origin: A phrase for messages that says what registers the name, such as a module name.
        factory: The pass class, its location (`package.module:Class`), or a function. The function
            returns the class, or a pass whose option values become the defaults. The function can
            also return a pass of another framework. The IR's adapter then wraps the pass.
        ir: The name of the IR that the pass applies to; an empty string for any IR.
    """

    name: str
    origin: str
    factory: type[Pass[Any, Any]] | Callable[[], Any] | str
    ir: str = ""

    @property
    def pass_class(self) -> type[Pass[Any, Any]]:
        """The class of the pass, which is imported or created on first access.

        Raises:
            DefinitionError: The factory raises an exception, or does not return a pass or a pass
                class.
        """
        return _pass_class(self)


@cache
def _pass_class(info: PassInfo) -> type[Pass[Any, Any]]:
    from passel.passes.factory import class_of

    factory: Any = info.factory
    problem = f"pass '{info.name}' from {info.origin} cannot be loaded"
    with errors_of_others(problem, DefinitionError):
        if isinstance(factory, str):
            module, _, name = factory.partition(":")
            factory = getattr(import_module(module), name)
        elif not (isinstance(factory, type) and issubclass(factory, Pass)):
            factory = factory()
        try:
            return class_of(factory, info.name)
        except DefinitionError as error:
            raise DefinitionError(f"{problem}: {error}") from error


@contextmanager
def errors_of_others(problem: str, kind: type[PasselError]) -> Generator[None]:
    """Convert exceptions from the code of other packages to errors of the class `kind`.

    Args:
        problem: The beginning of the error message, which the exception's text follows.
        kind: The class of the errors.
    """
    try:
        yield
    except PasselError:
        raise
    except (Exception, SystemExit) as error:
        from passel.tracebacks import brief_at

        raise kind(f"{problem}: {brief_at(error)}") from error


class PassPipelineInfo(NamedTuple):
    """The registry entry of a pipeline: several passes under one name.

    Attributes:
        name: The name of the pipeline in textual pipelines.
        build: A function that adds the passes to its first argument, a manager. If the pipeline has
            options, they are the second argument.
        options: The class of the pipeline's options; None if the pipeline has no options.
        summary: A one-line description for help.
        origin: A phrase for messages that says what registers the name, such as a module name.
        ir: The name of the IR that the pipeline applies to; an empty string for any IR.
    """

    name: str
    build: Callable[..., object]
    options: type[Options] | None = None
    summary: str = ""
    origin: str = ""
    ir: str = ""


Registered: TypeAlias = PassInfo | PassPipelineInfo
