"""Passes on xDSL's IR that run on any isolated op, one file each."""
