"""`elegans doctor` finds what is wrong with a machine, and never fails itself."""

from pathlib import Path

import pytest

from elegans.cli import doctor
from elegans.cli.main import main


def test_every_line_is_ok_or_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ELEGANS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(doctor, "measured", lambda: ("speed", "ok", "quick"))
    monkeypatch.setattr(doctor, "cores", lambda: ("cores", "ok", "2, load 0.1"))  # other tests make it busy
    monkeypatch.setattr(doctor, "ROOM", 0)
    assert main(["doctor", "--store", str(tmp_path / "store")]) == 0
    lines = capsys.readouterr().out.split("\n")
    found = {line.split()[1]: line.split()[0] for line in lines if line.strip()}
    assert found == dict.fromkeys(("python", "packages", "extras", "cores", "float64", "cache", "store", "speed"), "ok")


def test_what_cannot_be_written_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ELEGANS_CACHE", str(tmp_path / "file" / "cache"))
    assert doctor.cache()[1] == "warn" and "ELEGANS_CACHE" in doctor.cache()[2]
    what, state, found = doctor.store(tmp_path / "file" / "store")
    assert (what, state) == ("store", "warn") and "choose another store" in found


def test_a_full_disk_and_a_busy_machine_are_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "ROOM", 10**30)
    assert doctor.store(tmp_path)[1] == "warn"
    monkeypatch.setattr(doctor.os, "getloadavg", lambda: (1e3, 0.0, 0.0))
    assert doctor.cores()[1] == "warn" and "--workers" in doctor.cores()[2]
