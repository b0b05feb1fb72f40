"""What moves on a page, second kind: the weights of one neuron over training, beside its accuracy.

`Experiment.motion(e)` gives {"kind": "weights", "panels": [...], "caption": ...} with panels

    {"name": "B = 32", "times": t, "weights": W, "relevant": S, "accuracy": a}

where W[s, i] is the weight of input i at times[s]. All panels have equally many times, each its own. The page receives
W in 127ths of the largest |W|, and min_{i∈S} |w_i| and max_{i∉S} |w_i| beside the accuracy.
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from elegans.atlas.page import text
from elegans.base.errors import UsageError

ROOM = 200_000  # characters of weights in a page


def rendered(motion: Mapping[str, Any]) -> str:
    """HTML of what moves; the page also needs the script."""
    data = prepared(motion)
    inside = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    panels = "".join(_panel(i, panel["name"]) for i, panel in enumerate(data["panels"]))
    last = len(data["panels"][0]["times"]) - 1
    return (
        '<div class="motion" data-kind="weights"><div class="controls">'
        '<button type="button" class="play">Play</button>'
        f'<input class="time" type="range" min="0" max="{last}" value="0" aria-label="Time of training">'
        '<span><span class="key after"></span> relevant inputs</span></div>'
        f'<div class="panels">{panels}</div><p class="soft">{text(motion.get("caption", ""))}</p>'
        "<noscript><p>This part of the page needs JavaScript.</p></noscript>"
        f'<script type="application/json">{inside}</script></div>'
    )


def prepared(motion: Mapping[str, Any]) -> dict[str, Any]:
    """The data of the page: times, quantised weights, curves."""
    panels = [_prepared(panel) for panel in motion["panels"]]
    if not panels or len({len(p["times"]) for p in panels}) > 1:
        lengths = [len(p["times"]) for p in panels]
        raise UsageError(f"panels of weights need equally many times, at least one panel; got {lengths}")
    size = sum(len(p["weights"]) for p in panels)
    if size > ROOM:
        raise UsageError(f"these weights take {size} characters of the page, and {ROOM} are allowed; show fewer times")
    return {"unit": str(motion.get("unit", "step")), "panels": panels}


def _prepared(panel: Mapping[str, Any]) -> dict[str, Any]:
    W, S = np.asarray(panel["weights"], np.float64), sorted(int(i) for i in panel["relevant"])
    times, accuracy = list(panel["times"]), np.asarray(panel["accuracy"], np.float64)
    if W.ndim != 2 or len(W) != len(times) or accuracy.shape != (len(W),) or not 0 < len(S) < W.shape[1]:
        raise UsageError(
            f"panel {panel['name']!r} has weights {W.shape}, {len(times)} times, accuracies {accuracy.shape} and "
            f"{len(S)} relevant inputs; give one row of weights and one accuracy a time, and inputs of both kinds"
        )
    if not (np.isfinite(W).all() and np.isfinite(accuracy).all()):
        raise UsageError(f"panel {panel['name']!r} holds nan or inf; leave those times out")
    scale = float(np.abs(W).max()) or 1.0
    coded = base64.b64encode(np.round(127 * W / scale).astype(np.int8).tobytes()).decode()
    size, rest = np.abs(W), [i for i in range(W.shape[1]) if i not in S]
    return {
        "name": str(panel["name"]), "times": [float(t) for t in times], "inputs": W.shape[1], "relevant": S,
        "scale": scale, "weights": coded, "accuracy": np.round(accuracy, 4).tolist(),
        "inside": np.round(size[:, S].min(1), 4).tolist(), "outside": np.round(size[:, rest].max(1), 4).tolist(),
    }  # fmt: skip


def _panel(i: int, name: str) -> str:
    said = {
        "bars": "the weights at this time, one bar an input",
        "curve": "accuracy over training",
        "lines": "every weight over training",
    }
    canvases = {
        kind: f'<canvas class="{kind}" data-panel="{i}" role="img" aria-label="{text(name)}: {what}"></canvas>'
        for kind, what in said.items()
    }
    return (
        f"<div><h3>{text(name)}</h3>{canvases['bars']}"
        f'<p class="said soft" data-panel="{i}" aria-live="off"></p>{canvases["curve"]}{canvases["lines"]}</div>'
    )
