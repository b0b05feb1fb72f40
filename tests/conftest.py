"""Strict numerics for the whole suite: no silent promotion of ranks or dtypes, and the same examples on every run."""

import os

import hypothesis
import jax

jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_numpy_dtype_promotion", "strict")

hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=40)
hypothesis.settings.register_profile("fresh", deadline=None, max_examples=400)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
