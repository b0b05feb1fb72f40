"""`elegans train`: one network from the command line, with a flag for every setting of every registered part."""

from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import OmitArgPrefixes, arg

from elegans.cli import out
from elegans.cli.commands import COMMANDS
from elegans.cli.parse import parse
from elegans.cli.parts import Flag, chosen, filled_in, part, record, registered
from elegans.cli.scalars import ELSEWHERE, scalars, short, spread, vectors, writable
from elegans.cli.words import Words, dashed, pick

ROOTS = ("task", "model", "algorithm", "until", "watch")


@dataclass(frozen=True)
class Settings:
    """How long, and where to."""

    steps: int
    """Steps to train; with until:solved, at most."""
    seed: int = 0
    """Task, initialisation, data and validation sample follow from it."""
    store: Annotated[Path | None, arg(metavar="DIR")] = None
    """The store; by default ELEGANS_STORE, or a folder of your data directory."""
    save: Annotated[Path | None, arg(metavar="FILE")] = None
    """Write the parameters to this safetensors file."""
    csv: Annotated[Path | None, arg(metavar="FILE")] = None
    """Write what was watched to this file."""


@dataclass(frozen=True)
class Train:
    """The command. Its flags depend on the parts that are chosen, so it reads them itself."""

    parts: dict[str, Any]
    watch: list[Any]
    settings: Settings

    @staticmethod
    def read(args: list[str]) -> "Train | None":
        """First the names of the parts, then the flags that these parts have."""
        if not args or args[0] in ("-h", "--help"):
            _help()
            return None
        words = Words(args)
        parts, watch = _parts(words), _watch(words)
        words.finish(ROOTS)
        flags = {**parts, "watch": Flag(record("Watch", watch, "What is watched."), MISSING, filled_in(watch))}
        settings = Flag(Annotated[Settings, OmitArgPrefixes], MISSING, lambda value: value)
        offered = "\n".join(f"  {path}: {names}" for path, names in words.offered.items())
        says = f"{COMMANDS['train'].says} Parts that can be named, as in algorithm.loss:square:\n{offered}"
        filled = parse(record("Train", {**flags, "settings": settings}, ""), "train", words.left, says)
        if filled is None:
            return None
        made = {name: flag.make(getattr(filled, name)) for name, flag in flags.items()}
        return Train(made, list(made.pop("watch").values()), filled.settings)

    def __call__(self) -> int:
        import numpy as np

        from elegans.lab import files
        from elegans.lab.train import train
        from elegans.training.stops import Budget, Steps

        s, event = self.settings, self.parts.get("until")
        for path in filter(None, (s.save, s.csv)):
            writable(path)
        done = train(
            self.parts["model"], self.parts["task"], self.parts["algorithm"], seed=s.seed, store=s.store,
            stop=event | Budget(s.steps) if event else Steps(s.steps), watch=self.watch or _usual(s.steps),
        )  # fmt: skip
        out.head(f"{'out of budget' if done.outcome == 'budget' else done.outcome} at step {done.t}")
        columns, rows = scalars(done.traces)
        out.table(columns, [[short(v) for v in row] for row in spread(rows)])
        if larger := vectors(done.traces):
            out.say(f"not shown: {', '.join(larger)}; elegans.train in Python returns them")
        if s.save:
            from safetensors.numpy import save

            files.write(
                s.save, save({name: np.ascontiguousarray(value) for name, value in done.params.items()}), ELSEWHERE
            )
            out.say(f"parameters: {s.save}")
        if s.csv:
            files.write(s.csv, "".join(",".join(map(str, row)) + "\n" for row in [columns, *rows]).encode(), ELSEWHERE)
            out.say(f"what was watched: {s.csv}")
        return 0


def _parts(words: Words) -> dict[str, Flag]:
    """Task, model and algorithm, and the event that ends the run, if one is named."""
    from elegans.models.base import Model
    from elegans.tasks.base import Task
    from elegans.training.algorithms import Algorithm
    from elegans.training.stops import Event

    found = {
        name: chosen(kind, name, words) for name, kind in (("task", Task), ("model", Model), ("algorithm", Algorithm))
    }
    events = registered(Event)
    event = words.one("until", events)
    if event is not None:
        found["until"] = part(pick(events, "event", event), "until", words)
    return found


def _watch(words: Words) -> dict[str, Flag]:
    """The probes named with watch:, by name."""
    from elegans.probes.base import Probe

    probes = registered(Probe)
    classes = [pick(probes, "probe", name) for name in words.take("watch")]
    names = [dashed(cls.__name__).replace("-", "_") for cls in classes]
    return {name: part(cls, f"watch.{name}", words) for name, cls in zip(names, classes, strict=True)}


def _usual(steps: int) -> list[Any]:
    """What is watched if nothing is named: about ten looks at accuracy and loss."""
    from elegans.probes.accuracy import Accuracy, TrainLoss

    every = max(1, steps // 10)
    return [Accuracy(every=every), TrainLoss(every=every)]


def _help() -> None:
    """What there is to choose from; with parts chosen, --help lists their flags."""
    from elegans.models.base import Model
    from elegans.probes.base import Probe
    from elegans.tasks.base import Task
    from elegans.training.algorithms import Algorithm
    from elegans.training.stops import Event

    about = COMMANDS["train"]
    usage = "task:NAME model:NAME algorithm:NAME [until:NAME] [watch:NAME ...] --steps N [flags]"
    out.say(f"usage: elegans train {usage}\n\n{about.says}\n")
    kinds = (("task", Task), ("model", Model), ("algorithm", Algorithm), ("until", Event), ("watch", Probe))
    out.table(("part", "names"), [(f"{name}:", ", ".join(map(dashed, registered(kind)))) for name, kind in kinds])
    out.say(f"\nName the parts and add --help to see their flags. Example:\n  {about.example}")
