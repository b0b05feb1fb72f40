"""Run the Python that stands in Markdown files: each page is one script, in a process and a folder of its own.

Fences that open with ```python or ```{code-cell} are run, in order. A fence that cannot run here (a cluster, a server)
is announced on the line above it by an HTML comment that says why: <!-- not run: needs a cluster -->
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FENCE = re.compile(
    r"^(?P<skip><!-- not run:.*-->\n+)?```(?:python|\{code-cell\}.*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)
LIMIT = 300  # seconds for one page


def script(page: Path) -> str:
    """The page's code with every line where it stands in the page, so that tracebacks name the right one."""
    text = page.read_text()
    lines = [""] * (text.count("\n") + 1)
    for fence in FENCE.finditer(text):
        if not fence["skip"]:
            first = text[: fence.start("code")].count("\n")
            for i, line in enumerate(fence["code"].splitlines()):
                lines[first + i] = "" if line.startswith(":") else line  # options of a code cell
    return "\n".join(lines)


def run(page: Path) -> bool:
    """Whether the page's code runs; what it printed is shown only if it does not."""
    code = script(page)
    if not code.strip():
        return True
    start = time.monotonic()
    program = f"exec(compile({code!r}, {str(page)!r}, 'exec'), {{'__name__': '__main__'}})"
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-c", program],
                cwd=folder,
                env={**os.environ, "MPLBACKEND": "agg"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=LIMIT,
                check=False,
            )
            failure = done.stdout if done.returncode else ""
        except subprocess.TimeoutExpired:
            failure = f"not done after {LIMIT} s"
    print(f"{'FAILS' if failure else 'runs '} {page} ({time.monotonic() - start:.1f} s)", flush=True)
    print(failure, end="")
    return not failure


def main() -> None:
    """Every page named, or found in the folders named; exit code 1 if the code of one fails."""
    pages: list[Path] = []
    for name in map(Path, sys.argv[1:]):
        if not name.exists():
            sys.exit(f"{name}: there is no such page or folder")
        pages += [name] if name.is_file() else sorted(name.rglob("*.md"))
    ran = [run(page) for page in pages if "_build" not in page.parts]  # all of them, also after a failure
    sys.exit(not all(ran))


if __name__ == "__main__":
    main()
