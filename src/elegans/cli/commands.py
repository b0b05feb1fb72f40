"""The commands: what each does in one line, an example, and the class that does it, imported when it is called.

A command is a frozen dataclass in a module of this room: its fields are the flags, calling it does the work and returns
the exit code.
"""

from typing import NamedTuple


class Command(NamedTuple):
    """What `elegans --help` says about a command, and where it lives ("module:Class" in this room)."""

    says: str
    example: str
    where: str


COMMANDS = {
    "list": Command("Papers, their experiments, and what came out.", "elegans list hidden-progress", "browse:List"),
    "show": Command("One experiment: its place, its claims and why, its settings, the last verdict.",
                    "elegans show hidden-progress/eq-B.5", "show:Show"),
    "run": Command("Conduct experiments, judge their claims, draw their figures.",
                   "elegans run hidden-progress/eq-B.5 --scale laptop", "work:Run"),
    "estimate": Command("What experiments would take at the paper's sizes: runs, programs, time, memory, disk.",
                        "elegans estimate hidden-progress --scale paper", "prospect:Estimate"),
    "verify": Command("Run what is stale or missing in a paper, cheapest first, until the budget is spent.",
                      "elegans verify hidden-progress --budget 60m", "verify:Verify"),
    "ledger": Command("All verdicts, from the published evidence.", "elegans ledger --check", "record:Ledger"),
    "atlas": Command("The ledger and the figures as pages.", "elegans atlas --serve", "record:Atlas"),
    "load": Command("The published data of an experiment, as a table or a CSV file.",
                    "elegans load hidden-progress/eq-B.5 --csv table.csv", "browse:Load"),
    "cite": Command("How to cite a paper or an experiment.", "elegans cite hidden-progress", "browse:Cite"),
    "train": Command(
        "Train one network, with a flag for every setting.",
        "elegans train task:sparse-parity --task.n 50 --task.k 3 model:mlp --model.width 100 "
        "algorithm:sgd --algorithm.lr 0.1 --steps 5000", "training:Train"),
    "status": Command("What is running in the store at the moment.", "elegans status", "storage:Status"),
    "store": Command("What the store holds: du, merge another store into it, prune leftovers.",
                     "elegans store merge /mnt/laptop/store", "storage:Storage"),
    "doctor": Command("Check this machine: versions, cores, precision, caches, space, speed.", "elegans doctor",
                      "doctor:Doctor"),
}  # fmt: skip
