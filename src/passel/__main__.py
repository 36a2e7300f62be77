"""`python -m passel`: the tool passel-opt."""

import sys

from passel.cli import main

sys.exit(main())
