# Fourier transforms of a grid that is divided in slabs and in pencils, and back.
import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

comm = MPI.COMM_WORLD
for slab in (True, False):
    fft = PFFT(comm, (32, 48, 40), dtype=float, slab=slab)
    u = newDistArray(fft, False)
    points = numpy.meshgrid(*[numpy.arange(*part.indices(n)[:2]) for part, n in zip(u.local_slice(), (32, 48, 40))],
                            indexing="ij")
    u[:] = numpy.sin(0.3 * points[0]) + numpy.cos(0.2 * points[1] * points[2])
    before = u.copy()
    for _ in range(5):
        there = fft.forward(u)
        back = fft.backward(there)
        u[:] = back
    error = comm.allreduce(float(abs(numpy.asarray(u) - numpy.asarray(before)).max()), op=MPI.MAX)
    norm = comm.allreduce(float((abs(numpy.asarray(there)) ** 2).sum()))
    largest = comm.allreduce(float(abs(numpy.asarray(there)).max()), op=MPI.MAX)
    spectrum = numpy.zeros(20000)
    for _ in range(5):
        comm.Allreduce(numpy.resize(abs(numpy.asarray(there)).ravel(), 20000), spectrum)
    if comm.rank == 0:
        print("slab" if slab else "pencil", "norm %.12g" % norm, "largest %.12g" % largest,
              "spectrum %.10g" % spectrum.sum(), "right", error < 1e-12)
