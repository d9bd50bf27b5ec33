"""X → Features: the features that generators use, read once."""

from consensa.features._features import Features, read_features

__all__ = ["Features", "read_features"]
