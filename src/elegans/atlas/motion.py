"""What moves on a page: attention maps of several layers at a fixed input, over training; or weights (see `moving_weights`).

`Experiment.motion(e)` gives {"kind": "attention", "tokens": [...], "times": [...], "layers": [A, ...], "caption": ...}
with A[s, i, j] = attention of position i to position j at times[s]. The page receives round(255 √A) in base64, and two
curves a layer: the attention on the previous token, and on all tokens that follow an earlier occurrence of the token
that looks,

    P(s) = mean_{i>=1} A[s, i, i-1],      F(s) = mean_i Σ_{1<=j<=i, x_{j-1}=x_i} A[s, i, j]   (over i with such a j).
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from elegans.atlas import moving_weights
from elegans.atlas.page import asset, text
from elegans.base.errors import UsageError

ROOM = 500_000  # characters of maps in a page
Maps = Float[np.ndarray, "s t t"]


def rendered(motion: Mapping[str, Any]) -> str:
    """HTML of what moves; the page also needs `script()`."""
    if motion.get("kind") == "weights":
        return moving_weights.rendered(motion)
    data = prepared(motion)
    inside = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    panels = "".join(_panel(i, layer["name"]) for i, layer in enumerate(data["layers"]))
    return (
        f'<div class="motion" data-kind="attention">{_controls(len(data["times"]), len(data["tokens"]))}'
        f'<div class="panels">{panels}</div><p class="soft">{text(motion.get("caption", ""))}</p>'
        "<noscript><p>This part of the page needs JavaScript.</p></noscript>"
        f'<script type="application/json">{inside}</script></div>'
    )


def script() -> str:
    """The player."""
    return asset("motion.js") + asset("moving_weights.js")


def prepared(motion: Mapping[str, Any]) -> dict[str, Any]:
    """The data of the page: tokens, times, quantised maps and curves."""
    if motion.get("kind") != "attention":
        raise UsageError(
            f"motion of kind {motion.get('kind')!r} cannot be shown; the atlas knows 'attention' and 'weights'"
        )
    tokens, times = [str(x) for x in motion["tokens"]], list(motion["times"])
    layers = [_checked(np.asarray(a, np.float64), len(times), len(tokens)) for a in motion["layers"]]
    if not layers or not times:
        raise UsageError("a motion needs at least one layer and one time")
    keep = thinned(len(times), len(tokens), len(layers))
    follows = after_same(tokens)
    return {
        "tokens": tokens, "times": [float(times[s]) for s in keep], "unit": str(motion.get("unit", "step")),
        "layers": [_layer(i, maps[keep], follows) for i, maps in enumerate(layers)],
        "after": follows.astype(int).tolist(),
    }  # fmt: skip


def thinned(times: int, tokens: int, layers: int) -> list[int]:
    """Which times fit into a page: all, or evenly spread ones with the first and the last."""
    room = max(2, int(ROOM * 0.75 / (tokens * tokens * layers)))
    return sorted(set(np.linspace(0, times - 1, min(times, room)).round().astype(int).tolist()))


def after_same(tokens: list[str]) -> Bool[np.ndarray, "t t"]:
    """Entry (i, j): j is at most i, and the token before j is the token at i."""
    x = np.array(tokens)
    t = len(x)
    same = np.zeros((t, t), bool)
    same[:, 1:] = x[:, None] == x[None, :-1]
    return same & np.tri(t, dtype=bool)


def curves(maps: Maps, follows: Bool[np.ndarray, "t t"]) -> dict[str, list[float]]:
    """P and F over time, rounded for the page."""
    some = follows.any(axis=1)
    previous = np.diagonal(maps, offset=-1, axis1=1, axis2=2).mean(axis=1) if maps.shape[1] > 1 else 0 * maps[:, 0, 0]
    after = (maps * follows).sum(axis=2)[:, some].mean(axis=1) if some.any() else 0 * maps[:, 0, 0]
    return {"previous": np.round(previous, 4).tolist(), "after": np.round(after, 4).tolist()}


def _layer(i: int, maps: Maps, follows: Bool[np.ndarray, "t t"]) -> dict[str, Any]:
    shades = np.round(255 * np.sqrt(np.clip(maps, 0.0, 1.0))).astype(np.uint8)
    coded = base64.b64encode(shades.tobytes()).decode()
    return {"name": f"Layer {i + 1}", "maps": coded, "outline": "after" if i else "previous", **curves(maps, follows)}


def _checked(maps: Maps, times: int, tokens: int) -> Maps:
    if maps.shape != (times, tokens, tokens):
        raise UsageError(
            f"a layer of a motion has shape {maps.shape}, but {times} times and {tokens} tokens need "
            f"({times}, {tokens}, {tokens})"
        )
    if not np.isfinite(maps).all():
        raise UsageError("a layer of a motion holds nan or inf; leave those times out")
    return maps


def _controls(times: int, tokens: int) -> str:
    return (
        '<div class="controls"><button type="button" class="play">Play</button>'
        f'<input class="time" type="range" min="0" max="{times - 1}" value="0" aria-label="Time of training">'
        '<output class="now" aria-live="off"></output></div>'
        f'<div class="controls"><label class="which" for="row"></label>'
        f'<input class="row" id="row" type="range" min="0" max="{tokens - 1}" value="{tokens - 1}" '
        'aria-label="Position that looks"></div>'
        '<div class="controls"><label><input type="checkbox" class="show-previous" checked> '
        '<span class="key previous"></span> previous token</label>'
        '<label><input type="checkbox" class="show-after" checked> '
        '<span class="key after"></span> token after the same token</label></div>'
    )


def _panel(i: int, name: str) -> str:
    return (
        f'<div><h3>{text(name)}</h3><canvas class="map" data-layer="{i}" role="img" aria-label="Attention map of '
        f'{text(name)}"></canvas><p class="said soft" data-layer="{i}"></p>'
        f'<canvas class="curve" data-layer="{i}" role="img" aria-label="{text(name)}: attention on the previous token '
        'and on tokens after the same token, over training"></canvas></div>'
    )
