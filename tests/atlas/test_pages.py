"""The pages say what the ledger says, and need nothing from outside."""

import re
from pathlib import Path
from typing import Any

import pytest

from elegans.atlas import build, page
from elegans.atlas.gauge import gauge
from elegans.claims import library
from elegans.claims.evidence import Evidence
from tests.claims import fakes

LOADS = re.compile(
    r"""(?:src|href|action|data|poster)\s*=\s*["']?\s*(?:https?:)?//|url\(\s*["']?(?:https?:)?//|@import"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    squares = Evidence(arrays=fakes.squares(8), meta=fakes.META)
    items = ((fakes.Squares(), squares), (fakes.Learns(), fakes.evidence()))
    return build.build_from(tmp_path_factory.mktemp("site"), [fakes.PAPER], items).parent


def read(site: Path, name: str) -> str:
    return (site / name).read_text(encoding="utf-8")


def test_an_experiment_says_verdict_value_and_interval(site: Path) -> None:
    html = read(site, "toy-paper/fig-1.html")
    assert all(page.badge(v) in html for v in ("holds", "fails", "inconclusive", "no verdict"))
    assert "<b>0.8333</b> [0.552, 0.953] <small>n = 12</small>" in html
    assert "expected at least 0.5" in html and "expected 113 to 117" in html and "nan is never a value" in html


def test_an_experiment_says_what_is_given_and_what_is_chosen(site: Path) -> None:
    html = read(site, "toy-paper/eq-1.html")
    given, chosen = html.index("Given by the paper"), html.index("Chosen by us")
    assert given < html.index("<dd>1 to n</dd>") < chosen < html.index("8, enough to see &lt;it&gt;")


def test_an_experiment_says_cost_and_how_to_run_it(site: Path) -> None:
    html = read(site, "toy-paper/fig-1.html")
    assert "<pre>elegans run toy-paper/fig-1 --scale laptop</pre>" in html
    assert "65 s on one core, 12 runs, 120 000 steps" in html and "class Learns(Experiment)" in html


def test_figures_are_in_the_page_and_motion_is_where_there_is_some(site: Path) -> None:
    squares, learns = read(site, "toy-paper/eq-1.html"), read(site, "toy-paper/fig-1.html")
    assert "<svg" in squares and "A parabola." in squares and 'class="motion"' not in squares
    assert 'class="motion"' in learns and "<noscript>" in learns


def test_wrong_variants_are_told(site: Path) -> None:
    assert "judged fails, as it must be" in read(site, "toy-paper/eq-1.html")


def test_the_index_says_what_holds_fails_and_is_open(site: Path) -> None:
    html = read(site, "index.html")
    assert "What fails" in html and "What is inconclusive" in html and "What cannot be checked" in html
    assert "the printed k(k+1) &lt; 5" in html and 'href="toy-paper/eq-1.html#eq-1-2"' in html


def test_the_paper_page_has_every_row(site: Path) -> None:
    html = read(site, "toy-paper/index.html")
    assert all(f'<li id="{row.id}">' in html for row in fakes.ROWS) and "interpretation" in html


def test_pages_load_nothing_from_outside_and_are_small(site: Path) -> None:
    for path in site.rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        assert not LOADS.search(html), f"{path.name} loads {LOADS.search(html)}"
        assert len(html.encode()) < 1_000_000 and 'name="viewport"' in html and "prefers-color-scheme" in html


def test_every_link_leads_somewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        for href in re.findall(r'href="([^"#][^"]*)"', path.read_text(encoding="utf-8").partition("<main>")[2]):
            file, _, anchor = href.partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.is_file(), f"{path.name} links to {href}"
            assert not anchor or f'id="{anchor}"' in target.read_text(encoding="utf-8"), f"{path.name} links to {href}"


def test_equal_evidence_gives_equal_pages(site: Path, tmp_path: Path) -> None:
    squares = Evidence(arrays=fakes.squares(8), meta=fakes.META)
    build.build_from(tmp_path, [fakes.PAPER], ((fakes.Squares(), squares), (fakes.Learns(), fakes.evidence())))
    for path in site.rglob("*.*"):
        assert (tmp_path / path.relative_to(site)).read_bytes() == path.read_bytes()


def test_a_broken_figure_breaks_nothing_else(tmp_path: Path) -> None:
    class Broken(fakes.Squares):
        def figure(self, e: Evidence) -> Any:
            raise ZeroDivisionError("no axis")

    build.build_from(tmp_path, [fakes.PAPER], [(Broken(), Evidence(arrays=fakes.squares(8), meta=fakes.META))])
    assert "could not be drawn: ZeroDivisionError: no axis" in read(tmp_path, "toy-paper/eq-1.html")


def test_large_figures_become_pictures_beside_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elegans.atlas.drawing.LARGEST_SVG", 10)
    build.build_from(tmp_path, [fakes.PAPER], [(fakes.Squares(), Evidence(arrays=fakes.squares(8), meta=fakes.META))])
    assert 'src="eq-1.png"' in read(tmp_path, "toy-paper/eq-1.html") and (tmp_path / "toy-paper/eq-1.png").exists()


@pytest.mark.slow
def test_everything_committed_builds_and_draws(tmp_path: Path) -> None:
    build.build(tmp_path)
    for name in library.experiments():
        html = read(tmp_path, f"{name}.html")
        assert "could not be drawn" not in html and "Nothing moves here" not in html
        assert len(html.encode()) < 1_000_000


@pytest.mark.parametrize(
    ("x", "said"),
    [(0, "0"), (1e-10, "10⁻¹⁰"), (-2.5e-9, "−2.5 · 10⁻⁹"), (0.8333333, "0.8333"), (123456, "123456"),
     (float("inf"), "∞"), ("-inf", "−∞"), (9.999e-4, "10⁻³"), (3e12, "3 · 10¹²")],
)  # fmt: skip
def test_numbers(x: float | str, said: str) -> None:
    assert page.number(x) == said


def test_gauges_take_infinite_ends() -> None:
    drawn = gauge({"value": "inf", "low": 3.0, "high": "inf"}, (0.5, "inf"))
    assert "nan" not in drawn and 'cx="300.0"' in drawn
    assert "nan" not in gauge({"value": "inf", "low": "inf", "high": "inf"}, ("-inf", "inf"))
