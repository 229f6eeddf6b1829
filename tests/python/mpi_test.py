"""Jobs through the Python package, on any number of ranks; every rank runs every test."""

import gc
import sys
import threading
import time
import unittest

import numpy
from mpi4py import MPI

import sluice
import sluice.mpi

COMM = MPI.COMM_WORLD
RANK, RANKS = COMM.Get_rank(), COMM.Get_size()
PREVIOUS, NEXT = (RANK - 1) % RANKS, (RANK + 1) % RANKS
LAST = RANK == RANKS - 1


def everywhere(test, call, where=None):
    """`call(bad)` raises on all ranks; `bad` is true on the last one alone, and `where` is in the text there."""
    with test.assertRaises((sluice.Error, TypeError, ValueError)) as caught:
        call(LAST)
    if where is not None and LAST:
        test.assertIn(where, str(caught.exception))


class Redistribution(unittest.TestCase):
    SHAPE = (37, 23)

    def setUp(self):
        self.rows = sluice.Layout((RANKS, 1), (4, 23))
        self.columns = sluice.Layout((1, RANKS), (37, 3), first=(0, RANKS - 1))
        self.whole = numpy.arange(37 * 23, dtype=numpy.float64).reshape(self.SHAPE)
        self.source = self.part_of(self.rows)
        self.expected = self.part_of(self.columns)

    def part_of(self, layout):
        return numpy.ascontiguousarray(self.whole[numpy.ix_(*sluice.global_indices(layout, self.SHAPE, RANK))])

    def make(self, **options):
        return sluice.mpi.Redistribution(COMM, self.SHAPE, self.rows, self.columns, numpy.float64, **options)

    def test_transposes_scales_adds_and_conjugates(self):
        whole = self.whole + 1j
        target = sluice.Layout((1, RANKS), (23, 2))
        job = sluice.mpi.Redistribution(COMM, self.SHAPE, self.rows, target, numpy.complex128, transpose=True,
                                        alpha=2j, beta=0.5, conjugate=True)
        source = numpy.ascontiguousarray(whole[numpy.ix_(*sluice.global_indices(self.rows, self.SHAPE, RANK))])
        result = numpy.full(job.target_shape, 4, dtype=numpy.complex128)
        job.execute(source, result)
        expected = 2 + 2j * whole.T.conj()
        numpy.testing.assert_array_equal(
            result, expected[numpy.ix_(*sluice.global_indices(target, self.SHAPE[::-1], RANK))])
        for dtype, how, message in (("i4", {"alpha": 2}, "'i4' with alpha, beta or conjugate, expected float32"),
                                    ("f8", {"beta": 1j}, "expected real numbers for float64")):
            with self.assertRaisesRegex(sluice.InputError, message):
                sluice.mpi.Redistribution(COMM, self.SHAPE, self.rows, self.columns, dtype, **how)

    def test_moves_the_data(self):
        job = self.make()
        self.assertEqual((job.source_shape, job.target_shape), (self.source.shape, self.expected.shape))
        target = numpy.full(job.target_shape, -1.0)
        job.execute(self.source, target)
        numpy.testing.assert_array_equal(target, self.expected)
        target[...] = -1
        job.start(self.source, target)
        while not job.test():
            pass
        numpy.testing.assert_array_equal(target, self.expected)
        target[...] = -1
        job.start(self.source.ravel(), target.reshape(-1))  # flat, and kept alive by the job
        gc.collect()
        job.wait()
        numpy.testing.assert_array_equal(target, self.expected)
        self.assertGreaterEqual(job.extra_bytes, 0)
        self.assertGreaterEqual(job.steps, 0)
        self.assertIn(job.native, (False, True))
        self.assertEqual(list(job.to_ranks), list(range(RANKS)))

    def test_moves_columns_first(self):
        job = self.make(order="F")
        target = numpy.full(job.target_shape, -1.0, order="F")
        job.execute(numpy.asfortranarray(self.source), target)
        numpy.testing.assert_array_equal(target, self.expected)

    def test_moves_blocks_of_any_sizes(self):
        at = [r * (r + 1) // 2 for r in range(RANKS + 1)]
        source = sluice.Layout([RANKS], [1], cuts=[(at, list(range(RANKS))[::-1])])
        job = sluice.mpi.Redistribution(COMM, at[-1], source, f"{RANKS}:2", "i4")
        self.assertEqual(job.source_shape, (RANKS - RANK,))
        result = numpy.full(job.target_shape, -1, dtype="i4")
        job.execute(sluice.global_indices(source, at[-1], RANK)[0].astype("i4"), result)
        numpy.testing.assert_array_equal(result, sluice.global_indices(f"{RANKS}:2", at[-1], RANK)[0])

    def test_moves_copies(self):
        everything = numpy.arange(100, dtype="i8")
        spread = everything[sluice.global_indices(f"{RANKS}:3", 100, RANK)[0]]
        job = sluice.mpi.Redistribution(COMM, 100, f"{RANKS}:3", "1:100", "i8", to_replicas=RANKS)
        self.assertEqual((job.target_shape, list(job.to_ranks)), ((100,), list(range(RANKS))))
        result = numpy.full(100, -1)
        job.execute(spread, result)
        numpy.testing.assert_array_equal(result, everything)
        job = sluice.mpi.Redistribution(COMM, 100, "1:100", f"{RANKS}:3", "i8", from_replicas=RANKS, forward=False)
        self.assertEqual(job.source_shape, (100,))
        result = numpy.full(job.target_shape, -1)
        job.execute(everything, result)
        numpy.testing.assert_array_equal(result, spread)
        for options in ({"to_replicas": RANKS + 1}, {"from_replicas": 0}, {"to_replicas": 2**62}, {"to_replicas": "2"},
                        {"to_replicas": 2, "relabel": True}, {"to_replicas": 2, "algorithm": "classes"}):
            with self.assertRaises(sluice.InputError):
                sluice.mpi.Redistribution(COMM, 100, "1:100", "1:100", "i8", **options)

    def test_takes_any_buffer(self):
        import array

        target = array.array("d", bytes(8 * self.expected.size))
        with self.make() as job:
            job.execute(memoryview(self.source.tobytes()).cast("d"), target)
            numpy.testing.assert_array_equal(target, self.expected.ravel())
            flat = numpy.zeros(self.expected.size)
            job.execute(OfDLPack(self.source.ravel()), OfDLPack(flat))
            numpy.testing.assert_array_equal(flat, self.expected.ravel())

    def test_moves_a_box(self):
        job = sluice.mpi.Redistribution(COMM, 20, f"{RANKS}:3", f"{RANKS}:2", "i4", from_start=[5], to_start=[1], extent=[10],
                                        to_shape=[12])
        source = sluice.global_indices(f"{RANKS}:3", 20, RANK)[0].astype("i4")
        target = numpy.full(job.target_shape, -1, dtype="i4")
        job.execute(source, target)
        at = sluice.global_indices(f"{RANKS}:2", 12, RANK)[0]
        numpy.testing.assert_array_equal(target, numpy.where((at >= 1) & (at < 11), at + 4, -1))

    def test_refuses_buffers_that_do_not_fit_on_all_ranks(self):
        good = numpy.empty(self.expected.shape)
        read_only = numpy.empty(self.expected.shape)
        read_only.flags.writeable = False
        gaps = numpy.empty((*self.expected.shape, 2))[..., 0]
        for bad, where in ((good.astype("f4"), "float32"), (numpy.empty((3, 3, 3)), "shape"), (read_only, "read-only"),
                           (numpy.empty(self.expected.size + 1), "shape"), (object(), "buffer"), (bytes(8), "read-only"),
                           (numpy.empty(self.expected.shape, dtype=object), "objects"),
                           (good.astype(">f8"), ">f8")):
            job = self.make()

            def call(last, job=job, bad=bad):
                job.execute(self.source, bad if last else good)
                job.execute(self.source, good)  # by now all ranks have heard of the error

            everywhere(self, call, where)
        if gaps.size > 1:
            job = self.make()
            with self.assertRaises((sluice.Error, ValueError)):
                job.execute(self.source, gaps)
        job = self.make()
        if self.expected.size > 0 and self.source.shape == self.expected.shape:  # one rank
            with self.assertRaisesRegex(sluice.InputError, "overlaps"):
                job.execute(self.source, self.source)

    def test_knows_plain_arrays(self):
        for order in "CF":
            plain = sluice.mpi._mpi.PlainArrays(numpy.dtype("f8"), (4, 3), (2, 6), order == "F")
            memory = numpy.zeros(24)
            source, target = memory[:12].reshape((4, 3), order=order), memory[12:].reshape((2, 6), order=order)
            self.assertEqual(plain.addresses(source, target), (source.ctypes.data, target.ctypes.data))
            read_only = target.copy(order)
            read_only.flags.writeable = False
            self.assertIsNotNone(plain.addresses(source, target.copy(order)))
            other = "F" if order == "C" else "C"
            for bad in (memory[11:23].reshape((2, 6), order=order), read_only, target.astype("f4"), target.astype(">f8"),
                        target.ravel(), target.copy(other), target[:, :5], list(target), None):
                self.assertIsNone(plain.addresses(source, bad))
            self.assertIsNone(plain.addresses(target, target))
        self.assertIsNone(sluice.mpi._mpi.PlainArrays(numpy.dtype("f8"), (0,), (0,), False).addresses(memory[:0], memory[:0]))

    def test_refuses_arguments_on_all_ranks(self):
        for arguments, options, where in (
            ((self.SHAPE, "1:1", self.columns, "f8"), {}, None),
            ((self.SHAPE, self.rows, "nonsense", "f8"), {}, "nonsense"),
            ((self.SHAPE, self.rows, self.columns, "no-type"), {}, "no-type"),
            ((self.SHAPE, self.rows, self.columns, object), {}, "object"),
            (((37,), self.rows, self.columns, "f8"), {}, None),
            (((37.5, 23), self.rows, self.columns, "f8"), {}, "whole number"),
            ((self.SHAPE, self.rows, self.columns, "f8"), {"no_such": 1}, "no_such"),
            ((self.SHAPE, self.rows, self.columns, "f8"), {"set_part": 1}, "set_part"),
            ((self.SHAPE, self.rows, self.columns, "f8"), {"window": "a"}, "window"),
            ((self.SHAPE, self.rows, self.columns, "f8"), {"window": -1}, "window"),
            ((self.SHAPE, self.rows, self.columns, "f8"), {"effort": -1.0}, "effort"),
            ((self.SHAPE, self.rows, self.columns, "f8"), {"order": "K"}, "order"),
        ):
            good = (self.SHAPE, self.rows, self.columns, "f8")
            everywhere(self, lambda last: sluice.mpi.Redistribution(COMM, *(arguments if last else good),
                                                                    **(options if last else {})), where)
        self.test_moves_the_data()  # the communicator is as good as before

    def test_refuses_communicators_that_are_none(self):
        with self.assertRaises(TypeError):
            sluice.mpi.Broadcast("world")
        with self.assertRaisesRegex(sluice.InputError, "MPI_COMM_NULL"):
            sluice.mpi.Broadcast(MPI.COMM_NULL)
        comm = COMM.Dup()
        job = sluice.mpi.Broadcast(comm)
        comm.Free()  # the job has one of its own
        buffer = numpy.full(4, RANK)
        job.execute(buffer)
        self.assertTrue((buffer == 0).all())
        with self.assertRaisesRegex(sluice.InputError, "freed"):
            sluice.mpi.Broadcast(comm)
        job = self.make()
        job.free()
        job.free()
        with self.assertRaisesRegex(sluice.InputError, "freed"):
            job.execute(self.source, None)
        with self.assertRaisesRegex(sluice.InputError, "freed"):
            job.test()


class RedistributionBatch(unittest.TestCase):
    """A matrix of doubles, a vector of integers and a transposed matrix, in one job."""

    def setUp(self):
        self.arrays = [
            {"shape": (37, 23), "source": sluice.Layout((RANKS, 1), (4, 23)), "target": sluice.Layout((1, RANKS), (37, 3)),
             "dtype": "f8"},
            {"shape": 101, "source": sluice.Layout((RANKS,), (5,)), "target": sluice.Layout((RANKS,), (2,)), "dtype": "i4",
             "order": "F"},
            {"shape": (12, 20), "source": sluice.Layout((RANKS, 1), (2, 20)), "target": sluice.Layout((1, RANKS), (20, 1)),
             "dtype": "c16", "transpose": True}]
        self.sources, self.expected = [], []
        for number, each in enumerate(self.arrays):
            shape = each["shape"] if isinstance(each["shape"], tuple) else (each["shape"],)
            whole = numpy.arange(numpy.prod(shape), dtype=each["dtype"]).reshape(shape) + 1000 * number
            moved = whole.T if each.get("transpose") else whole
            self.sources.append(self.part_of(whole, each["source"]))
            self.expected.append(self.part_of(moved, each["target"]))

    @staticmethod
    def part_of(whole, layout):
        return numpy.ascontiguousarray(whole[numpy.ix_(*sluice.global_indices(layout, whole.shape, RANK))])

    def test_gives_roles_out_for_all_arrays(self):
        shifted = sluice.Layout([RANKS], [5], first=[RANKS // 2])
        arrays = [{"shape": 101, "source": f"{RANKS}:5", "target": shifted, "dtype": dtype} for dtype in ("i4", "f8")]
        job = sluice.mpi.RedistributionBatch(COMM, arrays, relabel=True)
        expected = [(role - RANKS // 2) % RANKS for role in range(RANKS)]
        self.assertEqual((list(job.to_ranks(0)), list(job.to_ranks(1))), (expected, expected))
        self.assertEqual((job.steps, job.target_shapes), (0, job.source_shapes))
        sources = [sluice.global_indices(f"{RANKS}:5", 101, RANK)[0].astype(dtype) for dtype in ("i4", "f8")]
        targets = [numpy.full_like(each, -1) for each in sources]
        job.execute(sources, targets)
        for source, target in zip(sources, targets):
            numpy.testing.assert_array_equal(source, target)
        with self.assertRaises(sluice.InputError):
            job.to_ranks(2)

    def test_moves_all_arrays(self):
        job = sluice.mpi.RedistributionBatch(COMM, self.arrays, window=2)
        self.assertEqual([tuple(each) for each in job.source_shapes], [each.shape for each in self.sources])
        self.assertEqual([tuple(each) for each in job.target_shapes], [each.shape for each in self.expected])
        for call in ("execute", "start", "execute"):
            targets = [numpy.full(each.shape, -1, dtype=each.dtype) for each in self.expected]
            getattr(job, call)(self.sources, targets)
            job.wait()
            for target, expected in zip(targets, self.expected):
                numpy.testing.assert_array_equal(target, expected)
        self.assertGreaterEqual(job.extra_bytes, 0)
        self.assertIsInstance(job.native, bool)
        self.assertLessEqual(job.steps, RANKS)

    def test_refuses_what_makes_no_sense(self):
        with self.assertRaisesRegex(sluice.InputError, "arrays: none"):
            sluice.mpi.RedistributionBatch(COMM, [])
        with self.assertRaisesRegex(sluice.InputError, r"arrays\[1\]: no 'dtype'"):
            sluice.mpi.RedistributionBatch(COMM, [self.arrays[0], {"shape": 1, "source": "1:1", "target": "1:1"}])
        with self.assertRaisesRegex(sluice.InputError, "options: 'no_such'"):
            sluice.mpi.RedistributionBatch(COMM, self.arrays, no_such=True)
        everywhere(self, lambda last: sluice.mpi.RedistributionBatch(COMM, self.arrays[: 2 if last and RANKS > 1 else
                                                                                     0 if last else 3]))
        targets = [numpy.empty_like(each) for each in self.expected]
        for sources, bad, where in ((self.sources[:2], targets, "sources: 2 buffers, expected 3"),
                                    (self.sources, [targets[0], targets[0], targets[2]], "elements of float64"),
                                    (self.sources, [*targets[:2], self.sources[2]], "targets[2]")):
            job = sluice.mpi.RedistributionBatch(COMM, self.arrays)
            everywhere(self, lambda last: job.execute(sources if last else self.sources, bad if last else targets), where)


class OfDLPack:
    """Nothing but DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, stream=None):
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Exchange(unittest.TestCase):
    def test_sends_to_the_next(self):
        for mode in ("auto", "chain", "local", "at-once"):
            job = sluice.mpi.Exchange(COMM, {NEXT: 8 * (RANK + 1)}, mode=mode)
            self.assertEqual((job.sends, job.receives), ({NEXT: 8 * (RANK + 1)}, {PREVIOUS: 8 * (PREVIOUS + 1)}))
            self.assertEqual((job.send_bytes, job.receive_bytes), (8 * (RANK + 1), 8 * (PREVIOUS + 1)))
            self.assertNotEqual(job.mode, "auto")
            receive = numpy.zeros(PREVIOUS + 1)
            job.execute(numpy.arange(RANK + 1.0) + RANK, receive)
            numpy.testing.assert_array_equal(receive, numpy.arange(PREVIOUS + 1.0) + PREVIOUS)

    def test_knows_of_the_network(self):
        for options in (
                {"sender_speeds": [0.5] + [1] * (RANKS - 1), "backbone": [(0, 2), (100, 1)]},
                {"local_links": (0.1, None)},
                {"local_links": (0.1, 5), "sender_ranks": list(range(RANKS)), "receiver_ranks": list(range(RANKS))},
        ):
            job = sluice.mpi.Exchange(COMM, {rank: 8 * (RANK + rank + 1) for rank in range(RANKS)}, **options)
            receive = bytearray(job.receive_bytes)
            job.execute(b"".join(bytes([RANK + rank]) * 8 * (RANK + rank + 1) for rank in range(RANKS)), receive)
            self.assertEqual(receive, b"".join(bytes([RANK + rank]) * 8 * (RANK + rank + 1) for rank in range(RANKS)))

    def test_takes_a_row_of_sizes(self):
        job = sluice.mpi.Exchange(COMM, [rank + 1 for rank in range(RANKS)], max_transfers=2)
        send = bytes(RANK for rank in range(RANKS) for _ in range(rank + 1))
        receive = bytearray(RANKS * (RANK + 1))
        job.start(send, receive)
        job.wait()
        self.assertEqual(receive, bytes(rank for rank in range(RANKS) for _ in range(RANK + 1)))

    def test_refuses_on_all_ranks(self):
        everywhere(self, lambda last: sluice.mpi.Exchange(COMM, {}, sender_speeds=[0] * RANKS if last else []))
        everywhere(self, lambda last: sluice.mpi.Exchange(COMM, {RANKS: 1} if last else {}))
        everywhere(self, lambda last: sluice.mpi.Exchange(COMM, {0: -1} if last else {}))
        everywhere(self, lambda last: sluice.mpi.Exchange(COMM, {0: 8.5} if last else {}), "whole number")
        everywhere(self, lambda last: sluice.mpi.Exchange(COMM, [0] * (RANKS + 1) if last else {}), "sizes")
        everywhere(self, lambda last: sluice.mpi.Exchange(COMM, {}, mode="none" if last else "auto"), "none")
        everywhere(self, lambda last: sluice.mpi.Exchange(COMM, {"a": 1} if last else {}))
        everywhere(self, lambda last: sluice.mpi.Exchange(COMM, 5 if last else {}))

    def test_refuses_small_buffers_on_all_ranks(self):
        job = sluice.mpi.Exchange(COMM, {NEXT: 8})

        def call(last):
            job.execute(bytes(7 if last else 8), bytearray(8))
            job.execute(bytes(8), bytearray(8))

        everywhere(self, call, "7 bytes, expected 8")

    def test_refuses_one_memory_for_both(self):
        memory = numpy.zeros(8, dtype="u1")
        with self.assertRaisesRegex(sluice.InputError, "overlaps"):
            sluice.mpi.Exchange(COMM, {NEXT: 8}).execute(memory, memory)

    def test_needs_nothing_where_nothing_is_sent(self):
        sluice.mpi.Exchange(COMM, {}).execute(None, None)


class Reduction(unittest.TestCase):
    def test_adds(self):
        root = RANKS - 1
        for dtype in ("f8", "f4", "i4", "i8", "u1", "c16"):
            job = sluice.mpi.Reduction(COMM, 6, dtype, root=root)
            own = numpy.full((2, 3), RANK + 1, dtype=dtype)
            result = numpy.zeros((2, 3), dtype=dtype) if RANK == root else None
            job.execute(own, result)
            if RANK == root:
                self.assertTrue((result == RANKS * (RANKS + 1) // 2).all())
        self.assertIsInstance(job.method, str)

    def test_combines_in_place_by_any_operation(self):
        def larger(left, right, datatype):
            ours, theirs = numpy.frombuffer(left, dtype="f8"), numpy.frombuffer(right, dtype="f8")
            theirs[:] = numpy.maximum(ours, theirs)

        op = MPI.Op.Create(larger, commute=True)
        job = sluice.mpi.Reduction(COMM, 4, "f8", op, algorithm="binomial", costs=(1, 1), progress_thread=False)
        own = numpy.arange(4.0) + RANK
        for _ in range(2):
            values = own.copy()
            job.start(MPI.IN_PLACE if RANK == 0 else values, values if RANK == 0 else None)
            job.wait()
            if RANK == 0:
                numpy.testing.assert_array_equal(values, numpy.arange(4.0) + RANKS - 1)
        del job
        op.Free()

    def test_refuses_on_all_ranks(self):
        def make(last, count=4, dtype="f8", op=MPI.SUM, root=0, **options):
            return sluice.mpi.Reduction(COMM, *((count, dtype, op, root) if last else (4, "f8", MPI.SUM, 0)),
                                        **(options if last else {}))

        everywhere(self, lambda last: make(last, count=-1))
        everywhere(self, lambda last: make(last, dtype="U4"), "dtype")
        everywhere(self, lambda last: make(last, op=sum), "op")
        everywhere(self, lambda last: make(last, root=RANKS))
        everywhere(self, lambda last: make(last, costs=(1,)), "costs")
        everywhere(self, lambda last: make(last, arity="a"), "arity")

        job = make(False)

        def call(last):
            for _ in range(1000):  # a rank that only sends may be ahead of the word
                job.execute(numpy.zeros(5 if last else 4), numpy.zeros(4))
                time.sleep(0.001)

        everywhere(self, call, "5 elements, expected 4")


class Collectives(unittest.TestCase):
    """Rank r's block is of r + 1 numbers, each of them r."""

    SIZES = [8 * (r + 1) for r in range(RANKS)]
    ALL = numpy.concatenate([numpy.full(r + 1, float(r)) for r in range(RANKS)])
    OWN = numpy.full(RANK + 1, float(RANK))

    def test_blocks_of_different_sizes(self):
        for given in (dict(), dict(algorithm="ring", try_native=False)):
            job = sluice.mpi.Allgather(COMM, self.SIZES, **given)
            self.assertEqual((job.own_bytes, job.result_bytes), (self.OWN.nbytes, self.ALL.nbytes))
            result = numpy.full(self.ALL.shape, -1.0)
            job.execute(self.OWN, result)
            self.assertTrue((result == self.ALL).all())
            result[:] = numpy.where(self.ALL == RANK, RANK, -1)
            job.execute(MPI.IN_PLACE, result)
            self.assertTrue((result == self.ALL).all())
            self.assertIsInstance(job.method, str)
        everywhere(self, lambda last: sluice.mpi.Allgather(COMM, self.SIZES + [5] * last), "counts")

    def test_between_the_root_and_all(self):
        root = RANKS - 1
        scatter, gather = sluice.mpi.Scatter(COMM, self.SIZES, root), sluice.mpi.Gather(COMM, self.SIZES, root)
        own = numpy.empty(RANK + 1)
        scatter.start(self.ALL if LAST else None, own)
        scatter.wait()
        self.assertTrue((own == RANK).all())
        every = numpy.zeros(self.ALL.shape) if LAST else None
        gather.execute(own, every)
        if LAST:
            self.assertTrue((every == self.ALL).all())
            every[:-RANKS] = 0
        gather.execute(MPI.IN_PLACE if LAST else own, every)
        if LAST:
            self.assertTrue((every == self.ALL).all())
        if RANKS > 1:
            everywhere(self, lambda last: [gather.execute(own, every) if last else gather.execute(MPI.IN_PLACE, every)
                                           for _ in range(1000)])

    def test_from_each_to_each(self):
        job = sluice.mpi.Alltoall(COMM, 4)
        result = numpy.zeros(RANKS, dtype="i4")
        job.execute(numpy.arange(RANKS, dtype="i4") + 100 * RANK, result)
        self.assertTrue((result == 100 * numpy.arange(RANKS) + RANK).all())

    def test_combines(self):
        job = sluice.mpi.Allreduce(COMM, 6, "f8")
        result = numpy.full((2, 3), float(RANK))
        job.execute(MPI.IN_PLACE, result)
        self.assertTrue((result == RANKS * (RANKS - 1) / 2).all())
        counts = [r + 1 for r in range(RANKS)]
        total = sum(counts)
        job = sluice.mpi.ReduceScatter(COMM, total, "i8", MPI.MAX, counts)
        share = numpy.zeros(RANK + 1, dtype="i8")
        job.execute(numpy.arange(total, dtype="i8") + RANK, share)
        first = RANK * (RANK + 1) // 2
        self.assertTrue((share == numpy.arange(first, first + RANK + 1) + RANKS - 1).all())
        everywhere(self, lambda last: sluice.mpi.Allreduce(COMM, 6, "f8", op=5 if last else MPI.SUM), "op")
        everywhere(self, lambda last: sluice.mpi.ReduceScatter(COMM, total, "i8", MPI.MAX, counts[:-1] or [7]), "counts")
        job = sluice.mpi.Allreduce(COMM, 6, "f8")
        everywhere(self, lambda last: [job.execute(MPI.IN_PLACE, result[0] if last else result) for _ in range(1000)],
                   "result")


class Broadcast(unittest.TestCase):
    def test_gives_to_all(self):
        job = sluice.mpi.Broadcast(COMM, RANKS - 1)
        for size in (0, 8, 100000):
            buffer = numpy.full(size, RANK, dtype="u1")
            if LAST:
                buffer.flags.writeable = False  # the root's is read only
            job.execute(buffer)
            self.assertTrue((buffer == RANKS - 1).all())
        matrix = numpy.full((3, 5), float(RANK), order="F")
        job.start(matrix)
        job.wait()
        self.assertTrue((matrix == RANKS - 1).all())
        self.assertIsInstance(job.chosen(8), str)

    def test_goes_over_a_platform(self):
        clusters = ", ".join(f'{{"name": "{rank}", "ranks": [{rank}], "latency_s": 1e-5, "gap": [[1, 1e-6]]}}'
                             for rank in range(RANKS))
        links = ", ".join(f'{{"from": {a}, "to": {b}, "latency_s": 1e-4, "gap": [[1, 2e-6], [1000000, 0.1]]}}'
                          for a in range(RANKS) for b in range(a + 1, RANKS))
        platform = sluice.platform_from_json(
            f'{{"schema": "sluice.platform/1", "ranks": {RANKS}, "clusters": [{clusters}], "links": [{links}]}}')
        job = sluice.mpi.Broadcast(COMM, platform=platform, try_native=False)
        buffer = numpy.full(70000, float(RANK))
        job.execute(buffer)
        self.assertTrue((buffer == 0).all())
        everywhere(self, lambda last: sluice.mpi.Broadcast(COMM, platform=5 if last else platform), "platform")

    def test_refuses_on_all_ranks(self):
        everywhere(self, lambda last: sluice.mpi.Broadcast(COMM, RANKS if last else 0))
        everywhere(self, lambda last: sluice.mpi.Broadcast(COMM, 0, **({"no_such": 1} if last else {})), "no_such")
        job = sluice.mpi.Broadcast(COMM, 0)

        def call(last):
            for _ in range(1000):  # MPI's own broadcast may be over on the root before it hears of others
                job.execute("text" if last else bytearray(8))
                time.sleep(0.001)

        everywhere(self, call, "buffer")

    def test_can_be_used_again_where_all_agree_on_buffers(self):
        sluice.mpi.set_agreed_arguments(COMM, True)
        job = sluice.mpi.Broadcast(COMM, 0)
        for _ in range(3):
            everywhere(self, lambda last: job.execute("text" if last else bytearray(8)), "buffer")
            if RANKS > 1:
                everywhere(self, lambda last: job.execute(bytearray(9 if last else 8)))
            buffer = numpy.full(8, RANK, dtype="u1")
            job.execute(buffer)
            self.assertTrue((buffer == 0).all())
        sluice.mpi.set_agreed_arguments(COMM, False)

    def test_lets_other_threads_work(self):
        job = sluice.mpi.Broadcast(COMM, 0)
        ran = threading.Event()
        thread = threading.Thread(target=ran.set)
        if RANK == 0 and RANKS > 1:
            ran.wait(0.05)  # the others wait for the root without the GIL
        else:
            thread.start()
        job.execute(bytearray(1 << 20))
        if thread.is_alive():
            thread.join()

    def test_may_be_left_to_the_garbage_collector_in_any_state(self):
        sluice.mpi.Broadcast(COMM, 0)
        gc.collect()
        globals()["KEPT"] = sluice.mpi.Broadcast(COMM, 0)  # until after MPI_Finalize


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2 if RANK == 0 else 0)
    failed = COMM.allreduce(0 if program.result.wasSuccessful() else 1)
    sys.exit(1 if failed else 0)
