"""The record: the ledger and the atlas, both made of the published evidence alone."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from elegans.base.errors import UsageError
from elegans.cli import interrupt, out

FOUND = 1  # exit code of a check that found something


@dataclass(frozen=True)
class Ledger:
    """All verdicts."""

    check: bool = False
    """Say what must not be, such as a verdict that changed; exit code 1 if there is anything."""
    fresh: bool = False
    """Say which evidence was made by other code than today's, or for other work; exit code 1 if there is any. What
    condenses evidence afterwards is not compared. Takes half a minute."""
    pin: bool = False
    """Accept the present verdicts."""
    json: Annotated[Path | None, arg(metavar="FILE")] = None
    """Write the whole ledger to this file."""
    markdown: Annotated[Path | None, arg(metavar="FILE")] = None
    """Write the ledger to this file, as tables to read."""

    def __call__(self) -> int:
        from elegans.claims import ledger, pins, report
        from elegans.lab import files

        book = ledger.from_repository()
        if self.pin:
            for path in pins.write(book):
                out.say(f"pinned: {path}")
        if self.json is not None:
            files.write(self.json, ledger.to_json(book).encode())
        if self.markdown is not None:
            files.write(self.markdown, report.to_markdown(book).encode())
        out.table(("paper", "rows"), [(p["slug"], report.counted(p["counts"])) for p in book["papers"]])
        alarms = pins.check(book, pins.read()) if self.check else []
        alarms += _stale() if self.fresh else []
        for alarm in alarms:
            out.say(f"! {alarm}")
        return FOUND if alarms else 0


def _stale() -> list[str]:
    """One sentence for all evidence that other code has made, with the command that renews it."""
    from elegans.claims import conduct, library

    found = [(e, library.committed(e)) for e in library.experiments().values()]
    names = [e.name() for e, evidence in found if evidence is not None and conduct.stale(e, evidence)]
    return [f"made by other code: {' '.join(names)}; renew it with: elegans verify --publish"] if names else []


@dataclass(frozen=True)
class Atlas:
    """Pages of everything that is published."""

    serve: bool = False
    """Show them in a browser on this machine, until Ctrl-C."""
    out: Annotated[Path | None, arg(metavar="DIR")] = None
    """Where the pages are written: elegans-atlas, or with --serve a temporary folder."""
    port: int = 8000
    """With --serve; 0 takes any that is free."""

    def __call__(self) -> int:
        if self.out is None and self.serve:
            with interrupt.temporary("elegans-atlas-") as folder:
                return self._made(folder)
        return self._made(self.out or Path("elegans-atlas"))

    def _made(self, folder: Path) -> int:
        from elegans.atlas.build import build

        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is not a folder; choose another one with --out")
        out.say(f"pages: {build(folder)}")
        if self.serve:
            from elegans.atlas.serve import serve

            with interrupt.expected():
                serve(folder, self.port, lambda address: out.say(f"{address}   (Ctrl-C ends it)"))
        return 0
