"""How it is seen: the ledger and the figures as pages that need no server and no network."""
