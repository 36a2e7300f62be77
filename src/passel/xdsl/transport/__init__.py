"""xDSL's ops on their way to other processes and back, as bytes.

Text is no transport: it is slow to read and changes some attributes. What is sent is what has
changed since a process on the other side had the same op: nodes are known by their numbers, and
all that is new, or other than it was, is written. An op that the other side does not know is
sent as changes of a shell, which has its class and results alone.
What arrives cannot be told from what was sent: names, locations, the order of attributes and of
uses are kept. The bytes are good for the versions of passel and xDSL that wrote them.
"""
