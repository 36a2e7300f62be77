"""A record as a page for a browser, in one file."""

from passel.record.page.payload import page

__all__ = ["page"]
