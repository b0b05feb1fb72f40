"""Derived: what gradient flow conserves, what holds at its end, and when the zero network is the optimum.

dB/dt = -2λν‖ω‖^{ν-2} B,   B = ‖u‖² + ‖v‖² - 2‖w‖² (quadratic), ‖u‖² - k‖w‖² (z^k), ‖u‖² + ‖v‖² - ‖w‖² (ReLU, ν = 2)
E[Σ_c (1[c = y] - P_c) φ(ω_i)_c] = λ‖ω_i‖^ν  at every stationary point
on Z_p the zero network is the global minimum iff λ ≥ γ* (p-1)/p
"""

import numpy as np

from elegans.claims.claim import Claim, at_least, at_most, between
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.feature_emergence.checklist import PAPER
from elegans.stats import Estimate, exact
from elegans.theory import power_nets, quadratic_nets, relu_nets
from elegans.theory.boolean import cube
from elegans.theory.groups import cyclic, symmetric
from elegans.theory.margins import gamma_star_cyclic, group_norm, neuron_norms
from elegans.theory.quadratic_constructions import cyclic_network

S3, K = symmetric(3), 3
X = cube(4).astype(np.float64)
Y = X[:, :K].prod(1)
Network = dict[str, np.ndarray]


def conservation(draws: int, seed: int) -> dict[str, np.ndarray]:
    """Change of B and of Σ_c w_c along -∇L_λ against the formulas, relative; and the formula without λ's sign of B."""
    rng = np.random.default_rng(seed)
    error: list[list[float]] = []
    other: list[float] = []
    for _ in range(draws):
        lam = float(rng.uniform(0.1, 1))
        group = {n: rng.standard_normal((4, 6)) for n in "UVW"}
        power = {"U": rng.standard_normal((4, 4)), "W": rng.standard_normal((4, 2))}
        cubic = _flow(quadratic_nets.regularised_gradient(S3, group, lam))
        rows = [
            (_change(group, cubic, 2), -6 * lam * neuron_norms(group) * quadratic_nets.balancedness(group)),
            (_change(group, _flow(relu_nets.regularised_gradient(S3, group, lam)), 1), -4 * lam * relu_nets.balancedness(group)),
            (_change(power, _flow(power_nets.regularised_gradient(power, X, Y, K, lam)), K),
             -2 * lam * (K + 1) * neuron_norms(power) ** (K - 1) * power_nets.balancedness(power, K)),
            (cubic["W"].sum(1), -3 * lam * neuron_norms(group) * group["W"].sum(1)),
        ]  # fmt: skip
        error.append([float(np.abs(a - b).max() / np.abs(b).max()) for a, b in rows])
        wrong = _change(group, cubic, 1)  # ‖u‖² + ‖v‖² - ‖w‖² is conserved by ReLU only
        other.append(float(np.abs(wrong + 6 * lam * neuron_norms(group) * relu_nets.balancedness(group)).max()))
    return {"error": np.max(error, 0), "other": np.array([np.min(other)])}


def stationary(p: tuple[int, ...], lam: float) -> dict[str, np.ndarray]:
    """Euler violations of K1 at its best size for λ and at 1.1 times that, and its cross-entropy and norm over formulas."""
    rows: list[list[float]] = []
    for q in p:
        gamma, unit = gamma_star_cyclic(q), cyclic_network(q)
        norm = np.log((q - 1) * (gamma / lam - 1)) / gamma
        best, larger = (_sized(unit, norm ** (1 / 3) * c) for c in (1.0, 1.1))
        violations = [quadratic_nets.euler_violation(cyclic(q), net, lam) for net in (best, larger)]
        entropy = quadratic_nets.cross_entropy(cyclic(q), best)
        rows.append([
            violations[0].max(), violations[1].sum(),
            abs(entropy / -np.log(1 - lam / gamma) - 1), abs(entropy / (lam / gamma) - 1),
        ])  # fmt: skip
    return dict(zip(("best", "larger", "entropy", "leading"), np.array(rows).T, strict=True))


def training(steps: int, lr: float, lam: float, seed: int) -> dict[str, np.ndarray]:
    """B of every neuron during gradient descent on parity, what the formula makes of it, and the sum of Euler violations."""
    rng = np.random.default_rng(seed)
    theta: Network = {"U": rng.uniform(-0.6, 0.6, (8, 4)), "W": rng.uniform(-0.6, 0.6, (8, 2))}
    every, B0, decay = max(steps // 60, 1), power_nets.balancedness(theta, K), np.zeros(8)
    rows: list[np.ndarray] = []
    for t in range(steps + 1):
        if t % every == 0:
            euler = power_nets.euler_violation(theta, X, Y, K, lam).sum(keepdims=True)
            rows.append(np.concatenate([[t * lr], power_nets.balancedness(theta, K), B0 * np.exp(-decay), euler]))
        gradient = power_nets.regularised_gradient(theta, X, Y, K, lam)
        decay += lr * 2 * lam * (K + 1) * neuron_norms(theta) ** (K - 1)
        theta = {n: part - lr * gradient[n] for n, part in theta.items()}
    table = np.array(rows)
    return {"time": table[:, 0], "B": table[:, 1:9], "formula": table[:, 9:17], "euler": table[:, 17]}


def collapse(p: tuple[int, ...], draws: int, seed: int) -> dict[str, np.ndarray]:
    """Least L_λ - log p over sizes of K1 and random networks, at λ a little above and below the threshold; last useful p."""
    rng = np.random.default_rng(seed)
    least: list[list[float]] = []
    for q in p:
        threshold, sizes = gamma_star_cyclic(q) * (q - 1) / q, np.geomspace(1e-3, 30, 60)
        nets = [_sized(cyclic_network(q), s) for s in sizes / gamma_star_cyclic(q) ** (1 / 3) / 3]
        nets += [{n: s * rng.standard_normal((5, q)) for n in "UVW"} for s in np.geomspace(0.01, 2, draws)]
        data = [(quadratic_nets.cross_entropy(cyclic(q), net), group_norm(net) ** 3) for net in nets]
        least.append([min(c + f * threshold * n - np.log(q) for c, n in data) for f in (1.0, 0.9)])
    above, below = np.array(least).T
    useful = [q for q in range(3, 400, 2) if gamma_star_cyclic(q) * (q - 1) / q > 1e-4]
    simpler = [q for q in range(3, 400, 2) if gamma_star_cyclic(q) > 1e-4]
    return {"above": above, "below": below, "last": np.array(max(useful)), "last_wrong": np.array(max(simpler))}


def _flow(gradient: Network) -> Network:
    return {n: -g for n, g in gradient.items()}


def _change(theta: Network, flow: Network, factor: float) -> np.ndarray:
    """d/dt of Σ‖inner weights‖² - factor ‖w‖²."""
    return sum((2 * (1 if n != "W" else -factor) * np.sum(theta[n] * flow[n], axis=1) for n in theta), np.zeros(1))


def _sized(theta: Network, norm: float) -> Network:
    return {n: norm / group_norm(theta) * part for n, part in theta.items()}


def drift(e: Evidence, name: str) -> Estimate:
    """Largest |B - name| in training, over the largest |B| at the start."""
    B = e["training"].array("B")
    other = e["training"].array("formula") if name == "formula" else B[:1]
    return exact(float(np.abs(B - other).max() / np.abs(B[0]).max()), f"distance from {name}")


class TrainingIdentities(Experiment):
    """Three exact statements about every training of these networks."""

    id = "training-identities"
    place = Place(PAPER, "section 7.3 and appendix D.2, identities of ours")
    claims = (
        Claim(
            "training-identities",
            "B and Σ_c w_c decay by the formulas under gradient flow, for quadratic, ReLU and z³ networks",
            of="derived",
            expect=at_most(1e-10),
            why="homogeneity in each layer; softmax gradients add up to zero. Relative; with ReLU's B quadratic networks fail",
            value=lambda e: e["conservation"].max("error"),
            wrong=lambda e: exact(float(e["conservation"].array("other").min()), "with another B"),
        ),
        Claim(
            "training-identities",
            "in a training B follows B(0) exp(-2λν ∫‖ω‖^{ν-2} dt)",
            of="derived",
            expect=at_most(0.05),
            why="exact for the flow; gradient descent adds η²(‖∂u‖² - k‖∂w‖²) a step, a few per cent at η = 0.01. It does "
            "not stay constant",
            value=lambda e: drift(e, "formula"),
            wrong=lambda e: drift(e, "start"),
        ),
        Claim(
            "training-identities",
            "at a stationary point Euler's identity holds for each neuron: K1 of the best size, λ = 1e-3",
            of="derived",
            expect=at_most(1e-9),
            why="the derivative along the neuron vanishes; violation over λ‖θ‖³. At 1.1 of the size it is large",
            value=lambda e: e["stationary"].max("best"),
            wrong=lambda e: exact(float(e["stationary"].array("larger").min()), "at 1.1 of the size"),
        ),
        Claim(
            "training-identities",
            "its cross-entropy is -log(1 - λ/γ*)",
            of="derived",
            expect=at_most(1e-9),
            why="the optimum of log(1 + (p-1)e^{-M}) + λM/γ* over M; relative. λ/γ* alone is its leading term only",
            value=lambda e: e["stationary"].max("entropy"),
            wrong=lambda e: exact(float(e["stationary"].array("leading").min()), "error of the leading term"),
        ),
        Claim(
            "training-identities",
            "at λ = γ*(p-1)/p no network is better than the zero network",
            of="derived",
            expect=at_least(-1e-12),
            why="log(1 + (p-1)e^{-γ*T}) + λT bounds L, convex in T, of slope λ - γ*(p-1)/p at 0. At 0.9 of it K1 is better",
            value=lambda e: exact(float(e["collapse"].array("above").min()), "least L - log p"),
            wrong=lambda e: exact(float(e["collapse"].array("below").max()), "at 0.9 of the threshold"),
        ),
        Claim(
            "training-identities",
            "with λ = 1e-4 the zero network is not optimal up to p = 193 and no further",
            of="derived",
            expect=between(193, 193),
            why="γ*(p-1)/p = √(2/27) p^{-3/2}; odd p counted. Without the factor (p-1)/p it would be 195",
            value=lambda e: exact(float(e["collapse"].array("last")), "last p"),
            wrong=lambda e: exact(float(e["collapse"].array("last_wrong")), "last p by γ* alone"),
        ),
    )
    chosen = {
        "networks": "4 neurons on S3 and on parity of 3 of 4 bits; K1 for p = 3, 5, 7, 11",
        "training": "8 neurons z³, parity of 3 of 4 bits, η = 0.01, λ = 0.01, gradient descent in NumPy",
    }
    shows = "Left: imbalances of eight neurons decay along the formula (dashed). Right: Euler's identity sets in late."

    def work(self, scale: Scale) -> dict[str, Calculation]:
        return {
            "conservation": Calculation(conservation, draws=scale(20, 200, 1000), seed=0),
            "stationary": Calculation(stationary, p=(3, 5, 7, 11), lam=1e-3),
            "training": Calculation(training, steps=scale(3000, 60_000, 200_000), lr=0.01, lam=0.01, seed=3),
            "collapse": Calculation(collapse, p=(3, 5, 7), draws=scale(20, 100, 300), seed=0),
        }

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import panels

        figure, ((left, right),) = panels(1, 2, height=2.8)
        part = e["training"]
        for i in range(8):
            left.plot(part.array("time"), part.array("B")[:, i], color=f"C{i}", lw=1.6)
            left.plot(part.array("time"), part.array("formula")[:, i], color="k", lw=0.8, ls="--")
        left.set(xlabel="time ηt", ylabel="imbalance ‖u‖² - k‖w‖²")
        right.plot(part.array("time"), part.array("euler"))
        right.set(xlabel="time ηt", ylabel="violation of Euler's identity", yscale="log")
        return figure
