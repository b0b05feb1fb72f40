"""The front door: the command `elegans`. Nothing heavy is imported before a command needs it."""
