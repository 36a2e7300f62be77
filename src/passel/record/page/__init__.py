"""A record as a page for a browser: what each pass did, in one file."""

from passel.record.page.payload import page

__all__ = ["page"]
