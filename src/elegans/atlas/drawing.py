"""The figure of an experiment on its page: SVG inside the page, or a PNG beside it where there are too many points."""

import io
import re
from pathlib import Path
from typing import Any

from elegans.atlas import style
from elegans.atlas.page import prose, text
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment

LARGEST_SVG = 400_000  # characters
SMALL = 480  # pixels across in a gallery


def drawn(experiment: Experiment, evidence: Evidence, folder: Path) -> str:
    """HTML of the figure; empty if the experiment draws none; a sentence if drawing failed."""
    with style.applied():
        try:
            figure = experiment.figure(evidence)
            return "" if figure is None else _html(figure, experiment, folder)
        except Exception as error:  # one broken figure must not keep the other pages from being built
            return f'<p class="problem">The figure could not be drawn: {text(f"{type(error).__name__}: {error}")}</p>'


def _html(figure: Any, experiment: Experiment, folder: Path) -> str:
    _thumbnail(figure, folder / thumbnail(experiment.id))
    svg = _svg(figure)
    if len(svg) > LARGEST_SVG:
        picture = _png(figure, folder / f"{experiment.id}.png", experiment)
    else:
        picture = f'<div role="img" aria-label="{text(_said(experiment))}">{svg}</div>'
    _close(figure)
    caption = f"<figcaption>{prose(experiment.shows)}</figcaption>" if experiment.shows else ""
    width = f"--natural:{figure.get_figwidth() * 65:.0f}px"  # on a phone it scrolls rather than become unreadable
    return f'<figure class="plot" style="{width}"><div class="scroll">{picture}</div>{caption}</figure>'


def thumbnail(id: str) -> str:
    """Where the small picture of an experiment's figure is, seen from its paper's folder."""
    return f"small/{id}.png"


def _thumbnail(figure: Any, path: Path) -> None:
    """The figure for the paper's gallery, as wide as two columns of a phone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with style.saving():
        figure.savefig(path, format="png", dpi=SMALL / figure.get_figwidth(), metadata={"Software": None})


def _svg(figure: Any) -> str:
    """The figure as an element that fills its column; the bytes depend on the figure only."""
    buffer = io.StringIO()
    with style.saving():
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    svg = buffer.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    return re.sub(r'(<svg[^>]*?) width="[^"]*"|(<svg[^>]*?) height="[^"]*"', r"\1\2", svg, count=2)


def _png(figure: Any, path: Path, experiment: Experiment) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with style.saving():
        figure.savefig(path, format="png", metadata={"Software": None})
    return f'<img src="{text(path.name)}" alt="{text(_said(experiment))}">'


def _said(experiment: Experiment) -> str:
    return experiment.shows or experiment.title()


def _close(figure: Any) -> None:
    """Give a figure back that was made with pyplot."""
    import sys

    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)
