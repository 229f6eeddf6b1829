#!/usr/bin/env bash
# The whole fault table: every job, every fault, when and on which ranks, at 2, 3, 4 and 7 ranks. It takes an hour or so
# on two cores; the tests and CI run a sample of it.
#
#     scripts/test-faults.sh [PRESET [RANKS...]]     PRESET: release unless given, or dev, mpich
#
# Ends with the number of cases at each number of ranks; exit status 1 if one failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
shift || true
[[ $# -gt 0 ]] || set -- 2 3 4 7

scripts/build.sh "$preset" fault_table
launcher=scripts/mpirun.sh
[[ $preset != mpich ]] || launcher=mpiexec.mpich
status=0
for ranks in "$@"; do
  "$launcher" -np "$ranks" "build/$preset/bin/fault_table" --all || status=1
done
exit $status
