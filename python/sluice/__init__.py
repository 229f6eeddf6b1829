"""Plans communication if the order of messages matters, judges plans, and (sluice.mpi) runs them under MPI.

Planning needs no MPI:

    >>> import numpy, sluice
    >>> plan = sluice.plan_exchange(numpy.array([[7, 2, 0], [4, 5, 0], [0, 0, 9]]), max_transfers=2, setup=3)
    >>> plan.cost
    Cost(steps=3, transmission=16, total=25.0)
    >>> sluice.check(plan)
    []

Sizes are integers in a unit that the caller chooses (bytes, elements). Times are in the unit of the given costs, and in
seconds for platforms. Indices count from 0. Bad input raises InputError, which is also a ValueError.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import os
from typing import Any, Callable, List, Optional, Sequence, Tuple, TypeVar, Union, cast

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

_Function = TypeVar("_Function", bound=Callable[..., Any])

# What papers and other programs call an option.
_OTHER_NAMES = {"k": "max_transfers", "beta": "setup", "alpha": "setup", "method": "algorithm", "size": "bytes",
                "source_layout": "source", "target_layout": "target", "d": "transfer", "c": "compute",
                "ranks": "machines", "time_limit": "time_limit_s"}


def _with_hints(*options: str) -> Callable[[_Function], _Function]:
    """A function that names the option that was meant when it is called with one that it does not have. options: those
    that it takes besides its parameters."""
    def decorate(function: _Function) -> _Function:
        known = [name for name, each in inspect.signature(function).parameters.items()
                 if each.kind is not inspect.Parameter.VAR_KEYWORD] + list(options)

        @functools.wraps(function)
        def checked(*arguments: Any, **named: Any) -> Any:
            for name in named:
                if name in known:
                    continue
                meant = [_OTHER_NAMES[name]] if _OTHER_NAMES.get(name) in known else \
                    difflib.get_close_matches(name, known, n=1)
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'" +
                                (f"; did you mean '{meant[0]}'?" if meant else ""))
            return function(*arguments, **named)
        return cast(_Function, checked)
    return decorate


LayoutLike = Union[str, Layout, Tuple[Sequence[int], Sequence[int]]]


def _whole(value: Any, name: str) -> int:
    """Returns a whole number; refuses text, and 20.5, which int() would cut."""
    try:
        number = int(value)
        if number == value:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{name}: {value!r}, expected a whole number")


def layout_of(value: LayoutLike) -> Layout:
    """Returns a Layout unchanged, or makes one of "GRID:BLOCK" ("4x2:64x64") or of a pair (grid, block)."""
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
    """Returns the extents of the part of an array of `shape` that `process` holds. Processes are numbered in row-major
    order."""
    return _core.local_shape(layout_of(layout), _shape_of(shape), process)


def global_indices(layout: LayoutLike, shape: Union[int, Sequence[int]], process: int) -> Tuple[numpy.ndarray, ...]:
    """Returns for each dimension the global indices that `process` holds, int64, in the order in memory.

    `a[numpy.ix_(*global_indices(layout, a.shape, process))]` is its part of `a`.
    """
    found = _core.global_indices(layout_of(layout), _shape_of(shape), process)
    return tuple(numpy.array(each, dtype=numpy.int64) for each in found)


@_with_hints()
def plan_redistribution(source: LayoutLike, target: LayoutLike, shape: Union[int, Sequence[int], None] = None, *,
                        algorithm: str = "auto", setup: float = 1, effort: float = 1, from_replicas: int = 1,
                        to_replicas: int = 1, forward: bool = True, part: Optional[str] = None,
                        unit_diagonal: bool = False) -> StepSchedule:
    """Plans how an array moves from one layout to another; sizes are elements.

    - source, target: the two layouts
    - shape: extents of the array; None: the shape of the cuts, or one slice, the period of the layouts
    - algorithm: name of an algorithm of redistribute, or of exchange, which may cut messages. "auto" is one of exchange
      between blocks of any sizes
    - setup: set-up cost of a step, in elements
    - effort: limits the search of "auto" and "exact", as a multiple of at most 0.2 s, counted, not timed
    - from_replicas, to_replicas: existing copies of the source array, wanted copies of the target array; they need an
      algorithm of exchange. See StepSchedule.replicas and first_passing
    - forward: lets copies of the target get data from one another
    - part: "upper" or "lower": moves only the triangle, or trapezoid, of a matrix on that side of the diagonal
    - unit_diagonal: leaves out the diagonal

    For example, 60 elements on 4 processes, from blocks of 3 to blocks of 5:

        >>> import sluice
        >>> sluice.plan_redistribution("4:3", "4:5", 60, algorithm="stepwise").cost
        Cost(steps=4, transmission=15, total=19.0)
    """
    return _core.plan_redistribution(layout_of(source), layout_of(target), None if shape is None else _shape_of(shape),
                                     algorithm=algorithm, setup=setup, effort=effort, from_replicas=from_replicas,
                                     to_replicas=to_replicas, forward=forward,
                                     part="" if part is None else part, unit_diagonal=unit_diagonal)


@_with_hints()
def plan_exchange(traffic: Any, max_transfers: Optional[int] = None, *, setup: float = 1, algorithm: str = "auto",
                  effort: float = 1, time_limit_s: Optional[float] = None, seed: int = 1,
                  sender_speeds: Sequence[float] = (), receiver_speeds: Sequence[float] = (),
                  backbone: Sequence[Tuple[float, int]] = ()) -> StepSchedule:
    """Plans who sends when.

    - traffic: shape (senders, receivers), whole numbers of at least 0 of any dtype, dense or a sparse matrix of SciPy;
      or the name of a .mtx or .csv file
    - max_transfers: most transfers in a step; None: the smaller number of senders and receivers
    - setup: set-up cost of a step, in the unit of the traffic
    - algorithm: name of an algorithm of exchange, or "auto"
    - effort, time_limit_s, seed: limit "auto" and "exact"; effort 1 is about a second, counted, not timed
    - sender_speeds, receiver_speeds: one speed for each node if they differ; at speed 1 a unit of the traffic takes a
      unit of time
    - backbone: replaces max_transfers if it changes: pairs (time, transfers that fit from then on). Times are in the
      unit of the traffic, the first is 0
    """
    return _core.plan_exchange(traffic, max_transfers, setup=setup, algorithm=algorithm, effort=effort,
                               time_limit_s=time_limit_s, seed=seed, sender_speeds=list(sender_speeds),
                               receiver_speeds=list(receiver_speeds), backbone=list(backbone))


@_with_hints("algorithm", "arity", "root", "max_transfers", "max_reducers", "commutative", "arrivals", "segments",
             "max_segments", "transfer_overhead", "compute_overhead", "effort")
def plan_reduce(machines: int, transfer: Any, compute: Any, **options: Any) -> TreeSchedule:
    """Plans the reduction of one element of each machine.

    - machines: their number
    - transfer: cost of a transfer: a number, one number for each sender, or a row for each sender with a number for
      each receiver
    - compute: cost of a combination: a number, or one for each machine
    - options: algorithm, arity, root, max_transfers, max_reducers, commutative, arrivals (a time for each machine),
      segments (0: the planner chooses, at most max_segments), transfer_overhead, compute_overhead, effort. They may be
      combined
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


@_with_hints("algorithm", "lookahead", "inside", "segments", "early_internal", "effort")
def plan_broadcast(platform: Platform, root: int, bytes: int, **options: Any) -> TreeSchedule:
    """Plans the broadcast of `bytes` bytes from rank `root` over a platform; times are seconds.

    - options: algorithm, lookahead, inside, segments (0: the planner chooses), early_internal, effort

    The schedule's machines are clusters, or ranks if `method` is not a tree between clusters.
    """
    return _core.plan_broadcast(platform, root, bytes, **options)


def check(schedule: Union[StepSchedule, TreeSchedule, Program], traffic: Any = None) -> List[Violation]:
    """Returns what is wrong with a schedule or a program; an empty list if nothing.

    - traffic: for steps, the traffic to send, as for plan_exchange. None: a schedule that names its layouts is checked
      with them, another one alone
    """
    if traffic is None:
        return _core.check(schedule)
    if not isinstance(schedule, StepSchedule):
        kind = "a program" if isinstance(schedule, Program) else "a schedule of a tree"
        raise InputError(f"traffic: one beside {kind}, expected a schedule of steps")
    return _core.check(schedule, traffic)


def read_schedule(path: Union[str, "os.PathLike[str]"]) -> Union[StepSchedule, TreeSchedule, Program]:
    """Reads a file of `sluice plan --json`, of any kind: sluice.schedule/1 or sluice.program/1. check() says whether it
    is valid."""
    return _core.read_schedule(os.fspath(path))


def schedule_from_json(text: str) -> Union[StepSchedule, TreeSchedule, Program]:
    """Reads a schedule from text, as read_schedule() from a file."""
    return _core.schedule_from_json(text)


def read_platform(path: Union[str, "os.PathLike[str]"]) -> Platform:
    """Reads a platform file (sluice.platform/2 or /1), as `sluice probe` writes it."""
    return _core.read_platform(os.fspath(path))


def platform_from_json(text: str) -> Platform:
    """Reads a platform from text, as read_platform() from a file."""
    return _core.platform_from_json(text)


def read_program(path: Union[str, "os.PathLike[str]"]) -> Program:
    """Reads a program file (sluice.program/1), as `sluice plan broadcast --program` or `sluice plan allgather --json`
    writes it. check() says whether it is valid, and the job that is given it checks whether it fits."""
    return _core.read_program(os.fspath(path))


def program_from_json(text: str) -> Program:
    """Reads a program from text, as read_program() from a file."""
    return _core.program_from_json(text)


def algorithms(problem: str) -> List[str]:
    """Returns the names of the algorithms of "redistribute", "exchange", "reduce" or "broadcast", without "auto"."""
    return _core.algorithms(problem)
