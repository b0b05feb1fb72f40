"""Many runs of SGD on the disjoint PolyNet, condensed to what claims and figures of Theorem 5.8 and Figure B.1 read."""

import numpy as np
from numpy.typing import NDArray

from elegans.learners.polynet_sgd import adaptive_sgd, constant_sgd, normal_starts, sign_starts
from elegans.theory import adaptive_schedule as schedule
from elegans.theory.polynet_error import errors_listed

Arrays = dict[str, NDArray[np.generic]]
LEVELS = (0.05, 0.5, 0.95)


def adaptive_runs(
    k: int,
    n_prime: int,
    constants: str,
    positive: int,
    negative: int = 0,
    batch: int = 1,
    epsilon: float = 0.1,
    delta: float = 0.1,
    seed: int = 0,
) -> Arrays:
    """The algorithm of Theorem 5.8 from ±1 starts of positive and of negative product, looked at a hundred times.

    `grown_*` says for each positive start whether its relevant weights respect Claim B.12 at every look up to T; `weights`
    and `error_low`, `error`, `error_high` are quantiles over positive starts, `weights` of the smallest relevant weight.
    """
    chosen, n = schedule.CONSTANTS[constants], k * n_prime
    steps = schedule.steps_needed(k, n_prime, epsilon, delta, chosen)
    move = schedule.largest_move(n, steps, delta, chosen)
    rng = np.random.default_rng(seed)
    starts = [sign_starts(rng, m, k, n_prime, s) for m, s in ((positive, 1), (negative, -1))]
    path = adaptive_sgd(np.concatenate(starts), steps, move, batch, seed + 1)
    relevant = (path.weights * np.sign(path.weights[0]))[:, :positive, :, 0].min(axis=-1)
    t, error = path.t, errors_listed(path.weights)
    bounds = {
        "proved": schedule.growth_bound(t.astype(np.float64), k, n_prime, move),
        "printed": schedule.growth_bound_printed(t.astype(np.float64), k, n_prime, steps, delta),
    }
    low, middle, high = np.quantile(error[:, :positive], LEVELS, axis=1)
    return {
        "steps": np.array(steps), "t": t, "needed": np.array(schedule.final_weight(k, n_prime, epsilon, chosen)),
        "final": error[-1, :positive], "final_negative": error[-1, positive:],
        "drift": path.drift[:positive] + path.slack, "weights": np.quantile(relevant, LEVELS, axis=1),
        "error": middle, "error_low": low, "error_high": high,
        "error_negative": np.median(error[:, positive:], axis=1) if negative else error[:, :0],
        **{f"bound_{name}": b for name, b in bounds.items()},
        **{f"grown_{name}": (relevant >= b[:, None])[t <= steps].all(axis=0) for name, b in bounds.items()},
    }  # fmt: skip


def constant_runs(
    k: int, n_prime: int, lr: float, budget: int, trials: int, flat: float, target: float, seed: int
) -> Arrays:
    """SGD with B = 1 and a constant rate from normal starts of positive product, until the error is `target`.

    `left` and `first` are the times at which the error first is at most `flat` and `target`; inf if it never is.
    """
    start = normal_starts(np.random.default_rng(seed), trials, k, n_prime, 1)
    t, error = constant_sgd(start, lr, budget, target, seed + 1)
    left, first = (np.where((error <= e).any(axis=0), t[np.argmax(error <= e, axis=0)], np.inf) for e in (flat, target))
    shown = np.unique(np.linspace(0, len(t) - 1, 150).round().astype(np.int64))
    return {"left": left, "first": first, "end": t[-1:], "t": t[shown], "error": error[shown].T.astype(np.float16)}
