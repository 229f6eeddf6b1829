from typing import Any, List, Optional, Sequence, Tuple, Union, overload

import numpy
from numpy.typing import NDArray

from ._results import Cost, Violation

class Layout:
    """Describes a layout: in each dimension blocks of `block` elements go to `grid` processes in turn, the first block
    to process `first`. With `cuts` blocks have any sizes instead.

    - grid, block, first: one number per dimension; block is 1 in dimensions with cuts
    - cuts: per dimension None, or (starts, owners). starts: block boundaries, from 0 to the extent. owners: the process
      of each block; if empty, block i is on process i modulo the grid
    - text: "GRID:BLOCK", such as "4x2:64x64", or with cuts instead of a block "2x2:0,10,35,100x64", or "@FILE" for the
      text in that file

    A bad layout raises InputError.
    """

    @overload
    def __init__(self, grid: Sequence[int], block: Sequence[int], first: Sequence[int] = ...,
                 cuts: Sequence[Optional[Tuple[Sequence[int], Sequence[int]]]] = ...) -> None: ...
    @overload
    def __init__(self, text: str) -> None: ...
    @property
    def grid(self) -> Tuple[int, ...]:
        """Number of processes in each dimension."""
    @property
    def block(self) -> Tuple[int, ...]:
        """Number of elements of a block in each dimension."""
    @property
    def first(self) -> Tuple[int, ...]:
        """Process that has the first block, in each dimension."""
    @property
    def cuts(self) -> Tuple[Optional[Tuple[Tuple[int, ...], Tuple[int, ...]]], ...]:
        """Block boundaries and owners per dimension; None for a dimension without cuts."""
    @property
    def processes(self) -> int:
        """Number of processes of the whole grid."""

class StepSchedule:
    """Holds steps of transfers; in one step a process sends, and receives, at most one."""

    @property
    def problem(self) -> str:
        """"redistribute" or "exchange"."""
    @property
    def algorithm(self) -> str:
        """Name of the algorithm that planned it."""
    @property
    def senders(self) -> int:
        """Number of senders."""
    @property
    def receivers(self) -> int:
        """Number of receivers."""
    @property
    def replicas(self) -> Tuple[int, int]:
        """Number of copies of the source array and of the target array, usually (1, 1)."""
    @property
    def first_passing(self) -> int:
        """If copies of the target may forward data, sender first_passing + i is receiver i; otherwise the number of
        senders."""
    @property
    def max_transfers(self) -> int:
        """Most transfers in a step."""
    @property
    def setup(self) -> float:
        """Set-up cost of a step, in the unit of the sizes."""
    @property
    def decimals(self) -> int:
        """Sizes are in units of 10^-decimals of the given unit; 0 if they are whole."""
    @property
    def steps(self) -> int:
        """Number of steps."""
    @property
    def cost(self) -> Cost:
        """Cost of the schedule."""
    @property
    def bound(self) -> Cost:
        """Lower bound on the cost of every schedule of the problem, for each of the three values alone."""
    @property
    def optimal(self) -> Optional[bool]:
        """True if the schedule is proven to have the least total; None if it was read from a file."""
    @property
    def bound_kind(self) -> Optional[str]:
        """Source of the bound on the total of an exchange: "eta", "splits", "lp" or "exact"; otherwise None."""
    @property
    def durations(self) -> NDArray[numpy.int64]:
        """Duration of each step."""
    @property
    def transfers(self) -> NDArray[numpy.void]:
        """Fields step, sender, receiver, offset, size, all int64; in the order of the steps."""
    @property
    def copies(self) -> NDArray[numpy.void]:
        """Data that processes send to themselves outside of the steps; step is -1."""
    def to_json(self) -> str:
        """Returns the schedule as the text of a file of sluice.schedule/1."""
    def write(self, path: str) -> None:
        """Writes the schedule to the file `path`, which is replaced as a whole or not at all."""
    def export(self, format: str) -> str:
        """Returns the steps for another engine: "ppermute", "p2p" or "msccl", as `sluice plan --export` writes them."""
    def svg(self, rows: str = ...) -> str:
        """Draws when each transfer runs by the model, as `sluice plan --svg` draws it: a row for each of the "senders", or
        "receivers"."""
    def _repr_html_(self) -> Optional[str]: ...

class TreeSchedule:
    """Holds timed transfers along a tree."""

    @property
    def problem(self) -> str:
        """"reduce" or "broadcast"."""
    @property
    def algorithm(self) -> str:
        """Name of the algorithm that planned it."""
    @property
    def machines(self) -> int:
        """Number of machines; for a broadcast between clusters, number of clusters."""
    @property
    def root(self) -> int:
        """Machine that gets the result, or has the message."""
    @property
    def segments(self) -> int:
        """Number of parts of the element or the message; 1 if it is whole."""
    @property
    def length(self) -> float:
        """Time when the root has the result, or the last machine has the message."""
    @property
    def bound(self) -> Tuple[float, float]:
        """Lower and upper bound on the length of the shortest schedule."""
    @property
    def optimal(self) -> Optional[bool]:
        """True if no schedule is shorter; None if it was read from a file."""
    @property
    def method(self) -> Optional[str]:
        """Method of a broadcast, for people; otherwise None."""
    @property
    def candidates(self) -> List[Tuple[str, float]]:
        """Methods that "auto" compared for a broadcast, and their lengths; the chosen one comes first."""
    @property
    def transfers(self) -> NDArray[numpy.void]:
        """Fields sender, receiver, segment (int64), start, end (float64); in the order of their start."""
    def to_json(self) -> str:
        """Returns the schedule as the text of a file of sluice.schedule/1."""
    def write(self, path: str) -> None:
        """Writes the schedule to the file `path`, which is replaced as a whole or not at all."""
    def program(self, size_bytes: int, element_bytes: int = 1) -> "Program":
        """Makes the program of a reduction, which jobs can execute.

        - size_bytes: bytes of all elements of each rank
        - element_bytes: bytes of pieces that are never cut
        """
    def svg(self) -> str:
        """Draws the tree with each transfer at its time, as `sluice plan --tree` draws it."""
    def _repr_html_(self) -> Optional[str]: ...

class Platform:
    """Holds a network of clusters of ranks; seconds and bytes."""

    @property
    def ranks(self) -> int:
        """Number of ranks of all clusters together."""
    @property
    def clusters(self) -> List[Tuple[str, List[int]]]:
        """Name and ranks of each cluster."""
    def to_json(self) -> str:
        """Returns the platform as the text of a file: of version 2 if it has levels."""

class Program:
    """Holds what each rank sends, receives and combines in a collective. Jobs can execute it instead of a plan."""

    @property
    def problem(self) -> str:
        """"broadcast", "reduce" or another collective."""
    @property
    def algorithm(self) -> str:
        """Name of the algorithm that planned it."""
    @property
    def ranks(self) -> int:
        """Number of its ranks."""
    @property
    def size_bytes(self) -> int:
        """Size of the problem in bytes, such as the message, or the elements of a rank."""
    @property
    def root(self) -> int:
        """Rank that has the message, or gets the result; 0 if there is none."""
    @property
    def length_s(self) -> float:
        """Seconds until the last rank is done, as its planner found."""
    @property
    def bound_s(self) -> float:
        """Lower bound in seconds for every program, as its planner found."""
    def to_json(self) -> str:
        """Returns the program as the text of a file of sluice.program/1."""
    def write(self, path: str) -> None:
        """Writes the program to the file `path`, which is replaced as a whole or not at all."""

version: str

def local_shape(layout: Layout, shape: Sequence[int], process: int) -> Tuple[int, ...]: ...
def global_indices(layout: Layout, shape: Sequence[int], process: int) -> List[List[int]]: ...
def plan_redistribution(source: Layout, target: Layout, shape: Optional[Sequence[int]] = ..., *, algorithm: str = ...,
                        setup: float = ..., effort: float = ..., from_replicas: int = ..., to_replicas: int = ...,
                        forward: bool = ..., part: str = ..., unit_diagonal: bool = ...) -> StepSchedule: ...
def plan_exchange(traffic: Any, max_transfers: Optional[int] = ..., *, setup: float = ..., algorithm: str = ...,
                  effort: float = ..., time_limit_s: Optional[float] = ..., seed: int = ...,
                  sender_speeds: Sequence[float] = ..., receiver_speeds: Sequence[float] = ...,
                  backbone: Sequence[Tuple[float, int]] = ...) -> StepSchedule: ...
def plan_reduce(machines: int, transfer: float, compute: float, *, algorithm: str = ..., arity: int = ...,
                root: int = ..., max_transfers: Optional[int] = ..., max_reducers: Optional[int] = ...,
                commutative: bool = ..., arrivals: Sequence[float] = ..., segments: int = ..., max_segments: int = ...,
                transfer_overhead: float = ..., compute_overhead: float = ..., transfer_costs: Sequence[float] = ...,
                compute_costs: Sequence[float] = ..., effort: float = ...) -> TreeSchedule: ...
def plan_broadcast(platform: Platform, root: int, bytes: int, *, algorithm: str = ..., lookahead: str = ...,
                   inside: str = ..., segments: int = ..., early_internal: bool = ...,
                   effort: float = ...) -> TreeSchedule: ...
def check(schedule: Union[StepSchedule, TreeSchedule, Program], traffic: Any = ...) -> List[Violation]: ...
def read_schedule(path: str) -> Union[StepSchedule, TreeSchedule, Program]: ...
def schedule_from_json(text: str) -> Union[StepSchedule, TreeSchedule, Program]: ...
def read_platform(path: str) -> Platform: ...
def platform_from_json(text: str) -> Platform: ...
def read_program(path: str) -> Program: ...
def program_from_json(text: str) -> Program: ...
def algorithms(problem: str) -> List[str]: ...
