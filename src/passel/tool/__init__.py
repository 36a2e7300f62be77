"""passel-opt: pass pipelines on files of IR from the command line."""

from passel.tool.opt import main, opt_main

__all__ = ["main", "opt_main"]
