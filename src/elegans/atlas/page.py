"""The skeleton of a page and the small pieces that all pages use. Everything a page needs is inside it."""

import html
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

MARKS = {"holds": "✓", "fails": "✗", "inconclusive": "≈", "not yet": "○", "not checkable": "–", "no verdict": "!"}
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
HERE = Path(__file__).parent


def page(title: str, body: str, trail: Sequence[tuple[str, str]] = (), script: str = "") -> str:
    """A whole page. `trail` leads back to the index: pairs of a name and a relative address."""
    crumbs = " / ".join(f'<a href="{text(href)}">{text(name)}</a>' for name, href in trail)
    nav = f'<nav aria-label="Where you are">{crumbs}</nav>' if trail else ""
    js = f"<script>\n{script}</script>" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title)}</title>\n<style>\n{asset('page.css')}</style>\n</head>\n"
        f"<body>\n{nav}\n<main>\n{body}\n</main>\n{js}\n</body>\n</html>\n"
    )


def asset(name: str) -> str:
    """A file that is shipped beside this module."""
    return (HERE / name).read_text(encoding="utf-8")


def text(value: Any) -> str:
    """`value` as text that is safe in HTML."""
    return html.escape(str(value), quote=True)


def prose(value: Any) -> str:
    """Text of a paper's kind: `x_{k+1}` and `2^{k}` become what they mean."""
    lowered = re.sub(r"_\{([^{}]*)\}", r"<sub>\1</sub>", text(value))
    return re.sub(r"\^\{([^{}]*)\}", r"<sup>\1</sup>", lowered)


def css_class(status: str) -> str:
    """The class of a status or verdict."""
    return status.replace(" ", "-")


def badge(status: str) -> str:
    """A verdict as a mark and a word: colour alone says nothing to some readers."""
    return f'<span class="badge {css_class(status)}"><b aria-hidden="true">{MARKS[status]}</b> {status}</span>'


def number(x: float | str) -> str:
    """Four digits, powers of ten as such."""
    value = float(x)
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value != 0 and not 1e-3 <= abs(value) < 1e7:
        mantissa, _, power = f"{value:.2e}".partition("e")
        digits = mantissa.rstrip("0").rstrip(".")
        power = f"10{str(int(power)).translate(SUPERSCRIPTS)}"
        return {"1": power, "-1": f"−{power}"}.get(digits, f"{digits} · {power}".replace("-", "−"))
    return (f"{value:.0f}" if abs(value) >= 1e4 else f"{value:.4g}").replace("-", "−")


def estimate(e: dict[str, Any]) -> str:
    """A number with its interval, how many runs stand behind it, and how many of them were censored."""
    if e["exact"]:
        return f"<b>{number(e['value'])}</b> <small>(exact)</small>"
    interval = "" if e["low"] == e["high"] else f" [{number(e['low'])}, {number(e['high'])}]"
    censored = f", {e['censored']} censored" if e["censored"] else ""
    return f"<b>{number(e['value'])}</b>{interval} <small>n = {e['n']}{censored}</small>"


def expected(bound: Sequence[float | str]) -> str:
    """A bound in words."""
    low, high = (float(b) for b in bound)
    if low == high:
        return f"expected exactly {number(low)}"
    if math.isinf(low):
        return f"expected at most {number(high)}" if math.isfinite(high) else "any number would do"
    return f"expected at least {number(low)}" if math.isinf(high) else f"expected {number(low)} to {number(high)}"


def verdict(claim: dict[str, Any]) -> str:
    """What became of a claim of the ledger, in one of the words that have a mark."""
    return claim["verdict"] or ("no verdict" if claim["error"] else "not yet")


def anchor(claim: dict[str, Any]) -> str:
    """The name of a claim's place on its page; a second `#` would not be an address."""
    return str(claim["id"]).replace("#", "-")


def section(title: str, content: str, *, kind: str = "") -> str:
    """A titled part of a page; nothing if there is nothing in it."""
    name = f' class="{kind}"' if kind else ""
    return f"<section{name}><h2>{text(title)}</h2>\n{content}\n</section>" if content else ""


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of terms and their (already safe) explanations."""
    rows = "".join(f"<div><dt>{text(term)}</dt><dd>{said}</dd></div>" for term, said in pairs)
    return f"<dl>{rows}</dl>" if rows else ""
