#!/usr/bin/env bash
# What the library does on one host if it is told nothing, beside the best of the ways that have a name. A line a row;
# the ratio is the time of the default, divided by the time of the fastest method by name. The command is built if need
# be.
#
#     bench/defaults_onehost.sh [-r REPETITIONS] [-j JOBS] [reduce|redistribute [ROW...]]
#
# A row's time is the median of the medians of several JOBS (3 unless given), each of REPETITIONS (15 unless given) with
# methods alternating. Rows of reduce are OPERATION,COUNT,RANKS; rows of redistribute are FROM,TO,SHAPE with process grid
# and blocks. Both tables take half an hour on two cores. BUILD=DIR takes another build than build/release.
# OLD=PROGRAM also times the default of this other command, alternating with the first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=15
jobs=3
while getopts r:j: option; do
  case $option in
    r) repetitions=$OPTARG ;;
    j) jobs=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[[ -n ${BUILD-} ]] || scripts/build.sh release bin/sluice >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
which=${1:-}
shift $(($# < 1 ? $# : 1))

reductions=()
for operation in sum spin:0 spin:0.02 spin:1 affine merge; do
  for count in 100 10000 1000000; do
    [[ $operation != merge || $count != 1000000 ]] || count=100000 # sets grow with the ranks
    for ranks in 2 4 8 16; do reductions+=("$operation,$count,$ranks"); done
  done
done
reductions+=(sleep:20,1000,8)
redistributions=(
  2x2x2:4x4x4,1x2x4:8x3x5,130x67x59
  2x2x2:1x1x1,2x2x2:2x2x2,64x64x64
  2x2x2:1x1x1,1x2x4:2x3x1,130x67x59
  1x2x4:8x3x5,2x2x2:4x4x4,130x67x59
  8x1x1:3x1x1,1x1x8:1x1x3,96x96x48
  1x1x8:1x1x3,8x1x1:3x1x1,96x96x48
  2x4x1:2x2x2,1x4x2:3x3x3,100x100x50
  4x2x1:5x5x5,1x2x4:5x5x5,120x80x40
  2x2x2:16x16x16,1x2x4:16x16x16,128x128x64
  2x1x4:4x4x2,4x1x2:2x2x4,64x128x64
  2x2x2x1:2x2x2x2,1x2x2x2:3x3x3x3,30x30x30x20
  1x2x2x2:4x4x4x4,2x2x2x1:2x2x2x2,32x32x24x24
  2x2x1x2:1x1x1x1,2x1x2x2:1x1x1x1,24x24x24x24
  8x1x1x1:1x1x1x1,1x1x1x8:1x1x1x1,32x16x16x32
  1x2x1x4:5x3x2x4,2x2x2x1:3x2x2x5,40x24x16x32
  2x2x2x1x1:2x2x2x2x2,1x1x2x2x2:2x2x2x2x2,16x16x12x12x12
  2x2x2x1x1:1x1x1x1x1,1x1x2x2x2:3x3x3x3x3,15x15x12x12x12
  1x2x1x2x2:3x2x3x2x3,2x1x2x1x2:2x3x2x3x2,18x12x12x12x12
  8x1x1x1x1:1x1x1x1x1,1x1x1x1x8:1x1x1x1x1,16x12x12x12x16
  2x1x2x1x2:4x4x4x4x4,1x2x1x2x2:4x4x4x4x4,16x16x12x12x12
)

# medians PROGRAM RANKS ARGUMENTS...: "name seconds" of each method of one job.
medians() {
  local program=$1 ranks=$2
  shift 2
  scripts/mpirun.sh -B "$build" -np "$ranks" "$program" run "$@" --repetitions "$repetitions" --no-progress --json - \
    </dev/null | awk -F'"' '$2 == "name" { name = $4 } $2 == "median_s" { gsub(/[:, ]/, "", $3); print name, $3 }'
}

# row NAME RANKS ARGUMENTS...
row() {
  local name=$1 ranks=$2
  shift 2
  for ((job = 0; job < jobs; ++job)); do
    if [[ -n ${OLD-} ]]; then medians "$OLD" "$ranks" "$@" | awk '$1 == "sluice" { print "old", $2 }'; fi
    medians "$build/bin/sluice" "$ranks" "$@"
  done | awk -v row="$name" "$(<bench/median.awk)"'
    { samples[$1] = samples[$1] " " $2 }
    END {
      for (name in samples) {
        time[name] = median(samples[name])
        if (name != "sluice" && name != "old" && (best == "" || time[name] < time[best])) best = name
      }
      printf "%-52s %11.1f %11.1f  %-15s %6.2f", row, time["sluice"] * 1e6, time[best] * 1e6, best,
             time["sluice"] / time[best]
      if ("old" in time) printf " %11.1f", time["old"] * 1e6
      printf "\n"
    }'
}

heading() {
  printf '%-52s %11s %11s  %-15s %6s%s\n' "$1" "default us" "best us" "by name" ratio "${OLD:+      old us}"
}

if [[ -z $which || $which == reduce ]]; then
  heading "operation,count,ranks"
  (($# > 0)) && reductions=("$@")
  for each in "${reductions[@]}"; do
    IFS=, read -r operation count ranks <<<"$each"
    row "$each" "$ranks" reduce --operation "$operation" --count "$count"
  done
fi
if [[ -z $which || $which == redistribute ]]; then
  heading "from,to,shape (8 ranks)"
  (($# > 0)) && redistributions=("$@")
  for each in "${redistributions[@]}"; do
    IFS=, read -r from to shape <<<"$each"
    row "$each" 8 redistribute --from "$from" --to "$to" --shape "$shape"
  done
fi
