"""Runs all benchmarks, or those named: `python benchmarks [--quick] [dispatch tool ...]`."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(words: list[str]) -> None:
    """Run each benchmark in a process of its own."""
    flags = [word for word in words if word.startswith("-")]
    names = [word for word in words if not word.startswith("-")]
    scripts = [HERE / f"bench_{name}.py" for name in names] or sorted(HERE.glob("bench_*.py"))
    for script in scripts:
        print(f"== {script.stem.removeprefix('bench_')} ==\n", flush=True)
        subprocess.run([sys.executable, script, *flags], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
