"""Runs jobs under MPI, planned once and executed any number of times, on any object with the buffer protocol.

    from mpi4py import MPI
    import numpy, sluice.mpi

    job = sluice.mpi.Redistribution(MPI.COMM_WORLD, (4096, 4096), "4x2:64x64", "2x4:100x100", numpy.float64)
    target = numpy.empty(job.target_shape)
    job.execute(source, target)

Making a job and executing it are collective over the communicator. start() begins an execution, test() says whether it
has ended, wait() ends it. Buffers are kept alive in between, and must not change. The GIL is released while a job works
or waits; one thread at a time makes calls on one communicator.

A failure on one rank raises on all ranks: there what failed, on the others InputError or JobError. They raise in the
same call, or in the next call on a rank that was already done. The job cannot be used any more, unless
set_agreed_arguments() says so.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy
from mpi4py import MPI
from mpi4py.util import dtlib

from . import LayoutLike, Platform, Program, _shape_of, _whole, layout_of, local_shape
from ._errors import InputError

try:
    from . import _mpi
except ImportError as error:
    raise ImportError("sluice was built without MPI, or with another one than mpi4py") from error

__all__ = ["Allgather", "Allreduce", "Alltoall", "Broadcast", "Exchange", "Gather", "Redistribution",
           "RedistributionBatch", "ReduceScatter", "Reduction", "Scatter", "set_agreed_arguments"]


def _count(number: int, one: str) -> str:
    """Returns text such as "1 byte" and "2 bytes"."""
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def _check_same_mpi() -> None:
    """Refuses a mixture of MPI libraries as early as possible, because handles of one mean nothing to another."""
    sizes = tuple(MPI._sizeof(each) for each in (MPI.Comm, MPI.Datatype, MPI.Op))
    vendor = {"openmpi": "Open MPI", "mpich": "MPICH"}.get(_mpi.mpi_family)
    if sizes != _mpi.size_of_handles() or (vendor is not None and MPI.get_vendor()[0] != vendor):
        raise ImportError(f"sluice was built with {vendor or _mpi.mpi_family}, mpi4py uses {MPI.get_vendor()[0]}")


_check_same_mpi()


def _address_of_comm(comm: MPI.Comm) -> int:
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm: {type(comm).__name__}, expected a communicator of mpi4py")
    return MPI._addressof(comm)


def set_agreed_arguments(comm: MPI.Comm, agreed: bool) -> None:
    """Sets whether all ranks check the buffers of an execution together before it sends anything; for all jobs of
    `comm`.

    If `agreed`, a buffer that is bad on some ranks raises on all ranks, in the same call, and the job can be used
    again. It costs ceil(log2 n) short messages of each of n ranks. Collective, between executions.
    """
    _mpi.set_agreed_arguments(_address_of_comm(comm), bool(agreed))


def _make(comm: MPI.Comm, prepare: Callable[[], Callable[[int], Any]]) -> Any:
    """Makes a job. If `prepare` raises on this rank, the other ranks raise too."""
    address = _address_of_comm(comm)
    try:
        make = prepare()
    except Exception as error:
        try:
            _mpi.refuse_job(address, f"{type(error).__name__}: {error}")
        except Exception:  # the other ranks have been told; what there is to say is below
            pass
        raise
    return make(address)


def _set_options(options: Any, given: Mapping[str, Any]) -> Any:
    known = {name for name in dir(type(options)) if isinstance(getattr(type(options), name), property)}
    known.discard("column_major")  # which is `order` of a job
    for name, value in given.items():
        if name not in known:
            raise InputError(f"options: {name!r}, expected one of {', '.join(sorted(known))}")
        try:
            setattr(options, name, value)
        except TypeError as error:
            raise InputError(f"{name}: {value!r}, expected a value of another type") from error
    return options


def _array(buffer: Any, name: str, writable: bool) -> numpy.ndarray:
    """Returns the memory of `buffer` as an array, without a copy."""
    if isinstance(buffer, numpy.ndarray):
        array = buffer
    else:
        try:
            array = numpy.asarray(memoryview(buffer))
        except TypeError:
            if not hasattr(buffer, "__dlpack__"):
                raise TypeError(f"{name}: {type(buffer).__name__}, expected an object with a buffer") from None
            array = _of_dlpack(buffer)
    if array.dtype.hasobject:
        raise InputError(f"{name}: Python objects, expected numbers")
    if writable and not array.flags.writeable:
        raise InputError(f"{name}: a buffer that is read-only, expected one that can be written")
    return array


def _of_dlpack(buffer: Any) -> numpy.ndarray:
    """NumPy 1 takes all that comes by DLPack for read-only, as the protocol does not tell; its makers do not."""
    array = numpy.from_dlpack(buffer)
    if array.flags.writeable or array.size == 0:
        return array
    interface = dict(array.__array_interface__)
    interface["data"] = (interface["data"][0], False)

    class Writable:
        __array_interface__ = interface
        owner = array  # keeps the memory

    return numpy.asarray(Writable())


def _contiguous(array: numpy.ndarray, name: str, order: str = "C") -> numpy.ndarray:
    if not array.flags["F_CONTIGUOUS" if order == "F" else "C_CONTIGUOUS"]:
        raise InputError(f"{name}: memory that is not contiguous in {order} order, expected one that is")
    return array


def _side(buffer: Any, name: str, expected: int, writable: bool, dtype: Optional[numpy.dtype] = None,
          exact: bool = False) -> Optional[numpy.ndarray]:
    """Returns the buffer of one side of an exchange or a collective.

    It has at least `expected` bytes; with `exact` exactly these, unless none are expected. Returns None for None, which
    is right if none are expected.
    """
    if buffer is None:
        if expected > 0:
            raise InputError(f"{name}: None, expected {_count(expected, 'byte')}")
        return None
    array = _contiguous(_array(buffer, name, writable), name)
    if dtype is not None and array.dtype != dtype:
        raise InputError(f"{name}: elements of {array.dtype}, expected {dtype}")
    if array.nbytes < expected or (exact and array.nbytes > expected > 0):
        raise InputError(f"{name}: {_count(array.nbytes, 'byte')}, expected {expected}")
    return array


def _datatype_of(dtype: numpy.dtype) -> MPI.Datatype:
    """Returns MPI's own type if there is one, because its operations ask for it, otherwise a type made of such types.
    """
    try:
        if dtype.fields is None and dtype.subdtype is None and dtype.isnative:
            datatype = MPI._typedict[dtype.char]
        else:
            datatype = dtlib.from_numpy_dtype(dtype).Commit()
        if datatype.Get_size() == dtype.itemsize:
            return datatype
    except Exception as error:
        raise InputError(f"dtype: {dtype}, expected one that MPI has a type for") from error
    raise InputError(f"dtype: {dtype}, expected one that MPI has a type for")


def _address(array: Optional[numpy.ndarray]) -> int:
    return 0 if array is None else array.ctypes.data


class _Job:
    """Is the base class of all jobs."""

    _job: Any = None
    _kept: Any = None  # the buffers of the execution that is under way

    def _usable(self) -> Any:
        if self._job is None:
            raise InputError("job: one that was freed, expected one that was not")
        return self._job

    def _run(self, call: str, prepare: Callable[[], Tuple[Any, Tuple[Optional[int], ...]]]) -> None:
        """Calls a method of the job. `prepare` makes of the buffers what to keep, and the arguments."""
        job = self._usable()
        try:
            kept, arguments = prepare()
        except Exception as error:
            job.give_up(f"{type(error).__name__}: {error}")
            raise
        if call == "start":
            job.start(*arguments)
            self._kept = kept
        else:
            job.execute(*arguments)

    def test(self) -> bool:
        """Advances the execution without waiting. Returns True if it has ended, or if none was started."""
        done = self._usable().test()
        if done:
            self._kept = None
        return done

    def wait(self) -> None:
        """Waits until the execution has ended; returns at once if none was started."""
        self._usable().wait()
        self._kept = None

    def free(self) -> None:
        """Frees the job's memory. During an execution it makes the other ranks raise."""
        self._job = None
        self._kept = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.free()


class _Planned(_Job):
    """Is the base class of jobs that may use a call of MPI's own instead of the plan."""

    @property
    def native(self) -> bool:
        """True if MPI's own call replaces the plan, as far as it is decided."""
        return self._usable().native

    @property
    def extra_bytes(self) -> int:
        """Most bytes of buffers that this rank has held beyond the user's so far."""
        return self._usable().extra_bytes


class _ArrayPart:
    """Describes one array of a redistribution, and this rank's parts of it."""

    def __init__(self, shape: Union[int, Sequence[int]], source: LayoutLike, target: LayoutLike, dtype: Any,
                 kind: Callable[[], Any], *, order: str = "C", alpha: complex = 1, beta: complex = 0,
                 conjugate: bool = False, part: Optional[str] = None, unit_diagonal: bool = False,
                 **options: Any) -> None:
        self.dtype = numpy.dtype(dtype)
        if self.dtype.hasobject or self.dtype.itemsize == 0:
            raise InputError(f"dtype: {self.dtype}, expected one of numbers")
        if order not in ("C", "F"):
            raise InputError(f"order: {order!r}, expected 'C' or 'F'")
        self.order = order
        self.extents = _shape_of(shape)
        self.layouts = layout_of(source), layout_of(target)
        given = _set_options(kind(), options)
        given.column_major = order == "F"
        if alpha != 1 or beta != 0 or conjugate:
            if self.dtype.kind == "f" and (complex(alpha).imag or complex(beta).imag):
                raise InputError(f"alpha, beta: {alpha!r}, {beta!r}, expected real numbers for {self.dtype}")
            given.scale_and_add(self.dtype.kind, self.dtype.itemsize, alpha, beta, conjugate)
        given.set_part("" if part is None else part, unit_diagonal)
        self.options = given
        self._gaps = bool(given.source_leading), bool(given.target_leading)
        self._whole = self.extents, list(given.to_shape) or list(self.extents)[:: -1 if given.transpose else 1]

    @property
    def has_gaps(self) -> bool:
        """True if a part has gaps in memory, on either side."""
        return any(self._gaps)

    def place(self, rank: int, to_ranks: Sequence[int], extents: Tuple[int, int]) -> None:
        """Sets, after the job is made, this rank's processes in the grids, and the extents of its parts."""
        self.shapes = self._own_shape(0, rank, list(self.options.from_ranks)), self._own_shape(1, rank, to_ranks)
        self._spans = extents

    def _own_shape(self, side: int, rank: int, ranks: Sequence[int]) -> Tuple[int, ...]:
        layout, shape = self.layouts[side], self._whole[side]
        copies = getattr(self.options, ("from_replicas", "to_replicas")[side], 1)
        process = (ranks.index(rank) if rank in ranks else -1) if ranks else rank
        if not 0 <= process < copies * layout.processes:
            return (0,) * len(shape)
        return local_shape(layout, shape, process % layout.processes)

    def part(self, buffer: Any, name: str, side: int, writable: bool) -> Optional[numpy.ndarray]:
        """Returns the memory of this rank's part; None if there is no buffer."""
        if buffer is None:
            return None  # which the job refuses where there is something to move
        array = _array(buffer, name, writable)
        if array.dtype != self.dtype:
            raise InputError(f"{name}: elements of {array.dtype}, expected {self.dtype}")
        extent = self._spans[side]
        if self._gaps[side]:
            if array.size < extent:
                raise InputError(f"{name}: {_count(array.size, 'element')}, expected {extent} at least")
        else:
            shape = self.shapes[side]
            if array.shape not in (shape, (extent,)):
                raise InputError(f"{name}: shape {array.shape}, expected {shape}, or {(extent,)}")
        return _contiguous(array, name, "C" if array.ndim < 2 else self.order)


def _apart(sources: Sequence[Optional[numpy.ndarray]], targets: Sequence[Optional[numpy.ndarray]]) -> None:
    """Raises InputError if a target overlaps any other memory."""
    for number, target in enumerate(targets):
        others = [*sources, *targets[:number]]
        if target is not None and any(each is not None and numpy.may_share_memory(each, target) for each in others):
            raise InputError("target: memory that overlaps the source, expected memory of its own"
                             if len(targets) == 1 else
                             f"targets[{number}]: memory that overlaps other memory, expected memory of its own")


class _RedistributionJob(_Planned):
    """Is the base class of redistributions of one array and of several."""

    @property
    def steps(self) -> int:
        """Number of steps of the plan."""
        return self._usable().steps


class Redistribution(_RedistributionJob):
    """Moves an array from one layout to another, block-cyclic or with blocks of any sizes. For several arrays at once,
    see RedistributionBatch.

    - comm: a communicator of mpi4py
    - shape: extents of the source array
    - source, target: layouts, such as "4x2:64x64" or sluice.Layout; rank p is process p of both, unless from_ranks and
      to_ranks say otherwise
    - dtype: type of the elements
    - order: "C" or "F": storage order of each rank's part
    - alpha, beta, conjugate: the job computes target = beta target + alpha source, with the complex conjugate of source
      if conjugate is true. For float32, float64, complex64 or complex128; with several copies only without forward
    - part, unit_diagonal: part "upper" or "lower" moves only the triangle, or trapezoid, of a matrix (or its box) on
      that side of the diagonal; unit_diagonal leaves out the diagonal. Elements of the target outside stay unchanged

    Further options:

    - from_start, to_start, extent, to_shape: a box of the arrays, one number per dimension
    - transpose: element (i, j) of the source becomes (j, i) of the target, which has the layout target
    - from_ranks, to_ranks: rank of each process; relabel: lets the job choose to_ranks
    - source_leading, target_leading: gaps in this rank's parts
    - from_replicas, to_replicas: existing copies of the source array, wanted copies of the target array. Process p of
      copy c of a layout of n processes is entry c n + p of from_ranks and to_ranks. Without relabel
    - forward: lets copies of the target get data from one another
    - algorithm, setup, effort, chunk_bytes, window, shared_from_bytes, try_native: as in the C++ header
      run/mpi/redistribution_options.hpp
    """

    def __init__(self, comm: MPI.Comm, shape: Union[int, Sequence[int]], source: LayoutLike, target: LayoutLike,
                 dtype: Any, *, order: str = "C", alpha: complex = 1, beta: complex = 0, conjugate: bool = False,
                 part: Optional[str] = None, unit_diagonal: bool = False, **options: Any) -> None:
        def prepare() -> Callable[[int], Any]:
            own = _ArrayPart(shape, source, target, dtype, _mpi.RedistributionOptions, order=order, alpha=alpha,
                             beta=beta, conjugate=conjugate, part=part, unit_diagonal=unit_diagonal, **options)
            self._own, self.dtype = own, own.dtype
            return lambda address: _mpi.Redistribution(address, own.extents, *own.layouts, own.dtype.itemsize,
                                                       own.options)

        self._job = _make(comm, prepare)
        self._own.place(comm.Get_rank(), list(self._job.to_ranks), (self._job.source_extent, self._job.target_extent))
        #: extents of this rank's part of the source array; zeros if it has none
        self.source_shape: Tuple[int, ...] = self._own.shapes[0]
        #: extents of this rank's part of the target array; zeros if it has none
        self.target_shape: Tuple[int, ...] = self._own.shapes[1]
        self._plain = None if self._own.has_gaps else _mpi.PlainArrays(self.dtype, *self._own.shapes,
                                                                       self._own.order == "F")

    @property
    def to_ranks(self) -> Sequence[int]:
        """Rank of each process of the target grid, in row-major order, copy by copy."""
        return self._usable().to_ranks

    def _buffers(self, source: Any, target: Any) -> Tuple[Any, Tuple[int, ...]]:
        addresses = self._plain and self._plain.addresses(source, target)
        if addresses:
            return (source, target), addresses
        own = self._own.part(source, "source", 0, False), self._own.part(target, "target", 1, True)
        _apart(own[:1], own[1:])
        return own, tuple(_address(each) for each in own)

    def execute(self, source: Any, target: Any) -> None:
        """Moves the data.

        - source: shape source_shape, or flat; None if this rank has nothing to send
        - target: shape target_shape, or flat; None if this rank has nothing to receive

        Both have the job's dtype.
        """
        self._run("execute", lambda: self._buffers(source, target))

    def start(self, source: Any, target: Any) -> None:
        """Begins an execution; arguments are as for execute()."""
        self._run("start", lambda: self._buffers(source, target))


class RedistributionBatch(_RedistributionJob):
    """Moves several arrays at once, with one message between two ranks.

    - comm: a communicator of mpi4py
    - arrays: a mapping for each array, with "shape", "source", "target" and "dtype", as for Redistribution. It may have
      these options: from_start, to_start, extent, to_shape, transpose, from_ranks, to_ranks, order, source_leading,
      target_leading, alpha, beta, conjugate, part, unit_diagonal
    - options: algorithm, setup (set-up cost of a step, bytes), effort, chunk_bytes, window, shared_from_bytes,
      try_native, relabel (most data of all arrays together stays in place)
    """

    def __init__(self, comm: MPI.Comm, arrays: Sequence[Mapping[str, Any]], **options: Any) -> None:
        def prepare() -> Callable[[int], Any]:
            self._arrays = [self._array(number, each) for number, each in enumerate(arrays)]
            given = _set_options(_mpi.RedistributionJobOptions(), options)
            parts = [(each.extents, *each.layouts, each.dtype.itemsize, each.options) for each in self._arrays]
            return lambda address: _mpi.RedistributionBatch(address, parts, given)

        self._job = _make(comm, prepare)
        for number, each in enumerate(self._arrays):
            each.place(comm.Get_rank(), list(self._job.to_ranks(number)),
                       (self._job.source_extent(number), self._job.target_extent(number)))
        #: extents of this rank's part of each source array; zeros if it has none
        self.source_shapes: Sequence[Tuple[int, ...]] = [each.shapes[0] for each in self._arrays]
        #: extents of this rank's part of each target array; zeros if it has none
        self.target_shapes: Sequence[Tuple[int, ...]] = [each.shapes[1] for each in self._arrays]

    def to_ranks(self, array: int) -> Sequence[int]:
        """Returns the rank of each process of a target grid, in row-major order. `array` counts from 0."""
        return self._usable().to_ranks(array)

    @staticmethod
    def _array(number: int, given: Mapping[str, Any]) -> _ArrayPart:
        needed = ("shape", "source", "target", "dtype")
        for name in needed:
            if name not in given:
                raise InputError(f"arrays[{number}]: no {name!r}, expected {', '.join(needed)}")
        more = {name: value for name, value in given.items() if name not in needed}
        return _ArrayPart(*(given[name] for name in needed), _mpi.ArrayOptions, **more)

    def _buffers(self, sources: Sequence[Any], targets: Sequence[Any]) -> Tuple[Any, Tuple[Any, ...]]:
        own = []
        for side, (name, buffers) in enumerate((("sources", sources), ("targets", targets))):
            if len(buffers) != len(self._arrays):
                raise InputError(f"{name}: {len(buffers)} buffers, expected {len(self._arrays)}, one for each array")
            own.append([part.part(each, f"{name}[{number}]", side, side == 1)
                        for number, (part, each) in enumerate(zip(self._arrays, buffers))])
        _apart(*own)
        return own, tuple([_address(each) for each in side] for side in own)

    def execute(self, sources: Sequence[Any], targets: Sequence[Any]) -> None:
        """Moves the data of all arrays. Both lists have a buffer for each, as for Redistribution.execute()."""
        self._run("execute", lambda: self._buffers(sources, targets))

    def start(self, sources: Sequence[Any], targets: Sequence[Any]) -> None:
        """Begins an execution; arguments are as for execute()."""
        self._run("start", lambda: self._buffers(sources, targets))


class Exchange(_Planned):
    """Sends messages between any ranks, in place of MPI_Alltoallv.

    - comm: a communicator of mpi4py
    - sends: bytes for each rank, a mapping {rank: bytes} or one number for each rank of the communicator; ranks learn
      what they get from the others

    Options, equal on all ranks:

    - mode: "auto", "chain", "local", "barrier", "list" or "at-once"
    - max_transfers, algorithm, setup_bytes, effort, time_limit_s, chunk_bytes, window, early_release_bytes, try_native:
      as in the C++ header run/mpi/exchange.hpp
    - sender_speeds, receiver_speeds (one per rank), backbone: as for plan_exchange
    - local_links: a pair (cost of a byte inside the clusters if it costs 1 between them, set-up inside in bytes). The
      set-up may be None: as between clusters
    - sender_ranks, receiver_ranks: the two clusters for local_links
    """

    def __init__(self, comm: MPI.Comm, sends: Union[Mapping[int, int], Sequence[int]], **options: Any) -> None:
        def prepare() -> Callable[[int], Any]:
            if hasattr(sends, "items"):
                messages = [(_whole(rank, "sends"), _whole(size, "sends")) for rank, size in sends.items()]
            else:
                if len(sends) != comm.Get_size():
                    raise InputError(f"sends: {_count(len(sends), 'size')}, expected {comm.Get_size()}, one for each rank")
                messages = [(rank, _whole(size, "sends")) for rank, size in enumerate(sends) if size != 0]
            given = _set_options(_mpi.ExchangeOptions(), options)
            return lambda address: _mpi.Exchange(address, messages, given)

        self._job = _make(comm, prepare)

    @property
    def sends(self) -> Dict[int, int]:
        """Bytes for each rank, in the order of the buffer."""
        return dict(self._usable().sends)

    @property
    def receives(self) -> Dict[int, int]:
        """Bytes from each rank that sends something, in the order of the buffer: by rank."""
        return dict(self._usable().receives)

    @property
    def send_bytes(self) -> int:
        """Number of bytes of all messages that this rank sends."""
        return self._usable().send_bytes

    @property
    def receive_bytes(self) -> int:
        """Number of bytes of all messages that this rank gets."""
        return self._usable().receive_bytes

    @property
    def mode(self) -> str:
        """Mode that keeps transfers apart; never "auto"."""
        return self._usable().mode

    @property
    def steps(self) -> int:
        """Number of steps of the plan; 0 without one."""
        return self._usable().steps

    def _buffers(self, send: Any, receive: Any) -> Tuple[Any, Tuple[int, ...]]:
        sides = (_side(send, "send", self._job.send_bytes, False),
                 _side(receive, "receive", self._job.receive_bytes, True))
        return sides, tuple(part for side in sides for part in (_address(side), 0 if side is None else side.nbytes))

    def execute(self, send: Any, receive: Any) -> None:
        """Moves the data.

        - send: the messages one after another in the order of `sends`
        - receive: room for the messages of `receives`, in their order

        Both may have any dtype, and are contiguous; None if there are no messages.
        """
        self._run("execute", lambda: self._buffers(send, receive))

    def start(self, send: Any, receive: Any) -> None:
        """Begins an execution; arguments are as for execute()."""
        self._run("start", lambda: self._buffers(send, receive))


class Reduction(_Planned):
    """Combines `count` elements of `dtype` of each rank by an operation of MPI, in place of MPI_Reduce.

    Options:

    - costs: a pair (transfer, compute), or a quadruple with the two overheads, in one unit of time
    - measure, platform, algorithm, arity, segments, effort (with a platform), reproducible, try_native, dynamic,
      progress_thread: as in the C++ header run/mpi/reduction.hpp
    - program: a Program of "reduce", for as many elements; replaces costs, platform, algorithm and segments
    """

    def __init__(self, comm: MPI.Comm, count: int, dtype: Any, op: MPI.Op = MPI.SUM, root: int = 0,
                 **options: Any) -> None:
        def prepare() -> Callable[[int], Any]:
            self.dtype = numpy.dtype(dtype)
            self.count = _whole(count, "count")
            datatype = _datatype_of(self.dtype)
            if not isinstance(op, MPI.Op):
                raise TypeError(f"op: {type(op).__name__}, expected an operation of mpi4py")
            self._handles = datatype, op  # which last as long as the job
            costs = options.pop("costs", None)
            if costs is not None:
                numbers = [float(each) for each in costs]
                if len(numbers) not in (2, 4):
                    raise InputError(f"costs: {_count(len(numbers), 'number')}, expected 2 or 4")
                options["costs"] = _mpi.ReductionCosts(*(numbers + [0.0, 0.0])[:4])
            given = _set_options(_mpi.ReductionOptions(), options)
            handles = MPI._addressof(datatype), MPI._addressof(op)
            return lambda address: _mpi.Reduction(address, self.count, *handles, _whole(root, "root"), given)

        self._job = _make(comm, prepare)
        self._is_root = comm.Get_rank() == root

    @property
    def method(self) -> str:
        """Method that executes the reduction; "" before the first execution has measured."""
        return self._usable().method

    def _elements(self, buffer: Any, name: str, writable: bool) -> numpy.ndarray:
        array = _contiguous(_array(buffer, name, writable), name)
        if array.dtype != self.dtype:
            raise InputError(f"{name}: elements of {array.dtype}, expected {self.dtype}")
        if array.size != self.count:
            raise InputError(f"{name}: {_count(array.size, 'element')}, expected {self.count}")
        return array

    def _buffers(self, own: Any, result: Any) -> Tuple[Any, Tuple[int, ...]]:
        into = self._elements(result, "result", True) if self._is_root else None
        if own is MPI.IN_PLACE:
            if not self._is_root:
                raise InputError("own: MPI.IN_PLACE, expected elements on all ranks but the root")
            mine = None
        else:
            mine = self._elements(own, "own", False)
            if into is not None and self.count > 0 and numpy.may_share_memory(mine, into):
                raise InputError("result: memory that overlaps the own elements, expected memory of its own")
        return (mine, into), (_address(mine), _address(into))

    def execute(self, own: Any, result: Any = None) -> None:
        """Combines the elements.

        - own: `count` elements of the job's dtype, of any shape; on the root it may be MPI.IN_PLACE if they are in
          `result`
        - result: room for as many elements, on the root only
        """
        self._run("execute", lambda: self._buffers(own, result))

    def start(self, own: Any, result: Any = None) -> None:
        """Begins an execution; arguments are as for execute()."""
        self._run("start", lambda: self._buffers(own, result))


class Broadcast(_Job):
    """Copies the root's data to all ranks, in place of MPI_Bcast.

    - platform: a network (sluice.read_platform)
    - program: a Program of "broadcast" (sluice.read_program); replaces platform and plan, and messages have its size
    - options: try_native, algorithm, lookahead, inside, segments, early_internal, effort: as in the C++ header
      run/mpi/broadcast.hpp
    """

    def __init__(self, comm: MPI.Comm, root: int = 0, *, platform: Optional[Platform] = None,
                 program: Optional[Program] = None, **options: Any) -> None:
        def prepare() -> Callable[[int], Any]:
            given = _set_options(_mpi.BroadcastOptions(), {**options, "platform": platform, "program": program})
            return lambda address: _mpi.Broadcast(address, _whole(root, "root"), given)

        self._job = _make(comm, prepare)
        self._is_root = comm.Get_rank() == root

    def chosen(self, bytes: int) -> str:
        """Returns the method for messages of `bytes` bytes; "native" is MPI_Ibcast. Collective."""
        return self._usable().chosen(int(bytes))

    def _buffers(self, buffer: Any) -> Tuple[Any, Tuple[int, ...]]:
        array = _contiguous(_array(buffer, "buffer", not self._is_root), "buffer",
                            "F" if isinstance(buffer, numpy.ndarray) and buffer.flags.f_contiguous else "C")
        return array, (_address(array), array.nbytes)

    def execute(self, buffer: Any) -> None:
        """Copies the root's `buffer` to all ranks: contiguous, of any dtype, as many bytes on all ranks."""
        self._run("execute", lambda: self._buffers(buffer))

    def start(self, buffer: Any) -> None:
        """Begins an execution; arguments are as for execute()."""
        self._run("start", lambda: self._buffers(buffer))


class _Collective(_Planned):
    """Is the base class of the six classes below."""

    _problem: str
    _in_place = "nobody"  # who may give MPI.IN_PLACE: "all", "root" or "nobody"

    def _make_moving(self, comm: MPI.Comm, sizes: Union[int, Sequence[int]], root: int,
                     options: Dict[str, Any]) -> None:
        def prepare() -> Callable[[int], Any]:
            listed = [operator.index(each) for each in ([sizes] if isinstance(sizes, (int, numpy.integer)) else sizes)]
            given = _set_options(_mpi.CollectiveOptions(), options)
            return lambda address: _mpi.Collective(address, self._problem, listed, _whole(root, "root"), given)

        self._dtype: Optional[numpy.dtype] = None
        self._job = _make(comm, prepare)
        self._is_root = comm.Get_rank() == root

    def _make_combining(self, comm: MPI.Comm, count: int, dtype: Any, op: MPI.Op, counts: Optional[Sequence[int]],
                        options: Dict[str, Any]) -> None:
        def prepare() -> Callable[[int], Any]:
            self._dtype = numpy.dtype(dtype)
            datatype = _datatype_of(self._dtype)
            if not isinstance(op, MPI.Op):
                raise TypeError(f"op: {type(op).__name__}, expected an operation of mpi4py")
            self._handles = datatype, op  # which last as long as the job
            shares = [] if counts is None else [operator.index(each) for each in counts]
            given = _set_options(_mpi.CollectiveOptions(), options)
            handles = MPI._addressof(datatype), MPI._addressof(op)
            return lambda address: _mpi.Collective(address, self._problem, operator.index(count), *handles, shares,
                                                   given)

        self._job = _make(comm, prepare)
        self._is_root = True

    @property
    def method(self) -> str:
        """Method that executes the collective, as far as it is decided: "ring", "MPI_Iallgather"."""
        return self._usable().method

    @property
    def own_bytes(self) -> int:
        """Number of bytes that this rank gives."""
        return self._usable().own_bytes

    @property
    def result_bytes(self) -> int:
        """Number of bytes that this rank gets."""
        return self._usable().result_bytes

    def _buffers(self, own: Any, result: Any) -> Tuple[Any, Tuple[Optional[int], ...]]:
        into = _side(result, "result", self._job.result_bytes, True, self._dtype, exact=True)
        if own is MPI.IN_PLACE:
            if self._in_place == "nobody" or (self._in_place == "root" and not self._is_root):
                raise InputError("own: MPI.IN_PLACE, expected it where the result has a place for the own data")
            return (None, into), (None, _address(into))
        mine = _side(own, "own", self._job.own_bytes, False, self._dtype, exact=True)
        if mine is not None and into is not None and numpy.may_share_memory(mine, into):
            raise InputError("result: memory that overlaps the own data, expected memory of its own")
        return (mine, into), (_address(mine), _address(into))

    def execute(self, own: Any, result: Any = None) -> None:
        """Executes the collective.

        - own: what this rank gives
        - result: room for what it gets

        Both are contiguous; None if they have 0 bytes.
        """
        self._run("execute", lambda: self._buffers(own, result))

    def start(self, own: Any, result: Any = None) -> None:
        """Begins an execution; arguments are as for execute()."""
        self._run("start", lambda: self._buffers(own, result))


class Scatter(_Collective):
    """Sends one block from the root to each rank.

    - sizes: bytes of a block, one for all or a list with one for each rank, equal on all ranks; blocks lie one after
      another, by ranks
    - options: platform, algorithm, segments, effort, try_native; program (a Program of that problem) replaces the first
      four
    """

    _problem = "scatter"

    def __init__(self, comm: MPI.Comm, sizes: Union[int, Sequence[int]], root: int = 0, **options: Any) -> None:
        self._make_moving(comm, sizes, root, options)


class Gather(_Collective):
    """Collects one block from each rank on the root. The root may give MPI.IN_PLACE if its own block is in the result.
    `sizes` and options are as for Scatter."""

    _problem = "gather"
    _in_place = "root"

    def __init__(self, comm: MPI.Comm, sizes: Union[int, Sequence[int]], root: int = 0, **options: Any) -> None:
        self._make_moving(comm, sizes, root, options)


class Allgather(_Collective):
    """Collects one block from each rank on all ranks. All may give MPI.IN_PLACE if their own blocks are in the results.
    `sizes` and options are as for Scatter."""

    _problem = "allgather"
    _in_place = "all"

    def __init__(self, comm: MPI.Comm, sizes: Union[int, Sequence[int]], **options: Any) -> None:
        self._make_moving(comm, sizes, 0, options)


class Alltoall(_Collective):
    """Sends a block from each rank to each other.

    - sizes: bytes of a block, or a list with one for each pair of ranks, row by row by the sender
    - options: as for Scatter
    """

    _problem = "alltoall"

    def __init__(self, comm: MPI.Comm, sizes: Union[int, Sequence[int]], **options: Any) -> None:
        self._make_moving(comm, sizes, 0, options)


class Allreduce(_Collective):
    """Combines the `count` elements of `dtype` of all ranks by an operation of MPI; all get the result. All may give
    MPI.IN_PLACE.

    - options: platform, algorithm, segments, effort, reproducible, try_native; program (a Program of that problem)
      replaces the first four
    """

    _problem = "allreduce"
    _in_place = "all"

    def __init__(self, comm: MPI.Comm, count: int, dtype: Any, op: MPI.Op = MPI.SUM, **options: Any) -> None:
        self._make_combining(comm, count, dtype, op, None, options)


class ReduceScatter(_Collective):
    """Combines the `count` elements of `dtype` of all ranks by an operation of MPI, and gives each rank a share.

    - counts: elements of each rank's share, `count` in total; None: as equal as possible
    - options: as for Allreduce
    """

    _problem = "reduce-scatter"

    def __init__(self, comm: MPI.Comm, count: int, dtype: Any, op: MPI.Op = MPI.SUM,
                 counts: Optional[Sequence[int]] = None, **options: Any) -> None:
        self._make_combining(comm, count, dtype, op, counts, options)
