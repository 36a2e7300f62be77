"""The passes of a pipeline in keys: their classes, what they say of themselves, and their code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from passel.diagnostics import brief
from passel.ir import ShipsOps, ability_of
from passel.passes import Pass
from passel.passes.contract import EFFECTS
from passel.passes.walking import walk
from passel.store.code import code_of, versions_of
from passel.store.keys import NotKeptError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.ir import IRAdapter
    from passel.passes.tree import PassTree

_FORM = "2"
"""The form of keys and results."""


def key_of_run(
    pipeline: PassTree,
    text: str,
    adapter: IRAdapter,
    plugins: Iterable[str] = (),
    *,
    is_shared: bool,
) -> tuple[dict[str, str], bool]:
    """Return what all results of a pipeline have in their keys, by names for explanations.

    Args:
        pipeline: The pipeline.
        text: The pipeline with all options.
        adapter: The adapter of the IR.
        plugins: Modules that are loaded besides.
        is_shared: Whether keys are for machines that share a store.

    Returns:
        That, and whether any code is in no known package, so that it may look at locations.

    Raises:
        NotKeptError: It is not known what results depend on.
        OSError: A file of code cannot be read.
    """
    packages = ["passel"]
    if ships := ability_of(adapter, ShipsOps):
        packages += ships.versions()
    said, modules = _passes(pipeline, plugins)
    code = code_of(modules, packages, is_shared=is_shared)
    environment = (item for item in os.environ.items() if item[0].startswith("PASSEL_FAST"))
    return {
        "the form": _FORM,
        **versions_of(packages, is_shared=is_shared),
        "the IR": adapter.name,
        "the pipeline": repr([visit.pass_.name for visit in walk(pipeline)]),
        "the pipeline's options": text,
        "the environment": repr(sorted(environment)),
        **said,
        **code,
    }, bool(code)


def looks_beside(pass_: Pass) -> bool:
    """Return whether a pass may look at more than its op without saying at what.

    One whose own class defines `cache_key` says so by that.
    """
    return "cache_key" not in vars(type(pass_))


def _passes(pipeline: PassTree, plugins: Iterable[str]) -> tuple[dict[str, str], dict[str, bool]]:
    """Return what passes say of themselves, and the modules of all.

    With each module is whether all passes of it say on what they depend besides their code.

    Raises:
        NotKeptError: A pass does not say that it can be run on ops in any order.
    """
    said: dict[str, str] = {}
    modules: dict[str, bool] = {}
    for pass_, *_ in walk(pipeline):
        kind = type(pass_)
        if not pass_.contract.is_automatic:
            raise NotKeptError(
                f"pass '{pass_.name}' may keep something from one op to the next: set "
                f"can_fork = True in {kind.__qualname__} if it does not"
            )
        if effects := pass_.own_effects():
            raise NotKeptError(f"pass '{pass_.name}' {EFFECTS[effects[0]]}")
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
                name = each.__module__
                modules[name] = modules.get(name, True) and not looks_beside(pass_)
    return said, dict.fromkeys(plugins, False) | modules
