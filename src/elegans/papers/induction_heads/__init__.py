"""Induction Heads: transformers trained on Markov chains pass through unigrams to in-context bigram statistics."""
