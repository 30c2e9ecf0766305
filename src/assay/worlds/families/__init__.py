"""Families of tasks, one a file."""

__all__: list[str] = []
