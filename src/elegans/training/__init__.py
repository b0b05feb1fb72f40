"""How it learns: losses, data regimes, optimisers, schedules and stops, all as configuration."""
