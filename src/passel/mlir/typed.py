"""Creation of pass classes with typed options, from a table of facts about native passes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from passel.errors import OptionError
from passel.mlir.bindings import bindings_named
from passel.mlir.native import NativePass, check_options
from passel.mlir.pipelines import Refused, known_effects, parsed
from passel.mlir.upstream import facts_in
from passel.passes import numbers
from passel.passes.factory import make_pass_class
from passel.passes.op_pass_manager import OpPassManager
from passel.passes.options import option, read_options
from passel.pipeline import OptionNode, parse_pipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from passel.mlir.bindings import Bindings
    from passel.passes.options import OptionInfo


class TypedNativePass(NativePass):
    """The base class of passes with typed options, such as the passes in `passel.mlir.passes`.

    Each subclass wraps one of MLIR's own passes. A pass can run on ops from any build of MLIR's
    bindings that includes the pass. The text of a pass contains only options that the caller set to
    a value other than None. MLIR applies its own defaults for all other options.
    """

    def __new__(cls, **given: Any) -> Self:
        """Store the names of the given options, because defaults may differ between builds."""
        made = super().__new__(cls)
        made.__dict__["_given"] = frozenset(given)
        return made

    @classmethod
    def read_options(cls, nodes: Iterable[OptionNode], owner: str, scope: Any) -> dict[str, Any]:
        """Parse the options in the text of a pass, and check the options with MLIR.

        Raises:
            OptionError: If options are unknown or malformed. The error lists all unknown and
                malformed options.
        """
        nodes = tuple(nodes)
        values = read_options(_as_written(cls), nodes, owner, scope)
        check_options(bindings_named(cls.root), cls.name, nodes, owner)
        return values

    def option_nodes(self, *, all_options: bool = False) -> tuple[OptionNode, ...]:
        """Return the syntax nodes of the options that the caller set to a value other than None."""
        given: frozenset[str] = self.__dict__["_given"]
        omitted = (None, ()) if all_options else (None,)  # MLIR does not print empty lists
        return tuple(
            OptionNode(info.name, info.codec.spell(getattr(self, info.field), True))
            for info in _as_written(type(self))
            if (all_options or info.field in given) and getattr(self, info.field) not in omitted
        )


@cache
def _as_written(kind: type[TypedNativePass]) -> tuple[OptionInfo, ...]:
    """Return the options of a pass, sorted by name, with codecs that do not accept None."""
    infos = sorted(kind.option_infos(), key=lambda info: info.name)
    return tuple(info._replace(codec=info.codec.inner or info.codec) for info in infos)


_TYPES: dict[str, Any] = {
    "OpPassManager": OpPassManager,
    **{kind.__name__: kind for kind in (bool, float, str)},
    **{name: getattr(numbers, name) for name in vars(numbers) if name[-1].isdigit()},
}


def typed_passes(
    module: str, file: str, root: str = "mlir"
) -> tuple[Callable[[str], type[TypedNativePass]], Callable[[], list[str]]]:
    """Return the functions `__getattr__` and `__dir__` for a module of typed passes.

    Args:
        module: The name of the module.
        file: The path of the module. A text file with the same stem contains the facts about the
            passes.
        root: The root package of the build that contains the passes.
    """
    path = Path(file).with_suffix(".txt")

    def find(name: str) -> type[TypedNativePass]:
        found = None if name.startswith("__") else typed_pass_class(module, path, name, root)
        if found is None:
            msg = f"module {module!r} has no attribute {name!r}"
            raise AttributeError(msg, name=name)
        return found

    return find, lambda: sorted(facts.class_name for facts in facts_in(path).values())


@cache
def typed_pass_class(
    module: str, path: Path, class_name: str, root: str
) -> type[TypedNativePass] | None:
    """Return a pass class with typed options, or None if the file has no facts about the pass.

    Args:
        module: The name of the module that contains the class.
        path: The path of a file that lists facts about passes.
        class_name: The name of the class.
        root: The root package of the build that checks options in the text of pipelines.
    """
    facts = next((f for f in facts_in(path).values() if f.class_name == class_name), None)
    if facts is None:
        return None
    return make_pass_class(
        TypedNativePass,
        class_name,
        name=facts.name,
        doc=f"MLIR's pass `{facts.name}`.",
        module=module,
        options={each["field"]: _declared(each) for each in facts.options},
        anchor=facts.anchor or None,
        dependent_dialects=tuple(facts.dialects),
        effects=known_effects(facts.name),
        root=root,
        on_functions=facts.on_functions,
    )


def _declared(facts: dict[str, Any]) -> tuple[Any, Any]:
    """Return the type and the declaration of an option, given the facts about the option."""
    kind: Any = Literal[tuple(facts["choices"])] if "choices" in facts else _TYPES[facts["type"]]
    default = facts["default"]
    if facts.get("is_list"):
        kind, default = tuple[kind, ...], ()
    elif default is None:
        kind = kind | None
    return kind, option(default=default, name=facts.get("name", ""))


def is_as_declared(bindings: Bindings, kind: type[TypedNativePass]) -> bool:
    """Return whether a pass has the same options and defaults in a build as in upstream MLIR.

    The function compares the declared options with the text that the build prints for the pass. Two
    kinds of options are set before printing. List options are set because MLIR does not print empty
    lists. Options without a declared default are set because printing an uninitialized option
    crashes the process.
    """
    infos = _as_written(kind)
    shown = [info for info in infos if info.default not in (None, ())]
    given = (f"{info.name}={_sample(info)}" for info in infos if info not in shown)
    try:
        printed = str(parsed(bindings, f"any({kind.name}{{{' '.join(given)}}})"))
        element: Any = parse_pipeline(printed).elements[0]
        nodes = {node.key: node for node in element.options}
        values = read_options(shown, [nodes[info.name] for info in shown], "", None)
    except (KeyError, OptionError, Refused):
        return False
    names = {info.name for info in infos}
    return nodes.keys() == names and all(values[info.field] == info.default for info in shown)


def _sample(info: OptionInfo) -> str:
    metavar = info.codec.metavar.strip("<>").partition(">")[0]
    if metavar == "pass-manager":
        return "any(cse)"
    return "x" if metavar == "string" else metavar.partition("|")[0] if "|" in metavar else "1"
