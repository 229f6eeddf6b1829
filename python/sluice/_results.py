"""Defines small values that planners and judges return."""

from typing import NamedTuple, Optional


class Cost(NamedTuple):
    """Holds the cost of a schedule of steps, or a lower bound on it: total = transmission + setup * steps."""

    #: number of steps
    steps: int
    #: sum of their durations, in the unit of the sizes, 10^-decimals of the given unit
    transmission: int
    #: transmission + setup * steps, in the same unit
    total: float


class Violation(NamedTuple):
    """Describes one fault of a schedule."""

    #: step of the fault; None if it is not the fault of a single step
    step: Optional[int]
    #: rank of the fault; None if it is not the fault of a single rank
    rank: Optional[int]
    #: what is wrong, in words, with the values
    reason: str

    def __str__(self) -> str:
        return self.reason if self.step is None else f"step {self.step}: {self.reason}"
