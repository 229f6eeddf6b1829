#!/usr/bin/env bash
# MPI's collectives on the ranks of one machine, called by a program that knows MPI alone (collective_times). Jobs
# without libsluice_pmpi.so and jobs with it preloaded alternate: medians over the jobs of the medians in a job, and
# ratios. Built first if need be (a build with -DSLUICE_BENCH=ON); two minutes on two cores.
#
#     bench/pmpi_onehost.sh [JOBS [RANKS [REPETITIONS [SIZES...]]]]    5, 8, 101 and 4096 16384 65536 1048576 unless given
#
# SIZES: bytes of a message, of a block, or of what is combined. Forwarded calls take as long both ways.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${1:-5} ranks=${2:-8} repetitions=${3:-101}
shift $(($# < 3 ? $# : 3))
(($# > 0)) || set -- 4096 16384 65536 1048576
[[ -n ${BUILD-} ]] || scripts/build.sh release collective_times sluice_pmpi >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
items=()
for call in bcast reduce allreduce reduce_scatter_block allgather scatter gather; do
  for size in "$@"; do items+=("$call:$size"); done
done
times=$(mktemp)
trap 'rm -f "$times"' EXIT
for ((job = 0; job < jobs; ++job)); do
  for way in own preloaded; do
    preload=()
    [[ $way == own ]] || preload=(env "LD_PRELOAD=$build/lib/libsluice_pmpi.so")
    scripts/mpirun.sh -B "$build" -np "$ranks" "${preload[@]}" "$build/bin/collective_times" "$repetitions" "${items[@]}" \
      </dev/null | sed "s/^/$way /" >> "$times"
  done
done
awk "$(<bench/median.awk)"'
  { key = $2 " " $3; if (!(key in seen)) { seen[key] = 1; order[++n] = key } all[$1, key] = all[$1, key] " " $4 * 1e6 }
  END {
    printf "%-22s %9s %12s %12s %6s\n", "call", "bytes", "MPI us", "preloaded us", "ratio"
    for (i = 1; i <= n; ++i) {
      split(order[i], word, " ")
      own = median(all["own", order[i]]); here = median(all["preloaded", order[i]])
      printf "%-22s %9d %12.1f %12.1f %6.2f\n", word[1], word[2], own, here, here / own
    }
  }' "$times"
