"""Check that Python passes, native passes and tools work on a build of MLIR's bindings.

    python tests/clients/on_build.py PACKAGE ANCHOR PASSES

`in.mlir` has two functions; the first op of each is of the build's own dialect.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.ir import adapter_named
from passel.mlir import DominanceInfo, parse_source
from passel.mlir.bindings import bindings_of


class Mark(Pass[Any]):
    """Set an attribute of the first op in a function, which dominates the last one."""

    name = "mark"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Set the attribute `x.mark` to the name of the function."""
        inside = list(op.operation.regions[0].blocks[0])
        if ctx.analysis(DominanceInfo).dominates(inside[0], inside[-1]):
            inside[0].operation.attributes["x.mark"] = op.operation.attributes["sym_name"]


class GiveUp(Pass[Any]):
    """Fail on one of the functions."""

    name = "give-up"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail on the function `@g`."""
        if ctx.adapter.symbol_name(op) == "g":
            raise PassFailure("not this one")


def main(package: str, anchor: str, native: str) -> None:
    """Run all checks on a build, and print each result as JSON: `works`, or the missing texts."""
    context = adapter_named(package).create_context()

    def passes(*names: Any) -> str:
        module = parse_source(context, Path("in.mlir").read_text("utf-8"), "in.mlir")
        manager = PassManager("builtin.module", context)
        manager.nest(anchor).add(*names)
        try:
            manager.run(module, on_diagnostic=lambda _: None)
        except PassFailedError as error:
            return str(error)
        return str(module)

    def program(name: str, *words: str) -> str:
        command = (Path(sys.executable).with_name(name), *words)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def banners(pipeline: str) -> str:
        bindings = bindings_of(context)
        module = bindings.ir.Module.parse(Path("in.mlir").read_text("utf-8"), context)
        manager = bindings.passmanager.PassManager.parse(pipeline, context)
        context.enable_multithreading(False)
        manager.enable_ir_printing(print_after_all=True, tree_printing_dir_path="own")
        manager.run(module.operation)
        printed = program(*tool, "--mlir-print-ir-after-all", "-p", pipeline)
        files = [each.read_text("utf-8") for each in Path("own").rglob("*.mlir")]
        return "\n".join(line for each in files if (line := each.partition("\n")[0]) not in printed)

    def others() -> str:
        maps = Path("/proc/self/maps").read_text("utf-8")
        loaded = {*re.findall(r"/site-packages/(\S+)/_mlir_libs/", maps)}
        root = bindings_of(context).root.replace(".", "/")
        return " ".join(each for each in loaded if not each.endswith(root))

    own = native.split(",")
    tool = ("passel-opt", f"--ir={package}", f"--load-pass-plugin={__file__}", "in.mlir")
    flags = ("--mlir-timing", "--mlir-print-ir-after-all", "--record=run.passel")
    pipeline = f"builtin.module({anchor}({native},mark))"
    misspelled = f"builtin.module({own[0]}e)"
    bisect = ("passel-bisect", "run.passel", "--interesting=grep -q x.mark {}")
    tried: dict[str, tuple[Any, list[str]]] = {
        "native": (partial(passes, *own), ["@f", "@g"]),
        "Python": (partial(passes, Mark()), ['x.mark = "f"', 'x.mark = "g"']),
        "both": (partial(passes, Mark(), *own, Mark()), ['x.mark = "g"']),
        "failure": (partial(passes, *own, GiveUp()), [f"5:1: '{anchor}' op pass 'give-up' failed"]),
        "passel-opt": (partial(program, *tool, *flags, "-p", pipeline), ["Execution time", "Dump"]),
        "banners": (partial(banners, f"builtin.module({anchor}({native}))"), []),
        "hint": (partial(program, *tool, "-p", misspelled), [f"did you mean '{own[0]}'?"]),
        "other builds": (others, []),
        "passel-bisect": (partial(program, *bisect), [f"mark on {anchor} @f"]),
    }
    outcome: dict[str, str] = {}
    for name, (action, expected) in tried.items():
        found = action()
        missing = [each for each in expected if each not in found]
        is_good = not missing if expected else not found
        outcome[name] = "works" if is_good else f"no {missing} in:\n{found}"
    print(json.dumps(outcome))


if __name__ == "__main__":
    main(*sys.argv[1:])
