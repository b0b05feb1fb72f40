"""What is learned: one file a distribution."""
