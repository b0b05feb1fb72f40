"""The page that says what holds is the ledger of what is committed."""

from pathlib import Path

from elegans.claims import ledger, report

PAGE = Path(__file__).parents[2] / "docs" / "ledger.md"


def test_the_page_in_the_documentation_is_todays_ledger() -> None:
    assert PAGE.read_text() == report.to_markdown(ledger.from_repository()), (
        "renew it with: elegans ledger --markdown docs/ledger.md"
    )
