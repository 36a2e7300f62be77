"""A plugin that registers what it offers, a pipeline among it."""

from passel import OpPassManager, default_registry


def _build(pm: OpPassManager) -> None:
    pm.add("cse,dce")


default_registry().register_pipeline("tidy-up", _build, summary="Remove what is not needed.")
