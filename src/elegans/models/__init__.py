"""Who learns: one file an architecture."""
