"""A matrix redistributed, an exchange and a broadcast in Python: mpirun -np 4 python3 every_call.py"""

import numpy
from mpi4py import MPI

import sluice.mpi

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size

# Rows of a 1000 x 700 matrix become columns. Each element is the rank that has its row.
redistribution = sluice.mpi.Redistribution(comm, (1000, 700), f"{ranks}x1:64x700", f"1x{ranks}:1000x64", numpy.int32)
x, y = numpy.full(redistribution.source_shape, rank, "i4"), numpy.empty(redistribution.target_shape, "i4")
redistribution.execute(x, y)  # as often as you like
wrong = int((y != numpy.arange(1000)[:, None] // 64 % ranks).sum())

# Every rank has its number for the next one.
came = numpy.full(1, -1)
sluice.mpi.Exchange(comm, {(rank + 1) % ranks: came.nbytes}).execute(numpy.array([rank]), came)
wrong += int(came[0] != (rank - 1) % ranks)

word = numpy.array([42.0 if rank == 0 else 0.0])
sluice.mpi.Broadcast(comm, root=0).execute(word)
wrong += int(word[0] != 42)

wrong = comm.allreduce(wrong)
if rank == 0:
    print(f"Python: {wrong} wrong")
