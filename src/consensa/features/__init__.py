"""X → Features: what is read from X before base partitions are made of it."""

from consensa.features._features import Features, read_features

__all__ = ["Features", "read_features"]
