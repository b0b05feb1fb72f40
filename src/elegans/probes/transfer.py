"""What a sequence model does on chains of another kind than those it trains on.

    KL(P_{x_t} || model)   and   KL(model || uniform, unigram, bigram)      at the last position of sequences of `task`

These are the divergences of `StrategyKL`; only the sequences come from elsewhere. They are recorded under the name of
the other task, "TransferMarkovChains.truth" for instance, so that a run can be watched on several of them.
"""

from dataclasses import replace

from jaxtyping import Array

from elegans.base.config import static
from elegans.base.errors import UsageError
from elegans.probes.base import Probe, View
from elegans.probes.strategies import StrategyKL
from elegans.tasks.base import Hidden, Task
from elegans.tasks.markov import MarkovChains


class Transfer(Probe):
    """ "truth", "uniform", "unigram" and "bigram" of `StrategyKL` on another task's chains, in nats."""

    task: Task = static(default=MarkovChains(t=16))  # not longer than what the model reads
    on: int = static(default=1024, low=1)

    def check(self) -> None:
        if isinstance(self.task, Hidden):
            raise UsageError(
                f"{type(self.task).__name__} hides something that no run has drawn; take a task that does not"
            )

    @property
    def name(self) -> str:
        return f"Transfer{type(self.task).__name__}"

    def observe(self, view: View) -> dict[str, Array]:
        here, there = view.task.signature, self.task.signature
        if there.symbols != here.symbols or there.out[1:] != here.out[1:] or there.out[0] > here.out[0]:
            raise UsageError(
                f"a model that reads {here.out[0]} of {here.symbols} symbols cannot read {there.out[0]} of "
                f"{there.symbols}; give Transfer a task with the same k and at most the same t"
            )
        return StrategyKL(on=self.on).observe(replace(view, task=self.task, secret=()))
