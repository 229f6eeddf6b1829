#!/usr/bin/env bash
# The preset `cluster` takes the MPI that the environment names, with its launcher: as the compiler itself, as MPICXX, or
# as mpicxx in PATH.
#
#     tests/install/cluster_preset_test.sh
#
# Needs Debian's wrapper of MPICH, which is not the default where there is Open MPI; exit status 77 without it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v mpicxx.mpich >/dev/null || { echo "left out: no mpicxx.mpich"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CXX CC FC MPICXX MPI_HOME

# Options of CMake: the first configuration is whole, the others leave out what has no part in the choice of the MPI.
options=()

# expect_mpich LAUNCHER NAME=VALUE...: configures with these in the environment.
expect_mpich() {
  local found launcher=$1
  shift
  rm -rf "$work/build"
  found=$(cd "$root" && env "$@" cmake --preset cluster -B "$work/build" "${options[@]}" 2>&1) || { echo "$found" >&2; exit 1; }
  grep -q "MPI family: mpich, started by $launcher\$" <<<"$found" || { echo "error: $*: expected MPICH, found: $found" >&2; exit 1; }
  grep -q 'CMAKE_BUILD_TYPE:STRING=Release' "$work/build/CMakeCache.txt"
}
expect_mpich "$(command -v mpiexec.mpich)" CXX=mpicxx.mpich
options=(-DSLUICE_FORTRAN=OFF -DSLUICE_PYTHON=OFF -DSLUICE_INSTALL=OFF)
expect_mpich "$(command -v mpiexec.mpich)" MPICXX=mpicxx.mpich
mkdir "$work/bin"
ln -s "$(command -v mpicxx.mpich)" "$work/bin/mpicxx"
ln -s "$(command -v mpiexec.mpich)" "$work/bin/mpiexec"
expect_mpich "$work/bin/mpiexec" MPICXX="$work/bin/mpicxx"
expect_mpich "$work/bin/mpiexec" PATH="$work/bin:$PATH"
echo "cluster preset: passed"
