"""The paper's experiments: protocol, resumable store, tables."""

__all__: list[str] = []
