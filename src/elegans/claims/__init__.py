"""How it is judged: claims, bounds, evidence, verdicts and the ledger."""
