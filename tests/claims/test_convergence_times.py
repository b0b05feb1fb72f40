"""The laws of Hidden Progress's convergence times, on tables whose answer is known by hand."""

from math import isclose, isinf

import numpy as np
import polars as pl

from elegans.claims.evidence import Evidence
from elegans.papers.hidden_progress import fig_5_1_right, fig_5_2_right, scaling, widths

RUNS = 41


def table(law: dict[int, float], ns: tuple[int, ...] = (10, 20, 40)) -> Evidence:
    """Runs whose median at (n, k) is exactly n^law[k], spread by a factor 1.5 either way."""
    around = np.geomspace(1 / 1.5, 1.5, RUNS)
    rows = [
        {"setting": "ii", "k": k, "n": n, "solved": 10 * n**a * s} for k, a in law.items() for n in ns for s in around
    ]
    return Evidence(pl.DataFrame(rows))


def test_exponents_come_back() -> None:
    e = table({2: 0.5, 3: 1.2})
    assert isclose(scaling.exponent(e, "ii", 2).value, 0.5, abs_tol=1e-9)
    assert isclose(fig_5_1_right.step(3)(e).value, 0.7, abs_tol=1e-9)
    straight = fig_5_1_right.straightness(e)
    assert isclose(straight.value, 1) and straight.n == 2 * 3 * RUNS


def test_a_law_without_elbow_has_no_bend() -> None:
    assert abs(fig_5_2_right.elbow(3)(table({3: 1.2}, (10, 20, 40, 80))).value) < 1e-9


def test_a_curve_is_cut_where_most_runs_fail() -> None:
    e = table({3: 1.2})
    half = pl.when((pl.col("n") == 40) & (pl.col("solved") > 10 * 40**1.2 / 1.1)).then(None).otherwise(pl.col("solved"))
    cut = Evidence(e.runs.with_columns(half.alias("solved")))
    assert scaling.medians(cut, "ii", 3)[0] == [10, 20]
    assert scaling.cells(cut, "ii", 3)[40].time.max() == scaling.BUDGET


def test_what_was_not_run_decides_nothing() -> None:
    missing = scaling.exponent(table({3: 1.0}), "ii", 4)
    assert isinf(missing.low) and isinf(missing.high) and missing.n == 0


def test_widths_are_compared_and_searches_run_in_parallel() -> None:
    runs = [
        {"n": 40, "width": r, "reached": float(t)} for r, m in ((30, 900), (1000, 300)) for t in range(m - 20, m + 21)
    ]
    assert isclose(widths.speed_up(Evidence(pl.DataFrame(runs)), 40, 1000, 30).value, 1 / 3)
    assert isclose(widths.search_time(40, 1), 9880)  # C(40, 3)
    assert isclose(widths.search_time(40, 10), 988, rel_tol=1e-3)
