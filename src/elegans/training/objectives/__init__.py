"""Exact population losses, one file a model family."""
