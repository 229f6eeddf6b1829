"""Jobs that run under MPI, planned once and executed as often as you like, on any object with the buffer protocol.

    from mpi4py import MPI
    import numpy, sluice.mpi

    job = sluice.mpi.Redistribution(MPI.COMM_WORLD, (4096, 4096), "4x2:64x64", "2x4:100x100", numpy.float64)
    target = numpy.empty(job.target_shape)
    job.execute(source, target)

Making a job and executing it are collective over the communicator. start() begins an execution, test() tells whether it
has ended, wait() ends it; buffers are kept alive in between, and must stay as they are. The GIL is released while a job
works or waits; one thread at a time makes calls on one communicator.

What goes wrong on one rank raises on all: there what it is, on the others InputError or JobError, in the same call or in
the next one where a rank was done with it. The job is of no further use then.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy
from mpi4py import MPI
from mpi4py.util import dtlib

from . import LayoutLike, Platform, _shape_of, layout_of, local_shape
from ._errors import InputError

try:
    from . import _mpi
except ImportError as error:
    raise ImportError("sluice was built without MPI, or with another one than mpi4py") from error

__all__ = ["Broadcast", "Exchange", "Redistribution", "Reduction"]


def _check_same_mpi() -> None:
    """Handles of one MPI mean nothing to another, so that a mixture is refused as early as can be."""
    sizes = tuple(MPI._sizeof(each) for each in (MPI.Comm, MPI.Datatype, MPI.Op))
    vendor = {"openmpi": "Open MPI", "mpich": "MPICH"}.get(_mpi.mpi_family)
    if sizes != _mpi.size_of_handles() or (vendor is not None and MPI.get_vendor()[0] != vendor):
        raise ImportError(f"sluice was built with {vendor or _mpi.mpi_family}, mpi4py uses {MPI.get_vendor()[0]}")


_check_same_mpi()


def _address_of_comm(comm: MPI.Comm) -> int:
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm: {type(comm).__name__}, expected a communicator of mpi4py")
    return MPI._addressof(comm)


def _make(comm: MPI.Comm, prepare: Callable[[], Callable[[int], Any]]) -> Any:
    """Makes a job. What `prepare` raises on this rank, the others hear of."""
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
    for name, value in given.items():
        if not hasattr(options, name):
            known = ", ".join(each for each in dir(options) if not each.startswith("_"))
            raise InputError(f"options: {name!r}, expected one of {known}")
        try:
            setattr(options, name, value)
        except TypeError as error:
            raise InputError(f"{name}: {value!r}, expected a value of another type") from error
    return options


def _array(buffer: Any, name: str, writable: bool) -> numpy.ndarray:
    """The memory of `buffer` as an array, without a copy."""
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


def _datatype_of(dtype: numpy.dtype) -> MPI.Datatype:
    """MPI's own type where there is one, which its operations ask for, else one made of such."""
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
    """What all jobs have."""

    _job: Any = None
    _kept: Any = None  # the buffers of the execution that is under way

    def _usable(self) -> Any:
        if self._job is None:
            raise InputError("job: one that was freed, expected one that was not")
        return self._job

    def _run(self, call: str, prepare: Callable[[], Tuple[Any, Tuple[int, ...]]]) -> None:
        """Calls a method of the job with what `prepare` makes of the buffers: what to keep, and the arguments."""
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
        """Whether the execution has ended, or none was started; moves it on."""
        done = self._usable().test()
        if done:
            self._kept = None
        return done

    def wait(self) -> None:
        """Waits for the execution to end."""
        self._usable().wait()
        self._kept = None

    def free(self) -> None:
        """Gives the job's memory back. During an execution it makes the other ranks raise."""
        self._job = None
        self._kept = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.free()


class Redistribution(_Job):
    """Moving a block-cyclic array from one layout to another.

    shape: extents of the source array. source, target: layouts, as "4x2:64x64" or sluice.Layout; rank p plays process p
    of both unless from_ranks and to_ranks say otherwise. dtype: of the elements.

    options: from_start, to_start, extent, to_shape (a box of the arrays, one number a dimension); transpose (element
    (i, j) of the source becomes (j, i) of the target, whose layout target is); from_ranks, to_ranks; relabel;
    order ("C" or "F": how each rank stores its part); source_leading, target_leading; algorithm, setup, chunk_bytes,
    window, shared_from_bytes, try_native.

    alpha, beta: the job computes target = beta target + alpha source, with the complex conjugate of source if conjugate
    is true; for elements of float32, float64, complex64 or complex128.
    """

    def __init__(self, comm: MPI.Comm, shape: Union[int, Sequence[int]], source: LayoutLike, target: LayoutLike,
                 dtype: Any, *, order: str = "C", alpha: complex = 1, beta: complex = 0, conjugate: bool = False,
                 **options: Any) -> None:
        def prepare() -> Callable[[int], Any]:
            self.dtype = numpy.dtype(dtype)
            if self.dtype.hasobject or self.dtype.itemsize == 0:
                raise InputError(f"dtype: {self.dtype}, expected one of numbers")
            if order not in ("C", "F"):
                raise InputError(f"order: {order!r}, expected 'C' or 'F'")
            self._order = order
            extents = _shape_of(shape)
            layouts = layout_of(source), layout_of(target)
            given = _set_options(_mpi.RedistributionOptions(), {**options, "column_major": order == "F"})
            if alpha != 1 or beta != 0 or conjugate:
                if self.dtype.kind == "f" and (complex(alpha).imag or complex(beta).imag):
                    raise InputError(f"alpha, beta: {alpha!r}, {beta!r}, expected real numbers for {self.dtype}")
                given.scale_and_add(self.dtype.kind, self.dtype.itemsize, alpha, beta, conjugate)
            self._gaps = bool(given.source_leading), bool(given.target_leading)
            self._shapes = extents, list(given.to_shape) or list(extents)[:: -1 if given.transpose else 1]
            self._layouts, self._from_ranks = layouts, list(given.from_ranks)
            return lambda address: _mpi.Redistribution(address, extents, *layouts, self.dtype.itemsize, given)

        self._job = _make(comm, prepare)
        rank = comm.Get_rank()
        #: extents of this rank's part of the source array; zeros where it has none
        self.source_shape: Tuple[int, ...] = self._own_shape(0, rank, self._from_ranks)
        #: the same of the target array
        self.target_shape: Tuple[int, ...] = self._own_shape(1, rank, list(self._job.to_ranks))

    def _own_shape(self, side: int, rank: int, ranks: Sequence[int]) -> Tuple[int, ...]:
        layout, shape = self._layouts[side], self._shapes[side]
        process = (ranks.index(rank) if rank in ranks else -1) if ranks else rank
        if not 0 <= process < layout.processes:
            return (0,) * len(shape)
        return local_shape(layout, shape, process)

    @property
    def to_ranks(self) -> Sequence[int]:
        """The rank of each process of the target grid, in row-major order."""
        return self._usable().to_ranks

    @property
    def steps(self) -> int:
        """Steps of the plan."""
        return self._usable().steps

    @property
    def native(self) -> bool:
        """Whether MPI's own call was found to be faster, and serves in place of the plan."""
        return self._usable().native

    @property
    def extra_bytes(self) -> int:
        """Bytes of buffers that this rank holds beyond source and target."""
        return self._usable().extra_bytes

    def _part(self, buffer: Any, name: str, side: int, writable: bool) -> Optional[numpy.ndarray]:
        if buffer is None:
            return None  # which the job refuses where there is something to move
        array = _array(buffer, name, writable)
        if array.dtype != self.dtype:
            raise InputError(f"{name}: elements of {array.dtype}, expected {self.dtype}")
        extent = (self._job.source_extent, self._job.target_extent)[side]
        if self._gaps[side]:
            if array.size < extent:
                raise InputError(f"{name}: {array.size} elements, expected {extent} at least")
        else:
            shape = (self.source_shape, self.target_shape)[side]
            if array.shape not in (shape, (extent,)):
                raise InputError(f"{name}: shape {array.shape}, expected {shape}, or {(extent,)}")
        return _contiguous(array, name, "C" if array.ndim < 2 else self._order)

    def _buffers(self, source: Any, target: Any) -> Tuple[Any, Tuple[int, ...]]:
        own = self._part(source, "source", 0, False), self._part(target, "target", 1, True)
        if own[0] is not None and own[1] is not None and numpy.may_share_memory(*own):
            raise InputError("target: memory that overlaps the source, expected memory of its own")
        return own, tuple(_address(each) for each in own)

    def execute(self, source: Any, target: Any) -> None:
        """Moves the data. source: shape source_shape, or flat; target: target_shape, or flat; both of the job's dtype.

        None where this rank has nothing to send, or to receive.
        """
        self._run("execute", lambda: self._buffers(source, target))

    def start(self, source: Any, target: Any) -> None:
        """Begins an execution; the arguments are those of execute()."""
        self._run("start", lambda: self._buffers(source, target))


class Exchange(_Job):
    """Sending everybody's messages to everybody else, in place of MPI_Alltoallv.

    sends: bytes for each rank, a mapping {rank: bytes} or one number for each rank of the communicator; ranks learn what
    they get from the others.

    options: max_transfers, mode ("auto", "chain", "local", "barrier", "list", "at-once"), algorithm, setup_bytes,
    planning_time_s, chunk_bytes, window, early_release_bytes, try_native; sender_speeds, receiver_speeds (one a rank)
    and backbone as for plan_exchange; local_links, a pair of what a byte costs inside the clusters where it costs 1
    between them and the set-up there in bytes (None: as between them), with sender_ranks and receiver_ranks, the two
    clusters; by_host, one stream between two hosts. The same on all ranks.
    """

    def __init__(self, comm: MPI.Comm, sends: Union[Mapping[int, int], Sequence[int]], **options: Any) -> None:
        def prepare() -> Callable[[int], Any]:
            if hasattr(sends, "items"):
                messages = [(int(rank), int(size)) for rank, size in sends.items()]
            else:
                if len(sends) != comm.Get_size():
                    raise InputError(f"sends: {len(sends)} sizes, expected {comm.Get_size()}, one for each rank")
                messages = [(rank, int(size)) for rank, size in enumerate(sends) if int(size) != 0]
            given = _set_options(_mpi.ExchangeOptions(), options)
            return lambda address: _mpi.Exchange(address, messages, given)

        self._job = _make(comm, prepare)

    @property
    def sends(self) -> Dict[int, int]:
        """Bytes for each rank, in the order in which they lie in the buffer."""
        return dict(self._usable().sends)

    @property
    def receives(self) -> Dict[int, int]:
        """Bytes from each rank that sends something, in the order in which they lie in the buffer: by rank."""
        return dict(self._usable().receives)

    @property
    def send_bytes(self) -> int:
        """Bytes of all messages that this rank sends."""
        return self._usable().send_bytes

    @property
    def receive_bytes(self) -> int:
        """Bytes of all messages that this rank gets."""
        return self._usable().receive_bytes

    @property
    def mode(self) -> str:
        """How transfers are kept apart; never "auto"."""
        return self._usable().mode

    @property
    def steps(self) -> int:
        """Steps of the plan; 0 without one."""
        return self._usable().steps

    @property
    def native(self) -> bool:
        """Whether MPI's own call was found to be faster, and serves in place of the plan."""
        return self._usable().native

    @property
    def extra_bytes(self) -> int:
        """Bytes of buffers that this rank holds beyond the user's."""
        return self._usable().extra_bytes

    def _side(self, buffer: Any, name: str, expected: int, writable: bool) -> Tuple[Any, int, int]:
        if buffer is None:
            if expected > 0:
                raise InputError(f"{name}: None, expected {expected} bytes")
            return None, 0, 0
        array = _contiguous(_array(buffer, name, writable), name)
        if array.nbytes < expected:
            raise InputError(f"{name}: {array.nbytes} bytes, expected {expected}")
        return array, _address(array), array.nbytes

    def _buffers(self, send: Any, receive: Any) -> Tuple[Any, Tuple[int, ...]]:
        out = self._side(send, "send", self._job.send_bytes, False)
        into = self._side(receive, "receive", self._job.receive_bytes, True)
        return (out[0], into[0]), (*out[1:], *into[1:])

    def execute(self, send: Any, receive: Any) -> None:
        """Moves the data. send: the messages one behind the other in the order of `sends`; receive: room for those of
        `receives`. Of any dtype, contiguous; None where there are no messages."""
        self._run("execute", lambda: self._buffers(send, receive))

    def start(self, send: Any, receive: Any) -> None:
        """Begins an execution; the arguments are those of execute()."""
        self._run("start", lambda: self._buffers(send, receive))


class Reduction(_Job):
    """Combining `count` elements of `dtype` of each rank by an operation of MPI, in place of MPI_Reduce.

    options: costs (a pair (transfer, compute), with the two overheads a quadruple, in any one unit of time), measure,
    platform, algorithm, arity, segments, reproducible, try_native, dynamic, progress_thread.
    """

    def __init__(self, comm: MPI.Comm, count: int, dtype: Any, op: MPI.Op = MPI.SUM, root: int = 0,
                 **options: Any) -> None:
        def prepare() -> Callable[[int], Any]:
            self.dtype = numpy.dtype(dtype)
            self.count = int(count)
            datatype = _datatype_of(self.dtype)
            if not isinstance(op, MPI.Op):
                raise TypeError(f"op: {type(op).__name__}, expected an operation of mpi4py")
            self._handles = datatype, op  # which last as long as the job
            costs = options.pop("costs", None)
            if costs is not None:
                numbers = [float(each) for each in costs]
                if len(numbers) not in (2, 4):
                    raise InputError(f"costs: {len(numbers)} numbers, expected 2 or 4")
                options["costs"] = _mpi.ReductionCosts(*(numbers + [0.0, 0.0])[:4])
            given = _set_options(_mpi.ReductionOptions(), options)
            handles = MPI._addressof(datatype), MPI._addressof(op)
            return lambda address: _mpi.Reduction(address, self.count, *handles, int(root), given)

        self._job = _make(comm, prepare)
        self._is_root = comm.Get_rank() == root

    @property
    def method(self) -> str:
        """What carries the reduction out; "" before the first execution has measured."""
        return self._usable().method

    @property
    def native(self) -> bool:
        """Whether MPI_Reduce carries it out."""
        return self._usable().native

    @property
    def extra_bytes(self) -> int:
        """Bytes of buffers that this rank holds beyond the user's: the most so far."""
        return self._usable().extra_bytes

    def _elements(self, buffer: Any, name: str, writable: bool) -> numpy.ndarray:
        array = _contiguous(_array(buffer, name, writable), name)
        if array.dtype != self.dtype:
            raise InputError(f"{name}: elements of {array.dtype}, expected {self.dtype}")
        if array.size != self.count:
            raise InputError(f"{name}: {array.size} elements, expected {self.count}")
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
        """Combines. own: `count` elements of the job's dtype, of any shape; on the root MPI.IN_PLACE where they are in
        `result`. result: room for as many, on the root only."""
        self._run("execute", lambda: self._buffers(own, result))

    def start(self, own: Any, result: Any = None) -> None:
        """Begins an execution; the arguments are those of execute()."""
        self._run("start", lambda: self._buffers(own, result))


class Broadcast(_Job):
    """Giving all ranks what the root has, in place of MPI_Bcast.

    options: platform (sluice.read_platform), try_native, algorithm, lookahead, inside, segments, early_internal,
    time_limit_s.
    """

    def __init__(self, comm: MPI.Comm, root: int = 0, *, platform: Optional[Platform] = None, **options: Any) -> None:
        def prepare() -> Callable[[int], Any]:
            given = _set_options(_mpi.BroadcastOptions(), {**options, "platform": platform})
            return lambda address: _mpi.Broadcast(address, int(root), given)

        self._job = _make(comm, prepare)
        self._is_root = comm.Get_rank() == root

    def chosen(self, bytes: int) -> str:
        """Collective: the method that serves messages of so many bytes; "native" is MPI_Bcast."""
        return self._usable().chosen(int(bytes))

    def _buffers(self, buffer: Any) -> Tuple[Any, Tuple[int, ...]]:
        array = _contiguous(_array(buffer, "buffer", not self._is_root), "buffer",
                            "F" if isinstance(buffer, numpy.ndarray) and buffer.flags.f_contiguous else "C")
        return array, (_address(array), array.nbytes)

    def execute(self, buffer: Any) -> None:
        """Gives all ranks the root's `buffer`: contiguous, of any dtype, as many bytes on all ranks."""
        self._run("execute", lambda: self._buffers(buffer))

    def start(self, buffer: Any) -> None:
        """Begins an execution; the arguments are those of execute()."""
        self._run("start", lambda: self._buffers(buffer))
