"""Lemmas 7.3 and 7.5: for the expected margin one neuron is enough, and best neurons combine in any proportion (b = ν).

    E_q[g'(θ)] = Σ_i ‖ω_i‖^ν E_q ψ'(ω_i/‖ω_i‖) ≤ γ₁ ‖θ‖_{2,ν}^ν        for every θ, with equality iff all ω_i are best or zero

For b ≠ ν the norm ‖θ‖_{2,b} has other best proportions: one neuron takes all (b < ν), or all are equal (b > ν).
"""

from collections.abc import Callable

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.maximisers import GROUNDS, Ground, Network
from elegans.stats import Estimate, exact
from elegans.theory.margins import neuron_norms
from elegans.theory.neuron_mixtures import best_lengths, largest_sum, norm


def random_networks(draws: int, seed: int) -> dict[str, np.ndarray]:
    """Per task: expected margins of random networks over γ₁‖θ‖^ν, and the largest errors of the lemma's statements."""
    rng = np.random.default_rng(seed)
    tables = np.array([[_row(ground, rng) for _ in range(draws)] for ground in (make() for make in GROUNDS)])
    ratio, apart, mixture, tainted, other = tables.transpose(2, 0, 1)
    return {
        "ratio": ratio.astype(np.float32), "largest": ratio.max(1), "sum": apart.max(1), "mixture": mixture.max(1),
        "tainted": tainted.min(1), "other": other.max(1), "other_apart": np.abs(other - 1).max(1),
    }  # fmt: skip


def _row(ground: Ground, rng: np.random.Generator) -> list[float]:
    """One random network and one mixture: ratio, |whole - sum|, |mixture - 1|, shortfall when tainted, ratio by ‖θ‖_{2,2}²."""
    theta, mixture = ground.draw(int(rng.integers(1, 9)), rng), ground.neurons(int(rng.integers(1, 9)), rng)
    mixture = scaled(mixture, rng.exponential(size=9))
    tainted = joined(mixture, scaled(ground.draw(1, rng), np.array([0.3])))
    scale = ground.gamma * ground.size(theta)
    return [
        ground.expected(theta) / scale,
        abs(ground.expected(theta) - sum(map(ground.expected, singles(theta)))) / scale,
        abs(ground.expected(mixture) / (ground.gamma * ground.size(mixture)) - 1),
        1 - ground.expected(tainted) / (ground.gamma * ground.size(tainted)),
        ground.expected(mixture) / (ground.gamma * float(np.sum(neuron_norms(mixture) ** 2))),
    ]


def other_norms(b: tuple[float, ...], m: int, draws: int, seed: int) -> dict[str, np.ndarray]:
    """With ‖θ‖_{2,b} = 1 and m best neurons: the largest expected margin over γ₁ found, by lengths of ours and at random."""
    rng, ground = np.random.default_rng(seed), GROUNDS[0]()
    rows: list[list[float]] = []
    for power in b:
        neurons = ground.neurons(m, rng)
        ours = scaled(neurons, best_lengths(m, ground.nu, power))
        reached = ground.expected(ours) / ground.gamma / norm(ours, 2, power) ** ground.nu
        tried = [scaled(neurons, rng.exponential(size=m) ** rng.choice([0.1, 1, 4])) for _ in range(draws)]
        best = max(ground.expected(t) / ground.gamma / norm(t, 2, power) ** ground.nu for t in tried)
        rows.append([power, reached, best, largest_sum(m, ground.nu, power)])
    return dict(zip(("b", "reached", "random", "formula"), np.array(rows).T, strict=True))


def singles(theta: Network) -> list[Network]:
    """The neurons one by one."""
    return [{name: part[i : i + 1] for name, part in theta.items()} for i in range(len(next(iter(theta.values()))))]


def scaled(theta: Network, lengths: np.ndarray) -> Network:
    """Neuron i times lengths[i]."""
    return {name: lengths[: len(part), None] * part for name, part in theta.items()}


def joined(one: Network, other: Network) -> Network:
    """All neurons of both."""
    return {name: np.concatenate([part, other[name]]) for name, part in one.items()}


def worst(
    name: str, tasks: slice, pick: Callable[[np.ndarray], np.floating] = np.max
) -> Callable[[Evidence], Estimate]:
    """The largest (or smallest) entry of an array over these tasks."""
    return lambda e: exact(float(pick(e["random"].array(name)[tasks])), name.replace("_", " "))


def claims_of(row: str, tasks: slice, where: str) -> tuple[Claim, ...]:
    """The four statements of a lemma on these tasks."""
    return (
        Claim(
            row,
            f"{where}: the expected margin of a network is the sum of those of its neurons",
            expect=at_most(1e-12),
            why="the network is a sum; difference over γ₁‖θ‖^ν, double precision. A sum of margins of best neurons is another",
            value=worst("sum", tasks),
            wrong=worst("other_apart", tasks, np.min),
        ),
        Claim(
            row,
            f"{where}: it is at most γ₁‖θ‖^ν",
            expect=at_most(1 + 1e-12),
            why="homogeneity of degree ν; largest ratio over random networks. With ‖θ‖_{2,2}² for ‖θ‖^ν mixtures exceed it",
            value=worst("largest", tasks),
            wrong=worst("other", tasks),
        ),
        Claim(
            row,
            f"{where}: best neurons with any factors λ_i ≥ 0 reach γ₁ Σ λ_i^ν exactly",
            expect=at_most(1e-12),
            why="part (ii), b = ν; relative difference. Another power of the factors does not",
            value=worst("mixture", tasks),
            wrong=worst("other_apart", tasks),
        ),
        Claim(
            row,
            f"{where}: a network with one neuron that is not best stays below",
            expect=at_least(1e-10),
            why="part (i): only best neurons occur in a maximiser; smallest relative shortfall, a million roundings at least",
            value=worst("tainted", tasks, np.min),
            wrong=worst("mixture", tasks),
        ),
    )


class OneNeuron(Experiment):
    """The best network is made of best neurons, in any proportion."""

    id = "lem-7.3"
    place = Place(PAPER, "lemmas 7.3 and 7.5")
    claims = (
        *claims_of("lem-7.3", slice(0, 1), "parity, two classes"),
        *claims_of("lem-7.5", slice(1, 3), "Z5 and S3, wrong answers weighted by τ"),
        Claim(
            "lem-7.5",
            "for b ≠ ν the best is γ₁ m^{max(0, 1-ν/b)}: one neuron if b < ν, equal ones if b > ν",
            of="derived",
            expect=at_most(1e-12),
            why="the largest Σ s^ν under Σ s^b ≤ 1 (the paper says only that it can be computed); relative difference",
            value=lambda e: exact(
                float(np.abs(e["norms"].array("reached") / e["norms"].array("formula") - 1).max()),
                "distance from the formula",
            ),
            wrong=lambda e: exact(float(np.abs(e["norms"].array("formula") - 1).max()), "distance from γ₁"),
        ),
        Claim(
            "lem-7.5",
            "and no random lengths do better",
            of="derived",
            expect=at_most(1 + 1e-12),
            why="largest of random over formula; over γ₁ alone it would be far above 1 for b > ν",
            value=lambda e: exact(
                float((e["norms"].array("random") / e["norms"].array("formula")).max()), "random / formula"
            ),
            wrong=lambda e: e["norms"].max("random"),
        ),
    )
    chosen = {
        "tasks": "parity of 3 of 5 bits; Z5 with uniform τ; S3 with the τ of lemma D.14",
        "networks": "1 to 8 Gaussian neurons; mixtures with exponential factors; one Gaussian neuron of factor 0.3 added",
    }
    shows = "Random networks lie below γ₁, mixtures of best neurons on it. With b ≠ ν the norm decides how lengths are shared."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "random": Calculation(random_networks, draws=scale(40, 1000, 3000), seed=0),
            "norms": Calculation(
                other_norms, b=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0), m=8, draws=scale(50, 1000, 1000), seed=1
            ),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.9)
        part = e["random"]
        for i, name in enumerate(("parity (5, 3)", "Z5", "S3")):
            ratio = part.array("ratio")[i]
            left.hist(ratio, np.linspace(-0.6, 1.0, 49), histtype="step", label=f"{name}, random")
        left.axvline(1, color="k", lw=1.4, label="best neurons, mixed")
        left.set(xlabel="expected margin / (γ₁ ‖θ‖^ν)", ylabel="networks", yscale="log", ylim=(0.5, 5000))
        left.legend(fontsize=7, loc="upper left")
        part = e["norms"]
        right.plot(part.array("b"), part.array("formula"), color="0.6", label="m^max(0, 1 - ν/b)")
        right.plot(part.array("b"), part.array("reached"), "o", ms=4, label="best lengths")
        right.plot(part.array("b"), part.array("random"), "x", ms=5, label="best of random lengths")
        right.axvline(4, ls=":", lw=0.8, color="0.3")
        right.set(xlabel="b in ‖θ‖_{2,b} (ν = 4, 8 neurons)", ylabel="expected margin / γ₁", ylim=(0, None))
        right.legend()
        return figure
