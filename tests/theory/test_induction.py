"""The construction run through a transformer written here, the minimal model by brute force, T by enumeration."""

import math
from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elegans.theory import induction, markov
from elegans.theory.markov import Floats
from elegans.theory.strategies import Contexts, bigram_counts, unigram_counts

seeds = st.integers(0, 2**32 - 1)
Spoil = Callable[[dict[str, Floats]], dict[str, Floats]]
SPOILED: list[Spoil] = [
    lambda w: {"pos0": np.roll(w["pos0"], 1, axis=0)},
    lambda w: {"pos0": np.roll(w["pos0"], -1, axis=0)},
    lambda w: {"pos0": -w["pos0"]},
    lambda w: {"v0": w["v0"].T},
    lambda w: {"k1": w["k1"].T},
    lambda w: {"q1": -w["q1"]},
    lambda w: {"k0": w["q0"]},
    lambda w: {"v1": w["v0"]},
    lambda w: {"read": np.roll(w["read"], 2, axis=0)},
]
FORMS = (induction.minimal_logits, induction.minimal_logits_by_index, induction.minimal_logits_by_offset)


def random_contexts(seed: int, k: int, t: int, n: int = 3) -> Contexts:
    return np.random.default_rng(seed).integers(0, k, size=(n, t))


def random_minimal_model(seed: int, k: int, t: int) -> tuple[Contexts, Contexts, Floats, Floats]:
    rng = np.random.default_rng(seed)
    tokens = rng.integers(0, k, size=(3, t + 1))
    return tokens[:, :-1], tokens[:, 1:], rng.normal(size=(k, k)), rng.normal(size=t) / t


def attention(z: Floats, q: Floats, key: Floats, pos: Floats) -> Floats:
    """Softmax weights of (8.5) for one sequence z (t, d), written position by position."""
    weights = np.zeros((len(z), len(z)))
    for i in range(len(z)):
        scores = np.array([z[i] @ q @ (z[j] @ key + pos[i - j]) for j in range(i + 1)]) / math.sqrt(z.shape[1])
        e = np.exp(scores - scores.max())
        weights[i, : i + 1] = e / e.sum()
    return weights


def transformer(weights: dict[str, Floats], x: Contexts) -> tuple[Floats, list[Floats]]:
    """Logits (t, k) of (8.4) for one sequence x (t,), and the attention of both layers."""
    z, maps = weights["embed"][x], list[Floats]()
    for layer in (0, 1):
        q, key, value, pos = (weights[f"{name}{layer}"] for name in ("q", "k", "v", "pos"))
        maps.append(attention(z, q, key, pos))
        z = z + maps[-1] @ z @ value
    return z @ weights["read"], maps


def construction_error(weights: dict[str, Floats], x: Contexts, k: int) -> float:
    expected = induction.construction_output(x, k)
    return max(float(np.abs(transformer(weights, row)[0] - expected[b]).max()) for b, row in enumerate(x))


def frequencies_by_hand(x: list[int], k: int, i: int, first_matches_itself: bool = True) -> Floats:
    previous = [x[0] if first_matches_itself else None, *x[:-1]]
    found = [x[j] for j in range(i + 1) if previous[j] == x[i]] or x[: i + 1]
    return np.bincount(found, minlength=k) / len(found)


@given(seeds, st.integers(2, 4), st.integers(2, 15))
def test_reference_formula_by_hand(seed: int, k: int, t: int):
    x = random_contexts(seed, k, t)
    by_hand = [[frequencies_by_hand(row, k, i) for i in range(t)] for row in x.tolist()]
    np.testing.assert_allclose(induction.construction_output(x, k), by_hand, atol=1e-14)


def test_both_edge_effects_on_a_sequence_worked_out():
    x = np.array([[0, 1, 0, 0, 2]])
    expected = [[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 2, 1 / 2, 0], [2 / 3, 1 / 3, 0], [3 / 5, 1 / 5, 1 / 5]]
    np.testing.assert_allclose(induction.construction_output(x, 3)[0], expected)


@pytest.mark.parametrize("k", [2, 3])
def test_proposition_8_2_the_construction_computes_bigram_frequencies(k: int):
    x = random_contexts(0, k, 100, n=4)
    assert construction_error(induction.construction(k, 100, 80.0), x, k) < 1e-6
    assert construction_error(induction.construction(k, 100, 40.0), x, k) < 1e-2
    assert construction_error(induction.construction(k, 100, 20.0), x, k) > 0.1


def test_the_construction_stays_exact_where_nothing_matches():
    x = np.array([[0, 1, 2, 3, 4, 4, 0], [0, 0, 1, 0, 2, 1, 3]])
    assert construction_error(induction.construction(5, 7, 80.0), x, 5) < 1e-6


def test_without_the_edge_effect_the_formula_is_off():
    x = random_contexts(1, 2, 100, n=4)
    x[:, -1] = x[:, 0]
    weights = induction.construction(2, 100, 80.0)
    gaps = [transformer(weights, row)[0][-1] - frequencies_by_hand(row.tolist(), 2, 99, False) for row in x]
    assert 1e-3 < np.abs(gaps).max() < 0.05


@pytest.mark.parametrize("spoil", SPOILED)
def test_every_part_of_the_construction_is_needed(spoil: Spoil):
    x, weights = random_contexts(2, 2, 30), induction.construction(2, 30, 80.0)
    assert construction_error(weights, x, 2) < 1e-6
    assert construction_error(weights | spoil(weights), x, 2) > 0.1


@pytest.mark.parametrize("c", [5.0, 20.0, 80.0])
def test_layer_one_attends_to_the_previous_token(c: float):
    k, x = 3, random_contexts(3, 3, 40)[0]
    logits, (first, second) = transformer(induction.construction(k, 40, c), x)
    np.testing.assert_allclose(np.diag(first, -1), induction.layer1_attention(np.arange(2, 41), k, c), rtol=1e-12)
    assert first[0, 0] == induction.layer1_attention(1, k, c) == 1
    np.testing.assert_allclose(logits, second @ np.eye(k)[x], atol=1e-12)


def test_names_and_shapes_of_the_construction():
    shapes = {name: array.shape for name, array in induction.construction(2, 9, 1.0).items()}
    per_layer = {"q": (6, 6), "k": (6, 6), "v": (6, 6), "pos": (9, 6)}
    assert shapes == {"embed": (2, 6), "read": (6, 2)} | {f"{n}{i}": s for n, s in per_layer.items() for i in (0, 1)}


@given(seeds, st.integers(2, 4), st.integers(2, 20))
def test_fact_8_3_the_minimal_model_counts(seed: int, k: int, t: int):
    x = random_contexts(seed, k, t)
    bigrams, unigrams = np.zeros((2, 3, t, k))
    for b, p in product(range(3), range(t)):
        for s in range(p + 1):
            unigrams[b, p, x[b, s]] += 1
            bigrams[b, p, x[b, s]] += s > 0 and x[b, s - 1] == x[b, p]
    for counts, fast, weights in (
        (bigrams, bigram_counts, induction.bigram_weights),
        (unigrams, unigram_counts, induction.unigram_weights),
    ):
        np.testing.assert_array_equal(fast(x, k), counts)
        np.testing.assert_array_equal(induction.minimal_logits(x, *weights(k, t)), counts)


def test_constant_weights_give_the_logits_of_the_first_step():
    """(E.6): f_{p,i} = c^2 sum_{t'<=p} t' 1{x_t' = i}."""
    x, c = random_contexts(4, 2, 12), 0.3
    expected = c**2 * np.cumsum(np.arange(1, 13)[:, None] * np.eye(2)[x], axis=1)
    np.testing.assert_allclose(induction.minimal_logits(x, np.full((2, 2), c), np.full(12, c)), expected)


@given(seeds, st.integers(2, 4), st.integers(1, 10))
def test_three_forms_of_the_minimal_model_and_the_printed_sum(seed: int, k: int, t: int):
    x, _, W, v = random_minimal_model(seed, k, t)
    printed = np.zeros((3, t, k))
    for b, p in product(range(3), range(t)):
        for t1 in range(p + 1):
            printed[b, p, x[b, t1]] += sum(v[t1 - s] * W[x[b, p], x[b, s]] for s in range(t1 + 1))
    for form in FORMS:
        np.testing.assert_allclose(form(x, W, v), printed, atol=1e-12)


@given(seeds, st.integers(2, 4), st.integers(1, 10))
def test_the_minimal_model_is_bilinear_and_blind_to_names(seed: int, k: int, t: int):
    x, _, W, v = random_minimal_model(seed, k, t)
    order = np.random.default_rng(seed).permutation(k)
    f = induction.minimal_logits(x, W, v)
    np.testing.assert_allclose(induction.minimal_logits(x, -2 * W, 3 * v), -6 * f, atol=1e-12)
    renamed = induction.minimal_logits(np.argsort(order)[x], W[np.ix_(order, order)], v)
    np.testing.assert_allclose(renamed, f[..., order], atol=1e-12)


def test_cross_entropy_by_hand():
    logits = np.array([[[0.0, math.log(3)], [1000.0, 0.0]]])
    assert induction.cross_entropy(logits, np.array([[0, 0]])) == pytest.approx(math.log(4) / 2)
    assert induction.cross_entropy(logits, np.array([[1, 1]])) == pytest.approx((math.log(4 / 3) + 1000) / 2)


@pytest.mark.parametrize(("k", "t"), [(2, 7), (3, 5), (4, 1)])
def test_gradient_is_the_slope_of_the_loss(k: int, t: int):
    x, y, W, v = random_minimal_model(5, k, t)

    def loss(theta: Floats) -> float:
        f = induction.minimal_logits(x, theta[: k * k].reshape(k, k), theta[k * k :])
        return induction.cross_entropy(f, y)

    theta, h = np.concatenate([W.ravel(), v]), 1e-5
    slopes = [(loss(theta + h * e) - loss(theta - h * e)) / (2 * h) for e in np.eye(len(theta))]
    grad_W, grad_v = induction.minimal_gradient(x, y, W, v)
    np.testing.assert_allclose(np.concatenate([grad_W.ravel(), grad_v]), slopes, atol=1e-9)


def tensor_by_enumeration(P: Floats, t: int) -> Floats:
    """The defining expectation of T over all k^(t+1) sequences of t + 1 tokens."""
    k, pi, T = len(P), markov.stationary(P), np.zeros((len(P), len(P), t))
    for x in product(range(k), repeat=t + 1):
        chance = pi[x[0]] * math.prod(P[i, j] for i, j in pairwise(x))
        for p, j in product(range(t), range(t)):
            for t1 in range(j, p + 1):
                T[x[p], x[t1 - j], j] += chance * ((x[t1] == x[p + 1]) - 1 / k) / t
    return T


@pytest.mark.parametrize(("k", "t"), [(2, 5), (2, 1), (3, 4)])
def test_gradient_tensor_by_enumeration(k: int, t: int):
    P = np.random.default_rng(6).dirichlet(np.ones(k), size=k)
    np.testing.assert_allclose(induction.gradient_tensor(P, t), tensor_by_enumeration(P, t), atol=1e-14)


def test_bilinear_loss_is_the_margin_loss_of_all_sequences():
    """(8.7) in full, hinges and all, averaged over all sequences, against const - sum W_ml v_j T_mlj."""
    k, t = 2, 5
    rng = np.random.default_rng(7)
    P, W, v = rng.dirichlet(np.ones(k), size=k), rng.normal(size=(k, k)), rng.normal(size=t)
    tokens = np.array(list(product(range(k), repeat=t + 1)))
    chance = markov.stationary(P)[tokens[:, 0]] * np.prod(P[tokens[:, :-1], tokens[:, 1:]], axis=1)
    f = induction.minimal_logits(tokens[:, :-1], W, v)
    delta = float(np.abs(W).max() * np.sum(np.cumsum(np.abs(v)))) * 2
    true_logit = np.take_along_axis(f, tokens[:, 1:, None], -1)
    hinges = np.maximum(0, delta + f - true_logit).sum(-1) - delta
    loss = float(chance @ hinges.mean(-1)) / k
    T = induction.gradient_tensor(P, t)
    down_W, down_v = induction.population_gradient(T, W, v)
    constant = delta * (k - 1) / k
    assert loss == pytest.approx(constant - float(np.sum(W * down_W)), abs=1e-12)
    assert loss == pytest.approx(constant - float(v @ down_v), abs=1e-12)


@given(seeds, st.integers(2, 5), st.integers(1, 12))
def test_gradient_tensor_follows_a_renaming_and_serves_batches(seed: int, k: int, t: int):
    rng = np.random.default_rng(seed)
    P, order = rng.dirichlet(np.ones(k), size=(2, k)), rng.permutation(k)
    T = induction.gradient_tensor(P, t)
    assert T.shape == (2, k, k, t)
    renamed = induction.gradient_tensor(P[1][np.ix_(order, order)], t)
    np.testing.assert_allclose(renamed, T[1][np.ix_(order, order)], atol=1e-12)


@given(seeds, st.integers(2, 5))
def test_gradient_tensor_of_tokens_without_order(seed: int, k: int):
    """If all rows are r, only coincidences among the positions p, t' and t'-j+1 tie the three symbols together."""
    r, t = np.random.default_rng(seed).dirichlet(np.ones(k)), 6
    N = t - np.arange(t)
    before, at_p = N * (N - 1) / 2, N  # pairs t' < p and t' = p
    excess = r - 1 / k
    expected = np.einsum("m,l,j->mlj", r, r, before * (r @ excess)) + np.einsum("m,l,j->mlj", r * excess, r, at_p)
    expected[:, :, 0] = before[0] * np.outer(r, r * excess) + at_p[0] * np.diag(r * excess)
    np.testing.assert_allclose(induction.gradient_tensor(np.tile(r, (k, 1)), t), expected / t, atol=1e-12)


@pytest.mark.parametrize(
    ("t", "diagonal", "crossed"),
    [(10, 1.24327, 0.131041), (20, 4.08291, 0.630158), (50, 21.7954, 4.40498), (100, 81.70266, 18.30678)],
)
def test_first_step_from_constant_weights_as_tabulated(t: int, diagonal: float, crossed: float):
    """Lemma 8.4, first step: sum_j T over the flat prior, in units of c eta."""
    T = markov.flat_mean(lambda a, b: induction.gradient_tensor(markov.two_state(a, b), t), n=40)
    step, _ = induction.population_gradient(T, np.ones((2, 2)), np.ones(t))
    np.testing.assert_allclose(step, [[diagonal, crossed], [crossed, diagonal]], rtol=4e-6)


def test_figures_e_1_and_e_2_at_the_stated_constants():
    t, c, eta = 100, 0.02, 0.03
    T = markov.flat_mean(lambda a, b: induction.gradient_tensor(markov.two_state(a, b), t), n=40)
    down_W, down_v = induction.population_gradient(T, np.full((2, 2), c), np.full(t, c))
    W, v = c + eta * down_W, c + eta * down_v
    np.testing.assert_allclose(W, [[0.0690216, 0.0309841], [0.0309841, 0.0690216]], atol=6e-8)
    expected_v = [0.0235060, 0.0234371, 0.0233689, 0.0229106, 0.0209332, 0.0200022, 0.0200005]
    np.testing.assert_allclose(v[[0, 1, 2, 9, 49, 98, 99]], expected_v, atol=6e-8)
    assert np.all(np.diff(v) < 0)
    _, second = induction.population_gradient(T, W, v)
    expected_second = [0.03489, 0.035913, 0.033593, 0.034184, 0.03308, 0.033278, 0.032573, 0.032591, 0.032065, 0.031991]
    np.testing.assert_allclose((v + eta * second)[:10], expected_second, atol=6e-7)
    diagonal_gradient = induction.population_gradient(T, np.eye(2), v)[1]
    expected_d = [5.21595, 6.26641, 4.38625, 5.05512, 4.23696, 4.55765, 4.08637, 4.24660]
    np.testing.assert_allclose(diagonal_gradient[:8], expected_d, atol=6e-6)


def test_wrong_shapes_are_named():
    x, y, W, v = random_minimal_model(8, 2, 4)
    for call, reason in (
        (lambda: induction.minimal_logits(x, W[0], v), "square matrix"),
        (lambda: induction.minimal_logits(x, W[:, :1], v), "square matrix"),
        (lambda: induction.minimal_logits(x, W, v[:3]), r"pass v \(4,\)"),
        (lambda: induction.minimal_gradient(x, y[:1], W, v), r"pass y \(3, 4\)"),
        (lambda: induction.gradient_tensor(np.full((2, 2), 0.5), 0), "t = 0"),
        (lambda: induction.construction(2, 1, 80.0), "t = 1"),
        (lambda: induction.bigram_weights(2, 1), "no offset 2"),
        (lambda: induction.layer1_attention(0, 2, 1.0), "counted from 1"),
    ):
        with pytest.raises(ValueError, match=reason):
            call()
