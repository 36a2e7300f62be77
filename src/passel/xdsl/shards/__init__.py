"""Shards of a source: ops at its top that are read, run and printed by processes of their own.

All processes have the whole text, and each parses what comes before the top-level ops, its own
ones, and what comes after them. Where a shard may begin is guessed from the layout of the text,
and known when all have parsed: the first begins where the ops begin, and each ends, for the
parser, exactly where the next one begins. So what all have parsed is what one parser parses.
"""
