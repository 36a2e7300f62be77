"""The version of the package, in the one place that builds and programs both read."""

__version__ = "0.2.0"
