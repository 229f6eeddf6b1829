#!/usr/bin/env bash
# The traffic of the applications in studies/traffic on the ranks of one machine, by every method: medians, ratios and
# extra memory. The command is built first if need be; some minutes on two cores.
#
#     bench/exchange_onehost.sh [REPETITIONS [MEGABYTES [RANKS...]]]      9, 200, 8 16 unless given
#
# The 64 ranks of a matrix are folded: rank r becomes r * RANKS / 64, rounded down. Messages between ranks that become
# one are left out, as they need no network. Then all sizes are scaled by one factor, rounded up, so that MEGABYTES
# (10^6 bytes) go through the network in all. In the environment: METHODS=A,B,.. for other methods than --method all
# has; BUILD=DIR for another build than build/release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=${1:-9}
megabytes=${2:-200}
shift $(($# < 2 ? $# : 2))
(($# > 0)) || set -- 8 16
[[ -n ${BUILD-} ]] || scripts/build.sh release bin/sluice >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for ranks in "$@"; do
  for matrix in studies/traffic/*.mtx; do
    name=$(basename "$matrix" .mtx)
    awk -v ranks="$ranks" -v bytes="${megabytes}e6" '
      /^%/ { next }
      !nodes { nodes = $1; next }
      { from = int(($1 - 1) * ranks / nodes); to = int(($2 - 1) * ranks / nodes) }
      from != to { if (!((from, to) in size)) ++pairs; size[from, to] += $3; total += $3 }
      END {
        print "%%MatrixMarket matrix coordinate integer general"
        print ranks, ranks, pairs
        for (pair in size) {
          split(pair, at, SUBSEP)
          exact = size[pair] * bytes / total
          printf("%d %d %d\n", at[1] + 1, at[2] + 1, int(exact) + (int(exact) < exact))
        }
      }' "$matrix" >"$folder/$name-$ranks.mtx"
    scripts/mpirun.sh -B "$build" -np "$ranks" "$build/bin/sluice" run exchange "$folder/$name-$ranks.mtx" --same-ranks \
      --method "${METHODS:-all}" --repetitions "$repetitions" </dev/null
    echo
  done
done
