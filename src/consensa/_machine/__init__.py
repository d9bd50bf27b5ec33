"""What this machine offers: memory, threads, files, a progress display, versions."""
