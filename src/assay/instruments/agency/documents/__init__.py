"""What is published of a reading: the Agency Card (13.3) and the Technical Report (13.4), as data and as documents."""

from __future__ import annotations
