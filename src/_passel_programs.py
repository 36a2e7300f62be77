"""The programs that are installed: outside of the package, which takes a moment to load.

Ctrl-C in that moment ends them as it does later.
"""

import gc
import sys
from importlib import import_module

_INTERRUPTED = 130
"""Exit code of a program that Ctrl-C ended, as shells report it."""


def passel_opt() -> int:
    """Run passel-opt and return its exit code."""
    return _run("passel-opt", "passel.tool")


def passel_bisect() -> int:
    """Run passel-bisect and return its exit code."""
    return _run("passel-bisect", "passel.tool.bisect")


def passel_reduce() -> int:
    """Run passel-reduce and return its exit code."""
    return _run("passel-reduce", "passel.tool.reduce")


def passel_report() -> int:
    """Run passel-report and return its exit code."""
    return _run("passel-report", "passel.tool.report")


def passel_tblgen() -> int:
    """Run passel-tblgen and return its exit code."""
    return _run("passel-tblgen", "passel.tool.tblgen")


def _run(program: str, module: str) -> int:
    try:
        gc.disable()  # modules live until the end: there is nothing to collect
        main = import_module(module).main
        gc.freeze()
        gc.enable()
        return main()
    except KeyboardInterrupt:
        if sys.stderr is not None:  # closed by the caller; `print` would take stdout instead
            print(f"{program}: interrupted", file=sys.stderr)
        return _INTERRUPTED
