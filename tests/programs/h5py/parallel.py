# All ranks write one file of HDF5 together, and read what others have written.
import h5py
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
rows = 240 // size

with h5py.File("parallel.h5", "w", driver="mpio", comm=comm) as file:
    for number in range(6):
        data = file.create_dataset(f"field{number}", (240, 2500), dtype="f8", chunks=(30, 500) if number % 2 else None)
        own = numpy.sin(numpy.arange(rank * rows * 2500, (rank + 1) * rows * 2500) * (number + 1) * 1e-3).reshape(rows, 2500)
        with data.collective:
            data[rank * rows : (rank + 1) * rows, :] = own
        data.attrs["number"] = number

with h5py.File("parallel.h5", "r", driver="mpio", comm=comm) as file:
    for number in range(6):
        data = file[f"field{number}"]
        first = (rank + 1) % size * rows
        with data.collective:
            there = data[first : first + rows, :]
        total = comm.allreduce(float(there.sum()))
        squares = numpy.zeros(2500)
        comm.Allreduce(numpy.ascontiguousarray((there**2).sum(axis=0)), squares)
        if rank == 0:
            print("field", int(data.attrs["number"]), "sum %.12g" % total, "squares %.12g" % squares.sum())
