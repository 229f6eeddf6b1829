# Two molecules of water, by atomic orbitals with matrices in ScaLAPACK, and on a grid.
from ase.build import molecule
from gpaw import GPAW
from gpaw.mpi import world

for options in (dict(mode="lcao", basis="dzp", parallel={"sl_auto": True}), dict(mode="fd", nbands=8)):
    atoms = molecule("H2O")
    other = molecule("H2O")
    other.translate((3.0, 0.2, 0.1))
    atoms += other
    atoms.set_cell((9, 6.4, 6.4))
    atoms.center()
    atoms.calc = GPAW(h=0.4, txt=None, maxiter=8, convergence={"energy": 1e9, "density": 1e9, "eigenstates": 1e9},
                      **options)
    energy = atoms.get_potential_energy()
    values = atoms.calc.get_eigenvalues()
    if world.rank == 0:
        print(options["mode"], "energy", repr(float(energy)))
        for value in values[:8]:
            print("eigenvalue", repr(float(value)))
