"""Section B.3.6: label noise shrinks every gradient and every Fourier gap by 1 - 2p, and costs (1 - 2p)^{-2} examples."""

import numpy as np

from elegans.claims.claim import Claim, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.stats import Estimate, bootstrap
from elegans.theory import boolean
from elegans.theory.label_noise import attenuation, noisy_mean, sample_factor

Arrays = dict[str, np.ndarray]
PS = (0.0, 0.1, 0.25, 0.4, 0.49, 0.5)
NOISE = 0.25
CHUNK = 1000  # examples drawn at once


def gradient(w: np.ndarray, k: int, p: float) -> np.ndarray:
    """E[ỹ x_i 1[w·x > 0]] for every i, by enumeration with weighted labels."""
    x = boolean.cube(w.size).astype(np.float64)
    return noisy_mean(x.T * (x @ w > 0), x[:, :k].prod(1), p)


def identity_table(n: int, k: int, p: tuple[float, ...], functions: int) -> Arrays:
    """Distances of noisy expectations and gaps from 1 - 2p, and from 1/2 - p, times the noiseless ones."""
    rng = np.random.default_rng(0)
    y, f, w = boolean.character(n, range(k)), rng.standard_normal((functions, 2**n)), rng.standard_normal(n)
    clean, clean_gap = noisy_mean(f, y, 0), relaxed_gap(gradient(w, k, 0), k)
    found: Arrays = {"p": np.array(p), "gap": np.array([relaxed_gap(gradient(w, k, q), k) for q in p]) / clean_gap}
    for name, factor in {"": attenuation, "_bias": lambda q: 0.5 - q}.items():
        found[f"mean_error{name}"] = np.array([np.abs(noisy_mean(f, y, q) - factor(q) * clean).max() for q in p])
        found[f"gap_error{name}"] = np.abs(found["gap"] - [factor(q) for q in p])
    return found


def relaxed_gap(g: np.ndarray, k: int) -> float:
    """Γ = max_{i<k} |g_i| - max_{i>=k} |g_i|."""
    return float(np.abs(g[:k]).max() - np.abs(g[k:]).max())


def recovery_table(n: int, k: int, batches: tuple[int, ...], p: float, trials: int) -> Arrays:
    """Whether the k largest |gradient| entries of an all-ones ReLU neuron are S, without noise and with it."""
    grid = {0.0: batches, p: tuple(round(b * sample_factor(p)) for b in batches)}
    rows = {
        flip: np.array([recoveries(n, k, at, flip, (t, int(100 * flip))) for t in range(trials)])
        for flip, at in grid.items()
    }
    return {"batches": np.array(batches), "clean": rows[0.0], "noisy": rows[p], "factor": np.array(sample_factor(p))}


def recoveries(n: int, k: int, batches: tuple[int, ...], p: float, seed: tuple[int, ...]) -> list[bool]:
    """Recovery from the first B examples of one stream, for each B."""
    rng, g, seen, found = np.random.default_rng(seed), np.zeros(n), 0, list[bool]()
    for B in batches:
        while seen < B:
            m = min(CHUNK, B - seen)
            x = 1 - 2 * np.unpackbits(rng.integers(0, 256, (m, -(-n // 8)), np.uint8), axis=1)[:, :n].astype(np.float32)
            y = x[:, :k].prod(1) * np.where(rng.random(m) < p, np.float32(-1), np.float32(1))
            g += (y * (x.sum(1) > 0)) @ x
            seen += m
        found.append(bool(np.abs(g[:k]).min() > np.abs(g[k:]).max()))
    return found


def examples_for(share: float, batches: np.ndarray, recovered: np.ndarray) -> float:
    """The number of examples at which `share` of the trials recover S, on a monotone curve interpolated in log B."""
    curve = np.maximum.accumulate(recovered.mean(0))
    curve = curve + 1e-9 * np.arange(curve.size)
    return float(np.exp(np.interp(share, curve, np.log(batches))))


def cost(e: Evidence) -> Estimate:
    """Examples for 90 % recovery with noise over those without, trials resampled."""
    table = e["recovery"]
    batches, factor, columns = table.array("batches"), float(table.array("factor")), table.array("batches").size
    both = np.concatenate([table.array("clean"), table.array("noisy")], axis=1)

    def ratio(rows: np.ndarray) -> float:
        clean = examples_for(0.9, batches, rows[:, :columns])
        return examples_for(0.9, batches * factor, rows[:, columns:]) / clean

    return bootstrap(both, ratio, seed=0, draws=1000, what="examples with noise / without")


class NoiseAttenuation(Experiment):
    """Label noise attenuates gradients by 1 - 2p and costs (1 - 2p)^-2 examples."""

    id = "noise-attenuation"
    place = Place(PAPER, "section B.3.6")
    claims = (
        Claim(
            "noise-attenuation",
            "E[ỹ f] = (1 - 2p) E[y f] for random functions f of 11 bits and six values of p",
            expect=at_most(1e-12),
            why="by enumeration with weighted labels; 1/2 - p, the other printed meaning of ε, is half of it",
            value=lambda e: e["identity"].max("mean_error"),
            wrong=lambda e: e["identity"].max("mean_error_bias"),
        ),
        Claim(
            "noise-attenuation",
            "the Fourier gap of a random threshold neuron shrinks by 1 - 2p",
            expect=at_most(1e-12),
            why="the gap is a difference of correlations with the label",
            value=lambda e: e["identity"].max("gap_error"),
            wrong=lambda e: e["identity"].max("gap_error_bias"),
        ),
        Claim(
            "noise-attenuation",
            "at p = 1/4 finding S from one gradient needs 4 times the examples (for 90 % of trials)",
            of="derived",
            expect=near(4, 1.5),
            why="(1 - 2p)^{-2} = 4, with the specification's allowance; a cost of (1 - 2p)^{-1} would be 2",
            value=cost,
            wrong=lambda e: cost(e).through(np.sqrt),
        ),
    )
    chosen = {
        "identities": "n = 11, k = 4",
        "recovery": "an all-ones ReLU neuron and k = 2, as in the warm-up; n = 21 (smoke) or 51, p = 1/4",
    }
    shows = "Recovery with p = 1/4 is the noiseless curve moved by a factor of 4."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        n, first = scale((21, 200), (51, 1000), (101, 3000))
        batches = tuple(round(first * 1.25**i) for i in range(9))
        trials = scale(150, 400, 1000)
        return {
            "identity": Calculation(identity_table, n=11, k=4, p=PS, functions=20),
            "recovery": Calculation(recovery_table, n=n, k=2, batches=batches, p=NOISE, trials=trials),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.9)
        p = np.linspace(0, 0.5, 50)
        left.plot(p, 1 - 2 * p, color="0.3", lw=1, label="1 - 2p")
        left.plot(e["identity"].array("p"), e["identity"].array("gap"), "o", ms=4, label="gap with noise / without")
        left.set(xlabel="flip probability p", ylabel="relative Fourier gap")
        left.legend()
        table = e["recovery"]
        batches, factor = table.array("batches"), float(table.array("factor"))
        for name, scale, label in (("clean", 1.0, "p = 0"), ("noisy", factor, "p = 1/4")):
            share, trials = table.array(name).mean(0), len(table.array(name))
            line = right.plot(batches * scale, share, "o-", ms=3, label=label)[0]
            error = 1.96 * np.sqrt(share * (1 - share) / trials)
            right.fill_between(batches * scale, share - error, share + error, color=line.get_color(), alpha=0.2)
        moved = table.array("clean").mean(0)
        right.plot(batches * factor, moved, color="0.3", lw=1, ls="--", label="p = 0, moved by $(1-2p)^{-2}=4$")
        right.axhline(0.9, lw=0.8, ls=":", color="0.3")
        right.set(xlabel="examples B", ylabel=f"share of {len(table.array('clean'))} trials that find S", xscale="log")
        right.set_xticks(batches[0] * 2.0 ** np.arange(5), [f"{batches[0] * 2**i:,}" for i in range(5)])
        right.minorticks_off()
        right.set(ylim=(0.15, 1.42), yticks=np.arange(1, 6) / 5)
        right.legend(fontsize=7, loc="upper left")
        return figure
