"""The version of the package, the only place for builds and programs to read it."""

__version__ = "0.2.0"
