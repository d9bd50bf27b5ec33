"""Memory, threads, files, progress display and library versions."""
