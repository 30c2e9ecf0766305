"""The measures of answered lineups, one question a module."""
