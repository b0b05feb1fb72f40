"""The one style of the figures: readable at column width, colours that colour-blind readers can tell apart.

Figures are matplotlib `Figure` objects without pyplot, so that drawing needs no display and leaves no global state.
"""

from typing import Any

from elegans.base.errors import UsageError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C8C8C")  # Okabe and Ito
COLUMN = 5.2  # inches: the width of a text column on the page
STYLE: dict[str, Any] = {
    "font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9, "xtick.labelsize": 8, "ytick.labelsize": 8,
    "legend.fontsize": 8, "legend.frameon": False, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": "0.92", "lines.linewidth": 1.4,
    "svg.fonttype": "none", "svg.hashsalt": "elegans",
}  # fmt: skip


def axes(width: float = COLUMN, height: float = 3.2) -> tuple[Any, Any]:
    """A figure with one panel."""
    figure, grid = panels(1, 1, width, height)
    return figure, grid[0, 0]


def panels(
    rows: int, columns: int, width: float = 1.6 * COLUMN, height: float | None = None, **sharing: Any
) -> tuple[Any, Any]:
    """A figure with a grid of panels (always two-dimensional)."""
    try:
        import matplotlib as mpl
        from cycler import cycler
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("figures need matplotlib; install it with: pip install 'elegans[plot]'") from error
    style: dict[str, Any] = {**STYLE, "axes.prop_cycle": cycler(color=COLOURS)}
    mpl.rcParams.update(style)  # pyright: ignore[reportCallIssue, reportArgumentType]
    figure = Figure(figsize=(width, height or 2.1 * rows + 0.3), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **sharing)
