"""Finite samples: how many wrong parities agree with m examples.

    E #{S' ≠ S : χ_{S'} agrees on m examples} = (C(n,k) - 1) 2^{-m}        Var = (C(n,k) - 1) 2^{-m} (1 - 2^{-m})

The variance is exact because the disagreements of different sets are pairwise independent characters.
"""

import jax
import jax.numpy as jnp
import numpy as np

from elegans.base import stream
from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.learners.search import agreeing
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate
from elegans.tasks.parity import SparseParity
from elegans.theory.random_search import expected_impostors, samples_needed, subsets
from elegans.training.regimes import Virtual

Arrays = dict[str, np.ndarray]
DATA = stream.key(0, stream.Purpose.DATA)
SAMPLES = tuple(range(5, 21))


def impostor_table(n: int, k: int, m: tuple[int, ...], draws: int) -> Arrays:
    """Mean number of wrong k-sets that agree with the first m examples of `draws` training sets."""
    task, regime = SparseParity(n, k), Virtual(max(m))
    indices = jnp.arange(max(m), dtype=jnp.int32)
    sets = jax.jit(jax.vmap(lambda s: regime.examples(task, (), stream.fold(DATA, s), indices)[:2]))
    x, y = (np.asarray(a) for a in sets(np.arange(draws, dtype=np.uint32)))
    counts = np.array([agreeing(a, b, k)[np.array(m) - 1] - 1 for a, b in zip(x, y, strict=True)])
    return {"m": np.array(m), "n": np.array(n), "k": np.array(k), "draws": np.array(draws), "mean": counts.mean(0)}


def strangers(n: int, k: int, m: int, steps: int) -> Arrays:
    """Examples drawn in training that are not among the m of the set, and set members never drawn."""
    task, virtual = SparseParity(n, k), Virtual(m)

    @jax.jit
    def drawn(key: jax.Array) -> tuple[jax.Array, ...]:
        def draw(t: jax.Array) -> jax.Array:
            return virtual.draw(task, (), key, t, 32).x

        fresh = task.sample(stream.fold(key, steps), 32 * steps).x
        members = virtual.examples(task, (), key, jnp.arange(m, dtype=jnp.int32)).x
        return members, jax.lax.map(draw, jnp.arange(steps, dtype=jnp.int32)).reshape(-1, n), fresh

    members, seen, fresh = ({tuple(map(int, row)) for row in np.asarray(a)} for a in drawn(DATA))
    return {
        "strangers": np.array(len(seen - members)),
        "unseen": np.array(len(members - seen)),
        "strangers_if_fresh": np.array(len(fresh - members)),
    }


def deviations(e: Evidence, factor: float = 1.0) -> np.ndarray:
    """Standardised distances of the means from `factor` times the expected numbers."""
    n, k, draws, m = int(e.array("n")), int(e.array("k")), int(e.array("draws")), e.array("m")
    expected = np.array([expected_impostors(n, k, int(i)) for i in m])
    return (e.array("mean") - factor * expected) / np.sqrt(expected * (1 - 2.0**-m) / draws)


def largest(e: Evidence, factor: float = 1.0) -> Estimate:
    """The largest |deviation| over all m."""
    value = float(np.abs(deviations(e, factor)).max())
    return Estimate(value, value, value, int(e.array("draws")), what="largest deviation, standard errors")


class FiniteSamples(Experiment):
    """Wrong parities that agree with m examples halve with every example."""

    id = "task-finite"
    place = Place(PAPER, "sections 4.3 and B.3.5")
    claims = (
        Claim(
            "task-finite",
            "a finite training set is drawn from again and again: nothing outside it is ever seen",
            expect=at_most(0),
            why="the definition: m examples are drawn once, a step draws indices with replacement",
            value=lambda e: e["members"].max("strangers"),
            wrong=lambda e: e["members"].max("strangers_if_fresh"),
        ),
        Claim(
            "task-finite",
            "the mean number of wrong consistent 3-sets is (C(n,k) - 1) 2^{-m} for m = 5 to 20, within 3 standard errors",
            expect=at_most(3),
            why="a wrong set agrees with each example with probability 1/2; the bound is the specification's",
            value=lambda e: largest(e["impostors"]),
            wrong=lambda e: largest(e["impostors"], 2.0),
        ),
    )
    chosen = {
        "n, k, m": "20, 3, 5 to 20 with 200 training sets, as in the specification",
        "indices": "drawn with replacement: the paper does not say how batches are drawn from the set",
    }
    shows = "Measured means follow the line (C(n,k) - 1) 2^{-m}, which passes 1 at log2 C(n,k) = 10.2 examples."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        impostors = Calculation(impostor_table, n=20, k=3, m=SAMPLES, draws=scale(50, 200, 2000))
        return {"impostors": impostors, "members": Calculation(strangers, n=20, k=3, m=100, steps=50)}

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        table = e["impostors"]
        m, draws = table.array("m"), int(table.array("draws"))
        n, k = int(table.array("n")), int(table.array("k"))
        expected = (subsets(n, k) - 1) * 2.0**-m
        error = np.sqrt(expected * (1 - 2.0**-m) / draws)
        ax.fill_between(
            m, np.maximum(expected - 3 * error, 1e-6), expected + 3 * error, color="0.88", label="± 3 standard errors"
        )
        ax.plot(m, expected, color="0.3", lw=1, label=r"$(C(n,k)-1)\,2^{-m}$")
        seen = table.array("mean") > 0
        ax.plot(m[seen], table.array("mean")[seen], "o", ms=4, label=f"mean of {draws} training sets")
        if not seen.all():
            ax.plot(m[~seen], np.full((~seen).sum(), 4e-4), "v", ms=4, mfc="none", color="C0", label="none found")
        ax.axvline(samples_needed(n, k), lw=0.8, ls=":", color="0.3", label="m = log₂ C(n,k)")
        ax.set(xlabel="examples m", ylabel=f"wrong sets that fit, n = {n}, k = {k}", yscale="log", ylim=(3e-4, 100))
        ax.legend()
        return figure
