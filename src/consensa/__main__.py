"""``python -m consensa`` is the command line."""

import sys

from consensa.cli import main

sys.exit(main())
