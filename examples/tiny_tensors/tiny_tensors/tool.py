"""`tt-opt`: what a tool of one's own takes."""

from passel.tool import opt_main


def main() -> int:
    """Run the tool."""
    return opt_main(name="tt-opt", version="0.1")
