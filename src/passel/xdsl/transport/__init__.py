"""Encoding of xDSL's ops as bytes for other processes.

Text is slow to parse, and some attributes change when they are printed and parsed. The encoding
therefore describes how an op has changed since the sender and the receiver had equal copies. The
encoded changes contain the indices of IR nodes that the receiver already has, and the contents of
new or changed nodes. A new op is created empty, and is then filled in the same way as a changed op.
The decoded copy is exact, including names, locations and the order of attributes and uses. The
sender and the receiver must run the same versions of passel and xDSL.
"""
