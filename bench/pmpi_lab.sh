#!/usr/bin/env bash
# The unchanged program examples/drop-in/collectives.c over two clusters of four hosts in a shaped network. Jobs without
# libsluice_pmpi.so and jobs with it preloaded alternate: medians over the jobs of the medians in a job, and ratios.
# Without a platform, and over one that `sluice probe` has measured. Built first if need be. Needs a lab: root,
# iproute2.
#
#     bench/pmpi_lab.sh [JOBS [KIBS [REPETITIONS]]]      5, "64 256 1024" and 41 unless given
#     LINK=MBIT BACKBONE=MBIT                            50 and 100 unless set
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${1:-5} sizes=${2:-64 256 1024} repetitions=${3:-41}
[[ -n ${BUILD-} ]] || scripts/build.sh release bin/sluice sluice_pmpi >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
folder=$(mktemp -d)
mpicc.openmpi -O2 examples/drop-in/collectives.c -o "$folder/collectives"
name=$(lab/up.sh --hosts 4 --host-rate "${LINK:-50}" --backbone "${BACKBONE:-100}")
trap 'lab/down.sh "$name"; rm -rf "$folder"' EXIT
in_lab() { lab/run.sh --lab "$name" -n 8 "$@" </dev/null; }

in_lab "$build/bin/sluice" probe -o "$folder/platform.json" --clusters 4,4 --no-broadcasts >/dev/null
declare -A settings=([own]="" [preloaded]="LD_PRELOAD=$build/lib/libsluice_pmpi.so SLUICE_LOG=1"
  [platform]="LD_PRELOAD=$build/lib/libsluice_pmpi.so SLUICE_LOG=1 SLUICE_PLATFORM=$folder/platform.json")
for size in $sizes; do
  for ((job = 0; job < jobs; ++job)); do
    for way in own preloaded platform; do
      # shellcheck disable=SC2086 # variables, one word each
      in_lab env ${settings[$way]} "$folder/collectives" "$repetitions" "$size" > "$folder/out" 2> "$folder/err" ||
        { cat "$folder/err" >&2; exit 1; }
      grep -q '; 0 wrong elements' "$folder/out" || { cat "$folder/out" >&2; exit 1; }
      sed -E "s/broadcast (.*) ms, reduce (.*) ms, exchange (.*) ms;.*/$size $way \1 \2 \3/" "$folder/out" >> "$folder/times"
    done
  done
done
awk "$(<bench/median.awk)"'
  { if (!($1 in seen)) { seen[$1] = 1; order[++n] = $1 } for (i = 3; i <= 5; ++i) all[$1, $2, i] = all[$1, $2, i] " " $i }
  END {
    split("x x MPI_Bcast MPI_Reduce MPI_Alltoallv", name, " ")
    printf "%-14s %5s %10s %10s %6s %10s %6s\n", "call", "KiB", "MPI ms", "preloaded", "ratio", "platform", "ratio"
    for (c = 3; c <= 5; ++c) for (i = 1; i <= n; ++i) {
      own = median(all[order[i], "own", c]); here = median(all[order[i], "preloaded", c])
      known = median(all[order[i], "platform", c])
      printf "%-14s %5d %10.2f %10.2f %6.2f %10.2f %6.2f\n", name[c], order[i], own, here, here / own, known, known / own
    }
  }' "$folder/times"
