"""Encoding of xDSL's ops as bytes for other processes.

Text is slow to parse and changes some attributes. The encoding therefore contains the changes since
both processes had the same op: numbers for nodes that both processes have, and the contents of new
or changed nodes. A new op is sent as a shell, with its class and results, and its changes. The copy
is exact: names, locations, the order of attributes and of uses are the same. Both processes must
have the same versions of passel and xDSL.
"""
