"""The same with mpi4py: a program that knows nothing of Sluice.

    mpirun -np 8 python3 collectives.py [REPETITIONS]
    mpirun -np 8 env LD_PRELOAD=/usr/local/lib/libsluice_pmpi.so SLUICE_LOG=1 python3 collectives.py
"""
import sys
from array import array

from mpi4py import MPI

ELEMENTS = 32768  # 256 KiB
REPETITIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 30

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size

counts = [ELEMENTS // 8 * ((i - rank) % size) for i in range(size)]
receive_counts = [ELEMENTS // 8 * ((rank - i) % size) for i in range(size)]
message = array("d", [42.0 if rank == 0 else 0.0]) * ELEMENTS
own = array("d", [rank + 1.0]) * ELEMENTS
total = array("d", [0.0]) * ELEMENTS
out = array("d", [float(rank)]) * (sum(counts) + 1)
received = array("d", [-1.0]) * (sum(receive_counts) + 1)


def offsets(lengths):
    return [sum(lengths[:i]) for i in range(len(lengths))]


seconds = [array("d"), array("d"), array("d")]
for _ in range(REPETITIONS):
    comm.Barrier()
    start = MPI.Wtime()
    comm.Bcast([message, MPI.DOUBLE], root=0)
    broadcast = MPI.Wtime()
    comm.Reduce([own, MPI.DOUBLE], [total, MPI.DOUBLE], op=MPI.SUM, root=0)
    reduced = MPI.Wtime()
    comm.Alltoallv([out, counts, offsets(counts), MPI.DOUBLE],
                   [received, receive_counts, offsets(receive_counts), MPI.DOUBLE])
    seconds[0].append(broadcast - start)
    seconds[1].append(reduced - broadcast)
    seconds[2].append(MPI.Wtime() - reduced)


def median_of_slowest(times):
    slowest = array("d", times)
    comm.Reduce([times, MPI.DOUBLE], [slowest, MPI.DOUBLE], op=MPI.MAX, root=0)
    return sorted(slowest)[len(slowest) // 2] * 1e3


broadcast, reduced, exchanged = map(median_of_slowest, seconds)

wrong = sum(value != 42 for value in message)
if rank == 0:
    wrong += sum(value != size * (size + 1) / 2 for value in total)
for i, first in enumerate(offsets(receive_counts)):
    wrong += sum(value != i for value in received[first:first + receive_counts[i]])
wrong = comm.reduce(wrong, root=0)
if rank == 0:
    print(f"broadcast {broadcast:.3f} ms, reduce {reduced:.3f} ms, exchange {exchanged:.3f} ms; {wrong} wrong elements")
