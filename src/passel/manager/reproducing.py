"""Loading reproducers in Python."""

# ruff: noqa: PLC0415
# Few programs load reproducers, and `import passel` is faster without these imports.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.errors import PipelineError
from passel.manager.pass_manager import PassManager
from passel.passes import PassRegistry, default_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from passel.frontend import Frontend, Parsed, SourcePart
    from passel.ir import IRAdapter


def load_reproducer(
    path: str | Path,
    adapter: IRAdapter | str,
    *,
    context: Any = None,
    passes: Iterable[Any] = (),
    parse: Callable[[str], Any] | None = None,
    allow_unregistered: bool = False,
    allow_effects: Iterable[str] = (),
) -> tuple[Any, PassManager]:
    r"""Load a reproducer, which may use passes and dialects that no installed package registers.

    Args:
        path: The path of the reproducer file.
        adapter: The adapter of the IR, or the name of an installed adapter, such as `xdsl`.
        context: The context of the IR; by default a new context with the installed dialects.
        passes: The passes or pass classes that the recorded pipeline uses and that no installed
            package registers.
        parse: A function that parses the text of the IR and returns an op. The function is required
            if the adapter has no frontend.
        allow_unregistered: Whether a new context allows ops of unregistered dialects.
        allow_effects: The effects that passes may have; see `PassManager.restrict_effects`. The
            manager rejects passes with other effects.

    Returns:
        The op, and a manager that runs the recorded pipeline, as in `manager.run(op)`.

    Raises:
        AdapterError: No adapter with the given name is installed, or the adapter has no frontend
            and `parse` is None.
        UnreadableError: The file does not contain valid IR.
        PipelineError: The file contains no recorded pipeline, or the pipeline is invalid.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> recorded = 'external_resources: {mlir_reproducer: {pipeline: "toy.module(toy.func())"}}'
        >>> file = Path(tempfile.mkdtemp(), "repro.toy")
        >>> _ = file.write_text(f"toy.module(toy.func)\n{{-# {recorded} #-}}")
        >>> op, manager = load_reproducer(file, ToyAdapter(), parse=parse_toy)
        >>> print(manager)
        toy.module(toy.func())
    """
    from passel.frontend import SourcePart, frontend_of
    from passel.instruments.reproducer_file import read_reproducer

    source = SourcePart.from_file(path)
    frontend = frontend_of(adapter, allow_unregistered=allow_unregistered, parse=parse)
    context = frontend.new_context() if context is None else context
    parsed = read_part(frontend, source, context)
    recorded = read_reproducer(parsed.resources, source)
    if recorded is None or recorded.pipeline is None:
        raise PipelineError(f"{path} contains no recorded pipeline")
    manager = PassManager.parse(
        recorded.pipeline, context, registry=registry_with(passes), adapter=frontend.adapter
    )
    manager.restrict_effects(*allow_effects)
    manager.enable_verifier(recorded.verify_each is not False)
    return parsed.op, manager


def registry_with(passes: Iterable[Any]) -> PassRegistry:
    """Return a copy of the default registry in which the given passes are also registered."""
    from passel.passes.factory import class_of

    registry = PassRegistry(default_registry())
    for each in passes:
        kind = each if isinstance(each, type) else type(each)
        registry.register(class_of(kind, getattr(kind, "name", "")), override=True)
    return registry


# -- Parsing IR with the frontend of an adapter -------------------------------------------------


def read_part(frontend: Frontend, part: SourcePart, context: Any) -> Parsed:
    """Parse one part of a source file, and verify its top-level op.

    Raises:
        UnreadableError: The part is not valid IR. The diagnostics of the error give the locations
            of the mistakes.
    """
    from passel.frontend import UnreadableError
    from passel.passes.remarks import invalid_diagnostic

    adapter = frontend.adapter
    parsed = frontend.read(part, context, lambda _: None)
    if not frontend.verifies and (
        error := adapter.verification_error(adapter.op_of(parsed.op), recursive=True)
    ):
        raise UnreadableError([invalid_diagnostic(adapter, error)])
    return parsed
