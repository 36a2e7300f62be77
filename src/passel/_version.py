"""The version of passel."""

__version__ = "0.2.0"
