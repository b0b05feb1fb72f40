"""From words on the command line to a command's fields, with tyro; a mistake becomes one sentence."""

import contextlib
import io
import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import TypeVar

import tyro

from elegans.base.errors import UsageError
from elegans.cli.commands import COMMANDS

T = TypeVar("T")
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
HELP = " " * 8  # how far tyro indents the help of a missing flag
FLAG = r"--[\w.-]+"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
PLAINER = (
    (re.compile(r"invalid literal for int\(\) with base 10: ('.*?')"), r"\1 is not a whole number"),
    (re.compile(r"could not convert string to float: ('.*?')"), r"\1 is not a number"),
    (re.compile(r"^Missing from [^:]*: "), "missing "),
    (re.compile(r"^Error parsing "), ""),
    (re.compile(r"^Unrecognized options: "), "there is no flag "),
)


def parse(kind: Callable[..., T], name: str, args: list[str], says: str = "") -> T | None:
    """The command's fields, or None after its help was printed."""
    about = COMMANDS[name]
    heard = io.StringIO()
    try:
        with contextlib.redirect_stderr(heard):
            description = f"{says or about.says}\n\nExample:\n  {about.example}"
            return tyro.cli(kind, args=args, prog=f"elegans {name}", description=description)
    except SystemExit as left:
        if not left.code:
            return None
        raise UsageError(f"{plain(heard.getvalue())} (elegans {name} --help lists the flags)") from None


def plain(box: str) -> str:
    """The sentence inside tyro's box."""
    rows = _inside(COLOUR.sub("", box).splitlines())
    if rows and rows[0].startswith("Missing from"):
        rows = [row for row in rows if not row.startswith(HELP)]
    sections = re.split(r"\n[─-]{3,}\n", "\n".join(row.strip() for row in rows))
    said = [" ".join(s.split()) for s in sections if not s.startswith(("For full", "Argument helptext"))]
    said.sort(key=lambda s: not s.startswith("Unrecognized"))  # a mistyped flag explains a missing one
    if not "".join(said):
        return " ".join(COLOUR.sub("", box).split()) or "these flags cannot be understood"
    text = said[0]
    for pattern, words in PLAINER:
        text = pattern.sub(words, text)
    text = text.rstrip(".")
    wrong, known = re.search(FLAG, text), re.findall(FLAG, " ".join(said[1:]))
    near = get_close_matches(wrong.group(), known, n=1) if wrong and text.startswith("there is no flag") else []
    return f"{text}; did you mean {near[0]}?" if near else text


def _inside(lines: list[str]) -> list[str]:
    """What stands in a box, which has no sides and a title of its own where the terminal knows ASCII only."""
    boxed = [line[2:-1].rstrip() for line in lines if line.startswith("│")]
    return boxed or [line[2:].rstrip() for line in lines[2:]]


def seconds(text: str) -> float:
    """A duration such as 90, 90s, 60m or 2h."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip().lower())
    if not match or match[2] not in UNITS:
        raise UsageError(f"{text!r} is not a duration; write for example 90s, 60m or 2h")
    return float(match[1]) * UNITS[match[2]]


def shard(text: str) -> tuple[int, int]:
    """`i/n` for the i-th of n machines, counted from 1, as the lab counts: from 0."""
    match = re.fullmatch(r"(\d+)/(\d+)", text.strip())
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageError(
            f"--shard is {text!r}; write i/n with i from 1 to n, for example 1/4 on the first of four machines"
        )
    return int(match[1]) - 1, int(match[2])
