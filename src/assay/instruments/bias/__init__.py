"""The bias instrument."""
