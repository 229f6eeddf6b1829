from typing import Any, List, Optional, Sequence, Tuple, Union, overload

import numpy
from numpy.typing import NDArray

from ._results import Cost, Violation

class Layout:
    """A layout: in each dimension blocks of `block` elements dealt to `grid` processes in turn, the first one to process
    `first`. Or with `cuts` blocks of any sizes: of each dimension None or a pair of where blocks begin, 0 first and the
    extent last, and the process of each block; where the latter is empty, block i is on process i modulo the grid. `block`
    is 1 there. Made of these numbers, or of "GRID:BLOCK" ("4x2:64x64"), where cuts may stand for a block:
    "2x2:0,10,35,100x64"; or of "@FILE", what that file holds."""

    @overload
    def __init__(self, grid: Sequence[int], block: Sequence[int], first: Sequence[int] = ...,
                 cuts: Sequence[Optional[Tuple[Sequence[int], Sequence[int]]]] = ...) -> None: ...
    @overload
    def __init__(self, text: str) -> None: ...
    @property
    def grid(self) -> Tuple[int, ...]:
        """Processes in each dimension."""
    @property
    def block(self) -> Tuple[int, ...]:
        """Elements of a block in each dimension."""
    @property
    def first(self) -> Tuple[int, ...]:
        """The process that has the first block, in each dimension."""
    @property
    def cuts(self) -> Tuple[Optional[Tuple[Tuple[int, ...], Tuple[int, ...]]], ...]:
        """Of each dimension where blocks of any sizes begin, and their processes; None where it has no cuts."""
    @property
    def processes(self) -> int:
        """Number of processes of the whole grid."""

class StepSchedule:
    """Steps of transfers; no process sends, or receives, two in one step."""

    @property
    def problem(self) -> str:
        """"redistribute" or "exchange"."""
    @property
    def algorithm(self) -> str:
        """The algorithm that planned it."""
    @property
    def senders(self) -> int:
        """Number of senders."""
    @property
    def receivers(self) -> int:
        """Number of receivers."""
    @property
    def replicas(self) -> Tuple[int, int]:
        """Copies of the source array and of the target array; (1, 1) unless there are several."""
    @property
    def first_passing(self) -> int:
        """Where copies of the target may pass on what they have, sender first_passing + i is receiver i; else the number of
        senders."""
    @property
    def max_transfers(self) -> int:
        """At most so many transfers are in a step."""
    @property
    def setup(self) -> float:
        """The set-up cost of a step, in the unit of the sizes."""
    @property
    def decimals(self) -> int:
        """Sizes are in units of 10^-decimals of what was given; 0 where they are whole."""
    @property
    def steps(self) -> int:
        """Number of steps."""
    @property
    def cost(self) -> Cost:
        """What the schedule costs."""
    @property
    def bound(self) -> Cost:
        """What no schedule of the problem costs less than, each of the three values on its own."""
    @property
    def optimal(self) -> Optional[bool]:
        """Whether the schedule is proven to have the least total; None where it was read from a file."""
    @property
    def bound_kind(self) -> Optional[str]:
        """What the bound on the total of an exchange is from: "eta", "splits", "lp" or "exact"; else None."""
    @property
    def durations(self) -> NDArray[numpy.int64]:
        """The duration of each step."""
    @property
    def transfers(self) -> NDArray[numpy.void]:
        """Fields step, sender, receiver, offset, size, all int64; in the order of the steps."""
    @property
    def copies(self) -> NDArray[numpy.void]:
        """What processes send themselves outside of the steps; step is -1."""
    def to_json(self) -> str:
        """The schedule as a file of sluice.schedule/1."""
    def write(self, path: str) -> None:
        """Replaces the file `path`, whole or not at all."""
    def export(self, format: str) -> str:
        """The steps for another engine: "ppermute", "p2p" or "msccl", as `sluice plan --export` writes them."""

class TreeSchedule:
    """Timed transfers along a tree."""

    @property
    def problem(self) -> str:
        """"reduce" or "broadcast"."""
    @property
    def algorithm(self) -> str:
        """The algorithm that planned it."""
    @property
    def machines(self) -> int:
        """Number of machines; of a broadcast between clusters, of clusters."""
    @property
    def root(self) -> int:
        """The machine that gets the result, or has the message."""
    @property
    def segments(self) -> int:
        """Parts that the element or the message is cut into; 1 where it is whole."""
    @property
    def length(self) -> float:
        """When the root has the result, or the last machine the message."""
    @property
    def bound(self) -> Tuple[float, float]:
        """A length that no schedule is shorter than, and one that the shortest does not exceed."""
    @property
    def optimal(self) -> Optional[bool]:
        """Whether no schedule is shorter; None where it was read from a file."""
    @property
    def method(self) -> Optional[str]:
        """Of a broadcast what carries it out, for people; else None."""
    @property
    def candidates(self) -> List[Tuple[str, float]]:
        """What "auto" compared for a broadcast: methods and their lengths, the chosen one first."""
    @property
    def transfers(self) -> NDArray[numpy.void]:
        """Fields sender, receiver, segment (int64), start, end (float64); in the order of their start."""
    def to_json(self) -> str:
        """The schedule as a file of sluice.schedule/1."""
    def write(self, path: str) -> None:
        """Replaces the file `path`, whole or not at all."""
    def program(self, size_bytes: int, element_bytes: int = 1) -> "Program":
        """Of a reduction: the program that jobs carry out, for elements of `size_bytes` in all on each rank, in pieces of
        `element_bytes` that are never cut."""

class Platform:
    """A network of clusters of ranks; seconds and bytes."""

    @property
    def ranks(self) -> int:
        """Number of ranks of all clusters together."""
    @property
    def clusters(self) -> List[Tuple[str, List[int]]]:
        """The name and the ranks of each cluster."""
    def to_json(self) -> str:
        """The platform as a file: of version 2 if it has levels."""

class Program:
    """What each rank sends, receives and combines in a collective: for jobs that carry it out in place of a plan."""

    @property
    def problem(self) -> str:
        """"broadcast", "reduce" or another collective."""
    @property
    def algorithm(self) -> str:
        """The algorithm that planned it."""
    @property
    def ranks(self) -> int:
        """Number of ranks that it is for."""
    @property
    def size_bytes(self) -> int:
        """Bytes of the message, of the elements of a rank, or of what else is the size of that problem."""
    @property
    def root(self) -> int:
        """The rank that has the message, or gets the result, where there is one."""
    @property
    def length_s(self) -> float:
        """Seconds until the last rank is done, as its planner found."""
    @property
    def bound_s(self) -> float:
        """Seconds that no program is faster than, as its planner found."""
    def to_json(self) -> str:
        """The program as a file of sluice.program/1."""
    def write(self, path: str) -> None:
        """Replaces the file `path`, whole or not at all."""

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
