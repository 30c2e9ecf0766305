"""Families that offer occasions to break bounds (14.2). They evidence no level."""
