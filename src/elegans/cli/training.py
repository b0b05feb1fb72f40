"""`elegans train`: one network from the command line, with a flag for every setting of every registered part."""

from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import OmitArgPrefixes, arg

from elegans.base.errors import UsageError
from elegans.cli import out
from elegans.cli.commands import COMMANDS
from elegans.cli.parse import parse
from elegans.cli.parts import Flag, chosen, filled_in, part, record, registered
from elegans.cli.words import Words, dashed, pick

ROOTS = ("task", "model", "algorithm", "until", "watch")
ROWS = 12  # of the printed table
Table = tuple[list[str], list[tuple[Any, ...]]]


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
        from elegans.lab.train import train
        from elegans.training.stops import Budget, Steps

        s, event = self.settings, self.parts.get("until")
        for path in filter(None, (s.save, s.csv)):
            _writable(path)
        done = train(
            self.parts["model"], self.parts["task"], self.parts["algorithm"], seed=s.seed, store=s.store,
            stop=event | Budget(s.steps) if event else Steps(s.steps), watch=self.watch or _usual(s.steps),
        )  # fmt: skip
        out.head(f"{'out of budget' if done.outcome == 'budget' else done.outcome} at step {done.t}")
        columns, rows = _scalars(done.traces)
        picked = rows if len(rows) <= ROWS else [rows[i * (len(rows) - 1) // (ROWS - 1)] for i in range(ROWS)]
        out.table(columns, [[_short(v) for v in row] for row in picked])
        if s.save:
            from safetensors.numpy import save

            s.save.write_bytes(save({name: value.copy() for name, value in done.params.items()}))
            out.say(f"parameters: {s.save}")
        if s.csv:
            s.csv.write_text("".join(",".join(map(str, row)) + "\n" for row in [columns, *rows]))
            out.say(f"what was watched: {s.csv}")
        return 0


def _parts(words: Words) -> dict[str, Flag]:
    """Task, model and algorithm, and the event that ends the run, if one is named."""
    from elegans.models.base import Model
    from elegans.tasks.base import Task
    from elegans.training.algorithms import Algorithm
    from elegans.training.stops import Event

    found = {name: chosen(kind, name, words) for name, kind in (("task", Task), ("model", Model), ("algorithm", Algorithm))}
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


def _scalars(traces: Any) -> Table:
    """One row a step at which something was watched, one column a scalar; empty where a probe did not look."""
    names = [n for n, a in traces.items() if a.ndim == 1 and not n.endswith(".t")]
    seen: dict[int, dict[str, Any]] = {}
    for name in names:
        for t, value in zip(traces[f"{name.partition('.')[0]}.t"], traces[name], strict=True):
            seen.setdefault(int(t), {})[name] = value
    return ["t", *names], [(t, *(seen[t].get(n, "") for n in names)) for t in sorted(seen)]


def _short(value: Any) -> str:
    return str(value) if isinstance(value, int | str) else f"{float(value):.4g}"


def _writable(path: Path) -> None:
    """Find out before training, not after."""
    if path.is_dir() or not path.resolve().parent.is_dir():
        raise UsageError(f"{path} cannot be written: it is a folder, or its folder does not exist; name a file in a folder")


def _help() -> None:
    """What there is to choose from; with parts chosen, --help lists their flags."""
    from elegans.models.base import Model
    from elegans.probes.base import Probe
    from elegans.tasks.base import Task
    from elegans.training.algorithms import Algorithm
    from elegans.training.stops import Event

    about = COMMANDS["train"]
    out.say(f"usage: elegans train task:NAME model:NAME algorithm:NAME [until:NAME] [watch:NAME ...] --steps N [flags]\n\n{about.says}\n")
    kinds = (("task", Task), ("model", Model), ("algorithm", Algorithm), ("until", Event), ("watch", Probe))
    out.table(("part", "names"), [(f"{name}:", ", ".join(map(dashed, registered(kind)))) for name, kind in kinds])
    out.say(f"\nName the parts and add --help to see their flags. Example:\n  {about.example}")
