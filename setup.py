"""Lets CMake build the package sluice and the command, and puts both into a wheel.

Everything that is needed comes from Debian (scripts/install-deps.sh), so that it works without a network:

    python3 -m pip install --no-build-isolation .

SLUICE_BUILD names a folder with a build for this Python that is taken as it is; unless given, one is made. SLUICE_CMAKE
holds further arguments of cmake, such as -DMPI_CXX_COMPILER=mpicxx.mpich.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

SOURCE = Path(__file__).resolve().parent
VERSION = re.search(r"^project\(sluice VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)


def build_folder() -> Path:
    """A build of the package and the command, made if none is given."""
    given = os.environ.get("SLUICE_BUILD")
    if given:
        folder = Path(given).resolve()
        if not (folder / "python" / "sluice" / "__init__.py").is_file():
            sys.exit(f"error: SLUICE_BUILD: '{given}', expected a folder with a build of sluice and its Python package")
        return folder
    folder = SOURCE / "build" / "pip"
    subprocess.run(
        ["cmake", "-S", SOURCE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DSLUICE_TESTS=OFF", "-DSLUICE_INSTALL=OFF",
         f"-DPython_EXECUTABLE={sys.executable}", *shlex.split(os.environ.get("SLUICE_CMAKE", ""))],
        check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", str(os.cpu_count())], check=True)
    if not (folder / "python" / "sluice").is_dir():
        sys.exit("error: the Python package was left out: expected pybind11, NumPy and the headers of Python")
    return folder


class Build(build_py):
    """The package as CMake made it, its modules beside what is written in Python, and the command in it."""

    def run(self) -> None:
        made = build_folder()
        shutil.copytree(made / "python" / "sluice", Path(self.build_lib) / "sluice", dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__"))
        programs = Path(self.build_lib) / "sluice" / "bin"
        programs.mkdir(exist_ok=True)
        shutil.copy2(made / "bin" / "sluice", programs)


class WithModules(Distribution):
    """A wheel of it is one for this machine."""

    def has_ext_modules(self) -> bool:
        return True


setup(version=VERSION[1], packages=["sluice"], package_dir={"sluice": "python/sluice"}, distclass=WithModules,
      cmdclass={"build_py": Build})
