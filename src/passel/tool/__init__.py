"""passel-opt and other programs: running pass pipelines on IR files from the command line."""

from passel.tool.opt import main, opt_main

__all__ = ["main", "opt_main"]
