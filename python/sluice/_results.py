"""Small values that planners and judges return."""

from typing import NamedTuple, Optional


class Cost(NamedTuple):
    """What a schedule of steps costs, or what none costs less than: total = transmission + setup * steps."""

    #: number of steps
    steps: int
    #: the sum of their durations, in the unit of the sizes, 10^-decimals of what was given
    transmission: int
    #: in the same unit
    total: float


class Violation(NamedTuple):
    """One way in which a schedule is broken."""

    #: None where it is no single one's fault
    step: Optional[int]
    #: None where it is no single one's fault
    rank: Optional[int]
    #: in words, with the values
    reason: str

    def __str__(self) -> str:
        return self.reason if self.step is None else f"step {self.step}: {self.reason}"
