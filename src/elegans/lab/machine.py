"""The machine as far as bits depend on it, and the compilation cache."""

import functools
import hashlib
import os
import platform
from importlib.metadata import version
from pathlib import Path

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # a session and its workers share a GPU's memory


def cache_folder() -> Path:
    """Where compiled programs are kept: never share it between users, it holds code."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("ELEGANS_CACHE") or home / "elegans")


def use_compilation_cache() -> None:
    """Compile every program once per machine. Must run before the first array exists."""
    import jax

    jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "xla"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


@functools.cache
def facts() -> dict[str, str]:
    """What two machines must share to give the same bits."""
    import jax

    return {
        "jax": jax.__version__,
        "jaxlib": version("jaxlib"),
        "backend": jax.default_backend(),
        "arch": platform.machine(),
        "simd": _simd(),
        "xla_flags": os.environ.get("XLA_FLAGS", ""),
        "pool": "1" if hasattr(os, "sched_setaffinity") else str(cores()),
    }


@functools.cache
def machine_id() -> str:
    """A short name of the machine kind: rows with equal names are comparable bit by bit."""
    return hashlib.blake2b(repr(sorted(facts().items())).encode(), digest_size=4).hexdigest()


def _simd() -> str:
    """The widest vector instructions, which decide how XLA orders a sum."""
    try:
        flags = set(Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split())
    except (OSError, IndexError):
        return platform.processor() or "unknown"
    return next((f for f in ("avx512f", "avx2", "avx", "sse4_2") if f in flags), "baseline")


def places() -> int:
    """Workers side by side unless told otherwise: one on every core, or one on every GPU."""
    import jax

    return cores() if jax.default_backend() == "cpu" else len(jax.devices())


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
