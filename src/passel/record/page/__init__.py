"""Show a record as a single HTML file."""

from passel.record.page.payload import page

__all__ = ["page"]
