"""Extensions: functions from other packages that add passes to the pipeline of a framework."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import InsertionError, PipelineError
from passel.installed import use_installed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from passel.builder.draft import Draft


class Extension(NamedTuple):
    """A named function that adds passes to a builder.

    Attributes:
        name: The name of the extension. The extensions in one call of `PipelineBuilder.extend` must
            have different names.
        function: The function to call with the builder.
    """

    name: str
    function: Callable[[Any], object]

    @classmethod
    def of(cls, given: Extension | Callable[[Any], object]) -> Extension:
        """Return an extension unchanged, or wrap a function in an extension.

        The name of the new extension is the qualified name of the function.

        Raises:
            TypeError: If the argument is neither an extension nor a function.
        """
        if isinstance(given, Extension):
            return given
        if not callable(given):
            raise TypeError(f"an extension is a function that takes a builder, not {given!r}")
        named = given if hasattr(given, "__qualname__") else type(given)
        return cls(f"{named.__module__}.{named.__qualname__}", given)


def installed_extensions() -> tuple[Extension, ...]:
    """Return the extensions of installed packages, sorted by name.

    An installed package provides an extension through an entry point in the group
    `passel.pipelines`. Each entry point names a function that takes a builder. The logger `passel`
    reports entry points that fail to load.

    Example:
        >>> from passel.builder import PipelineBuilder
        >>> builder = PipelineBuilder().extend(*installed_extensions())
    """
    found: list[Extension] = []
    use_installed("passel.pipelines", lambda name, extend: found.append(Extension(name, extend)))
    return tuple(sorted(found, key=lambda each: each.name))


def run_extensions(builder: Any, extensions: Iterable[Any], draft: Draft) -> None:
    """Call extensions in the alphabetical order of their names.

    An extension that raises an `InsertionError` is called again after the other extensions.

    Args:
        builder: The builder to pass to the extensions.
        extensions: The extensions, in any form that `PipelineBuilder.extend` accepts.
        draft: The draft of the builder. If an extension fails, its changes to the draft are undone.

    Raises:
        InsertionError: If an extension still fails after all other extensions have run, or two
            extensions have the same name.
        PipelineError: If an extension adds an invalid pipeline text, or a pass whose anchor does
            not match the pipeline.
    """
    waiting = sorted(map(Extension.of, extensions), key=lambda each: each.name)
    for one, other in pairwise(waiting):
        if one.name == other.name:
            raise InsertionError(
                f"two extensions have the name '{one.name}': rename one of them with "
                "Extension(name, function)"
            )
    while waiting:
        failed: list[tuple[Extension, InsertionError]] = []
        for extension in waiting:
            try:
                _run(extension, builder, draft)
            except InsertionError as error:
                failed.append((extension, error))
        if len(failed) == len(waiting):
            raise failed[0][1]
        waiting = [extension for extension, _ in failed]


def _run(extension: Extension, builder: Any, draft: Draft) -> None:
    outer, draft.extension = draft.extension, extension.name
    try:
        with draft.all_or_nothing():
            extension.function(builder)
    except PipelineError as error:
        first, *others = error.problems
        first = first._replace(message=f"extension '{extension.name}': {first.message}")
        error.args = error.problems = (first, *others)
        raise
    except Exception as error:
        error.add_note(f"in extension '{extension.name}'")
        raise
    finally:
        draft.extension = outer
