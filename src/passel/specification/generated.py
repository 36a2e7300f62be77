"""Generating Python code from pass declarations: base classes, and stubs for native passes.

Generated lines can be long; a formatter can wrap them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from passel.specification.markdown import reindented
from passel.specification.python import (
    MODULES,
    PythonOption,
    PythonPass,
    in_python,
    literal,
    one_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passel.specification.records import PassDeclaration

INDENT = "    "


def pass_decls(passes: Sequence[PassDeclaration], *, group: str = "", module: str = "") -> str:
    """Generate a Python module with base classes, option classes and a registration function.

    To implement a pass, derive a class from the generated base class, give the derived class the
    name of the TableGen record, and define `run`. If a declaration changes, generate the module
    again.

    Args:
        passes: The declared passes.
        group: The group in the name of the generated registration function,
            `register_<group>_passes`. If the group is empty, the name is `register_passes`.
        module: The name of the module that defines the derived classes. The name becomes the
            default value of the parameter `module` of the registration function. If the name is
            empty, the parameter has no default.

    Raises:
        SpecificationError: If a pass cannot be expressed in Python.

    Source: `mlir-tblgen -gen-pass-decls`, MLIR 22.
    """
    found = [(each, in_python(each, by_variable=True)) for each in passes]
    lines = [
        '"""Declarations of passes: base classes, options and registration.',
        "",
        _GENERATED,
        '"""',
        "",
    ]
    pythons = [python for _, python in found]
    has_choices = any(option.choices for each in pythons for option in each.options)
    lines += [f"from typing import Any{', Literal' * has_choices}", ""]
    lines += imports(_passel_names(pythons))
    for declared, python in found:
        if python.options:
            lines += ["", "", *_options_class(python)]
        lines += ["", "", *_base_class(declared, python)]
    lines += ["", "", *_register(pythons, group, module)]
    return "\n".join(lines) + "\n"


def _passel_names(passes: Iterable[PythonPass]) -> Iterator[tuple[str, str]]:
    yield "passel", "PassRegistry"
    for each in passes:
        yield "passel", each.kind
        if each.statistics:
            yield "passel", "Statistic"
        if each.options:
            yield "passel", "Options"
        for option in each.options:
            if option.help or option.has_own_name:
                yield "passel", "option"
            if option.scalar in MODULES:
                yield MODULES[option.scalar], option.scalar


def _options_class(python: PythonPass) -> Iterator[str]:
    yield f"class {python.class_name}Options(Options):"
    yield f'{INDENT}"""Options of `{python.name}`."""'
    yield ""
    for option in python.options:
        yield from _field(option)


def _field(option: PythonOption) -> Iterator[str]:
    for note in option.notes:
        yield f"{INDENT}# {note}"
    head = f"{INDENT}{option.field}: {option.type} ="
    if not option.help and not option.has_own_name:
        yield f"{head} {option.default_text}"
        return
    yield f"{head} option("
    yield f"{INDENT * 2}default={option.default_text},"
    if option.help:
        yield f"{INDENT * 2}help={literal(option.help)},"
    if option.has_own_name:
        yield f"{INDENT * 2}name={literal(option.name)},"
    yield f"{INDENT})"


def _base_class(declared: PassDeclaration, python: PythonPass) -> Iterator[str]:
    options = f"{python.class_name}Options, " if python.options else ""
    yield f"class {python.class_name}Base({options}{python.kind}[Any, Any]):"
    summary = one_line(declared.summary) or f"Declaration of the pass `{python.name}`."
    yield from docstring(summary, declared.description, INDENT)
    yield ""
    yield f"{INDENT}name = {literal(python.name)}"
    for note in python.notes:
        yield f"{INDENT}# {note}"
    if python.kind == "OperationPass":
        yield f"{INDENT}anchor = {literal(python.anchor) if python.anchor else None}"
    if python.kind == "InterfacePass":
        yield f"{INDENT}interface = None"
    if python.dialects:
        names = ", ".join(map(literal, python.dialects))
        yield f"{INDENT}dependent_dialects = ({names}{',' * (len(python.dialects) == 1)})"
    for attribute, statistic in python.statistics.items():
        is_derived = attribute.replace("_", "-") == statistic.name
        name = "" if is_derived else f", name={literal(statistic.name)}"
        description = literal(one_line(statistic.description))
        yield f"{INDENT}{attribute} = Statistic({description}{name})"


def _register(passes: Sequence[PythonPass], group: str, module: str) -> Iterator[str]:
    default = f" = {literal(module)}" if module else ""
    words = re.sub(r"(?<=[a-z\d])(?=[A-Z])|\W", "_", group).lower()
    name = f"register_{words}_passes" if words else "register_passes"
    yield f"def {name}(registry: PassRegistry, module: str{default}) -> None:"
    yield f'{INDENT}"""Register the passes of a module, which is imported on first use."""'
    for each in passes:
        yield f'{INDENT}registry.register({literal(each.name)}, f"{{module}}:{each.class_name}")'


# -- Stubs of native passes ------------------------------------------------------------------

_GENERATED = "Generated by passel-tblgen, which overwrites changes."
_BASE = "TypedNativePass"


def native_facts(passes: Iterable[PassDeclaration]) -> str:
    """Return a table as text, with one line for each pass, in the order of the pass names.

    Each line contains the pass name, the class name and a JSON object. The JSON object contains the
    anchor or interface, the dialects, the options and the statistics of the pass. The table
    contains no descriptions.

    Args:
        passes: The declared passes.

    Raises:
        SpecificationError: If a pass cannot be expressed in Python.
    """
    found = sorted(map(in_python, passes), key=lambda each: each.name)
    lines = [f"{each.name} {each.class_name} {json.dumps(_facts(each))}" for each in found]
    return "\n".join([f"# {_GENERATED}", *lines]) + "\n"


def _facts(python: PythonPass) -> dict[str, Any]:
    facts = {
        "anchor": python.anchor,
        "interface": python.target if python.kind == "InterfacePass" else "",
        "dialects": python.dialects,
        "options": [_option_facts(each) for each in python.options],
        "statistics": [each.name for each in python.statistics.values()],
    }
    return {key: value for key, value in facts.items() if value}


def _option_facts(option: PythonOption) -> dict[str, Any]:
    kind = {"choices": option.choices} if option.choices else {"type": option.scalar}
    return {
        "field": option.field,
        "default": option.default,
        **({"name": option.name} if option.has_own_name else {}),
        **kind,
        **({"is_list": True} if option.is_list else {}),
    }


_NATIVE_MODULE = '''\
"""MLIR's passes as classes with typed options.

{generated}
The classes are created on first use, from the text file next to this module.
"""

from passel.mlir.typed import typed_passes

__getattr__, __dir__ = typed_passes(__name__, __file__{given})
'''


def native_module(root: str) -> str:
    """Generate a Python module that creates pass classes from the result of `native_facts`.

    The generated module reads this result from a text file in its directory, such as `passes.txt`
    for `passes.py`.

    Args:
        root: The root package of the Python bindings that contain the passes, such as `mlir`.
    """
    given = "" if root == "mlir" else f", root={literal(root)}"
    return _NATIVE_MODULE.format(generated=_GENERATED, given=given)


def native_stubs(passes: Sequence[PassDeclaration], *, described: bool = True) -> str:
    """Generate a stub file for the pass classes of the module that `native_module` generates.

    Args:
        passes: The declared passes.
        described: Whether the stub file contains summaries and descriptions.

    Raises:
        SpecificationError: If a pass cannot be expressed in Python.
    """
    pairs = [(in_python(each), each) for each in passes]
    pairs.sort(key=lambda each: each[0].class_name)
    lines = [f"# {_GENERATED}", ""]
    options = [option for each, _ in pairs for option in each.options]
    if any(option.choices for option in options):
        lines += ["from typing import Literal", ""]
    lines += [*imports(_names(options)), ""]
    for python, declared in pairs:
        lines += _class(python, declared if described else None)
    return "\n".join(lines) + "\n"


def _names(options: Iterable[PythonOption]) -> Iterator[tuple[str, str]]:
    yield "passel.mlir.typed", _BASE
    for option in options:
        if option.scalar in MODULES:
            yield MODULES[option.scalar], option.scalar


def _class(python: PythonPass, declared: PassDeclaration | None) -> Iterator[str]:
    where = python.anchor or (python.target if python.kind == "InterfacePass" else "")
    yield f"class {python.class_name}({_BASE}):"
    summary = f"`{python.name}`, on {where or 'any op'}"
    if declared and (told := one_line(declared.summary)):
        summary += f": {told}"
    yield from docstring(summary, declared.description if declared else "", INDENT)
    for option in python.options:
        default = "MLIR's" if option.default is None else f"`{option.default_text}`"
        text = f"`{option.name}` in pipelines; by default {default}."
        if declared and option.help:
            text = f"{option.help.rstrip('.')}. {text}"
        yield f"{INDENT}{option.field}: {option.type} = ..."
        yield from docstring(text, "", INDENT)
    if python.options:  # for editors without support for dataclasses
        given = ", ".join(f"{each.field}: {each.type} = ..." for each in python.options)
        yield f"{INDENT}def __init__(self, *, {given}) -> None: ..."
    yield ""


# -- Parts of source text --------------------------------------------------------------------


def imports(names: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield an import statement for each module.

    Args:
        names: Pairs of a module name and a name to import from the module.
    """
    modules: dict[str, set[str]] = {}
    for module, name in names:
        modules.setdefault(module, set()).add(name)
    for module in sorted(modules):
        yield f"from {module} import {', '.join(sorted(modules[module]))}"


def docstring(summary: str, description: str, indent: str) -> Iterator[str]:
    """Yield the lines of a docstring.

    Args:
        summary: The summary in one line. If the period at the end is missing, a period is added.
        description: The other paragraphs, which may be indented; empty if there are none.
        indent: The indentation of each line.
    """
    summary = summary.strip()
    summary = summary[0].upper() + summary[1:] + ("" if summary[-1] in ".?!" else ".")
    body = [line.rstrip() for line in reindented(description.expandtabs(4)).strip("\n").split("\n")]
    text = "\n".join([summary, "", *body]) if any(body) else summary
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    end = "\n" if "\n" in text else ""
    for line in f'"""{text}{end}"""'.split("\n"):
        yield f"{indent}{line}" if line else ""
