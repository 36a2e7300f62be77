"""Facts about the passes of a build: those of the public release, and of others MLIR's answers."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from passel.mlir.pipelines import Refused, parsed, query_context
from passel.mlir.upstream import FACTS, FUNCTIONS, PassFacts, facts_file

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings

_RESTRICTED = re.compile(r"[Cc]an't add pass '(.*?)' restricted to '(.*?)'")
_UNSCHEDULABLE = re.compile(r"unable to schedule pass '(.*?)'")


@cache
def facts_of(bindings: Bindings, name: str) -> PassFacts:
    """Return facts about a pass that a build has.

    Of a pass that no public release has, MLIR tells the anchor or, in refusing it on modules,
    that it is for functions. The options are not found out.
    """
    declared = facts_file(FACTS).of_pass(name)
    if declared is not None:
        return declared
    for op in ("builtin.module", "func.func"):
        try:
            parsed(bindings, f"{op}({name})")
        except Refused as error:
            if found := _RESTRICTED.search(error.text):
                return PassFacts(name, found[1], anchor=found[2])
    if class_name := _refused_on_modules(bindings, name):
        return PassFacts(name, class_name, interface=FUNCTIONS)
    return PassFacts(name, name)


def _refused_on_modules(bindings: Bindings, name: str) -> str:
    """Return the class of a pass that cannot run on modules; empty if it can.

    MLIR finds out before it runs anything, and here is nothing that it could run the pass on.

    Source: `OpPassManagerImpl::finalizePassList`, MLIR 22.
    """
    try:
        pipeline = parsed(bindings, f"builtin.module(builtin.module({name}))")
    except Refused:  # it needs options
        return ""
    module = bindings.ir.Module.create(bindings.ir.Location.unknown(query_context(bindings)))
    for said in pipeline.run(module.operation).diagnostics:
        if found := _UNSCHEDULABLE.search(said.message):
            return found[1]
    return ""
