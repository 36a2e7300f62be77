"""Safe use of the bindings' pass managers.

If MLIR rejects a pipeline, passel raises an error with a one-line message. During a run, MLIR's
diagnostics are collected in a way that cannot crash the process.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from passel.mlir.bindings import context_lock
from passel.mlir.calls import calls_of
from passel.mlir.contents import symbol_name
from passel.mlir.standard_error import captured
from passel.mlir.upstream import (
    FACTS,
    PassFacts,
    facts_in,
    has_name,
    is_known_pass,
    known_build,
)
from passel.pipeline.lexer import is_name

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings

_UNKNOWN = "does not refer to a registered pass or pass pipeline"
_NOISE = re.compile(
    r"^(MLIR Textual PassPipeline Parser:\d+:\d+: error|<Pass-Options-Parser>|[^ ]*): ?(?=\S)"
    r"|^failed to add .*"
)
_WORD = re.compile(r"[^\s,{}()=\"']+")


class Refused(Exception):  # noqa: N818 - says what is; never leaves this package
    """The error for a pipeline that MLIR rejects.

    Args:
        bindings: The build of MLIR's Python bindings.
        pipeline: The text of the pipeline.
        text: The full message of MLIR's error.

    Attributes:
        text: The full message of MLIR's error.
        is_unknown: Whether MLIR rejects the pipeline because of an unknown pass or pipeline name.
    """

    def __init__(self, bindings: Bindings, pipeline: str, text: str) -> None:
        super().__init__(text)
        self._bindings = bindings
        self._pipeline = pipeline
        self.text = text
        self.is_unknown: bool = _UNKNOWN in text

    def reason(self) -> str:
        """Return MLIR's message about the cause of the error, as a single line.

        If an option has an invalid value, MLIR's error does not contain the cause. In this case,
        the method parses the pipeline again, and reads the cause from standard error.
        """
        return _first_line(self.text) or _first_line(self._printed()) or self.text.strip()

    def _printed(self) -> str:
        context = query_context(self._bindings)
        with context_lock(context), captured() as output, suppress(ValueError):
            self._bindings.passmanager.PassManager.parse(self._pipeline, context)
        return output.getvalue().decode(errors="replace")


def _first_line(text: str) -> str:
    lines = (_NOISE.sub("", line).strip() for line in text.splitlines())
    return next(filter(None, lines), "")


def folder_of(op: Any) -> str:
    """Return the name of the folder into which MLIR writes IR files for an op.

    The folder is inside the folder of the enclosing op.
    """
    symbol = symbol_name(op.operation)
    symbol = "no-symbol-name" if symbol is None else symbol
    return f"{op.operation.name.replace('.', '_')}_{symbol}".replace("/", "_").replace("\\", "_")


def parsed(bindings: Bindings, text: str) -> Any:
    """Parse the text of a pipeline with its anchor, and return MLIR's new pass manager.

    The pass manager uses the context from `query_context`.

    Raises:
        Refused: If MLIR rejects the pipeline.
    """
    context = query_context(bindings)
    try:
        text.encode()
        with context_lock(context):
            return bindings.passmanager.PassManager.parse(text, context)
    except ValueError as error:
        is_text = not isinstance(error, UnicodeEncodeError)
        reason = str(error) if is_text else f"invalid UTF-8: {error.reason}"
        raise Refused(bindings, text, reason) from None


@cache
def expanded(bindings: Bindings, name: str) -> str:
    """Return the text of the passes to which MLIR expands a pass or pipeline name.

    The name of a pass expands to the same name, possibly followed by options. An unknown name
    expands to an empty string. The name is parsed with the anchor `any`, because a registered
    pipeline crashes the process when it adds a pass that the anchor does not admit.
    """
    if not (name.isprintable() and is_name(name)):
        return ""
    try:
        found = parsed(bindings, f"any({name})")
        # Some passes have uninitialized options, which crash the process when printed.
        return name if is_known_pass(bindings.package, name) else str(found)[len("any(") : -1]
    except Refused as error:
        return "" if error.is_unknown else name


def is_pass(bindings: Bindings, name: str) -> bool:
    """Return whether `name` is the name of a pass, rather than of a pipeline."""
    return expanded(bindings, name).partition("{")[0] == name


@cache
def query_context(bindings: Bindings) -> Any:
    """Return a build's shared context for queries about passes."""
    return bindings.new_context(loads=False)


_RESTRICTED = re.compile(r"[Cc]an't add pass '(.*?)' restricted to '(.*?)'")


@cache
def facts_of(bindings: Bindings, name: str) -> PassFacts:
    """Return facts about one of a build's passes, such as the anchor of the pass.

    For an upstream pass, the facts come from passel's table. For any other pass, the anchor is
    taken from an error message of the build, and the options remain unknown.
    """
    if declared := facts_in(FACTS).get(name):
        return declared
    for op in ("builtin.module", "func.func"):
        try:
            parsed(bindings, f"{op}({name})")
        except Refused as error:
            if found := _RESTRICTED.search(error.text):
                return PassFacts(name, found[1], anchor=found[2])
    return PassFacts(name, name)


@cache
def banner(bindings: Bindings) -> str:
    """Return the title that a build of MLIR prints above IR dumps of `cse`, such as `CSE (cse)`.

    Source: `IRPrinterInstrumentation`, MLIR 22 to 24.
    """
    ir = bindings.ir
    module = ir.Module.create(ir.Location.unknown(query_context(bindings)))
    with captured() as output, suppress(Refused):
        manager = parsed(bindings, "any(cse)")
        manager.enable_ir_printing()
        calls_of(bindings).runner(manager)(module.operation)
    return output.getvalue().decode().partition(" IR Dump After ")[2].partition(" //")[0]


@cache
def class_name(bindings: Bindings, name: str, declared: str) -> str:
    """Return the class name that a build of MLIR prints for a pass in reports.

    Args:
        bindings: The build of MLIR's Python bindings.
        name: The name of the pass.
        declared: The class name of the pass in MLIR 22.
    """
    known = known_build(bindings.package).names.get(name)
    return known or usual_class(bindings, name, declared)


def usual_class(bindings: Bindings, name: str, declared: str) -> str:
    """Derive the class name of a pass in a build from the pass's class name in MLIR 22.

    In later releases of MLIR, the class names of all upstream passes end in `Pass`.
    """
    is_longer = name in facts_in(FACTS) and not banner(bindings).startswith("CSE (")
    return declared.removesuffix("Pass") + "Pass" if is_longer else declared


_UNPRINTABLE = frozenset({"iree-llvmcpu-tile", "llvm-use-default-visibility"})
"""The passes with uninitialized options, which crash the process when printed."""


def printed_pass(bindings: Bindings, name: str, text: str) -> str:
    """Return the text that a build of MLIR prints for a pass, with all options."""
    return text if name in _UNPRINTABLE else str(parsed(bindings, f"any({text})"))[len("any(") : -1]


_ALL = ("read-files", "run-programs", "write-files")


_KNOWN = {
    "gpu-module-to-binary": _ALL,
    # They write files, and run a program on them.
    "opt-reduction-pass": _ALL,
    "reduction-tree": _ALL,
    "snapshot-op-locations": ("write-files",),
    # The IR names the passes that it runs.
    "transform-interpreter": _ALL,
    "transform-preload-library": ("read-files",),
    "gpu-register-host-buffers": (),  # no file declares it
    # Pipelines.
    "gpu-lower-to-nvvm-pipeline": _ALL,
    "gpu-lower-to-xevm-pipeline": _ALL,
}
"""The effects outside the IR of passes and pipelines, by name."""


def known_effects(name: str) -> tuple[str, ...]:
    """Return the effects that the pass or pipeline called `name` has outside the IR."""
    if name in _KNOWN:
        return _KNOWN[name]
    is_upstream = name in facts_in(FACTS) or has_name("mlir", f"{name}*")
    return () if is_upstream else ("unknown",)


def effects_of_native(bindings: Bindings, name: str, options: str) -> tuple[str, ...]:
    """Return a native pass's effects outside the IR, including those of passes in its options.

    Every word in the options is looked up as a pass name, because options may contain pipelines as
    text.

    Args:
        bindings: The build of MLIR's Python bindings.
        name: The name of the pass.
        options: The text of the pass's options.
    """
    effects = {
        effect
        for each in (name, *_WORD.findall(options))
        for effect in known_effects(each)
        if effect != "unknown" or expanded(bindings, each)
    }
    return tuple(sorted(effects))
