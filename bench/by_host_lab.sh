#!/usr/bin/env bash
# Exchanges between hosts that several ranks share: by two levels (--by-host: one stream between two hosts, by modes
# chain and local), by the library's default (sluice-direct), and by MPI_Alltoallv. Links of 100 Mbit/s, a backbone that
# does not limit. Two minutes. Needs a lab (root, iproute2).
#
#     bench/by_host_lab.sh [REPETITIONS]      7 unless given
#
# HOSTS of each of the two clusters, [2]; RANKS, [8 16], dealt to all hosts in turns; BUILD=DIR: another build than
# build/release; all in the environment. Instances, everybody to everybody: even (all messages alike), skew (the first
# rank of each host has ten times as much), small (messages of 1 KiB); even and skew have 2 MB for each rank on average.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -n ${BUILD-} ]] || scripts/build.sh release sluice >/dev/null
sluice=$(cd "${BUILD:-build/release}" && pwd)/bin/sluice
repetitions=${1:-7} hosts=${HOSTS:-2}
folder=$(mktemp -d)
name=$(lab/up.sh --hosts "$hosts" --backbone 1000 --host-rate 100)
trap 'lab/down.sh "$name" >/dev/null 2>&1; rm -rf "$folder"' EXIT

# instance KIND RANKS: a dense matrix as CSV; ranks i and i + 2 HOSTS share a host
instance() {
  awk -v n="$2" -v hosts="$((2 * hosts))" -v kind="$1" 'BEGIN {
    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j)
      sum += weight[i, j] = i == j ? 0 : kind == "skew" && i < hosts ? 10 : 1
    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j)
      printf "%d%s", kind == "small" ? 1024 * (i != j) : int(2e6 * n * weight[i, j] / sum), j + 1 < n ? "," : "\n"
  }'
}

for ranks in ${RANKS:-8 16}; do
  for kind in even skew small; do
    instance "$kind" "$ranks" > "$folder/$kind.csv"
    lab/run.sh --lab "$name" -n "$ranks" --time-limit 300 "$sluice" run exchange "$folder/$kind.csv" --by-host \
      --repetitions "$repetitions" --methods sluice-chain,sluice-local,sluice-direct,alltoallv
  done
done
