"""Explicit starts: the weights of Proposition 8.2, as parameters of AttentionOnly(d=3k, variant="plain").

    given(induction_head, k=2, t=100)          a two-layer transformer that answers with in-context bigram frequencies

The answer is a p̂ for the frequencies p̂ and the read-out's scale a; a constant b added to all logits would cancel.
"""

from elegans.theory.induction import construction
from elegans.theory.markov import Floats


def induction_head(k: int, t: int, c: float = 80.0, a: float = 1.0) -> dict[str, Floats]:
    """Parameters by name, in double precision; c is the sharpness of both attentions."""
    weights = construction(k, t, c)
    return weights | {"read": a * weights["read"]}
