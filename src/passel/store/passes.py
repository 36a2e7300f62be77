"""What the passes of a pipeline are, for keys: their classes, what they say, and their code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from passel.diagnostics import brief
from passel.passes import Pass
from passel.passes.walking import walk
from passel.store.code import code_of
from passel.store.keys import NotKeptError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.passes.tree import PassTree


def key_of_passes(
    pipeline: PassTree, plugins: Iterable[str], packages: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what passes are, and digests of the code of theirs that is in no known package.

    Args:
        pipeline: The pipeline.
        plugins: Further modules that are loaded.
        packages: Packages whose versions the key holds.

    Raises:
        NotKeptError: A pass does not say that it can be run on ops in any order, or it is not
            known what code matters.
    """
    said: dict[str, str] = {}
    modules = dict.fromkeys(plugins, "")
    for pass_, *_ in walk(pipeline):
        kind = type(pass_)
        if not pass_.contract.is_automatic:
            raise NotKeptError(
                f"pass '{pass_.name}' may keep something from one op to the next: set "
                f"can_fork = True in {kind.__qualname__} if it does not"
            )
        try:
            key = pass_.cache_key()
        except Exception as error:
            raise NotKeptError(f"the key of pass '{pass_.name}': {brief(error)}") from error
        if key is None:
            raise NotKeptError(f"pass '{pass_.name}' has no key")
        names = [f"{each.__module__}.{each.__qualname__}" for each in kind.__mro__]
        said[f"what pass '{pass_.name}' says of itself"] = repr([names, key])
        for each in kind.__mro__:
            if issubclass(each, Pass):
                modules[each.__module__] = f" of pass '{pass_.name}'"
    code = code_of(sorted(modules), packages)
    owners = {getattr(sys.modules.get(name), "__file__", None): of for name, of in modules.items()}
    return said, {
        f"the module '{name}'{owners.get(name, '')}" if name.endswith(".py") else name: digest
        for name, digest in code.items()
    }


def looks_beside(pass_: Pass) -> bool:
    """Return whether a pass may look at more than its op without saying at what.

    One whose own class defines `cache_key` says so by that.
    """
    return "cache_key" not in vars(type(pass_))
