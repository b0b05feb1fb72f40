"""Who claims what: one folder a paper, with its checklist and its experiments."""
