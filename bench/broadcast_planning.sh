#!/usr/bin/env bash
# Processor seconds that `sluice plan broadcast --summary` takes, and how long its plans are. Platforms: the 88 machines
# of studies/grid5000, the four levels of studies/four-levels, and 1000 and 10,000 hosts in sites of clusters. Those
# hosts have cards of 1 Gbit/s. Their sites have uplinks of 10 connections of 20 MB/s, and 5 ms between them.
#
#     bench/broadcast_planning.sh [REPETITIONS [SIZE...]]      medians of 3; 1Ki 64Ki 1Mi 4Mi 64Mi 256Mi unless given
#
# SLUICE: the command, build/release/bin/sluice unless set (scripts/build.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sluice=${SLUICE:-build/release/bin/sluice}
repetitions=${1:-3}
shift || true
[[ $# -gt 0 ]] || set -- 1Ki 64Ki 1Mi 4Mi 64Mi 256Mi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# hosts SITES CLUSTERS RANKS: a platform of SITES sites with CLUSTERS clusters each, and RANKS hosts in each cluster.
hosts() {
  local card='[[1, 2e-06], [1048576, 0.00889]]'
  cat <<JSON
{"schema": "sluice.platform/2",
 "link": {"latency_s": 0.005, "gap": [[1, 2e-06], [1048576, 0.0524]], "connections": 10},
 "parts": [{"name": "site", "count": $1, "link": {"latency_s": 6e-05, "gap": $card, "connections": 4},
   "parts": [{"name": "cluster", "count": $2, "ranks": $3, "link": {"latency_s": 4.5e-05, "gap": $card}}]}]}
JSON
}
cp studies/grid5000/grid5000-88.json "$folder/grid5000-88.json"
cp studies/four-levels/four-levels-72.json "$folder/four-levels-72.json"
hosts 4 5 50 >"$folder/hosts-1000.json"
hosts 10 10 100 >"$folder/hosts-10000.json"

TIMEFORMAT='%U %S'
echo '| platform | size | processor seconds | length | method |'
echo '|---|---|---|---|---|'
for platform in grid5000-88 four-levels-72 hosts-1000 hosts-10000; do
  for size in "$@"; do
    for ((i = 0; i < repetitions; ++i)); do
      { time "$sluice" plan broadcast --platform "$folder/$platform.json" --size "$size" --summary \
        >"$folder/plan.txt" 2>"$folder/errors.txt"; } 2>>"$folder/times.txt" || { cat "$folder/errors.txt" >&2; exit 1; }
    done
    seconds=$(awk '{ print $1 + $2 }' "$folder/times.txt" | sort -g | awk '{ each[NR] = $1 } END { print each[int((NR + 1) / 2)] }')
    rm "$folder/times.txt"
    sed -n 's/^length *\([0-9.]* [a-z]*\) *\(.*\)/\1 | \2/p' "$folder/plan.txt" |
      sed "s/^/| $platform | $size | $seconds | /; s/\$/ |/"
  done
done
