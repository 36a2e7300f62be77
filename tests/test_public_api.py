"""What `import passel` offers, and what it loads."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

import passel
from passel import errors


def test_the_public_names_are_sorted() -> None:
    """`__all__` is sorted, without duplicates, and every name is there."""
    assert list(passel.__all__) == sorted(set(passel.__all__))
    for name in passel.__all__:
        assert hasattr(passel, name)


@pytest.mark.parametrize("name", passel.__all__)
def test_every_public_name_has_a_docstring(name: str) -> None:
    """Classes, their public methods and functions say what they do; none is generated."""
    thing = getattr(passel, name)
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{name}(")
    for attribute, member in vars(thing).items() if inspect.isclass(thing) else ():
        if attribute.startswith("_") or not (
            inspect.isroutine(member) or isinstance(member, (property, classmethod, staticmethod))
        ):
            continue
        assert member.__doc__, f"{name}.{attribute}"


def test_public_names_are_those_of_the_package() -> None:
    """Nothing public is left out of `__all__` but modules."""
    exported = {
        n for n, v in vars(passel).items() if not n.startswith("_") and not inspect.ismodule(v)
    }
    assert exported == set(passel.__all__) - {"__version__"}


def test_importing_passel_loads_no_ir() -> None:
    """Neither an IR nor anything outside the standard library is imported."""
    code = (
        "import sys; before = set(sys.modules); import passel; print(*sys.modules.keys() - before)"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    roots = {name.partition(".")[0] for name in run.stdout.split()}
    assert "passel" in roots
    assert not roots & {"xdsl", "rich", "mlir", "typing_extensions"}
    assert roots - {"passel"} <= set(sys.stdlib_module_names) | {"__mp_main__"}
    loaded = {name for name in run.stdout.split() if name.startswith("passel.")}
    assert not {
        name for name in loaded if name.startswith(("passel.xdsl", "passel.mlir", "passel.tool"))
    }


TREE: dict[type[BaseException], tuple[type[BaseException], ...]] = {
    errors.PasselError: (Exception,),
    errors.DefinitionError: (errors.PasselError, TypeError),
    errors.DuplicateNameError: (errors.PasselError, ValueError),
    errors.PipelineError: (errors.PasselError, ValueError),
    errors.PipelineSyntaxError: (errors.PipelineError,),
    errors.UnknownPassError: (errors.PipelineError,),
    errors.OptionError: (errors.PipelineError,),
    errors.AnchorError: (errors.PipelineError,),
    errors.InsertionError: (errors.PipelineError,),
    errors.ContractError: (errors.PipelineError,),
    errors.EffectsError: (errors.PipelineError,),
    errors.AdapterError: (errors.PasselError, LookupError),
    errors.PassFailedError: (errors.PasselError,),
    errors.PassFailure: (Exception,),
}


@pytest.mark.parametrize("error", TREE, ids=lambda error: error.__name__)
def test_the_tree_of_exceptions(error: type[BaseException]) -> None:
    """Each error derives from passel's root and from the builtin that fits."""
    assert error.__bases__ == TREE[error]
    assert error.__name__ in passel.__all__


def test_the_tree_is_complete() -> None:
    """Every exception of the package's facade is in the tree."""
    public: list[Any] = [getattr(passel, name) for name in passel.__all__]
    assert {e for e in public if inspect.isclass(e) and issubclass(e, BaseException)} == set(TREE)
