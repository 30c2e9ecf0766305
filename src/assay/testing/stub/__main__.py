"""``python -m assay.testing.stub``."""

from __future__ import annotations

import sys

from .server import main

sys.exit(main())
