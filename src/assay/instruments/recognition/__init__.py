"""The recognition instrument: whether a subject knows its own words, and whether a signature identifies it."""
