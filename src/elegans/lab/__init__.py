"""How thousands run: plan, program, tile, worker, store, resume."""
