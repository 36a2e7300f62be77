"""A pass at its place, as what is declared of places sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.builder.naming import Key
    from passel.builder.origin import Origin
    from passel.passes import Pass


class Subject:
    """A pass at its place in a pipeline, as constraints see it.

    Attributes:
        label: The pass as messages name it.
        rank: Its number among all steps, as their index has found it.
        version: The version of the declarations that the following are looked up in.
        keys: All that it is found by wherever it stands.
        rules: Each `Rule` that its class declares.
    """

    pass_: Pass[Any, Any]
    label: str
    origin: Origin
    bundles: tuple[Any, ...] = ()
    rank: int = 0
    version: int = -1
    keys: tuple[Key, ...] = ()
    rules: tuple[Any, ...] = ()

    def enclosing_keys(self) -> Iterable[Key]:
        """Return what it is found by where it stands."""
        return ()

    def found_by(self) -> tuple[Key, ...]:
        """Return all that it is found by, maybe twice."""
        return (("label", self.label), *self.keys, *self.enclosing_keys())
