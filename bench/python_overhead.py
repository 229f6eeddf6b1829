"""What sluice.mpi.Redistribution takes beyond the C interface, on the same memory of the same processes, alternating.

    PYTHONPATH=build/release/python scripts/mpirun.sh -np 4 /usr/bin/python3 bench/python_overhead.py build/release \\
        [ROUNDS [SIZE]]

SIZE x SIZE doubles, 32 MiB (2048) unless given, on 4 ranks; or on 1, where a small matrix shows what a call takes. Each
round executes three things in another order: a job of the package, the call that this job makes once it has checked its
buffers, and a job of libsluice.so. Printed are medians over the rounds (301 unless given) of what the slowest rank took,
and of the ratios to the C interface within a round.
"""

import ctypes
import statistics
import sys

import numpy
from mpi4py import MPI

import sluice.mpi

SIZE = int(sys.argv[3]) if len(sys.argv) > 3 else 2048
TRIED = 12  # executions of a job that do not count; some try MPI's own way
ROOM_OF_LAYOUT = 4096  # bytes, more than a sluice_layout takes
comm = MPI.COMM_WORLD
LAYOUTS = ("1x1:64x64", "1x1:100x100") if comm.size == 1 else ("2x2:64x64", "4x1:100x100")
library = ctypes.CDLL(f"{sys.argv[1]}/lib/libsluice.so")
library.sluice_error_text.restype = ctypes.c_char_p


def must(code):
    if code != 0:
        sys.exit(f"error: {library.sluice_error_text().decode()}")


job = sluice.mpi.Redistribution(comm, (SIZE, SIZE), *LAYOUTS, numpy.float64)
in_c, layouts = ctypes.c_void_p(), []
for text in LAYOUTS:
    layouts.append(ctypes.create_string_buffer(ROOM_OF_LAYOUT))
    must(library.sluice_layout_parse(text.encode(), layouts[-1]))
must(library.sluice_redistribution_create_f(ctypes.c_int(comm.py2f()), (ctypes.c_int64 * 2)(SIZE, SIZE), *layouts,
                                            ctypes.c_int64(8), None, ctypes.byref(in_c)))
source, target = numpy.ones(job.source_shape), numpy.zeros(job.target_shape)
addresses = source.ctypes.data, target.ctypes.data
pointers = [ctypes.c_void_p(each) for each in addresses]
ways = {
    "package": lambda: job.execute(source, target),
    "binding": lambda: job._job.execute(*addresses),
    "C": lambda: must(library.sluice_redistribution_execute(in_c, *pointers)),
}
times = {name: [] for name in ways}
names = list(ways)
for turn in range(TRIED + (int(sys.argv[2]) if len(sys.argv) > 2 else 301)):
    for name in names[turn % 3:] + names[:turn % 3]:
        comm.Barrier()
        start = MPI.Wtime()
        ways[name]()
        longest = comm.allreduce(MPI.Wtime() - start, MPI.MAX)
        if turn >= TRIED:
            times[name].append(longest)
if comm.rank == 0:
    for name in names:
        ratio = statistics.median(own / c for own, c in zip(times[name], times["C"]))
        print(f"{name:8} {statistics.median(times[name]) * 1e3:8.4f} ms, ratio {ratio:.3f}")
job.free()
library.sluice_job_free(in_c)
