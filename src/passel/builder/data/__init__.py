"""Pipelines as data: YAML to a builder's items, and back."""
