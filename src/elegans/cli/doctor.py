"""`elegans doctor`: one line for everything that the lab depends on, and what to do where a machine is not well."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from elegans.base.errors import Interrupted
from elegans.cli import out
from elegans.cli.speed import measured

NEEDED = (
    "jax",
    "jaxlib",
    "numpy",
    "scipy",
    "polars",
    "optax",
    "jaxtyping",
    "flatbuffers",
    "safetensors",
    "tyro",
    "rich",
)
EXTRAS = {"matplotlib": "figures need it: pip install 'elegans[plot]'"}
ROOM = 1_000_000_000  # bytes that should be free in the store
DOUBLE = """
from elegans.lab.worker import configure
configure("float64", 0)
import jax.numpy as jnp
print(float(jnp.asarray(1.0) + 2.0**-40 - 1.0) == 2.0**-40)
"""
Line = tuple[str, str, str]  # what, "ok" or "warn", what was found and what to do


@dataclass(frozen=True)
class Doctor:
    """Check this machine."""

    store: Annotated[Path | None, arg(metavar="DIR")] = None
    """The store; by default ELEGANS_STORE, or a folder of your data directory."""

    def __call__(self) -> int:
        checks: list[Callable[[], Line]] = [
            python, packages, extras, cores, double, cache, lambda: store(self.store), measured,
        ]  # fmt: skip
        lines = list(_each(checks))
        out.table(("", "", ""), [(state, what, found) for what, state, found in lines])
        return 0 if all(state == "ok" for _, state, _ in lines) else 1


def _each(checks: list[Callable[[], Line]]) -> Iterator[Line]:
    """A check that breaks is a finding too."""
    for check in checks:
        try:
            yield check()
        except Interrupted:
            raise
        except Exception as error:
            yield getattr(check, "__name__", "store"), "warn", f"{type(error).__name__}: {' '.join(str(error).split())}"


def python() -> Line:
    """The version of Python."""
    version = ".".join(map(str, sys.version_info[:3]))
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        return "python", "warn", f"{version} is not tested; use Python 3.11, 3.12 or 3.13"
    return "python", "ok", f"{version} in {sys.prefix}"


def packages() -> Line:
    """What the lab cannot do without."""
    missing = [name for name in NEEDED if _version(name) is None]
    if missing:
        return "packages", "warn", f"{', '.join(missing)} not installed; pip install {' '.join(missing)}"
    return "packages", "ok", ", ".join(f"{name} {_version(name)}" for name in NEEDED)


def extras() -> Line:
    """What some commands need."""
    missing = [f"{name} is not installed: {why}" for name, why in EXTRAS.items() if _version(name) is None]
    return "extras", "warn" if missing else "ok", "; ".join(missing) or ", ".join(f"{n} {_version(n)}" for n in EXTRAS)


def cores() -> Line:
    """How many cores there are, and whether others use them."""
    from elegans.lab.machine import cores as count

    n, load = count(), os.getloadavg()[0]
    if load > n:
        return "cores", "warn", f"{n}, but {load:.1f} processes compete for them; wait, or take fewer --workers"
    return "cores", "ok", f"{n}, load {load:.1f}"


def double() -> Line:
    """Whether a worker process computes in double precision when it is told to."""
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run([sys.executable, "-c", DOUBLE], capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "PYTHONPATH": path})  # fmt: skip
    if done.stdout.strip() == "True":
        return "float64", "ok", "a 64-bit worker resolves 1 + 2^-40"
    said = (done.stderr.strip().splitlines() or ["it computed in single precision"])[-1]
    return "float64", "warn", f"a 64-bit worker failed ({said}); unset JAX_ENABLE_X64 and reinstall jax"


def cache() -> Line:
    """Whether compiled programs can be kept."""
    from elegans.lab.machine import cache_folder

    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"elegans")
    except OSError as error:
        return (
            "cache",
            "warn",
            f"{folder} cannot be written ({error.strerror}); point ELEGANS_CACHE to a folder of yours",
        )
    return "cache", "ok", str(folder)


def store(folder: Path | None) -> Line:
    """Whether results can be kept, and how many."""
    from elegans.base.errors import StoreError
    from elegans.lab.store import Store, free_space

    try:
        found = Store.open(folder)
    except StoreError as error:
        return "store", "warn", str(error)
    free = free_space(found)
    if free < ROOM:
        return "store", "warn", f"{found.folder} has only {out.size(free)} left; free space or choose another store"
    return "store", "ok", f"{found.folder}, {out.size(free)} free"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
