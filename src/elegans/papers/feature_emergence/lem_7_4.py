"""Lemmas 7.4 and 7.6: one certificate describes all networks of maximum margin, and bounds every other one.

    h(θ) ≤ E_q[g'(θ)] ≤ γ* ‖θ‖_{2,ν}^ν        for every network

A network that attains it has margin exactly γ* at every input, and against every wrong answer that τ weights.
"""

from collections.abc import Callable

import numpy as np

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.papers.feature_emergence.lem_7_3 import joined, scaled
from elegans.papers.feature_emergence.maximisers import GROUNDS, Ground, Network
from elegans.stats import Estimate, exact

Pick = Callable[[np.ndarray], np.floating]
KINDS = ("random", "near the best", "near another solution")


def bounds(draws: int, seed: int) -> dict[str, np.ndarray]:
    """Per task and kind of network: h and E_q[g'] over γ*‖θ‖^ν, (tasks, kinds, draws, 2)."""
    rng = np.random.default_rng(seed)
    ratios = np.array([
        [[_ratios(ground, theta) for theta in _networks(ground, kind, draws, rng)] for kind in range(3)]
        for ground in (make() for make in GROUNDS)
    ])  # fmt: skip
    return {
        "ratios": ratios.astype(np.float32), "largest": ratios[..., 1].max((1, 2)),
        "order": _rise(ratios), "reverse": _rise(ratios[..., ::-1]),
    }  # fmt: skip


def _rise(ratios: np.ndarray) -> np.ndarray:
    """Largest h - E_q[g'] over γ*‖θ‖^ν, per task."""
    return (ratios[..., 0] - ratios[..., 1]).max((1, 2))


def _ratios(ground: Ground, theta: Network) -> tuple[float, float]:
    scale = ground.gamma * ground.size(theta)
    return float(ground.margins(theta).min()) / scale, ground.expected(theta) / scale


def _networks(ground: Ground, kind: int, draws: int, rng: np.random.Generator) -> list[Network]:
    """Gaussian networks, or disturbed ones around the construction or around another solution."""
    if kind == 0:
        return [ground.draw(int(rng.integers(1, 12)), rng) for _ in range(draws)]
    base = ground.best if kind == 1 else ground.others
    width, size = len(base["U"]), np.sqrt(np.mean(base["U"] ** 2))
    noise = size * np.geomspace(1e-6, 1, draws)
    return [{n: base[n] + a * part for n, part in ground.draw(width, rng).items()} for a in noise]


def maximisers(draws: int, seed: int) -> dict[str, np.ndarray]:
    """Networks of maximum margin (moved copies of the constructions, mixed at random) and others: unevenness of margins."""
    rng = np.random.default_rng(seed)
    rows: list[list[float]] = []
    for ground in (make() for make in GROUNDS):
        even, ratio = zip(*(_evenness(ground, _mixed(ground, rng)) for _ in range(draws)), strict=True)
        uneven = _evenness(ground, _disturbed(ground, rng))[0]
        rows.append([max(even), max(abs(r - 1) for r in ratio), uneven, 1 - _evenness(ground, ground.others)[1]])
    return dict(zip(("uneven", "below", "uneven_disturbed", "below_of_others"), np.array(rows).T, strict=True))


def _mixed(ground: Ground, rng: np.random.Generator) -> Network:
    """Two copies of the construction with random shares of ‖θ‖^ν, one of them moved by a symmetry of the task."""
    share = rng.random()
    both = ((ground.best, share), (_moved(ground, rng), 1 - share))
    one, other = (scaled(t, np.full(len(t["U"]), s ** (1 / ground.nu))) for t, s in both)
    return joined(one, other)


def _moved(ground: Ground, rng: np.random.Generator) -> Network:
    """u(a), v(b), w(c) ↦ u(ga), v(b), w(gc) on groups: the answer moves with a. Parity: two bits of S change sign."""
    theta = ground.best
    if "V" not in theta:
        signs = np.ones(theta["U"].shape[1])
        signs[[0, 2]] = -1
        return {"U": theta["U"] * signs, "W": theta["W"]}
    d = theta["U"].shape[1]
    move = ground.labels.reshape(d, d)[int(rng.integers(d))]
    return {"U": theta["U"][:, move], "V": theta["V"], "W": theta["W"][:, move]}


def _disturbed(ground: Ground, rng: np.random.Generator) -> Network:
    return {n: part + 0.01 * np.abs(part).max() * ground.draw(len(part), rng)[n] for n, part in ground.best.items()}


def _evenness(ground: Ground, theta: Network) -> tuple[float, float]:
    """(largest - smallest margin over inputs and wrong answers) and the smallest, over γ*‖θ‖^ν."""
    margins = ground.margins(theta) / (ground.gamma * ground.size(theta))
    return float(np.ptp(margins)), float(margins.min())


def of(name: str, tasks: slice, pick: Pick = np.max, times: float = 1) -> Callable[[Evidence], Estimate]:
    """The largest (or smallest) entry of an array over tasks, times a number."""
    part = "bounds" if name in ("largest", "order", "reverse") else "maximisers"
    return lambda e: exact(times * float(pick(e[part].array(name)[tasks])), name.replace("_", " "))


def claims_of(row: str, tasks: slice, where: str, constant: str) -> tuple[Claim, ...]:
    """The statements of a lemma on these tasks."""
    return (
        Claim(
            row,
            f"{where}: no network has E_q[g'] above γ*‖θ‖^ν, be it random, near the best or near another solution",
            expect=at_most(1 + 1e-12),
            why=f"one certificate bounds all networks; largest ratio. {constant}",
            value=of("largest", tasks),
            wrong=of("largest", tasks, times=2),
        ),
        Claim(
            row,
            f"{where}: h ≤ E_q[g']",
            expect=at_most(1e-12),
            why="a minimum is at most a weighted mean of the margins; largest difference over γ*‖θ‖^ν. The reverse fails",
            value=of("order", tasks),
            wrong=of("reverse", tasks),
        ),
        Claim(
            row,
            f"{where}: networks of maximum margin have margin γ* at every input against every wrong answer",
            expect=at_most(1e-10),
            why="part (ii), as q and τ weight everything; largest spread over γ*, of mixtures of moved constructions",
            value=of("uneven", tasks),
            wrong=of("uneven_disturbed", tasks, np.min),
        ),
        Claim(
            row,
            f"{where}: those mixtures have maximum margin, other solutions have not",
            expect=at_most(1e-10),
            why="best neurons in shares that are mixed from two sets of best shares; relative distance from γ*",
            value=of("below", tasks),
            wrong=of("below_of_others", tasks, np.min),
        ),
    )


class OneCertificate(Experiment):
    """What one certificate says about all networks."""

    id = "lem-7.4"
    place = Place(PAPER, "lemmas 7.4 and 7.6")
    claims = (
        *claims_of("lem-7.4", slice(0, 1), "parity (5, 3)", "Half of γ*, as for one logit alone, would be exceeded"),
        *claims_of("lem-7.6", slice(1, 3), "Z5 and S3", "Without the factor 2 of erratum E8, γ*/2 would be exceeded"),
    )
    chosen = {
        "tasks": "parity of 3 of 5 bits; Z5 with uniform τ; S3 with the τ of lemma D.14",
        "networks": "a third Gaussian of width 1 to 11, a third around K3, K1, K4, a third around other solutions (unequal sign "
        "classes, memorising networks), with disturbances of 1e-6 to 1 times their weights",
    }
    remarks = "Lemma 7.6 lacks min over (x, y) in its first bullet (erratum E5)."
    shows = (
        "No network is right of γ* (dashed) or above the diagonal; near the constructions both numbers come up to 1."
    )

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "bounds": Calculation(bounds, draws=scale(40, 300, 700), seed=0),
            "maximisers": Calculation(maximisers, draws=scale(5, 30, 100), seed=1),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, row = panels(1, 3, height=2.8, sharey=True)
        for ax, ratios, name in zip(row[0], e["bounds"].array("ratios"), ("parity (5, 3)", "Z5", "S3"), strict=True):
            for kind, points in enumerate(ratios):
                ax.plot(points[:, 1], points[:, 0], ".", ms=3, alpha=0.6, label=KINDS[kind])
            ax.plot([-1, 1], [-1, 1], color="0.6", lw=0.8)
            ax.axvline(1, ls="--", lw=0.8, color="0.3")
            ax.set(xlabel="E_q[g'] / (γ*‖θ‖^ν)", title=name, xlim=(-0.6, 1.1), ylim=(-1.5, 1.1))
        row[0][0].set(ylabel="margin h / (γ*‖θ‖^ν)")
        row[0][1].legend(fontsize=7, markerscale=2, loc="upper left")
        return figure
