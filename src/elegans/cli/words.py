"""Names of parts on the command line: `task:sparse-parity`, or the same as `--task SparseParity`."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from elegans.base.errors import UsageError, unknown


@dataclass
class Words:
    """The command line, from which the names of parts are taken out one by one."""

    left: list[str]
    offered: dict[str, str] = field(default_factory=dict)  # what may be named for each path that was asked for

    def take(self, path: str) -> list[str]:
        """Every name given for a path, in order."""
        names: list[str] = []
        rest: list[str] = []
        words = iter(self.left)
        for word in words:
            flag, equals, value = word.partition("=")
            if word.startswith(f"{path}:"):
                names.append(word.partition(":")[2])
            elif flag == f"--{path}":
                names.append(value if equals else next(words, ""))
            else:
                rest.append(word)
        self.left = rest
        return names

    def one(self, path: str, choices: Iterable[str]) -> str | None:
        """The name given for a path, if any."""
        self.offered[path] = ", ".join(map(dashed, choices))
        names = self.take(path)
        if len(names) > 1:
            raise UsageError(f"{path} is given {len(names)} times ({', '.join(names)}); give it once")
        return names[0] if names else None

    def finish(self, roots: tuple[str, ...]) -> list[str]:
        """What is left for the flags; a part whose place does not exist is refused."""
        for word in self.left:
            path, colon, _ = word.partition(":")
            if colon and path.partition(".")[0] in roots:
                raise UsageError(f"{word!r} chooses {path}, but only {', '.join(self.offered)} can be chosen here")
        return self.left


def dashed(name: str) -> str:
    """SparseParity -> sparse-parity, MLP -> mlp."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).replace("_", "-").lower()


def pick(choices: Mapping[str, Any], kind: str, name: str) -> Any:
    """The choice called `name`, in any case, with or without dashes; or the nearest names."""
    known = {re.sub("[-_]", "", n).lower(): n for n in choices}
    wanted = known.get(re.sub("[-_]", "", name).lower())
    if wanted is None:
        raise unknown(kind, name, [dashed(n) for n in choices])
    return choices[wanted]
