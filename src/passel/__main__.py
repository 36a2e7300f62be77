"""`python -m passel`: the tool passel-opt."""

import sys

from _passel_programs import passel_opt

sys.exit(passel_opt())
