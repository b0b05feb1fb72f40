"""Who else plays: other frameworks and trackers."""
