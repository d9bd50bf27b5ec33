"""``python -m consensa`` is the command line."""

import sys

try:
    from consensa.cli import main
except KeyboardInterrupt:  # before the guard against it stands
    sys.exit(130)

sys.exit(main())
