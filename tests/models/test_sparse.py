"""Sparse initialisation: the number of ones, their law, and what stays dense."""

from math import comb

import jax
import jax.numpy as jnp
import numpy as np

from elegans.models.initialisers import FanIn
from elegans.models.mlp import MLP
from elegans.models.sparse import Sparse
from elegans.tasks.parity import SparseParity

F32 = jnp.dtype(jnp.float32)


def test_every_neuron_has_s_ones_on_a_uniform_support() -> None:
    n, s, r = 6, 2, 15_000
    W = np.asarray(Sparse(s).draw(jax.random.key(0), (n, r), n, r, F32))
    assert set(np.unique(W)) == {0, 1} and (W.sum(0) == s).all()
    _, counts = np.unique(W, axis=1, return_counts=True)
    expected = r / comb(n, s)
    assert len(counts) == comb(n, s)
    assert ((counts - expected) ** 2 / expected).sum() < 36.1  # 0.999 quantile of chi-square, 14 degrees of freedom


def test_biases_and_output_weights_are_dense() -> None:
    key, signature = jax.random.key(1), SparseParity(8, 2).signature
    sparse, dense = MLP(5, initial=Sparse(3)).init(key, signature), MLP(5, initial=FanIn()).init(key, signature)
    assert all(np.array_equal(sparse[p], dense[p]) for p in ("b", "u", "c"))
    assert (np.asarray(sparse["W"]).sum(0) == 3).all()
