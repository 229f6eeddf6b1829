"""Part of bench/python_cost.sh: what sluice.mpi.Redistribution takes, as bench/python_cost.cpp times it in C++."""

import statistics
import sys
import time

import numpy
from mpi4py import MPI

import sluice.mpi

SIZE, TRIED = 2048, 12  # 32 MiB of doubles; executions that do not count, as some try MPI's own way
comm = MPI.COMM_WORLD
side = 1 if comm.size == 1 else 2
layouts = sluice.Layout((side, side), (64, 64)), sluice.Layout((side * side, 1), (100, 100))
job = sluice.mpi.Redistribution(comm, (SIZE, SIZE), *layouts, numpy.float64)
source, target = numpy.ones(job.source_shape), numpy.empty(job.target_shape)
elapsed, processor = [], []
for _ in range(TRIED + int(sys.argv[1])):
    comm.Barrier()
    worked, start = time.process_time(), MPI.Wtime()
    job.execute(source, target)
    own = MPI.Wtime() - start
    processor.append(time.process_time() - worked)
    elapsed.append(comm.allreduce(own, MPI.MAX))
if comm.rank == 0:
    print(statistics.median(elapsed[TRIED:]), statistics.median(processor[TRIED:]))
