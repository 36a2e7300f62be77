"""`python -m passel`: the tool passel-opt."""

import sys

from passel.tool import main

sys.exit(main())
