"""The page of one experiment: verdict, figure, claims, settings, cost, and how to run it again."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from elegans.atlas import motion
from elegans.atlas.drawing import drawn
from elegans.atlas.gauge import gauge
from elegans.atlas.page import (
    anchor,
    badge,
    css_class,
    definitions,
    estimate,
    expected,
    number,
    page,
    prose,
    section,
    text,
    verdict,
)
from elegans.claims import prospects
from elegans.claims.evidence import Evidence
from elegans.claims.experiment import Experiment
from elegans.lab.display import words

Entry = dict[str, Any]
ORDER = ("fails", "no verdict", "inconclusive", "holds")
SAID = {"printed": "as the paper prints it", "corrected": "corrected", "derived": "derived by us"}


def rendered(
    experiment: Experiment,
    evidence: Evidence | None,
    claims: Sequence[Entry],
    folder: Path,
    neighbours: Sequence[str] = (),
) -> str:
    """The whole page; a large figure is written beside it, into `folder`."""
    paper = experiment.place.paper
    moves = _moves(experiment, evidence) if evidence else ""
    body = "\n".join(
        (
            f"<h1>{prose(experiment.title().rstrip('.'))}</h1>",
            f'<p class="soft">{text(paper.title)}, {text(experiment.place.where)}</p>',
            _summary(claims, evidence),
            drawn(experiment, evidence, folder) if evidence else "",
            section("Watch it", moves),
            section("Claims", "".join(_claim(c) for c in claims)),
            section("On the verdicts", f"<p>{prose(experiment.remarks)}</p>" if experiment.remarks else ""),
            _settings(experiment),
            section("Run it again", _again(experiment, evidence)),
            _neighbours(neighbours),
        )
    )
    trail = (("Atlas", "../index.html"), (paper.slug, "index.html"))
    return page(f"{experiment.name()}: {experiment.title()}", body, trail, motion.script() if moves else "")


def _summary(claims: Sequence[Entry], evidence: Evidence | None) -> str:
    """The verdicts in one line, with where the numbers come from."""
    if evidence is None:
        return f'<p class="verdicts">{badge("not yet")} no evidence is committed</p>'
    verdicts = [verdict(c) for c in claims]
    found = [(v, verdicts.count(v)) for v in ORDER if v in verdicts]
    badges = " ".join(badge(v) + (f" × {n}" if n > 1 else "") for v, n in found)
    source = f"{evidence.meta.get('scale', '?')} scale, {evidence.meta.get('date', '?')}"
    return f'<p class="verdicts">{badges} <small>{text(source)}</small></p>'


def _claim(c: Entry) -> str:
    """The statement, the number with its interval against the bound, and the verdict."""
    head = f"<header><h3>{prose(c['says'])}</h3>{badge(verdict(c))}</header>"
    bound = f'<span class="soft">{expected(c["bound"])}</span>'
    if c["estimate"]:
        number = f'<div class="measured"><div>{estimate(c["estimate"])}<br>{bound}</div>'
        said = f"{number}{gauge(c['estimate'], tuple(c['bound']))}</div>"
    else:
        said = f'<p class="problem">{text(c["error"])}</p>{bound}' if c["error"] else f"<p>{bound}</p>"
    name = css_class(verdict(c))
    return f'<article class="claim {name}" id="{text(anchor(c))}">{head}{said}{_reasons(c)}</article>'


def _reasons(c: Entry) -> str:
    pairs = [("Why this bound", prose(c["why"])), ("Statement", f"{SAID[c['of']]}; row <code>{text(c['row'])}</code>")]
    if c["estimate"] and c["estimate"]["says"]:
        pairs.append(("Measured", text(c["estimate"]["says"])))
    if c["wrong"]:
        pairs.append(("A wrong variant", text(_wrong(c["wrong"]))))
    return f"<details><summary>Why, and what was checked</summary>{definitions(pairs)}</details>"


def _wrong(wrong: Entry) -> str:
    """What became of the statement that is wrong on purpose."""
    if wrong["error"]:
        return f"could not be computed: {wrong['error']}"
    expected = "as it must be" if wrong["verdict"] == "fails" else "but it ought to fail"
    return f"{wrong['estimate']['says']}: judged {wrong['verdict']}, {expected}"


def _settings(experiment: Experiment) -> str:
    """What the paper gives, and what we had to choose."""
    columns = (("Given by the paper", experiment.given), ("Chosen by us", experiment.chosen))
    shown = [f"<div><h3>{t}</h3>{definitions((k, prose(v)) for k, v in s.items())}</div>" for t, s in columns if s]
    return section("Settings", f'<div class="settings">{"".join(shown)}</div>' if shown else "")


def _again(experiment: Experiment, evidence: Evidence | None) -> str:
    meta = evidence.meta if evidence else {}
    command = f"elegans run {experiment.name()} --scale {meta.get('scale', 'laptop')}"
    pairs = [*_facts(meta), ("At the paper's sizes", _prospect(experiment))]
    facts = definitions((name, text(said)) for name, said in pairs if said)
    source = inspect.getsource(type(experiment))
    code = f"<details><summary>The code of this experiment</summary><pre>{text(source)}</pre></details>"
    return f"<pre>{text(command)}</pre>{facts}{code}"


def _facts(meta: Any) -> list[tuple[str, str]]:
    cost, machine = meta.get("cost", {}), meta.get("machine", {})
    spent = cost.get("seconds", 0.0)
    parts = [f"{'less than a second' if spent < 1 else words(spent)} on one core"] if cost else []
    parts += [f"{cost['runs']} runs", f"{cost['steps']:,} steps".replace(",", " ")] if cost.get("runs") else []
    kind = ", ".join(f"{machine[n]}" for n in ("backend", "arch", "simd") if machine.get(n))
    jax = f"jax {machine['jax']}" if machine.get("jax") else ""
    version = f"elegans {meta['version']}" if meta.get("version") else ""
    return [
        ("Cost", ", ".join(parts)), ("Machine", ", ".join(filter(None, (kind, jax)))),
        ("Made by", ", ".join(filter(None, (version, meta.get("date"))))), ("Fingerprint", meta.get("fingerprint", "")),
    ]  # fmt: skip


def _prospect(experiment: Experiment) -> str:
    """What the paper's sizes would take, if that was estimated."""
    p = prospects.read(experiment.place.paper.slug).get(experiment.id)
    if p is None or not p.runs:
        return ""
    runs = f"{p.runs:,} runs".replace(",", " ")
    return f"{runs}, at most {number(p.steps)} steps, {p.programs} programs, about {words(p.seconds)} on one core"


def _moves(experiment: Experiment, evidence: Evidence) -> str:
    """What moves, or why it does not."""
    try:
        data = experiment.motion(evidence)
        return motion.rendered(data) if data else ""
    except Exception as error:  # as with figures: the rest of the page is still worth reading
        return f'<p class="problem">Nothing moves here: {text(f"{type(error).__name__}: {error}")}</p>'


def _neighbours(names: Sequence[str]) -> str:
    """Links to the experiments before and after; an empty name where there is none."""
    links = [f'<a href="{text(n)}.html">{text(n)}</a>' if n else "<span></span>" for n in names]
    return f'<nav class="neighbours" aria-label="Neighbours">{"".join(links)}</nav>' if any(names) else ""
