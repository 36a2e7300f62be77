"""Passes for xDSL's IR, with one file for each pass. These passes run on any isolated op."""
