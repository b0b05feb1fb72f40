"""What can be used without JAX is there at once and stays without it."""

import subprocess
import sys
from pathlib import Path
from statistics import median

SOURCE = str(Path(__file__).parents[2] / "src")


def said(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": SOURCE}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_package_imports_quickly_and_without_jax() -> None:
    code = """
import sys, time
began = time.perf_counter()
import elegans
print(time.perf_counter() - began)
assert "jax" not in sys.modules
"""
    assert median(float(said(code)) for _ in range(3)) < 0.3


def test_no_module_of_theory_or_stats_brings_jax() -> None:
    code = """
import importlib, pkgutil, sys
for room in ("elegans.theory", "elegans.stats"):
    package = importlib.import_module(room)
    for module in pkgutil.walk_packages(package.__path__, f"{room}."):
        importlib.import_module(module.name)
        assert not {"jax", "jaxlib", "optax", "polars"} & set(sys.modules), module.name
print("none")
"""
    assert said(code) == "none"
