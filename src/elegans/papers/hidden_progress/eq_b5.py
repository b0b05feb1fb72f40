"""Equation (B.5): consecutive odd Fourier coefficients of majority. Nothing is trained."""

from elegans.claims.claim import Claim, at_most
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.claims.paper import Place
from elegans.claims.scale import Scale
from elegans.lab.words import Calculation
from elegans.papers.hidden_progress.checklist import PAPER
from elegans.theory.majority import ratio_table


class MajorityRatio(Experiment):
    """Ratio of consecutive odd Fourier coefficients of majority."""

    id = "eq-B.5"
    place = Place(PAPER, "equation (B.5)")
    claims = (
        Claim(
            "eq-B.5",
            "|ξ_{k+1}| / |ξ_{k-1}| = (k-1)/(n-k) for every even k",
            of="corrected",
            expect=at_most(1e-10),
            why="an identity between binomial coefficients; the table is computed in double precision",
            value=lambda e: e.max("error"),
            wrong=lambda e: e.max("error_with_k_over_n"),
        ),
    )
    chosen = {"n": "9, 11, 51, 101: small enough to enumerate and large enough to see the trend (spec)"}
    shows = "The ratios fall on the line (k-1)/(n-k); the rough order k/n that the printed chain suggests misses them."

    def work(self, scale: Scale) -> Calculation:
        return Calculation(ratio_table, n=(9, 11, 51, 101))

    def figure(self, e: Evidence) -> object:
        from elegans.claims.drawing import axes

        figure, ax = axes()
        for n in (11, 51, 101):
            rows = e.array("n") == n
            k = e.array("k")[rows]
            ax.plot(k, e.array("predicted")[rows], lw=1, color="0.6")
            (dots,) = ax.plot(k, e.array("ratio")[rows], ".", label=f"n = {n}")
            ax.plot(k, k / n, ":", lw=1, color=dots.get_color())
        ax.plot([], [], lw=1, color="0.6", label="(k-1)/(n-k)")
        ax.plot([], [], ls=":", lw=1, color="0.4", label="k/n, the printed order")
        ax.set(xlabel="k", ylabel=r"$|\xi_{k+1}|\,/\,|\xi_{k-1}|$", yscale="log", xscale="log")
        ax.legend()
        return figure
