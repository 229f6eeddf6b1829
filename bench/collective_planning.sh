#!/usr/bin/env bash
# Processor seconds and memory of `sluice plan COLLECTIVE --summary` for 1000 to 100,000 ranks in 50 clusters, 1 ms apart,
# whose links carry four connections: a table of what is planned, or why it is refused.
#
#     bench/collective_planning.sh [RANKS...]      1000 10000 25000 100000 unless given
#
# SLUICE: the command, build/release/bin/sluice unless set (scripts/build.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sluice=${SLUICE:-build/release/bin/sluice}
[[ $# -gt 0 ]] || set -- 1000 10000 25000 100000
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo '| ranks | collective | processor seconds | MB | length, program |'
echo '|---|---|---|---|---|'
for ranks in "$@"; do
  cat >"$folder/platform.json" <<JSON
{"schema": "sluice.platform/2", "name": "machine",
 "link": {"latency_s": 0.001, "gap": [[1, 4e-06], [1048576, 0.0094]], "connections": 4},
 "parts": [{"name": "c", "count": 50, "ranks": $((ranks / 50)),
            "link": {"latency_s": 2e-05, "gap": [[1, 2e-06], [1048576, 0.0084]]}}]}
JSON
  # A block of 1 KiB, a share of a double for each rank, an array of 1 MiB.
  for task in "allgather 1Ki" "reduce-scatter $((8 * ranks))" "allreduce 1Mi" "alltoall 1Ki"; do
    # shellcheck disable=SC2086
    /usr/bin/time -f '%U %S %M' -o "$folder/cost" "$sluice" plan ${task% *} --platform "$folder/platform.json" \
      --size "${task#* }" --summary >"$folder/plan" 2>"$folder/error" || true
    cost=$(tail -1 "$folder/cost" | awk '{ printf "%.3g | %.0f", $1 + $2, $3 / 1000 }')
    plan=$(sed -n 's/^length  *\([0-9.]* [a-z]*\)  *\(.*\)/\1, \2/p' "$folder/plan")
    echo "| $ranks | ${task% *} | $cost | ${plan:-refused: $(sed 's/^error: //' "$folder/error")} |"
  done
done
