"""Strict numerics for the whole suite: no silent promotion of ranks or dtypes, and the same examples on every run.

Most of the suite's time goes into compiling, so what was compiled once on this machine is kept, where the lab keeps its
programs: a change of a program's code is another program and compiled anew.
"""

import os

import hypothesis
import jax
import pytest

from elegans.lab.machine import use_compilation_cache

jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_numpy_dtype_promotion", "strict")
use_compilation_cache()

hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=40)
hypothesis.settings.register_profile("fresh", deadline=None, max_examples=400)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_configure(config: pytest.Config) -> None:
    """A file of the cache that another process is just writing counts as absent."""
    config.addinivalue_line("filterwarnings", "ignore:Error (read|writ)ing persistent compilation cache:UserWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long goes first, so that no worker is left alone with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
