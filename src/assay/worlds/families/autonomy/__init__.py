"""Open sandboxes in which a subject may set itself goals, and pursue them (4.1 to 4.3, 10.10.4)."""

__all__: list[str] = []
