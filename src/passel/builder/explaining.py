"""Explaining why a step stands where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from passel.builder.rules import Rules
    from passel.builder.sequence import Step


class Explanation(NamedTuple):
    """Why a step stands where it stands.

    Attributes:
        label: The label of the step.
        sentences: The reasons, the first of which says who has put it there.
    """

    label: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n  ".join(self.sentences)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the sentences, in notebooks."""
        from passel.notebooks import Text, bundle  # noqa: PLC0415 - for notebooks alone

        return bundle(Text(str(self)))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the same on terminals: of tuples, IPython does not take it from the bundle."""
        printer.text(self._repr_mimebundle_()["text/plain"])


def explanation(step: Step, rules: Rules) -> Explanation:
    """Return why a step stands where it stands.

    Args:
        step: The step.
        rules: The constraints.
    """
    sentences = [f"'{step.label}' was {step.origin.clause('added') or 'added'}"]
    neighbours = [
        f"{side} '{other.label}'"
        for side, other in (
            ("after", rules.before(step)),
            ("before", rules.after(step)),
        )
        if other is not None
    ]
    if neighbours:
        sentences.append(f"it runs right {' and right '.join(neighbours)}")
    sentences += step.because
    sentences += (f"it {rule.constraint} ({rule.source})" for rule in rules.of(step))
    sentences += (rule.about(subject) for rule, subject in rules.mentioning(step))
    return Explanation(step.label, tuple(sentences))
