"""Serve a built atlas to this machine only. The pages need no server; a teacher's browser may still prefer one."""

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from elegans.base.errors import UsageError


class _Quiet(SimpleHTTPRequestHandler):
    """The standard handler without a line on the terminal for every file."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server for `folder` on 127.0.0.1, not yet running; port 0 picks a free one."""
    if not (folder / "index.html").is_file():
        raise UsageError(f"{folder} holds no atlas; build it first with: elegans atlas")
    if not 0 <= port < 2**16:
        raise UsageError(
            f"port {port} cannot be used: ports are numbers from 1 to 65535; choose another one, or 0 for any"
        )
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), partial(_Quiet, directory=str(folder)))
    except OSError as error:
        raise UsageError(f"port {port} cannot be used ({error.strerror}); choose another one, or 0 for any") from error


def address(running: ThreadingHTTPServer) -> str:
    """Where to look."""
    return f"http://127.0.0.1:{running.server_address[1]}/"


def serve(folder: Path, port: int = 8000, said: Callable[[str], None] = lambda _: None) -> None:
    """Serve until interrupted; `said` is told the address."""
    with server(folder, port) as running:
        said(address(running))
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            return
