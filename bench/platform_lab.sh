#!/usr/bin/env bash
# Broadcasts and reductions between two clusters of four hosts in a shaped network, beside MPI_Bcast and MPI_Reduce:
# medians and ratios for each size. Links have 50 Mbit/s and the backbone 100. The platform is probed first. The command
# is built if need be; a minute and a half. Needs a lab: root, iproute2.
#
#     bench/platform_lab.sh [REPETITIONS [SIZES...]]      9, 1Ki 64Ki 1Mi unless given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=${1:-9}
shift $(($# < 1 ? $# : 1))
(($# > 0)) || set -- 1Ki 64Ki 1Mi
[[ -n ${BUILD-} ]] || scripts/build.sh release bin/sluice >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
in_lab() {
  lab/run.sh --hosts 4 --k 2 --backbone 100 -n 8 "$build/bin/sluice" "$@" </dev/null
  echo
}
in_lab probe -o "$folder/platform.json" --clusters 4,4 --thorough
common=(--platform "$folder/platform.json" --repetitions "$repetitions" --model-only)
for size in "$@"; do
  in_lab run broadcast "${common[@]}" --size "$size" --method sluice,ecef,mpi-bcast
  in_lab run reduce "${common[@]}" --count "$(($(numfmt --from=auto "$size") / 8))" --method sluice,ecef,binomial,mpi-reduce
done
