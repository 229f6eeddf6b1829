#!/usr/bin/env bash
# Every collective on the ranks of one machine, told nothing, beside MPI's own: medians and ratios. A block is SIZE bytes
# for each rank; so is the message of a broadcast, and what is combined. The command is built if need be; about a minute
# on two cores.
#
#     bench/collectives_onehost.sh [REPETITIONS [RANKS [SIZES...]]]      101, 8, 1Ki 64Ki 1Mi unless given
#
# PROBLEMS='A B ..' in the environment: others than all eight; BUILD=DIR: another build than build/release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=${1:-101}
ranks=${2:-8}
shift $(($# < 2 ? $# : 2))
(($# > 0)) || set -- 1Ki 64Ki 1Mi
[[ -n ${BUILD-} ]] || scripts/build.sh release bin/sluice >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
for problem in ${PROBLEMS:-broadcast reduce allreduce reduce-scatter allgather alltoall scatter gather}; do
  for size in "$@"; do
    bytes=$(numfmt --from=auto "$size")
    how=(--size "$bytes")
    [[ $problem != reduce ]] || how=(--count "$((bytes / 8))" --methods sluice,mpi-reduce)
    scripts/mpirun.sh -B "$build" -np "$ranks" "$build/bin/sluice" run "$problem" "${how[@]}" \
      --repetitions "$repetitions" </dev/null
    echo
  done
done
