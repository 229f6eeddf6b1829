"""Options of jobs through the Python package, on any number of ranks; every rank runs every test: programs to carry
out, and parts of a matrix."""

import json
import os
import sys
import tempfile
import unittest

import numpy
from mpi4py import MPI

import sluice
import sluice.mpi

COMM = MPI.COMM_WORLD
RANK, RANKS = COMM.Get_rank(), COMM.Get_size()
LAST = RANK == RANKS - 1
NUMBERS = 100
BYTES = 8 * NUMBERS
PLATFORM = os.path.join(os.path.dirname(__file__), "..", "drop-in", "c", "platform.json")


def program_of(problem, ranks=RANKS, missing=0):
    """A program in which rank after rank passes the message on, or elements on their way to rank 0 are combined;
    `missing` operations are left out at the end."""
    way = list(range(ranks))[:: -1 if problem == "reduce" else 1]
    receive = "combine" if problem == "reduce" else "receive"
    operations = []
    for sender, receiver in zip(way, way[1:]):
        for rank, kind, peer in ((sender, "send", receiver), (receiver, receive, sender)):
            after = [len(operations) - 1] if kind == "send" and operations else []
            operations.append({"rank": rank, "kind": kind, "peer": peer, "offset": 0, "bytes": BYTES, "after": after})
    text = {"schema": "sluice.program/1", "problem": problem, "algorithm": "by hand", "ranks": ranks, "size_bytes": BYTES,
            "root": 0, "operations": operations[:len(operations) - missing], "length_s": 0, "bound_s": 0, "bound": ""}
    if problem == "reduce":
        text.update(element_bytes=8, commutative=True)
    return sluice.program_from_json(json.dumps(text))


class Programs(unittest.TestCase):
    def test_are_read(self):
        program = program_of("reduce", 3)
        self.assertEqual((program.problem, program.algorithm, program.ranks, program.size_bytes, program.root),
                         ("reduce", "by hand", 3, BYTES, 0))
        self.assertEqual(sluice.program_from_json(program.to_json()), program)
        self.assertNotEqual(program_of("reduce", 4), program)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(program.to_json())
            file.flush()
            self.assertEqual(sluice.read_program(file.name), program)
        with self.assertRaisesRegex(sluice.InputError, "nowhere.json: cannot be read"):
            sluice.read_program("nowhere.json")
        with self.assertRaisesRegex(sluice.InputError, "text"):
            sluice.program_from_json("{}")

    def test_are_carried_out(self):
        job = sluice.mpi.Reduction(COMM, NUMBERS, "f8", program=program_of("reduce"))
        own, total = numpy.arange(NUMBERS) + float(RANK), numpy.zeros(NUMBERS)
        for _ in range(2):
            job.execute(own, total)
        if RANK == 0:
            numpy.testing.assert_array_equal(total, RANKS * numpy.arange(NUMBERS) + RANKS * (RANKS - 1) / 2)
        self.assertEqual((job.method, job.native), ("by hand", False))
        job = sluice.mpi.Broadcast(COMM, program=program_of("broadcast"))
        self.assertEqual(job.chosen(BYTES), "by hand")
        for number in range(2):
            own = numpy.full(NUMBERS, float(number if RANK == 0 else -1))
            job.execute(own)
            self.assertTrue((own == number).all())

    def test_efforts(self):
        for effort in 0.0, -1.0, float("nan"):
            with self.assertRaisesRegex(sluice.InputError, "effort"):
                sluice.mpi.Allgather(COMM, 8, effort=effort)
        own, every = numpy.full(1, float(RANK)), numpy.zeros(RANKS)
        sluice.mpi.Allgather(COMM, 8, effort=0.5).execute(own, every)
        numpy.testing.assert_array_equal(every, numpy.arange(RANKS))

    def test_that_do_not_fit_are_refused(self):
        def reduces(about, program, count=NUMBERS, root=0, **options):
            with self.assertRaisesRegex(sluice.InputError, about):
                sluice.mpi.Reduction(COMM, count, "f8", root=root, program=program, **options)

        def broadcasts(about, program, root=0, **options):
            with self.assertRaisesRegex(sluice.InputError, about):
                sluice.mpi.Broadcast(COMM, root, program=program, **options)

        good = {problem: program_of(problem) for problem in ("reduce", "broadcast")}
        platform = sluice.read_platform(PLATFORM)
        reduces("program: broadcast, expected reduce", good["broadcast"])
        broadcasts("program: reduce, expected broadcast", good["reduce"])
        reduces("program: size_bytes 800, expected 808", good["reduce"], count=NUMBERS + 1)
        for refused, problem in ((reduces, "reduce"), (broadcasts, "broadcast")):
            more = f"program: ranks {RANKS + 1}, expected {RANKS}"
            refused(more, program_of(problem, RANKS + 1))
            alone = program_of(problem, RANKS + 1) if LAST else good[problem]
            refused(f"ranks {RANKS + 1}, expected {RANKS}", alone)  # on one rank alone, and known to all
            refused("program: cannot be used with a platform to plan over, expected one of the two", good[problem],
                    platform=platform)
            refused("program: cannot be used with an algorithm or segments, expected one of the two", good[problem],
                    segments=2)
            if RANKS > 1:
                refused("program: root 0, expected", good[problem], root=RANKS - 1)
        with self.assertRaisesRegex(sluice.Error, "program: 'plan.json', expected a value of another type"):
            sluice.mpi.Broadcast(COMM, program="plan.json")
        with self.assertRaisesRegex(sluice.Error, "'program', expected one of"):
            sluice.mpi.Exchange(COMM, {}, program=good["reduce"])
        # Each rank hears of its own failure, or of the failure of another rank.
        job = sluice.mpi.Broadcast(COMM, program=good["broadcast"])
        with self.assertRaisesRegex(sluice.Error, "792, expected the 800 of the program"):
            job.execute(numpy.zeros(NUMBERS - 1))
        if RANKS > 1:
            reduces("expected a sound one", program_of("reduce", missing=1))
            job = sluice.mpi.Broadcast(COMM, program=program_of("broadcast", missing=1))
            with self.assertRaisesRegex(sluice.Error, "expected a sound one"):
                job.execute(numpy.zeros(NUMBERS))


class Parts(unittest.TestCase):
    """Rows dealt to the ranks become columns dealt to them."""

    SHAPES = ((7, 7), (7, 4), (4, 7))

    @staticmethod
    def in_part(shape, part, unit_diagonal):
        """Where the elements of the part are; the diagonal ends in the last element."""
        rows, columns = shape
        i, j = numpy.indices(shape)
        below = i - j - max(0, rows - columns) if part == "upper" else j - i - max(0, columns - rows)
        return below < 0 if unit_diagonal else below <= 0

    def test_move(self):
        for shape in self.SHAPES:
            rows, columns = sluice.Layout((RANKS, 1), (1, shape[1])), sluice.Layout((1, RANKS), (shape[0], 1))
            whole = numpy.arange(shape[0] * shape[1], dtype="f8").reshape(shape)
            source = numpy.ascontiguousarray(whole[numpy.ix_(*sluice.global_indices(rows, shape, RANK))])
            for part in ("upper", "lower"):
                for unit_diagonal in (False, True):
                    how = {"part": part, "unit_diagonal": unit_diagonal}
                    expected = numpy.where(self.in_part(shape, **how), whole, -1)
                    expected = expected[numpy.ix_(*sluice.global_indices(columns, shape, RANK))]
                    one = sluice.mpi.Redistribution(COMM, shape, rows, columns, "f8", **how)
                    result = numpy.full(one.target_shape, -1.0)
                    one.execute(source, result)
                    numpy.testing.assert_array_equal(result, expected)
                    array = {"shape": shape, "source": rows, "target": columns, "dtype": "f8", **how}
                    batch = sluice.mpi.RedistributionBatch(COMM, [array])
                    result[...] = -1
                    batch.execute([source], [result])
                    numpy.testing.assert_array_equal(result, expected)

    def test_that_are_none_are_refused(self):
        for options, about in (({"part": "left"}, "'left', expected upper or lower"),
                               ({"unit_diagonal": True}, "unit_diagonal: no part, expected part upper or lower")):
            with self.assertRaisesRegex(sluice.InputError, about):
                sluice.mpi.Redistribution(COMM, (7, 7), f"{RANKS}x1:1x7", f"1x{RANKS}:7x1", "f8", **options)
        with self.assertRaisesRegex(sluice.InputError, "an array of 1 dimension"):
            sluice.mpi.Redistribution(COMM, 7, f"{RANKS}:1", f"{RANKS}:2", "f8", part="upper")
        with self.assertRaises(TypeError):
            sluice.mpi.Redistribution(COMM, (7, 7), f"{RANKS}x1:1x7", f"1x{RANKS}:7x1", "f8", part=5)


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2 if RANK == 0 else 0)
    failed = COMM.allreduce(0 if program.result.wasSuccessful() else 1)
    sys.exit(1 if failed else 0)
