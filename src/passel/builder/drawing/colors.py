"""Colours of types of pass, told apart also by those who do not see all colours."""

# Of Okabe and Ito, without yellow and black.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F", "#882255")


def color_of(number: int) -> str:
    """Return the colour of the type of a number."""
    return _COLORS[number % len(_COLORS)]
