# A recipe for Spack 0.20 to 0.23. There is no archive of a release yet, so it builds a checkout:
#
#     mkdir -p repo/packages/sluice && cp packaging/spack/package.py repo/packages/sluice/
#     printf 'repo:\n  namespace: sluice\n' > repo/repo.yaml
#     spack repo add repo
#     spack dev-build --source-path . sluice@main

from spack.package import *


class Sluice(CMakePackage):
    """Plans and runs communication where the order of messages matters."""

    version("main")

    variant("mpi", default=True, description="sluice::mpi and the verbs that run under MPI")
    variant("python", default=False, description="the Python package")
    variant("fortran", default=True, when="+mpi", description="the Fortran module")
    variant("cbc", default=True, description="the planner exact of exchange, by integer programs")
    variant("scalapack", default=False, when="+mpi", description="the library that stands in for pdgemr2d")

    depends_on("cmake@3.25:", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("fmt@9:")
    depends_on("openssl")
    depends_on("mpi", when="+mpi")
    depends_on("cbc", when="+cbc")
    depends_on("scalapack", when="+scalapack")
    extends("python@3.9:", when="+python")
    depends_on("py-pybind11@2.9:", type="build", when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")
    depends_on("py-mpi4py", type=("build", "run"), when="+python+mpi")

    conflicts("%gcc@:11", msg="C++20 as of g++ 12")
    conflicts("%clang@:13", msg="C++20 as of clang 14")

    def cmake_args(self):
        args = [
            self.define("SLUICE_TESTS", False),
            self.define_from_variant("SLUICE_MPI", "mpi"),
            self.define_from_variant("SLUICE_PYTHON", "python"),
            self.define("SLUICE_FORTRAN", self.spec.satisfies("+fortran")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_CBC", self.spec.satisfies("~cbc")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_ScaLAPACK", not self.spec.satisfies("+scalapack")),
        ]
        if self.spec.satisfies("+mpi"):
            args.append(self.define("MPI_CXX_COMPILER", self.spec["mpi"].mpicxx))
        if self.spec.satisfies("+python"):
            args.append(self.define("Python_EXECUTABLE", self.spec["python"].command.path))
            args.append(self.define("SLUICE_PYTHON_DIR", self.spec["python"].package.platlib))
        return args
