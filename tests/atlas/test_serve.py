"""The server serves the folder to this machine, and says what is wrong where it cannot."""

import threading
import urllib.request
from pathlib import Path

import pytest

from elegans.atlas import serve
from elegans.base.errors import UsageError


def test_pages_are_served_on_this_machine_only(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("atlas")
    with serve.server(tmp_path) as running:
        assert running.server_address[0] == "127.0.0.1"
        threading.Thread(target=running.serve_forever, daemon=True).start()
        with urllib.request.urlopen(serve.address(running)) as answer:
            assert answer.read() == b"atlas"
        running.shutdown()


def test_a_folder_without_pages_and_a_taken_port_are_explained(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no atlas"):
        serve.server(tmp_path)
    (tmp_path / "index.html").write_text("atlas")
    with serve.server(tmp_path) as running, pytest.raises(UsageError, match="choose another one"):
        serve.server(tmp_path, int(running.server_address[1]))
    for port in (-1, 65536):
        with pytest.raises(UsageError, match="from 1 to 65535"):
            serve.server(tmp_path, port)
