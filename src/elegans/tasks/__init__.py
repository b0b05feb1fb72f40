"""What is learned: one file a distribution."""

from typing import Any


def __getattr__(name: str) -> Any:
    from elegans.base.discovery import part

    return part(__name__, name)
