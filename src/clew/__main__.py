"""`python -m clew`."""

from __future__ import annotations

import sys

from clew.cli import main

if __name__ == "__main__":  # worker processes import this module again
    sys.exit(main())
