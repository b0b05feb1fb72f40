"""Scales: smoke (seconds), laptop (minutes on two cores), paper (the paper's sizes)."""

from enum import Enum
from typing import TypeVar

T = TypeVar("T")


class Scale(Enum):
    """How large an experiment is run; `scale(a, b, c)` picks the value for smoke, laptop or paper."""

    SMOKE = "smoke"
    LAPTOP = "laptop"
    PAPER = "paper"

    def __call__(self, smoke: T, laptop: T, paper: T) -> T:
        return {"smoke": smoke, "laptop": laptop, "paper": paper}[self.value]

    @property
    def size(self) -> int:
        """0, 1, 2: larger is more."""
        return ("smoke", "laptop", "paper").index(self.value)
