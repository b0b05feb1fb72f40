"""Quick looks at what a run left behind; the papers' figures are drawn by their experiments."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from elegans.base.errors import UsageError


def curves(traces: Mapping[str, np.ndarray]) -> Any:
    """One small panel per watched scalar, over the steps."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("plots need matplotlib; install it with: pip install 'elegans[plot]'") from error
    names = [n for n, a in traces.items() if a.ndim == 1 and not n.endswith(".t")]
    if not names:
        raise UsageError("nothing to plot: no scalar was watched; add watch=[Accuracy(every=10)], for example")
    figure = Figure(figsize=(6, 1.8 * len(names)), layout="constrained")
    for panel, name in zip(np.atleast_1d(figure.subplots(len(names), 1, sharex=True)), names, strict=True):
        panel.plot(traces[f"{name.partition('.')[0]}.t"], traces[name])
        panel.set_ylabel(name)
    figure.axes[-1].set_xlabel("step")
    return figure
