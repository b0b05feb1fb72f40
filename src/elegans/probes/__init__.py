"""What we watch: one file a measurement."""

from typing import Any


def __getattr__(name: str) -> Any:
    from elegans.base.discovery import part

    return part(__name__, name)
