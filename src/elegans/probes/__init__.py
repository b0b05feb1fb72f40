"""What we watch: one file a measurement."""
