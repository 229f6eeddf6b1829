#!/usr/bin/env bash
# How often LAMMPS hangs with `kspace_modify fftbench yes`, which docs/reference/programs.md explains: without Sluice, with
# libsluice_pmpi.so and SLUICE_TAKE=always, and both so that all ranks decide by the same time.
#
#     tests/programs/lammps/fftbench.sh [RUNS [RANKS]]     25 runs in each of four ways, on 8 ranks, unless told
#
# Needs lammps, lammps-examples and a build in build/release. A run takes some 6 s; one that has not ended after 90 s
# hangs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
runs=${1:-25}
ranks=${2:-8}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$PWD/build/release/lib/libsluice_pmpi.so
sed -e 's/^kspace_modify .*/& fftbench yes/' -e 's/^run .*/run 0/' tests/programs/lammps/in.peptide > "$work/in.peptide"
mpicc.openmpi -shared -fPIC tests/programs/lammps/same_time.c -o "$work/same_time.so" -ldl

# hangs VARIABLE...: how many runs.
hangs() {
  local hung=0 each status
  for ((each = 0; each < runs; ++each)); do
    status=0
    timeout -k 5 90 scripts/mpirun.sh -np "$ranks" env "$@" lmp -in "$work/in.peptide" -log none < /dev/null \
      > "$work/output" 2>&1 || status=$?
    case $status in
      0) ;;
      124 | 137) hung=$((hung + 1)) ;;
      *) cat "$work/output" >&2; echo "error: status $status" >&2; exit 1 ;;
    esac
  done
  echo "$hung of $runs"
}
echo "without Sluice: $(hangs SLUICE_LOG=0) hang"
echo "SLUICE_TAKE=always: $(hangs LD_PRELOAD="$library" SLUICE_TAKE=always) hang"
echo "the same time on all ranks, without Sluice: $(hangs LD_PRELOAD="$work/same_time.so") hang"
echo "the same time on all ranks, SLUICE_TAKE=always:" \
  "$(hangs LD_PRELOAD="$work/same_time.so:$library" SLUICE_TAKE=always) hang"
