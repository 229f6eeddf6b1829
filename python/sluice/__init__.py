"""Plans communication where the order of messages matters, judges plans, and (sluice.mpi) runs them under MPI.

Planning needs no MPI:

    >>> import numpy, sluice
    >>> plan = sluice.plan_exchange(numpy.array([[7, 2, 0], [4, 5, 0], [0, 0, 9]]), max_transfers=2, setup=3)
    >>> plan.cost
    Cost(steps=3, transmission=16, total=25.0)
    >>> sluice.check(plan)
    []

Sizes are integers in a unit of the caller's (bytes, elements), times in that of the costs given, of platforms in
seconds. Indices count from 0. Bad input raises InputError, which is a ValueError too.
"""

from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy

from . import _core
from ._core import Layout, Platform, Program, StepSchedule, TreeSchedule
from ._errors import Error, InputError, JobError, MpiError
from ._results import Cost, Violation

__version__: str = _core.version
__all__ = [
    "Cost", "Error", "InputError", "JobError", "Layout", "MpiError", "Platform", "Program", "StepSchedule",
    "TreeSchedule", "Violation", "algorithms", "check", "global_indices", "local_shape", "plan_broadcast",
    "plan_exchange", "plan_redistribution", "plan_reduce", "platform_from_json", "program_from_json", "read_platform",
    "read_program", "read_schedule", "schedule_from_json",
]

LayoutLike = Union[str, Layout, Tuple[Sequence[int], Sequence[int]]]


def _whole(value: Any, name: str) -> int:
    """A whole number; 20.5, which int() would cut, and text are refused."""
    try:
        number = int(value)
        if number == value:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{name}: {value!r}, expected a whole number")


def layout_of(value: LayoutLike) -> Layout:
    """A Layout as it is, or made of "GRID:BLOCK" ("4x2:64x64") or of a pair (grid, block)."""
    if isinstance(value, Layout):
        return value
    if isinstance(value, str):
        return Layout(value)
    try:
        grid, block = value
        return Layout([_whole(each, "grid") for each in grid], [_whole(each, "block") for each in block])
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"layout: {value!r}, expected a Layout, 'GRID:BLOCK' or (grid, block)") from error


def _shape_of(shape: Union[int, Sequence[int]]) -> List[int]:
    return [_whole(each, "shape") for each in (shape if numpy.ndim(shape) > 0 else [shape])]


def local_shape(layout: LayoutLike, shape: Union[int, Sequence[int]], process: int) -> Tuple[int, ...]:
    """Extents of the part of an array of `shape` that `process` holds; processes are numbered in row-major order."""
    return _core.local_shape(layout_of(layout), _shape_of(shape), process)


def global_indices(layout: LayoutLike, shape: Union[int, Sequence[int]], process: int) -> Tuple[numpy.ndarray, ...]:
    """For each dimension the global indices that `process` holds, int64, in the order in which it stores them.

    `a[numpy.ix_(*global_indices(layout, a.shape, process))]` is its part of `a`.
    """
    found = _core.global_indices(layout_of(layout), _shape_of(shape), process)
    return tuple(numpy.array(each, dtype=numpy.int64) for each in found)


def plan_redistribution(source: LayoutLike, target: LayoutLike, shape: Union[int, Sequence[int], None] = None, *,
                        algorithm: str = "auto", setup: float = 1, effort: float = 1, from_replicas: int = 1,
                        to_replicas: int = 1, forward: bool = True, part: Optional[str] = None,
                        unit_diagonal: bool = False) -> StepSchedule:
    """Plans how an array moves from one layout to another; sizes are elements.

    shape: extents of the array; None: one slice, after which the pattern repeats, or what cuts say. setup: price of a
    step, in elements. algorithm: one of redistribute, or of exchange, which may cut messages; the latter is what "auto"
    is between blocks of any sizes. effort: how much work "auto" and "exact" may do, as a multiple of 0.2 s at most,
    counted, not timed.

    from_replicas, to_replicas: copies of the source array that there are, of the target array that are wanted; the
    algorithm is one of exchange then. forward: whether copies of the target may get from one another what they do not
    have. See StepSchedule.replicas and first_passing.

    part: of a matrix only the triangle, or trapezoid, on one side of the diagonal moves, "upper" or "lower"; with
    unit_diagonal without the diagonal.
    """
    return _core.plan_redistribution(layout_of(source), layout_of(target), None if shape is None else _shape_of(shape),
                                     algorithm=algorithm, setup=setup, effort=effort, from_replicas=from_replicas,
                                     to_replicas=to_replicas, forward=forward,
                                     part="" if part is None else part, unit_diagonal=unit_diagonal)


def plan_exchange(traffic: Any, max_transfers: Optional[int] = None, *, setup: float = 1, algorithm: str = "auto",
                  effort: float = 1, time_limit_s: Optional[float] = None, seed: int = 1,
                  sender_speeds: Sequence[float] = (), receiver_speeds: Sequence[float] = (),
                  backbone: Sequence[Tuple[float, int]] = ()) -> StepSchedule:
    """Plans who sends when.

    traffic: shape (senders, receivers), whole numbers of at least 0 of any dtype, dense or a sparse matrix of SciPy; or
    the name of a .mtx or .csv file. max_transfers: at most so many transfers in a step; None: as many as senders or
    receivers, whichever is less. setup: set-up cost of a step, in the unit of the traffic.

    Where nodes differ in speed: sender_speeds, receiver_speeds, one for each node, 1 being the speed at which a unit of
    the traffic takes a unit of time. Where the backbone changes: backbone, in place of max_transfers, pairs of a time,
    in the unit of the traffic and the first 0, and how many transfers fit from then on.
    """
    return _core.plan_exchange(traffic, max_transfers, setup=setup, algorithm=algorithm, effort=effort,
                               time_limit_s=time_limit_s, seed=seed, sender_speeds=list(sender_speeds),
                               receiver_speeds=list(receiver_speeds), backbone=list(backbone))


def plan_reduce(machines: int, transfer: Any, compute: Any, **options: Any) -> TreeSchedule:
    """Plans the reduction of one element of each machine, where a transfer takes `transfer` and a combination `compute`.

    transfer: a number; or where machines or links differ, one number for each sender, or a row for each sender with a
    number for each receiver. compute: a number, or one for each machine. options: algorithm, arity, root,
    max_transfers, max_reducers, commutative, arrivals (a time for each machine), segments (0: the planner chooses, at
    most max_segments), transfer_overhead, compute_overhead, effort. They may come together.
    """
    for name, cost, dimensions in (("transfer", transfer, (1, 2)), ("compute", compute, (1,))):
        if numpy.ndim(cost) == 0:
            continue
        shape = numpy.shape(cost)
        if len(shape) not in dimensions or any(extent != machines for extent in shape):
            expected = " or ".join(str((machines,) * each) for each in dimensions)
            raise InputError(f"{name}: shape {shape}, expected a number or shape {expected}")
        options[name + "_costs"] = numpy.ravel(numpy.asarray(cost, dtype=numpy.float64))
    return _core.plan_reduce(machines, 0 if "transfer_costs" in options else transfer,
                             0 if "compute_costs" in options else compute, **options)


def plan_broadcast(platform: Platform, root: int, bytes: int, **options: Any) -> TreeSchedule:
    """Plans the broadcast of `bytes` bytes from rank `root` over a platform; times are seconds.

    The schedule's machines are clusters, or ranks where `method` is none of a tree between clusters. options:
    algorithm, lookahead, inside, segments (0: the planner chooses), early_internal, effort.
    """
    return _core.plan_broadcast(platform, root, bytes, **options)


def check(schedule: Union[StepSchedule, TreeSchedule, Program], traffic: Any = None) -> List[Violation]:
    """What is wrong with a schedule or a program; an empty list if nothing.

    traffic: for steps, what there is to send, as plan_exchange takes it; None: a schedule that names its layouts is
    judged by them, another one by itself.
    """
    if traffic is None:
        return _core.check(schedule)
    if not isinstance(schedule, StepSchedule):
        kind = "a program" if isinstance(schedule, Program) else "a schedule of a tree"
        raise InputError(f"traffic: one beside {kind}, expected a schedule of steps")
    return _core.check(schedule, traffic)


def read_schedule(path: Union[str, "os.PathLike[str]"]) -> Union[StepSchedule, TreeSchedule, Program]:
    """Reads a file that `sluice plan --json` writes, of any kind: sluice.schedule/1 or sluice.program/1. Whether it is
    sound is for check to say."""
    return _core.read_schedule(os.fspath(path))


def schedule_from_json(text: str) -> Union[StepSchedule, TreeSchedule, Program]:
    """The same from text."""
    return _core.schedule_from_json(text)


def read_platform(path: Union[str, "os.PathLike[str]"]) -> Platform:
    """Reads a platform file (sluice.platform/2 or /1), as `sluice probe` writes it."""
    return _core.read_platform(os.fspath(path))


def platform_from_json(text: str) -> Platform:
    """The same from text."""
    return _core.platform_from_json(text)


def read_program(path: Union[str, "os.PathLike[str]"]) -> Program:
    """Reads a program file (sluice.program/1), as `sluice plan broadcast --program` or `sluice plan allgather --json`
    writes it. Whether it is sound is for check to say, and whether it is for what is asked for, the job that is given
    it."""
    return _core.read_program(os.fspath(path))


def program_from_json(text: str) -> Program:
    """The same from text."""
    return _core.program_from_json(text)


def algorithms(problem: str) -> List[str]:
    """Names of the algorithms of "redistribute", "exchange", "reduce" or "broadcast", without "auto"."""
    return _core.algorithms(problem)
