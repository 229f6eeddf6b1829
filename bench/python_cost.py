"""Part of bench/python_cost.sh: what sluice.mpi.Redistribution takes, as bench/python_cost.cpp times it in C++."""

import statistics
import sys

import numpy
from mpi4py import MPI

import sluice.mpi

SIZE, TRIED = 2048, 12  # 32 MiB of doubles; executions before any counts, of which some try MPI's own way
comm = MPI.COMM_WORLD
layouts = sluice.Layout((2, 2), (64, 64)), sluice.Layout((4, 1), (100, 100))
job = sluice.mpi.Redistribution(comm, (SIZE, SIZE), *layouts, numpy.float64)
source, target = numpy.ones(job.source_shape), numpy.empty(job.target_shape)
times = []
for _ in range(TRIED + int(sys.argv[1])):
    comm.Barrier()
    start = MPI.Wtime()
    job.execute(source, target)
    times.append(comm.allreduce(MPI.Wtime() - start, MPI.MAX))
if comm.rank == 0:
    print(statistics.median(times[TRIED:]))
