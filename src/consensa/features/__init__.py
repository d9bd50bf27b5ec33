"""Features: what is read from X before base partitions are made of it."""

__all__: list[str] = []
