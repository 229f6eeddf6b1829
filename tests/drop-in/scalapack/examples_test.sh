#!/usr/bin/env bash
# The programs of examples/drop-in for ScaLAPACK, compiled as their users would, and run with the library and without;
# the one in Fortran where there is a compiler for it.
#
#     examples_test.sh LIBRARY MPI_FAMILY LAUNCHER...      LAUNCHER: mpirun -n 3
set -euo pipefail
library=$1 family=$2
shift 2
examples=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../examples/drop-in" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ $family == other ]]; then suffix="" scalapack=scalapack; else suffix=.$family scalapack=scalapack-$family; fi

run_both() {
  local out
  for preload in "" "$library"; do
    out=$("${launcher[@]}" env ${preload:+LD_PRELOAD="$preload"} "$1")
    if ! grep -qx '0 elements wrong' <<<"$out"; then
      echo "FAILED: $1 with '$preload': $out" >&2
      exit 1
    fi
  done
}

# SLUICE_LOG=1: one line that names library and MPI, and one at the end, of one rank.
log_of() { "${launcher[@]}" env LD_PRELOAD="$library" SLUICE_LOG="$1" "$2" 2>&1 >/dev/null | grep '^sluice: ' || true; }

launcher=("$@")
mpicc$suffix -Wall -Werror -o "$work/move_matrix" "$examples/move_matrix.c" -l"$scalapack"
run_both "$work/move_matrix"
log=$(log_of 1 "$work/move_matrix")
if ! grep -qxE 'sluice: ScaLAPACK: [0-9]+ calls? planned and carried out, [0-9]+ plans? made' <<<"$log" ||
  ! head -1 <<<"$log" | grep -qE '^sluice: libsluice_scalapack.so [0-9.]+: under (Open MPI|MPICH)' ||
  [[ $(wc -l <<<"$log") != 2 ]]; then
  echo "FAILED: SLUICE_LOG=1 printed: $log" >&2
  exit 1
fi
if [[ -n $(log_of 0 "$work/move_matrix") ]]; then
  echo "FAILED: SLUICE_LOG=0 printed something" >&2
  exit 1
fi
if command -v "mpif90$suffix" >/dev/null && command -v gfortran >/dev/null; then
  mpif90$suffix -Wall -Werror -o "$work/move_triangle" "$examples/move_triangle.f90" -l"$scalapack"
  run_both "$work/move_triangle"
else
  echo "no Fortran compiler, move_triangle left out"
fi
