"""The front door: finds the command, and turns every refusal into one sentence on stderr.

Exit codes: 0 done, 1 done but something needs a look (a check found something, a claim has no verdict), 2 refused (a
wrong value or name, a file that cannot be used), 130 stopped by Ctrl-C, 141 the reader of our output left.
"""

import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence

from elegans.base.errors import ElegansError, Interrupted, unknown
from elegans.cli import interrupt
from elegans.cli.commands import COMMANDS
from elegans.cli.interrupt import STOPPED

REFUSED, UNHEARD = 2, 141


def main(args: Sequence[str] | None = None) -> int:
    """Run one command line, by default that of the process, which then answers Ctrl-C too; returns the exit code."""
    if args is None:
        interrupt.install()
    _speak_plainly()
    try:
        code = dispatch(list(sys.argv[1:] if args is None else args))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _forget_output()
        return UNHEARD
    except KeyboardInterrupt:
        return _say(interrupt.ENDED, STOPPED)
    except Interrupted as error:
        return STOPPED if interrupt.ending.told else _say(str(error), STOPPED)
    except (ElegansError, OSError, MemoryError) as error:
        if os.environ.get("ELEGANS_DEBUG"):
            raise
        return _say(sentence(error), REFUSED)


def dispatch(args: list[str]) -> int:
    """Find the command and call it."""
    if args in ([], ["-h"], ["--help"], ["help"]):
        print(overview())
        return 0
    if args[0] in ("-V", "--version"):
        from elegans import __version__

        print(f"elegans {__version__}")
        return 0
    name, rest = (args[1], ["--help"]) if args[0] == "help" else (args[0], args[1:])
    if name not in COMMANDS:
        raise unknown("command", name, list(COMMANDS))
    return command(name)(rest)


def command(name: str) -> Callable[[list[str]], int]:
    """The function that reads a command's flags and does it."""
    module, _, kind = COMMANDS[name].where.partition(":")
    cls = getattr(importlib.import_module(f"elegans.cli.{module}"), kind)

    def call(args: list[str]) -> int:
        from elegans.cli.parse import parse

        read = getattr(cls, "read", None)
        wanted = read(args) if read else parse(cls, name, args)
        return 0 if wanted is None else wanted()

    return call


def overview() -> str:
    """What `elegans --help` prints."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {c.says}" for name, c in COMMANDS.items()]
    return "\n".join([
        "elegans: a laboratory for model systems of deep learning", "",
        "usage: elegans COMMAND [flags]        elegans COMMAND --help says more, with an example", "",
        *lines, "",
        "ELEGANS_STORE and ELEGANS_CACHE say where results and compiled programs are kept.",
    ])  # fmt: skip


def sentence(error: BaseException) -> str:
    """What went wrong, in one line without a traceback."""
    if isinstance(error, ElegansError):
        return " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; take fewer --workers or a smaller --scale"
    if isinstance(error, OSError) and error.filename:
        return f"could not use {error.filename}: {error.strerror}; free space or choose another place"
    reason = getattr(error, "strerror", None) or error
    return (
        f"the operating system refused: {reason}; free space or choose another place, then run the same command again"
    )


def _speak_plainly() -> None:
    """A terminal without Greek letters shows question marks instead of failing, and closed outputs swallow what is said."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 (lives as long as the process)
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _say(text: str, code: int) -> int:
    try:
        print(f"elegans: {text}", file=sys.stderr)
    except OSError:
        _forget_output()
    return code


def _forget_output() -> None:
    """Nobody listens any more: keep the interpreter from complaining when it flushes."""
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (lives as long as the process)


if __name__ == "__main__":
    sys.exit(main())
