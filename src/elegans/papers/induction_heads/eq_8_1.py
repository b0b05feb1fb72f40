"""Equations (8.1)-(8.3): what a context says about a row of the transition matrix, and what guessing by it costs.

    P_i | x ~ Dir(c_i1 + α_1, ..., c_ik + α_k),   P_ij | x ~ Beta(c_ij + α_j, N_i - c_ij + Σα - α_j),
    E[P_ij | x] = (c_ij + α_j) / (N_i + Σα)                                     for x_1 independent of P

Risk of the mean with α = 1 after n draws from a flat row:  E KL(p ‖ p̂) = Σ_c h((c+1)/(n+2)) / (n+1) - ½ for k = 2, ~ (k-1)/2n.
"""

import math

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most, near
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.induction_heads.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory.markov import Floats, add_one_risk, flat_nodes, kl, posterior_mean
from elegans.theory.row_posterior import beta_cdf, dirichlet_moment, posterior_cdf, posterior_moment

TABLE = {0: 0.193147, 1: 0.136514, 5: 0.063765, 20: 0.021618, 100: 0.004827}  # specification 4.1, k = 2
BETAS = (0.25, 0.5, 0.75, 0.9, 0.95, 1.05, 1.1, 1.5, 2.0, 4.0)


def posteriors(t: int, contexts: int, seed: int) -> dict[str, np.ndarray]:
    """Largest errors of the formulas against prior times likelihood, over random contexts, rows and integer α."""
    rng, at, rows = np.random.default_rng(seed), np.linspace(0.02, 0.98, 49), list[list[float]]()
    for index in range(contexts):
        k = 2 + index % 2
        x, alpha, powers = rng.integers(0, k, t), rng.integers(1, 4, k), rng.integers(0, 3, k)
        alpha[0] = 3  # not flat
        c = np.bincount(x[1:][x[:-1] == x[-1]], minlength=k)
        N, total, one = int(c.sum()), int(alpha.sum()), np.eye(k, dtype=int)[0]
        moment, cdf, mean = (
            posterior_moment(c, alpha, powers),
            posterior_cdf(c, alpha, at),
            posterior_moment(c, alpha, one),
        )
        first, other = int(c[0] + alpha[0]), int(total - alpha[0])
        rows.append([
            abs(dirichlet_moment(c + alpha, powers) / moment - 1), abs(dirichlet_moment(c + 1, powers) / moment - 1),
            np.abs(beta_cdf(first, N - c[0] + other, at) - cdf).max(), np.abs(beta_cdf(first, other, at) - cdf).max(),
            abs(posterior_mean(c, alpha)[0] - mean), abs(first / (t - 1 + total) - mean),
        ])  # fmt: skip
    names = ("Dirichlet", "flat", "Beta", "Beta without N", "mean", "mean with N")
    return dict(zip(names, np.array(rows).max(0).reshape(-1, 1), strict=True))


def risks(n: tuple[int, ...], largest: int) -> dict[str, np.ndarray]:
    """Exact risks, by quadrature over the row as a check, with other smoothing, and for long contexts."""
    long = [2 * largest * add_one_risk(largest, k) / (k - 1) for k in (2, 3, 8)]
    excess = [[add_one_risk(m, k, b) - add_one_risk(m, k) for b in BETAS] for m in n for k in (2, 3, 8)]
    half = [[add_one_risk(m, k, b) - add_one_risk(m, k, 0.5) for b in (1.0, 0.75)] for m in n for k in (2, 3, 8)]
    return {
        "n": np.array(n), "risk": np.array([add_one_risk(m) for m in n]),
        "quadrature": np.array([risk_by_quadrature(m) for m in n]), "entropies": np.array([risk_by_entropies(m) for m in n]),
        "excess": np.array(excess), "excess over half": np.array(half), "long": np.array(long),
    }  # fmt: skip


def risk_by_quadrature(n: int, nodes: int = 120) -> float:
    """E KL(p ‖ p̂) for k = 2, integrating over p and summing over the binomial law of the count."""
    p, w = flat_nodes(nodes)
    total = np.zeros_like(p)
    for c in range(n + 1):
        guess = (c + 1) / (n + 2)
        chance = math.comb(n, c) * p**c * (1 - p) ** (n - c)
        total += chance * kl(np.stack([p, 1 - p], -1), np.array([guess, 1 - guess]))
    return float(w @ total)


def risk_by_entropies(n: int) -> float:
    """Σ_c h((c+1)/(n+2)) / (n+1) - ½, the closed form for k = 2."""
    q = (np.arange(n + 1) + 1) / (n + 2)
    return float(np.mean(-q * np.log(q) - (1 - q) * np.log1p(-q))) - 0.5


def sampled(n: tuple[int, ...], rows: int, seed: int) -> dict[str, np.ndarray]:
    """Mean and standard error of the divergence over sampled rows and counts, k = 2."""
    rng, out = np.random.default_rng(seed), list[list[float]]()
    for m in n:
        p = rng.uniform(size=rows)
        c = rng.binomial(m, p)
        loss = kl(pair(p), posterior_mean(pair(c, m)))
        out.append([float(loss.mean()), float(loss.std() / rows**0.5)])
    value, error = np.array(out).T
    return {"n": np.array(n), "value": value, "error": error, "rows": np.array(rows)}


def pair(x: np.ndarray, total: int = 1) -> Floats:
    return np.stack([x, total - x], -1).astype(np.float64)


def tabulated(e: Evidence, shift: int = 0) -> Estimate:
    """Largest distance of exact risks from the table, or of those of n + shift draws."""
    found = [abs(add_one_risk(n + shift) - risk) for n, risk in TABLE.items()]
    return exact(max(found), "distance")


def deviation(e: Evidence, wrong: bool = False) -> Estimate:
    """Largest distance of sampled from exact risks in standard errors; wrong: from (k-1)/2n."""
    part = e["sampled"]
    truth = [0.5 / n if wrong else add_one_risk(int(n)) for n in part.array("n")]
    value = float((np.abs(part.array("value") - truth) / part.array("error")).max())
    return Estimate(value, value, value, int(part.array("rows")), what="standard errors")


def smallest(e: Evidence, name: str) -> Estimate:
    return exact(float(e["risks"].array(name).min()), f"smallest {name}")


class RowPosterior(Experiment):
    """The posterior of a row given a context, and the risk of its mean."""

    id = "eq-8.1-8.3-posterior"
    place = Place(PAPER, "equations (8.1)-(8.3)")
    claims = (
        Claim(
            "eq-8.1-8.3-posterior",
            "(8.1): moments of the row are those of Dir(c + α)",
            expect=at_most(1e-11),
            why="conjugacy; relative, against exact quadrature of prior times likelihood. With the flat prior they are others",
            value=lambda e: e["posteriors"].max("Dirichlet"),
            wrong=lambda e: e["posteriors"].max("flat"),
        ),
        Claim(
            "eq-8.1-8.3-posterior",
            "(8.2): one entry is Beta(c_ij + α_j, Σα + N_i - α_j - c_ij)",
            expect=at_most(1e-11),
            why="marginal of a Dirichlet; distribution functions at 49 points. With Σα - α_j alone it is not",
            value=lambda e: e["posteriors"].max("Beta"),
            wrong=lambda e: e["posteriors"].max("Beta without N"),
        ),
        Claim(
            "eq-8.1-8.3-posterior",
            "(8.3): its mean is (c_ij + α_j) / (N + Σα), N the number of all transitions",
            of="printed",
            expect=at_most(1e-11),
            why="largest distance from the mean by quadrature",
            value=lambda e: e["posteriors"].max("mean with N"),
        ),
        Claim(
            "eq-8.1-8.3-posterior",
            "(8.3): its mean is (c_ij + α_j) / (N_i + Σα), N_i those from symbol i",
            of="corrected",
            expect=at_most(1e-11),
            why="mean of a Beta; as the next line of the text has it. With N it is too small",
            value=lambda e: e["posteriors"].max("mean"),
            wrong=lambda e: e["posteriors"].max("mean with N"),
        ),
        Claim(
            "eq-8.1-8.3-posterior",
            "the risk of add-one after n draws is Σ h((c+1)/(n+2))/(n+1) - ½ for two symbols",
            of="derived",
            expect=at_most(1e-9),
            why="every count is equally likely; against quadrature, which reaches nine digits. With ½ left out it is not",
            value=lambda e: exact(
                float(np.abs(e["risks"].array("entropies") - e["risks"].array("quadrature")).max()), "distance"
            ),
            wrong=lambda e: exact(
                float(np.abs(e["risks"].array("entropies") + 0.5 - e["risks"].array("quadrature")).max()), "distance"
            ),
        ),
        Claim(
            "eq-8.1-8.3-posterior",
            "it is 0.193147, 0.136514, 0.063765, 0.021618, 0.004827 for n = 0, 1, 5, 20, 100",
            of="derived",
            expect=at_most(6e-7),
            why="six quoted decimals; with one draw more it is not",
            value=tabulated,
            wrong=lambda e: tabulated(e, 1),
        ),
        Claim(
            "eq-8.1-8.3-posterior",
            "it tends to (k-1)/2n",
            of="derived",
            expect=near(1.0, 0.01),
            why="k-1 degrees of freedom; farthest ratio over k = 2, 3, 8 at n = 20000, next order O(1/n). Half of it is not",
            value=lambda e: farthest(e, 1.0),
            wrong=lambda e: farthest(e, 0.5),
        ),
        Claim(
            "eq-8.1-8.3-posterior",
            "no other constant than one does better on flat rows",
            of="derived",
            expect=at_least(0.0),
            why="the posterior mean minimises the divergence; smallest excess over ten constants, n and k. Over ½ others win",
            value=lambda e: smallest(e, "excess"),
            wrong=lambda e: smallest(e, "excess over half"),
        ),
        Claim(
            "eq-8.1-8.3-posterior",
            "sampled rows and counts give these risks up to four standard errors",
            of="derived",
            expect=at_most(4.0),
            why="the largest of four means exceeds 4 with probability below 3e-4; the limit (k-1)/2n is too large for small n",
            value=deviation,
            wrong=lambda e: deviation(e, wrong=True),
        ),
    )
    chosen = {
        "contexts": "20 tokens over two or three symbols, α of 1, 2, 3 with α_1 = 3",
        "n": "1, 5, 20 and 100 draws; constants from 1/4 to 4",
    }
    remarks = (
        "(8.3) prints N for N_i, and sums over i, an index already in use; the flat case below it has N_i. (8.1) lists k among "
        "the parameters of the Dirichlet law. (8.2) is right as printed, N_i included; the specification says it is missing."
    )
    shows = "Left: a posterior is narrower than the prior. Right: the exact risk of add-one, sampled risks, and the limit 1/2n."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "posteriors": Calculation(posteriors, t=20, contexts=scale(20, 200, 1000), seed=0),
            "risks": Calculation(risks, n=(1, 5, 20, 100), largest=20_000),
            "sampled": Calculation(sampled, n=(1, 5, 20, 100), rows=scale(50_000, 500_000, 2_000_000), seed=1),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.8)
        x = np.linspace(0, 1, 201)
        for i, (c, d) in enumerate(((0, 0), (3, 1), (30, 10))):
            left.plot(x, beta_cdf(c + 1, d + 1, x), color=f"C{i}", label=f"{c} of {c + d} transitions")
            at = np.linspace(0.05, 0.95, 10)
            left.plot(at, posterior_cdf((c, d), (1, 1), at), "o", ms=3, color=f"C{i}")
        left.set(xlabel="x", ylabel="Pr[P_ij ≤ x | context], flat prior")
        left.legend(loc="upper left")
        n = np.unique(np.logspace(0, 2.3, 60).round().astype(int))
        right.loglog(n, [add_one_risk(int(m)) for m in n], label="exact")
        part = e["sampled"]
        right.errorbar(part.array("n"), part.array("value"), 2 * part.array("error"), fmt="o", ms=4, label="sampled")
        right.loglog(n, 0.5 / n, "--", color="0.3", lw=1, label="1/2n")
        right.set(xlabel="n, transitions seen", ylabel="E KL(row ‖ add-one), nats")
        right.legend()
        return figure


def farthest(e: Evidence, factor: float) -> Estimate:
    """The ratio 2n risk / (k-1), times a factor, farthest from 1."""
    ratios = factor * e["risks"].array("long")
    return exact(float(ratios[np.abs(ratios - 1).argmax()]), "2n risk / (k-1)")
