"""Small values that planners and judges return."""

from typing import NamedTuple, Optional


class Cost(NamedTuple):
    """What a schedule of steps costs, or what none costs less than: total = transmission + setup * steps.

    `transmission` and `total` are in the unit of the sizes, 10^-decimals of what was given.
    """

    steps: int
    transmission: int
    total: float


class Violation(NamedTuple):
    """One way in which a schedule is broken. `step` and `rank` are None where it is no single one's fault."""

    step: Optional[int]
    rank: Optional[int]
    reason: str

    def __str__(self) -> str:
        return self.reason if self.step is None else f"step {self.step}: {self.reason}"
