"""What moves: the data of a page is that of the evidence, quantised, and small enough."""

import base64
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.atlas import motion, moving_weights
from elegans.base.errors import UsageError
from tests.claims import fakes

MOTION = fakes.Learns().motion(fakes.evidence())


def test_quantised_maps_are_near_the_given_ones() -> None:
    for layer, given_maps in zip(motion.prepared(MOTION)["layers"], MOTION["layers"], strict=True):
        shades = np.frombuffer(base64.b64decode(layer["maps"]), np.uint8).reshape(given_maps.shape)
        np.testing.assert_allclose((shades / 255.0) ** 2, given_maps, atol=0.005)


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=8))
def test_tokens_after_the_same_token(tokens: list[str]) -> None:
    found, t = motion.after_same(tokens), len(tokens)
    assert found.tolist() == [[1 <= j <= i and tokens[j - 1] == tokens[i] for j in range(t)] for i in range(t)]


def test_curves_of_known_heads() -> None:
    tokens = list("abab")
    follows = motion.after_same(tokens)
    previous = np.eye(4, k=-1)[None]
    previous[0, 0, 0] = 1.0
    assert motion.curves(previous, follows)["previous"] == [1.0]
    induction = (follows / np.maximum(follows.sum(1, keepdims=True), 1))[None]
    assert motion.curves(induction, follows)["after"] == [1.0]


def test_one_token_has_no_curves() -> None:
    assert motion.curves(np.ones((2, 1, 1)), motion.after_same(["a"])) == {"previous": [0.0, 0.0], "after": [0.0, 0.0]}


@pytest.mark.parametrize(("times", "tokens", "layers"), [(1, 5, 1), (400, 24, 2), (200, 100, 3), (10, 400, 2)])
def test_long_motions_are_thinned_and_keep_their_ends(times: int, tokens: int, layers: int) -> None:
    keep = motion.thinned(times, tokens, layers)
    assert keep[0] == 0 and keep[-1] == times - 1 and keep == sorted(set(keep))
    assert len(keep) <= 2 or len(keep) * tokens**2 * layers * 4 / 3 <= motion.ROOM


def test_the_page_holds_the_data_and_is_operable_by_keyboard() -> None:
    html = motion.rendered({**MOTION, "tokens": ["</script>", *map(str, MOTION["tokens"][1:])]})
    inside = re.search(r'<script type="application/json">(.*?)</script>', html)
    assert inside and json.loads(inside[1])["tokens"][0] == "</script>"
    assert html.count('type="range"') == 2 and "<button" in html and "aria-label" in html


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "spectra"}, "knows 'attention'"),
        ({"times": [0, 1]}, "2 times and 15 tokens need"),
        ({"layers": []}, "at least one layer"),
        ({"layers": [np.full((12, 15, 15), np.nan)]}, "nan or inf"),
    ],
)
def test_what_cannot_be_shown_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        motion.prepared({**MOTION, **change})


def weights(**change: object) -> dict[str, object]:
    """Two inputs and a relevant one that grows, over three times."""
    panel = {
        "name": "B < 32", "times": [0, 10, 20], "relevant": [1], "accuracy": [0.5, 0.52, 1.0],
        "weights": np.array([[0.5, 0.1, -0.2], [0.5, -0.6, 0.2], [0.4, -1.0, 0.1]]),
    }  # fmt: skip
    return {"kind": "weights", "panels": [{**panel, **change}], "caption": "One neuron."}


def test_weights_of_the_page_are_near_the_given_ones() -> None:
    panel = moving_weights.prepared(weights())["panels"][0]
    found = np.frombuffer(base64.b64decode(panel["weights"]), np.int8).reshape(3, 3) * panel["scale"] / 127
    np.testing.assert_allclose(found, np.asarray(weights()["panels"][0]["weights"]), atol=0.5 / 127)  # type: ignore[index]
    assert panel["inside"] == [0.1, 0.6, 1.0] and panel["outside"] == [0.5, 0.5, 0.4]


def test_a_page_of_weights_is_operable_by_keyboard() -> None:
    html = motion.rendered(weights(name="</script>"))
    inside = re.search(r'<script type="application/json">(.*?)</script>', html)
    assert inside and json.loads(inside[1])["panels"][0]["name"] == "</script>"
    assert html.count('type="range"') == 1 and "<button" in html and html.count("aria-label") == 4
    assert 'data-kind="weights"' in html and "[data-kind='weights']" in motion.script()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"times": [0, 1]}, "2 times"),
        ({"accuracy": [0.5]}, "one accuracy a time"),
        ({"relevant": [0, 1, 2]}, "inputs of both kinds"),
        ({"weights": np.full((3, 3), np.nan)}, "nan or inf"),
        ({"weights": np.zeros((3, 60_000))}, "show fewer times"),
    ],
)
def test_weights_that_cannot_be_shown_are_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        moving_weights.prepared(weights(**change))


def test_panels_of_weights_have_equally_many_times() -> None:
    short = weights(times=[0], accuracy=[0.5], weights=np.eye(3)[:1])["panels"][0]  # type: ignore[index]
    with pytest.raises(UsageError, match="equally many times"):
        moving_weights.prepared({"panels": [weights()["panels"][0], short]})  # type: ignore[index]
