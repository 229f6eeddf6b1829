# A Laplacian on a grid, solved by Krylov methods, and vectors that go from all ranks to all and to the first.
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc

grid = PETSc.DMDA().create([24, 24, 24], stencil_width=1)
matrix = grid.createMatrix()
row, column = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
(x0, x1), (y0, y1), (z0, z1) = grid.getRanges()
for z in range(z0, z1):
    for y in range(y0, y1):
        for x in range(x0, x1):
            row.index = (x, y, z)
            matrix.setValueStencil(row, row, 6.5)
            for dx, dy, dz in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)):
                there = (x + dx, y + dy, z + dz)
                if all(0 <= each < 24 for each in there):
                    column.index = there
                    matrix.setValueStencil(row, column, -1.0)
matrix.assemble()

right, solution = grid.createGlobalVec(), grid.createGlobalVec()
right.set(1.0)
for method, preconditioner in (("cg", "jacobi"), ("gmres", "bjacobi"), ("bcgs", "none")):
    solver = PETSc.KSP().create()
    solver.setOperators(matrix)
    solver.setType(method)
    solver.getPC().setType(preconditioner)
    solver.setTolerances(rtol=1e-10)
    solution.set(0.0)
    solver.solve(right, solution)
    PETSc.Sys.Print(method, "iterations", solver.getIterationNumber(), "norm %.9g" % solution.norm(),
                    "sum %.9g" % solution.sum(), "largest %.9g" % solution.max()[1])

for create in (PETSc.Scatter.toAll, PETSc.Scatter.toZero):
    scatter, copy = create(solution)
    for _ in range(4):
        scatter.scatter(solution, copy)
    PETSc.Sys.Print("copy sum %.9g" % (copy.array.sum() if copy.getLocalSize() else 0.0))
transposed = PETSc.Mat()
matrix.transpose(transposed)
PETSc.Sys.Print("transposed norm %.9g" % transposed.norm())
