"""What `import passel` offers, and what it loads."""

from __future__ import annotations

import inspect
import subprocess
import sys

import passel
from passel import PassFailure, errors


def test_the_public_names_are_sorted() -> None:
    """`__all__` is sorted, without duplicates, and every name is there."""
    assert list(passel.__all__) == sorted(set(passel.__all__))
    for name in passel.__all__:
        assert hasattr(passel, name)


def test_public_names_are_those_of_the_package() -> None:
    """Nothing public is left out of `__all__` but modules."""
    exported = {
        n for n, v in vars(passel).items() if not n.startswith("_") and not inspect.ismodule(v)
    }
    assert exported == set(passel.__all__) - {"__version__"}


def test_importing_passel_loads_little() -> None:
    """Neither an IR, nor what reads files or defines classes of passes, is imported."""
    code = (
        "from typing import NamedTuple; NamedTuple('Made', [('of', 'str')])"  # loads `ast` from Python 3.14 on
        "; before = set(sys.modules); import passel; print(*sys.modules.keys() - before)"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    roots = {name.partition(".")[0] for name in run.stdout.split()}
    assert "passel" in roots
    assert not roots & {"ast", "dataclasses", "dis", "email", "inspect", "pathlib"}
    assert roots - {"passel"} <= set(sys.stdlib_module_names) | {"__mp_main__"}
    for package in ("xdsl", "mlir", "tool"):
        assert f"passel.{package}" not in run.stdout


def test_errors_derive_from_one_class() -> None:
    """`except PasselError` catches all errors, which the module's docstring lists."""
    public = [thing for name in passel.__all__ if inspect.isclass(thing := getattr(passel, name))]
    raised = {each for each in public if issubclass(each, BaseException)}
    assert {each for each in raised if not issubclass(each, errors.PasselError)} == {PassFailure}
    for each in raised:
        bases = [base.__name__ for base in each.__bases__ if base.__module__ == "builtins"]
        shown = f" ({bases[0]})" if bases and bases != ["Exception"] else ""
        assert f"{each.__name__}{shown}" in (errors.__doc__ or "")
