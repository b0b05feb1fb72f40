"""Statistical induction heads: weights that are one, a minimal model that learns one, the gradient that finds it.

Proposition 8.2 writes in-context bigrams into a two-layer attention-only transformer with d = 3k and a constant c.
Layer 1 looks at the previous token, layer 2 attends to all positions whose previous token is the current one, so that

    output_i(y) = #{j ≤ i: x_{j-1} = x_i, x_j = y} / #{j ≤ i: x_{j-1} = x_i}      up to O(t e^{-c / sqrt(3k)}).

The minimal model has W (k, k) and v (t,), offset j = 1 being the token itself and j = 2 the one before it:

    f(E) = mask(E W (ME)^T) E,   M_{t's} = v_{t'-s+1} 1[s ≤ t'],                                                (8.8)
    f_{p,i} = Σ_{t'≤p} 1{x_t' = i} Σ_{s≤t'} v_{t'-s+1} W_{x_p, x_s}.

Under the margin loss (8.7) with every hinge active, the population loss is L = const - Σ_mlj W_ml v_j T_mlj.
Contexts x (B, t) have symbols 0..k-1; entry j - 1 of an array over offsets belongs to offset j.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from elegans.theory.markov import Floats, stationary, transition_matrix
from elegans.theory.strategies import Contexts, one_hot


def construction(k: int, t: int, c: float) -> dict[str, Floats]:
    """Weights of Proposition 8.2: embed (k, d), read (d, k), and q{l}, k{l}, v{l} (d, d), pos{l} (t, d) for l in 0, 1.

    Row vectors multiply from the left, scores are (z_i q)(z_j k + pos_{i-j+1})^T / sqrt(d), each layer adds to z.
    """
    if k < 2 or t < 2 or c <= 0:
        raise ValueError(
            f"k = {k}, t = {t}, c = {c}: the construction looks back; use k >= 2, t >= 2 and c > 0, say 80."
        )
    d, current, previous, answer = 3 * k, slice(0, k), slice(k, 2 * k), slice(2 * k, 3 * k)
    looks_back = np.zeros((t, d))
    looks_back[1, current] = 1.0
    return {
        "embed": np.eye(k, d),
        "q0": c * _block(k, current, current),
        "k0": np.zeros((d, d)),
        "v0": _block(k, current, previous),
        "pos0": looks_back,
        "q1": c * _block(k, current, current),
        "k1": c * _block(k, previous, current),
        "v1": _block(k, current, answer),
        "pos1": np.zeros((t, d)),
        "read": np.eye(d)[:, answer],
    }


def _block(k: int, rows: slice, columns: slice) -> Floats:
    """The (3k, 3k) matrix with the identity at one of its nine blocks."""
    matrix = np.zeros((3 * k, 3 * k))
    matrix[rows, columns] = np.eye(k)
    return matrix


def layer1_attention(i: ArrayLike, k: int, c: float) -> Floats:
    """Exact weight of position i on i - 1 in layer 1 of the construction (of 1 on itself), i counted from 1."""
    i = np.asarray(i, np.float64)
    if np.any(i < 1):
        raise ValueError(f"i = {i.min()}, but positions are counted from 1; add 1 to array indices.")
    return 1.0 / (1.0 + (i - 1.0) * math.exp(-c / math.sqrt(3 * k)))


def construction_output(x: Contexts, k: int) -> Floats:
    """What the construction answers as c grows, at every position: (B, t, k).

    Both edge effects are in it: position 1 can only look at itself, so it counts as x_0 = x_1, and a position without
    any match attends to all positions alike and answers with the unigram frequencies.
    """
    E, previous = one_hot(x, k), np.concatenate([x[:, :1], x[:, :-1]], axis=1)
    past = np.tri(x.shape[1], dtype=bool)
    match = past & (previous[:, None, :] == x[:, :, None])
    attended = np.where(match.any(-1, keepdims=True), match, past)
    return attended @ E / attended.sum(-1, keepdims=True)


def bigram_weights(k: int, t: int) -> tuple[Floats, Floats]:
    """Fact 8.3: W = I and v = (0, 1, 0, ..., 0) make f_{p,i} the number of transitions x_p -> i up to p."""
    if t < 2:
        raise ValueError(f"t = {t} has no offset 2, but bigrams look one token back; use t >= 2.")
    return np.eye(k), np.eye(t)[1]


def unigram_weights(k: int, t: int) -> tuple[Floats, Floats]:
    """Fact 8.3: W = 1 1^T and v = (1, 0, ..., 0) make f_{p,i} the number of symbols i up to p."""
    return np.ones((k, k)), np.eye(t)[0]


def offset_matrix(v: Floats) -> Floats:
    """M (t, t) with M_{t's} = v_{t'-s+1} for s ≤ t', else 0."""
    back = np.subtract.outer(np.arange(len(v)), np.arange(len(v)))
    return np.where(back >= 0, v[np.maximum(back, 0)], 0.0)


def minimal_logits(x: Contexts, W: Floats, v: Floats) -> Floats:
    """f (B, t, k) in matrix form, f = mask(E W (ME)^T) E."""
    E, M = _inputs(x, W, v)
    scores = E @ W @ np.swapaxes(M @ E, -1, -2)
    return np.tril(scores) @ E


def minimal_logits_by_index(x: Contexts, W: Floats, v: Floats) -> Floats:
    """f (B, t, k) as printed in indices: sum over t' ≤ p, then over the tokens x_s with s ≤ t'."""
    E, M = _inputs(x, W, v)
    agreement = W[x[:, :, None], x[:, None, :]]
    return np.tril(np.einsum("ts,bps->bpt", M, agreement)) @ E


def minimal_logits_by_offset(x: Contexts, W: Floats, v: Floats) -> Floats:
    """f (B, t, k) as a sum over offsets: v_j times the scores W_{x_p, x_{t'-j+1}} collected by the symbol x_t'."""
    E, M = _inputs(x, W, v)
    scores = np.zeros((*x.shape, x.shape[1]))
    for back, weight in enumerate(M[:, 0]):
        scores[:, :, back:] += weight * W[x[:, :, None], x[:, None, : x.shape[1] - back]]
    return np.tril(scores) @ E


def _inputs(x: Contexts, W: Floats, v: Floats) -> tuple[Floats, Floats]:
    """E (B, t, k) and M (t, t), or ValueError if the shapes disagree."""
    if W.ndim != 2 or W.shape[0] != W.shape[1]:
        raise ValueError(f"W has shape {W.shape}, but it compares symbols with symbols; pass a square matrix (k, k).")
    E = one_hot(x, len(W))
    if v.shape != x.shape[1:]:
        raise ValueError(f"v has shape {v.shape}, x {x.shape}, but v has one entry per offset; pass v ({x.shape[1]},).")
    return E, offset_matrix(v)


def cross_entropy(logits: Floats, y: Contexts) -> float:
    """(8.6): mean over contexts and positions of -log softmax(logits_p)[y_p], for logits (B, t, k), y (B, t)."""
    shifted = logits - logits.max(-1, keepdims=True)
    log_normaliser = np.log(np.exp(shifted).sum(-1))
    return float((log_normaliser - np.sum(shifted * _targets(y, logits), -1)).mean())


def _targets(y: Contexts, logits: Floats) -> Floats:
    """Y (B, t, k), or ValueError unless there is one target for every position."""
    if y.shape != logits.shape[:-1]:
        raise ValueError(f"y has shape {y.shape}, but every position has one target; pass y {logits.shape[:-1]}.")
    return one_hot(y, logits.shape[-1])


def minimal_gradient(x: Contexts, y: Contexts, W: Floats, v: Floats) -> tuple[Floats, Floats]:
    """(dL/dW (k, k), dL/dv (t,)) of the cross-entropy of the minimal model on next tokens y (B, t)."""
    E, M = _inputs(x, W, v)
    f = minimal_logits(x, W, v)
    p = np.exp(f - f.max(-1, keepdims=True))
    G = (p / p.sum(-1, keepdims=True) - _targets(y, f)) / y.size
    H = np.tril(G @ np.swapaxes(E, -1, -2))
    grad_W = np.einsum("bpm,bpt,btl->ml", E, H, M @ E, optimize=True)
    D = np.sum(np.swapaxes(H, -1, -2) @ E @ W @ np.swapaxes(E, -1, -2), axis=0)
    return grad_W, np.array([D.diagonal(-back).sum() for back in range(len(M))])


def gradient_tensor(P: ArrayLike, t: int) -> Floats:
    """T (..., k, k, t), the population gradient (E.9)-(E.13) of one chain P (k, k) or of many (..., k, k).

    T_mlj = 1/t Σ_p Σ_{t'=j..p} E[(1{x_t' = x_{p+1}} - 1/k) 1{x_p = m} 1{x_{t'-j+1} = l}]
          = 1/t Σ_i (P_mi - 1/k) π_l (P^{j-1})_li (S_{t-j+1})_im,   S_N = Σ_{r<N} (N-r) P^r.
    """
    chain = transition_matrix(P)
    if t < 1:
        raise ValueError(f"t = {t}, but a context has at least one token; use t >= 1.")
    k, pi = chain.shape[-1], stationary(chain)
    powers = [np.broadcast_to(np.eye(k), chain.shape)]
    for _ in range(t - 1):
        powers.append(powers[-1] @ chain)
    stacked = np.stack(powers)
    S = np.cumsum(np.cumsum(stacked, axis=0), axis=0)[::-1]
    return np.einsum("...mi,...l,j...li,j...im->...mlj", chain - 1.0 / k, pi, stacked, S, optimize=True) / t


def population_gradient(T: Floats, W: Floats, v: Floats) -> tuple[Floats, Floats]:
    """(-dL/dW (k, k), -dL/dv (t,)) of the bilinear population loss L = const - Σ W_ml v_j T_mlj, for T (k, k, t)."""
    return np.einsum("mlj,j->ml", T, v), np.einsum("mlj,ml->j", T, W)
