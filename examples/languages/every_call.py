"""A matrix redistributed, an exchange and a broadcast in Python: mpirun -np 4 python3 every_call.py"""

import numpy
from mpi4py import MPI

import sluice.mpi

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()

# Rows of a 1000 x 700 matrix become columns; element (i, j) is 1000 i + j.
shape = (1000, 700)
rows, columns = sluice.Layout((ranks, 1), (64, 700)), sluice.Layout((1, ranks), (1000, 64))


def part(layout):
    i, j = sluice.global_indices(layout, shape, rank)
    return 1000.0 * i[:, None] + j


redistribution = sluice.mpi.Redistribution(comm, shape, rows, columns, numpy.float64)
target = numpy.empty(redistribution.target_shape)
redistribution.execute(part(rows), target)  # as often as you like
wrong = int((target != part(columns)).sum())

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
