"""What guessing costs and what information allows (sections 4.3, 5.3.2).

Random search draws one of the C(n,k) subsets at each step, so its time is geometric with

    p = 1/C(n,k)        r copies in parallel: p = 1 - (1 - 1/C(n,k))^r

    Pr[T <= t] = 1 - (1-p)^t        E T = 1/p        T = 1, 2, ...

Its mode is the first step, while SGD has no mass there: that is how the two are told apart. The
thresholds say how many samples m single out S at all: log2 C(n,k) bits are needed, one bit comes per sample.
"""

from math import ceil, comb, expm1, log, log1p, log2


def subsets(n: int, k: int) -> int:
    """Number of k-subsets of n coordinates, C(n,k)."""
    if not 0 <= k <= n:
        raise ValueError(f"k = {k}, n = {n}: a subset of n coordinates has between 0 and n elements.")
    return comb(n, k)


def disjoint_subsets(n: int, k: int) -> int:
    """Number of admissible sets of a disjoint parity, (n/k)^k: one coordinate of each of k blocks."""
    if k < 1 or n < 1 or n % k:
        raise ValueError(f"n = {n}, k = {k}: k blocks of equal size need k to divide n.")
    return (n // k) ** k


def lexicographic_rank(S: tuple[int, ...], n: int) -> int:
    """Place of S, counted from 1, among the k-subsets of n coordinates in lexicographic order.

    Before S come, for each i, the sets that agree with S up to its i-th element and continue with a smaller one."""
    members, k = sorted(S), len(S)
    if len(set(members)) != k or not all(0 <= c < n for c in members):
        raise ValueError(f"S = {S}: it must list different coordinates below n = {n}.")
    first = [-1, *members[:-1]]
    before = (
        comb(n - 1 - v, k - 1 - i)
        for i, (low, high) in enumerate(zip(first, members, strict=True))
        for v in range(low + 1, high)
    )
    return 1 + sum(before)


def success_probability(n: int, k: int, r: int = 1) -> float:
    """p, the probability that one step of r parallel copies guesses S."""
    if r < 1:
        raise ValueError(f"r = {r}: at least one copy must search; take r >= 1.")
    c = subsets(n, k)
    return 1.0 if c == 1 else -expm1(r * log1p(-1 / c))


def mean_time(p: float) -> float:
    """E T = 1/p."""
    _check_probability(p)
    return 1 / p


def median_time(p: float) -> int:
    """Smallest t with Pr[T <= t] >= 1/2."""
    _check_probability(p)
    return 1 if p >= 0.5 else ceil(-log(2) / log1p(-p))


def cdf(t: int, p: float) -> float:
    """Pr[T <= t] = 1 - (1-p)^t, also for tiny p."""
    _check_probability(p)
    if t <= 0:
        return 0.0
    return 1.0 if p == 1 else -expm1(t * log1p(-p))


def mass_below(t: float, p: float) -> float:
    """Pr[T < t]; t may be a fraction of a step, such as 0.4 of a median."""
    return cdf(ceil(t) - 1, p)


def probability_with_median(median: float) -> float:
    """p of the geometric law whose continuous median is given: (1-p)^median = 1/2."""
    if median <= 0:
        raise ValueError(f"median = {median}: times are positive; pass the median time in steps.")
    return -expm1(-log(2) / median)


def samples_needed(n: int, k: int, flips: float = 0.0) -> float:
    """log2 C(n,k) divided by the bits per sample, 1 - H(flips): fewer samples leave S undetermined.

    Labels flipped with probability 1/2 carry nothing, so the number is then infinite.
    """
    if not 0 <= flips <= 0.5:
        raise ValueError(f"flips = {flips}: a flip probability above 1/2 is a relabelling; take 0 <= flips <= 1/2.")
    bits = log2(subsets(n, k))
    if flips == 0.5:
        return float("inf")
    return bits / (1 - _entropy(flips))


def expected_impostors(n: int, k: int, m: int) -> float:
    """Expected number of wrong k-sets that agree with m noiseless samples, (C(n,k) - 1) 2^-m."""
    if m < 0:
        raise ValueError(f"m = {m}: a sample has at least 0 elements.")
    return (subsets(n, k) - 1) * 2.0**-m


def full_rank_probability(n: int, m: int) -> float:
    """Probability that m uniform rows over GF(2) have rank n, so that elimination finds S: Π_{i<n} (1 - 2^(i-m))."""
    if n < 0 or m < 0:
        raise ValueError(f"n = {n}, m = {m}: a system has at least 0 rows and columns.")
    probability = 1.0
    for i in range(n):
        probability *= max(0.0, 1 - 2.0 ** (i - m))
    return probability


def _entropy(p: float) -> float:
    return 0.0 if p in (0.0, 1.0) else -p * log2(p) - (1 - p) * log2(1 - p)


def _check_probability(p: float) -> None:
    if not 0 < p <= 1:
        raise ValueError(f"p = {p}: a step succeeds with probability in (0, 1]; use success_probability(n, k, r).")
