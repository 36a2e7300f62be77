"""`passel-opt --cache` on 1,000 functions, of which none, one or ten have changed.

The targets are parts of what the run without a store takes besides starting up: 0.05 with one
function changed, 0.08 with ten, and 1.1 with all to be stored. Where the input is too small for a
store, a run takes at most 1.02 of one without.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

from inputs import functions_of_40_ops
from measuring import Comparison, run_process, wants_quick

_PASSES = "builtin.module(func.func(cse,canonicalize))"


def main() -> None:
    """Compare in turns, each on a copy of a store that holds the results of the first input."""
    count, rounds = (60, 1) if wants_quick() else (1000, 9)
    tool = [str(Path(sys.executable).with_name("passel-opt")), f"-p={_PASSES}", "-j1"]
    with tempfile.TemporaryDirectory() as folder:
        text = functions_of_40_ops(count)
        steps = {"none": 0, "one": count, "ten": count // 10, "tiny": 0}
        files = {name: Path(folder, f"{name}.mlir") for name in steps}
        for name, file in files.items():
            changed = range(0, count, step) if (step := steps[name]) else ()
            file.write_text(_changed(text, changed) if name != "tiny" else functions_of_40_ops(1))
        filled, store, empty = (Path(folder, name) for name in ("filled", "store", "empty"))
        run_process([*tool, str(files["none"]), f"--cache={filled}"])
        runs = {
            "without a store": ("none", None),
            "with an empty one": ("none", empty),
            "none changed": ("none", filled),
            "one changed": ("one", filled),
            "ten changed": ("ten", filled),
            "tiny, without": ("tiny", None),
            "tiny, with": ("tiny", filled),
        }
        times = Comparison("passel-opt --cache: CPU time", "ms", 1e3, {name: [] for name in runs})
        for number in range(rounds + 1):
            for name, (file, source) in runs.items():
                shutil.rmtree(store, ignore_errors=True)
                if source is not None and source.exists():
                    shutil.copytree(source, store)
                flags = [f"--cache={store}"] if source is not None else []
                cost = run_process([*tool, str(files[file]), *flags])
                if number:  # the first leaves bytecode and warm file caches behind
                    times.samples[name].append(cost.seconds)
    times.show()
    start = times.samples["tiny, without"]
    whole = times.samples["without a store"]
    print("Parts of the run without a store, start-up aside:\n")
    for name in list(runs)[1:5]:
        turns = zip(times.samples[name], whole, start, strict=True)
        print(f"  {name}: {median((a - s) / (w - s) for a, w, s in turns):.3f}")


def _changed(text: str, numbers: range | tuple[()]) -> str:
    for n in numbers:
        text = text.replace(f"@f{n}(", f"@f{n}(%changed: i32, ")
    return text


if __name__ == "__main__":
    main()
