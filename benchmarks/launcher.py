"""Runs a command and prints what it cost: seconds of CPU time, then peak memory in KiB.

Run as `python -IS launcher.py OUTPUT COMMAND...`. A child starts as a copy of its parent and
its peak counts from there, so the parent has to be small: this file imports hardly anything.
"""

import os
import sys

output, *command = sys.argv[1:]
descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
child = os.posix_spawn(
    command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, descriptor, 1)]
)
_, status, usage = os.wait4(child, 0)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
