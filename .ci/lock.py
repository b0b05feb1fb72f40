"""Write the hashed locks from pyproject.toml with uv.

`dev.txt` is resolved first and constrains `run.txt`, so both hold the same versions. Whichever package index pip is
configured with is used, and handed to uv through the environment so that no address is written into a lock. Indexes
that are folders are left out: they hold wheels of one platform, and the locks must serve Linux and macOS. Versions stay
as they are unless `--upgrade` is given.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path("requirements")
LOCKS = {"dev": ["plot", "dev"], "run": ["plot"]}
EVERYWHERE = " ; python_full_version < '3.14' and sys_platform != 'win32'"  # [tool.uv] environments: says nothing new
UPGRADE = ["--upgrade"] if "--upgrade" in sys.argv else []


def index_environment() -> dict[str, str]:
    """What `pip config list` says about indexes, as uv's variables."""
    listing = subprocess.check_output([sys.executable, "-m", "pip", "config", "list"], text=True)
    settings = dict(re.findall(r"^\S*?\.?(index-url|extra-index-url)='(.*)'$", listing, re.MULTILINE))
    remote = [url for url in settings.get("extra-index-url", "").split() if not url.startswith("file:")]
    chosen = {"UV_DEFAULT_INDEX": settings.get("index-url", ""), "UV_INDEX": " ".join(remote)}
    return os.environ | {name: value for name, value in chosen.items() if value}


def compile_lock(name: str, extras: list[str], environment: dict[str, str]) -> None:
    """One lock, valid for every supported Python and platform: the fewest versions that serve all."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--quiet", "--group", "build"]
    command += ["--universal", "--python-version", "3.11", "--fork-strategy", "fewest", "--generate-hashes"]
    command += ["--no-header", "--no-emit-index-url", "--no-emit-find-links", *UPGRADE]
    command += [part for extra in extras for part in ("--extra", extra)]
    if name != "dev":
        command += ["--constraint", str(REQUIREMENTS / "dev.txt")]
    subprocess.run([*command, "--output-file", str(REQUIREMENTS / f"{name}.txt")], check=True, env=environment)


def main() -> None:
    """Both locks, and a look that no address stands in them."""
    for name, extras in LOCKS.items():
        compile_lock(name, extras, index_environment())
        lock = REQUIREMENTS / f"{name}.txt"
        text = lock.read_text().replace(EVERYWHERE, "")
        if "://" in text:
            sys.exit(f"{lock} holds an address; it must hold names, versions and hashes only")
        lock.write_text(text)
        print(f"requirements/{name}.txt: {text.count('==')} packages")


if __name__ == "__main__":
    main()
