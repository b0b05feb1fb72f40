"""In-context Markov chains in PyTorch: the data, the transformer in the manner of minGPT, and its optimiser."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Attention(nn.Module):
    """Causal attention with a learned vector for each distance, added to the keys."""

    def __init__(self, t: int, d: int) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.pos = nn.Parameter(0.02 * torch.randn(t, d))
        distance = torch.arange(t)[:, None] - torch.arange(t)
        self.register_buffer("past", distance >= 0, persistent=False)
        self.register_buffer("distance", distance.clamp(min=0), persistent=False)

    def forward(self, z: Tensor) -> Tensor:
        q, k, v = self.qkv(z).chunk(3, -1)
        by_distance = q @ self.pos.T
        scores = q @ k.transpose(-2, -1) + by_distance.gather(-1, self.distance.expand_as(by_distance))
        scores = (scores / math.sqrt(z.shape[-1])).masked_fill(~self.past, -math.inf)
        return self.out(F.softmax(scores, -1) @ v)


class Transformer(nn.Module):
    """Attention only, with a layer norm before each layer and before the output."""

    def __init__(self, k: int, t: int, d: int, layers: int) -> None:
        super().__init__()
        self.embed, self.read = nn.Embedding(k, d), nn.Linear(d, k, bias=False)
        self.layers = nn.ModuleList(Attention(t, d) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(layers + 1))
        for part in self.modules():
            if isinstance(part, nn.Linear | nn.Embedding):
                nn.init.normal_(part.weight, std=0.02)

    def forward(self, x: Tensor) -> Tensor:
        z = self.embed(x)
        for norm, layer in zip(self.norms, self.layers, strict=False):
            z = z + layer(norm(z))
        return self.read(self.norms[-1](z))


def adamw(model: nn.Module) -> torch.optim.Optimizer:
    """AdamW that decays the matrices of linear maps only."""
    decayed = [m.weight for m in model.modules() if isinstance(m, nn.Linear)]
    other = [p for p in model.parameters() if all(p is not q for q in decayed)]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": other, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=5e-4, betas=(0.9, 0.95))


def chains(batch: int, k: int, t: int) -> tuple[Tensor, Tensor]:
    """Sequences and their successors, each from its own chain, started from its stationary distribution."""
    P = torch.distributions.Dirichlet(torch.ones(k)).sample((batch, k))
    x = [torch.multinomial(torch.linalg.matrix_power(P, 64)[:, 0], 1)]
    for _ in range(t):
        x.append(torch.multinomial(P[torch.arange(batch), x[-1][:, 0]], 1))
    whole = torch.cat(x, 1)
    return whole[:, :-1], whole[:, 1:]
