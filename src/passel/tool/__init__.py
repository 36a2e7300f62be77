"""passel-opt and related programs, which run pass pipelines on IR files."""

from passel.tool.opt import main, opt_main

__all__ = ["main", "opt_main"]
