"""Passes for xDSL's IR, with one file for each pass.

The passes can be scheduled on any isolated op. `inline` and `symbol-dce` fail on an op that defines
no symbol table.
"""
