"""The code in the README and in the documentation runs: each page is one script, in a process and a folder of its own."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def _runner() -> Any:
    spec = importlib.util.spec_from_file_location("docs_code", ROOT / ".ci" / "docs_code.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


docs_code = _runner()
EVERY = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in EVERY if docs_code.script(page).strip()]


def test_pages_are_found() -> None:
    assert {"README.md", "add-a-task.md", "the-lab.md"} <= {page.name for page in PAGES}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_code_of_a_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "JAX_DISABLE_MOST_OPTIMIZATIONS", "1"
    )  # compiling takes most of the time, and speed is not tested
    assert docs_code.run(page), "the page's own output stands above"
