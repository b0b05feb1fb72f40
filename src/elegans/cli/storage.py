"""What the store holds and what runs in it."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from elegans.base.errors import StoreError, UsageError
from elegans.cli import out

if TYPE_CHECKING:
    from elegans.lab.store import Store

Folder = Annotated[Path | None, arg(metavar="DIR")]


def nothing_yet(store: "Store | None") -> int:
    """What there is to say of a store that is empty or not there."""
    from elegans.lab.store import default_folder

    out.say(f"nothing has been run yet in {store.folder if store else default_folder()}")
    return 0


@dataclass(frozen=True)
class Status:
    """What is running in the store at the moment."""

    store: Folder = None
    """The store; by default ELEGANS_STORE, or a folder of your data directory."""

    def __call__(self) -> int:
        from elegans.lab.display import status
        from elegans.lab.store import Store

        store = Store.existing(self.store)
        if store is None or not any(store.folder.iterdir()):
            return nothing_yet(store)
        found = status(store.folder)
        if not found:
            out.say(f"nothing is running in {store.folder}")
            return 0
        rows = [(n["title"], n["said"], f"{max(0, time.time() - n['at']):.0f} s ago", n["pid"]) for n in found]
        out.table(("work", "progress", "said", "process"), rows)
        return 0


@dataclass(frozen=True)
class Storage:
    """Look after the store."""

    do: Annotated[Positional[Literal["du", "merge", "prune"]], arg(metavar="{du,merge,prune}")]
    """du: files and bytes by kind. merge: copy what another store has. prune: delete what nothing points to."""
    source: Annotated[Positional[Path | None], arg(metavar="[SRC]")] = None
    """merge: the store to copy from."""
    store: Folder = None
    """The store; by default ELEGANS_STORE, or a folder of your data directory."""
    days: float = 7.0
    """prune: leave alone what is younger than this."""

    def __call__(self) -> int:
        from elegans.lab.store import Store

        if (self.do == "merge") != (self.source is not None):
            raise UsageError(
                "store merge needs the store to copy from (elegans store merge SRC), du and prune take none"
            )
        if self.do == "merge":
            return self._merge(Store.open(self.store))
        if not self.days >= 0:
            raise UsageError(f"--days is {self.days}, but it must be at least 0")
        store = Store.existing(self.store)
        if store is None or not any(store.folder.iterdir()):
            return nothing_yet(store)
        return self._du(store) if self.do == "du" else self._prune(store)

    def _du(self, store: "Store") -> int:
        from elegans.lab.store import free_space, usage

        found = usage(store)
        rows = [(kind, files, out.size(count)) for kind, (files, count) in found.items()]
        total = (sum(f for f, _ in found.values()), out.size(sum(b for _, b in found.values())))
        out.table(("kind", "files", "size"), [*rows, ("all", *total)])
        out.say(f"{store.folder} has {out.size(free_space(store))} left")
        return 0

    def _merge(self, store: "Store") -> int:
        from elegans.lab.store import Store, merge

        assert self.source is not None
        if not self.source.is_dir():
            raise StoreError(f"{self.source} is not a folder; give the store to copy from")
        copied = merge(store, Store(self.source))
        out.say(f"{copied} files copied from {self.source} into {store.folder}; what both had was left alone")
        return 0

    def _prune(self, store: "Store") -> int:
        from elegans.lab.store import prune

        out.say(f"{prune(store, self.days)} leftover files older than {self.days:g} days deleted from {store.folder}")
        return 0
