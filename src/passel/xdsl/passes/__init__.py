"""Passes on xDSL's IR, one file each. These passes run on any isolated op."""
