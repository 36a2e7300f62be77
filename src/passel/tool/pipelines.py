"""From flags to a pass manager."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from passel.errors import DefinitionError
from passel.manager import Nesting, PassManager
from passel.passes.effects import EFFECTS, check_effects
from passel.passes.resolution import resolve
from passel.pipeline import PassNode, parse_options
from passel.tool.flags import UsageError

if TYPE_CHECKING:
    from passel.ir import IRAdapter
    from passel.passes import PassRegistry
    from passel.passes.resolution import ResolvedElement
    from passel.tool.flags import Arguments
    from passel.tool.replay import Recorded

_MODULE = "builtin.module"


class PipelineFactory:
    """Makes a pass manager for each part of the input.

    Names and options are resolved once, when this is made, so that a wrong pipeline is
    reported before any input is read.

    Raises:
        PipelineError: The pipeline or a pass's options are wrong.
        UsageError: `--allow-effects` names no effect.
    """

    def __init__(self, arguments: Arguments, registry: PassRegistry) -> None:
        self._text = arguments.text("pass-pipeline")
        self._is_text = "pass-pipeline" in arguments.given
        self._registry = registry
        verify = "false" if arguments.flag("disable-verify") else arguments.text("verify-each")
        self._verify: bool | Literal["always"] = _verify_mode(verify)
        self._verify_analyses = arguments.flag("verify-analyses")
        self._allowed = _allowed_effects(arguments.text("allow-effects"))
        self._elements: tuple[ResolvedElement, ...] = ()
        if self._is_text:
            self._parse(None, None)
        else:
            self._elements = resolve(
                [_pass_node(name, options) for name, options in arguments.passes], registry
            )

    def make(
        self,
        anchor: str,
        context: Any,
        adapter: IRAdapter,
        recorded: Recorded | None = None,
    ) -> PassManager:
        """Return a manager for a top-level op of this name.

        Args:
            anchor: The name.
            context: The context of the part of the input.
            adapter: The adapter.
            recorded: What the input records; its pipeline comes before passes given as flags
                and gives way to `--pass-pipeline`.

        Raises:
            PipelineError: The pipeline cannot be scheduled on this IR, or what is recorded
                has effects that are not allowed.
        """
        if self._is_text:
            manager = self._parse(context, adapter)
        else:
            if recorded is None or recorded.pipeline is None:
                manager = PassManager(anchor, context, adapter=adapter)
            else:
                manager = PassManager.parse(
                    recorded.pipeline, context, registry=self._registry, adapter=adapter
                )
                manager.restrict_effects(*self._allowed, remedy="--allow-effects={effects}")
            manager.nesting = Nesting.IMPLICIT
            manager.add_resolved(self._elements)
        verify = self._verify
        if recorded is not None and recorded.verify_each is not None:
            verify = recorded.verify_each and (verify or True)
        manager.enable_verifier(verify)
        manager.enable_analysis_verifier(self._verify_analyses)
        manager.check()
        return manager

    def _parse(self, context: Any, adapter: IRAdapter | None) -> PassManager:
        return PassManager.parse(
            self._text,
            context,
            registry=self._registry,
            adapter=adapter,
            flat_anchor=_MODULE,
            name="--pass-pipeline",
        )


def _verify_mode(text: str) -> bool | Literal["always"]:
    return "always" if text == "always" else text in ("true", "1")


def _allowed_effects(text: str) -> tuple[str, ...]:
    names = tuple(name for each in text.split(",") if (name := each.strip()))
    if "all" in names:
        return tuple(EFFECTS)
    try:
        check_effects(names, "'--allow-effects'")
    except DefinitionError as error:
        raise UsageError(str(error)) from None
    return names


def _pass_node(name: str, options: str | None) -> PassNode:
    text = (options or "").strip()
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    return PassNode(name, parse_options(text, name=f"--{name}"))
