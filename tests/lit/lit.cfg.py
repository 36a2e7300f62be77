"""Configuration of the tool's lit suite: which files are tests, and what they may call."""

import atexit
import os
import sys
from contextlib import ExitStack
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import lit.formats

config.name = "passel"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = str(Path(__file__).parent)
config.suffixes = [".mlir", ".txt"]
config.excludes = ["Inputs"]
if version("xdsl") < "0.74":
    # `--compat` is for the newest, in which xDSL's own errors are also printed in another way.
    config.excludes += ["compat", "xdsl-verdict.mlir"]
if version("xdsl") < "0.60":
    config.excludes += ["targets.mlir", "target-fails.mlir"]  # it tells nobody of its targets

# The tools of this interpreter's environment come first, whatever the caller's PATH says.
tools = [Path(sys.executable).parent]

# Most of the suite's time would go into loading xDSL again and again. `--param installed` has the
# programs that pip has written instead. In xdsl-opt, the modules of passel are there and do nothing.
if "installed" not in lit_config.params:
    sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
    from warm_programs import PASSEL, warm_programs

    at_exit = ExitStack()
    atexit.register(at_exit.close)
    programs = {**PASSEL, "xdsl-opt": "xdsl.tools.xdsl_opt:main"}
    tools.insert(0, at_exit.enter_context(warm_programs(programs)))

# The wheel with MLIR's tools adds `bin` to the bindings' package, without console scripts.
mlir = find_spec("mlir")
for package in (mlir and mlir.submodule_search_locations) or ():
    if Path(package, "bin", "mlir-opt").exists():
        tools.append(Path(package, "bin"))
        config.available_features.add("mlir-opt")

config.environment["PATH"] = os.pathsep.join([*map(str, tools), os.environ["PATH"]])

# LLVM's own FileCheck starts ten times as fast as its Python port, which answers where no wheel
# brings it.
llvm = find_spec("llvm")
folders = (llvm and llvm.submodule_search_locations) or ()
found = [file for folder in folders if (file := Path(folder, "bin", "FileCheck")).exists()]
config.substitutions.append((r"\bFileCheck\b", str(found[0]) if found else "filecheck"))
config.substitutions.append(("%inputs", str(Path(__file__).parent / "Inputs")))
config.substitutions.append((r"%python\b", sys.executable))

# What the caller made importable stays so.
config.environment["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")
config.substitutions.append((r"%pythonpath", config.environment["PYTHONPATH"]))
