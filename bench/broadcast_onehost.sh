#!/usr/bin/env bash
# Broadcasts on the ranks of one machine, sluice's beside MPI_Bcast: medians and ratios for each size. The platform is
# probed first. The command is built if need be; about a minute on two cores.
#
#     bench/broadcast_onehost.sh [REPETITIONS [RANKS [SIZES...]]]      101, 8, 1K 64K 4M unless given
#
# METHODS=A,B,.. in the environment: others than sluice,mpi-bcast; BUILD=DIR: another build than build/release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=${1:-101}
ranks=${2:-8}
shift $(($# < 2 ? $# : 2))
(($# > 0)) || set -- 1K 64K 4M
[[ -n ${BUILD-} ]] || scripts/build.sh release bin/sluice >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scripts/mpirun.sh -B "$build" -np "$ranks" "$build/bin/sluice" probe -o "$folder/platform.json" --time-budget 10 </dev/null
for size in "$@"; do
  scripts/mpirun.sh -B "$build" -np "$ranks" "$build/bin/sluice" run broadcast --platform "$folder/platform.json" \
    --size "$size" --method "${METHODS:-sluice,mpi-bcast}" --repetitions "$repetitions" </dev/null
  echo
done
