"""The figure of an experiment without one of its own."""

from math import inf

import pytest
from matplotlib.colors import to_hex

from elegans.claims.claim import Claim, at_least, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.gauges import VERDICTS, drawn
from elegans.stats.estimate import Estimate, exact

CLAIMS = (
    Claim("a", "inside", lambda _: Estimate(0.5, 0.4, 0.6, 9), at_most(1.0), "a reason"),
    Claim("b", "astride", lambda _: Estimate(0.5, 0.4, 0.6, 9), at_least(0.5), "a reason"),
    Claim("c", "outside", lambda _: exact(3.0), at_most(1.0), "a reason"),
    Claim("d", "never reached", lambda _: Estimate(inf, 2.0, inf, 9, 9), at_least(1.0), "a reason"),
)


def test_every_claim_is_a_line_in_the_colour_of_its_verdict() -> None:
    figure = drawn(CLAIMS, Evidence())
    colours = [
        to_hex(ax.lines[-1 if claim.says != "never reached" else 2].get_color())
        for ax, claim in zip(figure.axes, CLAIMS, strict=True)
    ]
    expected = ["holds", "inconclusive", "fails", "holds"]
    assert colours == [VERDICTS[v].lower() for v in expected]


@pytest.mark.parametrize(("place", "inside"), [(0, True), (2, False)])
def test_the_dot_is_on_the_band_exactly_when_the_claim_holds(place: int, inside: bool) -> None:
    ax = drawn(CLAIMS, Evidence()).axes[place]
    band, dot = ax.patches[0].get_extents(), ax.lines[-1].get_xydata()[0]
    left, right = (ax.transData.inverted().transform((x, 0))[0] for x in (band.x0, band.x1))
    assert (left <= dot[0] <= right) == inside
