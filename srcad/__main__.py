"""`python -m srcad` is `srcad`."""

import sys

from srcad.cli import main

sys.exit(main())
