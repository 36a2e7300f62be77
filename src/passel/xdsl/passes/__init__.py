"""Passes on xDSL's IR, one file each. They run on any isolated op."""
