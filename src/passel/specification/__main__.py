"""`python -m passel.specification`: the command passel-tblgen."""

import sys

from passel.specification.command import main

sys.exit(main())
