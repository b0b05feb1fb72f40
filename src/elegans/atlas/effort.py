"""What the verification of a paper took, beside what its authors say theirs took."""

from typing import Any

from elegans.atlas.page import number, prose

Entry = dict[str, Any]
HEADS = ("", "networks", "steps", "hours", "seconds a network", "microseconds a step")


def rendered(paper: Entry) -> str:
    """A table with a line for the published evidence and, where they say it, one for the authors."""
    ours, theirs = paper["spent"], paper["effort"]
    if not ours["runs"]:
        return ""
    lines = [_ours(ours), *([_theirs(theirs)] if theirs else [])]
    note = "Ours: hours of one core behind the published evidence, compilation left out; work that experiments share counts once."
    said = f" The authors: {prose(theirs['says'])}." if theirs else ""
    head = f"<tr>{''.join(f'<th>{h}</th>' for h in HEADS)}</tr>"
    return f'<table class="effort">{head}{"".join(lines)}</table><p class="soft">{note}{said}</p>'


def _ours(spent: Entry) -> str:
    seconds, steps, runs = spent["seconds"], spent["steps"], spent["runs"]
    return _line("here", runs, steps, f"{seconds / 3600:.2f}", seconds / runs, 1e6 * seconds / max(steps, 1))


def _theirs(effort: Entry) -> str:
    hours = effort["cpu_hours"] + effort["gpu_hours"]
    said = f"{effort['cpu_hours']:g} CPU + {effort['gpu_hours']:g} GPU"
    return _line("the authors", effort["models"], None, said, 3600 * hours / effort["models"], None)


def _line(name: str, *cells: Any) -> str:
    said = ("not said" if c is None else c if isinstance(c, str) else number(float(c)) for c in cells)
    return f"<tr><th>{name}</th>{''.join(f'<td>{s}</td>' for s in said)}</tr>"
