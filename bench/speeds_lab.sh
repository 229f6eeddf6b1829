#!/usr/bin/env bash
# Exchanges from six hosts to six others over a backbone for three fast links: by a plan that knows the speeds
# (--speeds), by one that does not, and by MPI_Alltoallv. Links have 33 Mbit/s; two senders have a third of it and one
# receiver half; the backbone has 100. Two minutes. Needs a lab (root, iproute2).
#
#     bench/speeds_lab.sh [REPETITIONS [INSTANCES]]      5 and 3 unless given; BUILD=DIR: another build than build/release
#
# INSTANCES: random messages of 50 to 500 KB, one from each sender to each receiver. Prints medians in ms, times over the
# bound of the backbone and the links (no framing), and the time with speeds over that without.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -n ${BUILD-} ]] || scripts/build.sh release sluice >/dev/null
sluice=$(cd "${BUILD:-build/release}" && pwd)/bin/sluice
repetitions=${1:-5} instances=${2:-3} hosts=6
folder=$(mktemp -d) name=spd$((RANDOM % 10000))
trap 'lab/down.sh "$name" >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
lab/up.sh --hosts $hosts --backbone 100 --host-rate 33 --name "$name" >/dev/null

# slow HOST MBIT
slow() {
  ip netns exec "sluice-$name-hub" tc qdisc change dev "host$1" root tbf rate "$2mbit" burst 32k limit 128k
  ip netns exec "sluice-$name-$1" tc qdisc change dev eth0 root tbf rate "$2mbit" burst 32k limit 128k
}
slow 1 11
slow 2 11
slow 7 16.5
cat > "$folder/speeds.json" <<'JSON'
{"schema": "sluice.speeds/1", "senders": [0.333333, 0.333333, 1, 1, 1, 1], "receivers": [0.5, 1, 1, 1, 1, 1]}
JSON

# measured METHOD OPTIONS...: its median in ms
measured() {
  local method=$1
  shift
  lab/run.sh --lab "$name" --time-limit 300 "$sluice" run exchange "$folder/traffic.csv" --max-transfers 3 --methods "$method" \
    --repetitions "$repetitions" --json - "$@" | python3 -c '
import json, sys
print(*(round(method["median_s"] * 1e3) for method in json.load(sys.stdin)["methods"] if method["name"] == sys.argv[1]))' "$method"
}

echo '| instance | bound, ms | with speeds | over the bound | without | over the bound | MPI_Alltoallv | over the bound | with / without |'
echo '|---|---|---|---|---|---|---|---|---|'
for ((instance = 1; instance <= instances; ++instance)); do
  awk -v n=$hosts -v seed="$instance" 'BEGIN {
    srand(seed)
    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) printf "%d%s", 50000 + int(450001 * rand()), j + 1 < n ? "," : "\n"
  }' > "$folder/traffic.csv"
  bound=$(awk -F, '{
    for (j = 1; j <= NF; ++j) { row += $j; column[j] += $j; all += $j }
    time = row * 8e-3 / (NR <= 2 ? 11 : 33); if (time > most) most = time
    row = 0
  } END {
    for (j in column) { time = column[j] * 8e-3 / (j == 1 ? 16.5 : 33); if (time > most) most = time }
    time = all * 8e-3 / 100; if (time > most) most = time
    printf "%.0f", most
  }' "$folder/traffic.csv")
  read -r with < <(measured sluice-chain --speeds "$folder/speeds.json")
  read -r without < <(measured sluice-chain)
  read -r native < <(measured alltoallv)
  awk -v i="$instance" -v b="$bound" -v w="$with" -v o="$without" -v n="$native" 'BEGIN {
    printf "| %d | %d | %d | %.3f | %d | %.3f | %d | %.3f | %.3f |\n", i, b, w, w / b, o, o / b, n, n / b, w / o }'
done
