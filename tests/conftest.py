"""Properties are tried on fewer examples in the common run than hypothesis would: there are many of them."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("common", deadline=None, max_examples=25)
settings.load_profile("common")
