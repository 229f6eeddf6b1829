#!/usr/bin/env bash
# An unchanged program of ScaLAPACK's; runs with libsluice_scalapack.so preloaded and runs without it alternate. Medians
# of the first call and of later ones over all runs, in milliseconds, and their ratios. Built first if need be.
#
#     bench/scalapack_drop_in.sh [RUNS [CALLS [PRESET]]]      5 runs of 30 calls, preset release, unless given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
runs=${1:-5} calls=${2:-30} preset=${3:-release}
build=build/$preset
library=$PWD/$build/lib/libsluice_scalapack.so
if [[ ! -e $build/CMakeCache.txt ]]; then cmake --preset "$preset" >/dev/null; fi
cmake -DSLUICE_BENCH=ON "$build" >/dev/null
cmake --build "$build" --target scalapack_caller sluice_scalapack >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median() { sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

printf '%-6s  %5s  %5s  %-22s  %9s  %9s  %6s  %9s  %9s  %6s\n' call n ranks layouts \
  "first" "preloaded" ratio "later" "preloaded" ratio
while read -r name n ranks grid0 block0 grid1 block1; do
  : >"$work/plain"
  : >"$work/sluice"
  for ((run = 0; run < runs; ++run)); do
    scripts/mpirun.sh -B "$build" -np "$ranks" "$build/bin/scalapack_caller" "$name" "$n" "$grid0" "$block0" "$grid1" \
      "$block1" "$calls" </dev/null >>"$work/plain"
    scripts/mpirun.sh -B "$build" -np "$ranks" env LD_PRELOAD="$library" "$build/bin/scalapack_caller" "$name" "$n" \
      "$grid0" "$block0" "$grid1" "$block1" "$calls" </dev/null >>"$work/sluice"
  done
  first=$(cut -d' ' -f1 "$work/plain" | median) later=$(cut -d' ' -f2 "$work/plain" | median)
  our_first=$(cut -d' ' -f1 "$work/sluice" | median) our_later=$(cut -d' ' -f2 "$work/sluice" | median)
  awk -v name="$name" -v n="$n" -v ranks="$ranks" -v layouts="$grid0:$block0 -> $grid1:$block1" -v a="$first" \
    -v b="$our_first" -v c="$later" -v d="$our_later" 'BEGIN {
      printf "%-6s  %5d  %5d  %-22s  %9.2f  %9.2f  %6.2f  %9.2f  %9.2f  %6.2f\n", name, n, ranks, layouts, a, b, b / a, c, d, d / c
    }'
done <<END
gemr2d 4096 4 2x2 64 4x1 100
gemr2d 1024 4 2x2 64 4x1 100
gemr2d 4096 8 4x2 64 2x4 100
gemr2d 100 4 2x2 8 4x1 5
trmr2d 4096 4 2x2 64 4x1 100
trmr2d 1024 4 2x2 64 4x1 100
END
