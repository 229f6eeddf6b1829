#!/usr/bin/env bash
# Redistributions of 4096 x 4096 and 1024 x 1024 doubles between 4, 8 and 16 ranks of this host. Methods: a job that is
# kept, and one that is made for each execution; MPI_Alltoallw with types that are kept, and with types that are made
# for each execution; MPI_Alltoallv with buffers that are kept; point-to-point; ScaLAPACK's pdgemr2d; memcpy of the same
# bytes. A line for each pair of layouts: medians of alternating methods within one run, ratios of interest, and what a
# rank needs beyond its data. The first seven have other blocks on either side; the others blocks of 64, 100, 3, 1 and
# one for each process. The command is built first if need be; ten minutes on two cores.
#
#     bench/redistribute.sh [REPETITIONS [EDGE...]]      15, and 4096 and 1024 unless given
#
# BUILD=DIR: another build than build/release, such as build/mpich; in the environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=${1:-15}
shift || true
[[ $# -gt 0 ]] || set -- 4096 1024
[[ -n ${BUILD-} ]] || scripts/build.sh release bin/sluice >/dev/null
build=${BUILD:-build/release}
methods=sluice,sluice-fresh,alltoallw,alltoallw-fresh,alltoallv,all-at-once,pdgemr2d,memcpy
result=$(mktemp)
trap 'rm -f "$result"' EXIT

# row EDGE RANKS FROM TO
row() {
  scripts/mpirun.sh -B "$build" -np "$2" "$build/bin/sluice" run redistribute --from "$3" --to "$4" --shape "$1x$1" \
    --methods "$methods" --repetitions "$repetitions" --json "$result" </dev/null >/dev/null
  python3 - "$result" "$1" "$2" "$3" "$4" <<'END'
import json, sys
run = json.load(open(sys.argv[1]))
methods = {each["name"]: each for each in run["methods"]}
ms = {name: each["median_s"] * 1e3 for name, each in methods.items()}
others = min(ms[name] for name in ("alltoallw", "alltoallv", "all-at-once", "pdgemr2d"))
fresh = min(ms[name] for name in ("alltoallw-fresh", "alltoallv", "all-at-once", "pdgemr2d"))
ratios = [ms["sluice"] / others, ms["sluice-fresh"] / others, ms["sluice-fresh"] / fresh, ms["pdgemr2d"] / ms["sluice"], ms["sluice"] / ms["memcpy"]]
memory = [methods[name]["peak_extra_bytes"] / 2**20 for name in methods if name != "memcpy"]
print(f"| {' | '.join(sys.argv[2:4])} | {sys.argv[4]} -> {sys.argv[5]} |",
      " | ".join(f"{each:.3g}" for each in ms.values()), "|", " | ".join(f"{each:.3f}" for each in ratios), "|",
      ", ".join(f"{each:.1f}" for each in memory), "|", methods["sluice"]["how"], "|")
END
}

# layouts EDGE BLOCK|whole GRID GRID: the two layouts.
layouts() {
  local edge=$1 block=$2 from=$3 to=$4
  if [[ $block != whole ]]; then
    echo "$from:${block}x$block" "$to:${block}x$block"
  else
    echo "$from:$((edge / ${from%x*}))x$((edge / ${from#*x}))" "$to:$((edge / ${to%x*}))x$((edge / ${to#*x}))"
  fi
}

cat <<END
$repetitions repetitions, $build; ms, and MiB of a rank beyond its data

| n | ranks | layouts | kept job | fresh job | alltoallw | with new types | alltoallv | point-to-point | pdgemr2d | memcpy | kept / best of others | fresh / best of others | fresh / best with new types | pdgemr2d / kept | kept / memcpy | memory, in this order | kept job by |
|$(printf -- '---|%.0s' {1..18})
END
for edge in "$@"; do
  while read -r ranks from to; do
    row "$edge" "$ranks" "$from" "$to"
  done <<END
4 2x2:64x64 4x1:100x100
4 2x2:32x32 1x4:128x128
4 4x1:64x64 2x2:64x64
8 4x2:64x64 2x4:100x100
16 4x4:64x64 2x8:100x100
16 4x4:32x32 4x4:48x48
16 16x1:64x64 4x4:64x64
END
  for block in 64 100 3 1 whole; do
    while read -r ranks from to; do
      read -r first second < <(layouts "$edge" "$block" "$from" "$to")
      row "$edge" "$ranks" "$first" "$second"
    done <<END
4 2x2 4x1
8 4x2 2x4
16 4x4 2x8
END
  done
done
