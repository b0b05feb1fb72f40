"""What commands print: tables as wide as the terminal, or wide enough to cut nothing where there is none."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

WIDE = 220
COLOURS = {"holds": "green", "fails": "red", "inconclusive": "yellow", "ok": "green", "warn": "yellow", "no": "red"}


class Quiet(Console):
    """A console that leaves it to `main` what a reader who left means."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console() -> Console:
    """Standard output. Made anew for every use, because tests and pipes replace it."""
    return Quiet(file=sys.stdout, width=None if sys.stdout.isatty() else WIDE, highlight=False)


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> None:
    """Rows under their headings; words such as holds and fails have their colour."""
    drawn = Table(
        title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0)
    )
    for name in columns:
        drawn.add_column(name, overflow="fold")
    for row in rows:
        drawn.add_row(*(coloured(cell) for cell in row))
    show(drawn)


def show(drawn: Any) -> None:
    """Draw, without the blanks at the ends of lines where no terminal needs them."""
    to = console()
    if to.is_terminal:
        to.print(drawn)
        return
    with to.capture() as text:
        to.print(drawn)
    print("\n".join(line.rstrip() for line in text.get().splitlines()))


def coloured(cell: Any) -> str:
    """A cell as rich's markup."""
    text = escape("" if cell is None else str(cell))
    colour = COLOURS.get(text.split(" ")[0])
    return f"[{colour}]{text}[/]" if colour else text


def say(text: str = "") -> None:
    """One line, without markup."""
    console().print(text, markup=False, soft_wrap=True)


def head(text: str) -> None:
    """A heading."""
    console().print(f"[bold]{escape(text)}[/]", soft_wrap=True)


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
