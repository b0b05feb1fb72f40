"""Functions on Z_p and neurons of modular addition, seen through the discrete Fourier transform.

    x̂(j) = Σ_a x(a) e^{-2πija/p},        Σ_j |x̂(j)|² = p ‖x‖²

For a neuron {u, v, w}, uniform inputs and the same weight on every wrong answer (theorem 7.7), p odd,

    η(δ) = E_{a,b} [(u(a) + v(b))² w(a+b-δ)],        E ψ' = η(0) - E_{δ≠0} η(δ)
         = 2/((p-1)p²) Σ_{j≠0} û(j) v̂(j) ŵ(-j) = 4/((p-1)p²) Σ_{j=1}^{(p-1)/2} |û v̂ ŵ|(j) cos(θ_u + θ_v - θ_w)(j).

The best neurons of norm 1 have one frequency and one amplitude, u(a) = √(2/(3p)) cos(θ_u + 2πζa/p) and so on with
θ_u + θ_v = θ_w. The transform of all logits, f̂(j, k, l) = Σ f(a, b)[c] e^{-2πi(ja+kb+lc)/p}, tells which are used.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from elegans.theory.quadratic_nets import Network

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def power(x: Floats) -> Floats:
    """Power at the frequencies 1 … ⌊n/2⌋, the pairs ±j together, (…, n) ↦ (…, ⌊n/2⌋); n‖x‖² with that at 0."""
    n: int = x.shape[-1]
    squared = np.abs(np.fft.rfft(x)) ** 2
    return np.where(2 * np.arange(n // 2 + 1) == n, 1.0, 2.0)[1:] * squared[..., 1:]


def largest_share(x: Floats) -> Floats:
    """Largest power of one frequency over the power of all but 0, (…, n) ↦ (…); nan for constants."""
    with np.errstate(invalid="ignore"):
        return power(x).max(-1) / power(x).sum(-1)


def dominant_frequency(x: Floats) -> Ints:
    """The frequency in 1 … ⌊n/2⌋ of largest power, (…, n) ↦ (…)."""
    return power(x).argmax(-1) + 1


def optimal_neuron(p: int, zeta: int, theta_u: float, theta_v: float) -> tuple[Floats, Floats, Floats]:
    """The neuron of norm 1, frequency ζ and phases θ_u, θ_v, θ_w = θ_u + θ_v: a best one if p is odd."""
    if zeta % p == 0 or 2 * zeta % p == 0:
        raise ValueError(f"frequency ζ={zeta} has no phase on Z_{p}: take 0 < ζ < p/2.")
    angles = np.add.outer([theta_u, theta_v, theta_u + theta_v], 2 * np.pi * zeta / p * np.arange(p))
    u, v, w = sqrt(2 / (3 * p)) * np.cos(angles)
    return u, v, w


def shifted_squares(u: Floats, v: Floats, w: Floats) -> Floats:
    """η(δ) for all δ by summing over all inputs, (p,)."""
    return _shifted(np.add.outer(u, v) ** 2, w)


def shifted_products(u: Floats, v: Floats, w: Floats) -> Floats:
    """η̃(δ) = E_{a,b} [u(a) v(b) w(a+b-δ)] by summing over all inputs, (p,)."""
    return _shifted(np.multiply.outer(u, v), w)


def shifted_products_by_transform(u: Floats, v: Floats, w: Floats) -> Floats:
    """η̃(δ) = p⁻³ Σ_j û(j) v̂(j) ŵ(-j) e^{2πijδ/p}, (p,)."""
    return np.fft.ifft(_products(u, v, w)).real / len(u) ** 2


def expected_margin(u: Floats, v: Floats, w: Floats) -> float:
    """E ψ' as a sum over all inputs and wrong answers."""
    eta = shifted_squares(u, v, w)
    return float(eta[0] - eta[1:].mean())


def expected_margin_by_transform(u: Floats, v: Floats, w: Floats) -> float:
    """E ψ' = 2/((p-1)p²) Σ_{j≠0} û(j) v̂(j) ŵ(-j)."""
    p = len(u)
    return float(2 / ((p - 1) * p**2) * _products(u, v, w)[1:].sum().real)


def expected_margin_by_phases(u: Floats, v: Floats, w: Floats) -> float:
    """E ψ' = 4/((p-1)p²) Σ_{j≤(p-1)/2} |û||v̂||ŵ| cos(θ_u + θ_v - θ_w), p odd."""
    p = len(u)
    _odd(p)
    a, b, c = np.fft.rfft(np.stack([u, v, w]))[:, 1:]
    terms = np.abs(a * b * c) * np.cos(np.angle(a) + np.angle(b) - np.angle(c))
    return float(4 / ((p - 1) * p**2) * terms.sum())


def chain_of_bounds(u: Floats, v: Floats, w: Floats) -> Floats:
    """What E ψ' is bounded by, one step of the proof after the other (D.1–D.6), each at least the one before, (5,):

    E ψ', without cosines, with z(j) = |û|² + |v̂|² + |ŵ|² by AM-GM, by Σ z^{3/2} ≤ ‖z‖₂ √‖z‖₁, by ‖z‖₂ ≤ ‖z‖₁."""
    p = len(u)
    _odd(p)
    sizes = np.abs(np.fft.rfft(np.stack([u, v, w]))[:, 1:])
    z, front = (sizes**2).sum(0), 4 / ((p - 1) * p**2)
    return np.array([
        expected_margin(u, v, w),
        front * sizes.prod(0).sum(),
        front * ((z / 3) ** 1.5).sum(),
        front * 3**-1.5 * np.linalg.norm(z) * sqrt(z.sum()),
        front * 3**-1.5 * z.sum() ** 1.5,
    ])  # fmt: skip


def transform(F: Floats) -> NDArray[np.complex128]:
    """f̂(j, k, l) of logits F[a, b, c]."""
    return np.fft.fftn(F)


def energy_shares(F: Floats) -> Floats:
    """Shares of Σ|f̂|² on the frequencies j = k = -l ≠ 0, on l = 0, and elsewhere, (3,).

    A network whose margin is the same against every wrong answer has nothing elsewhere."""
    energy = np.abs(transform(F)) ** 2
    p = len(F)
    j = np.arange(1, p)
    diagonal, flat = energy[j, j, p - j].sum(), energy[:, :, 0].sum()
    return np.array([diagonal, flat, max(energy.sum() - diagonal - flat, 0.0)]) / energy.sum()


def unit_neurons(theta: Network) -> tuple[NDArray[np.complex128], Ints]:
    """Complex amplitudes (û, v̂, ŵ)(ζ) at the dominant frequency of u, shape (m, 3), and that frequency, (m,)."""
    zeta = dominant_frequency(theta["U"])
    at = np.stack([np.fft.rfft(theta[name])[np.arange(len(zeta)), zeta] for name in "UVW"], axis=1)
    return at, zeta


def _products(u: Floats, v: Floats, w: Floats) -> NDArray[np.complex128]:
    """û(j) v̂(j) ŵ(-j); ŵ(-j) is the conjugate of ŵ(j) since w is real."""
    return np.fft.fft(u) * np.fft.fft(v) * np.fft.fft(w).conj()


def _shifted(pairs: Floats, w: Floats) -> Floats:
    p = len(w)
    if pairs.shape != (p, p):
        raise ValueError(f"u, v, w must have one length, got pairs of shape {pairs.shape} and w of {p}.")
    a, b, delta = np.ogrid[:p, :p, :p]
    return np.einsum("ab,abd->d", pairs, w[(a + b - delta) % p]) / p**2


def _odd(p: int) -> None:
    if p < 3 or p % 2 == 0:
        raise ValueError(f"p={p}: frequencies pair up for odd p ≥ 3 only; use expected_margin for other orders.")
