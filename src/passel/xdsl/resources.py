"""External resources of files, by the names under which this package has them."""

from __future__ import annotations

from passel.resources import ExternalResource, print_resources

__all__ = ["ExternalResource", "print_resources"]
