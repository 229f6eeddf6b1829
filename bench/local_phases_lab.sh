#!/usr/bin/env bash
# Exchanges with local phases between two clusters whose hosts have a fast network of their own besides the link to a
# slow backbone: plans with detours through neighbours (sluice), the same with one phase after the other
# (sluice-barrier), plans without (sluice-direct), and MPI_Alltoallv. Two minutes. Needs a lab (root, iproute2).
#
#     bench/local_phases_lab.sh [REPETITIONS]      7 unless given
#
# Instances, of HOSTS senders and as many receivers, [4] each, scaled to the same TOTAL of bytes, [4000000]:
#   hot      sender 0 has half of everything, the others small messages.
#   columns  receiver 0 gets half of everything.
#   skew     one message in six is long, the others a hundredth of it.
#   even     all messages alike.
#   small    as even, of a fiftieth of TOTAL.
# K, [4]: transfers that the backbone of 100 Mbit/s carries; LOCAL, [1000]: Mbit/s of the fast links; BUILD=DIR: another
# build than build/release; all in the environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -n ${BUILD-} ]] || scripts/build.sh release sluice >/dev/null
sluice=$(cd "${BUILD:-build/release}" && pwd)/bin/sluice
repetitions=${1:-7} hosts=${HOSTS:-4} k=${K:-4} total=${TOTAL:-4000000} local_rate=${LOCAL:-1000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# instance KIND TOTAL: a dense matrix as CSV
instance() {
  awk -v n="$hosts" -v kind="$1" -v total="$2" 'BEGIN {
    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) {
      w = 1
      if (kind == "hot") w = i == 0 ? n - 1 : 1
      if (kind == "columns") w = j == 0 ? n - 1 : 1
      if (kind == "skew") w = (i * 7 + j * 5 + i * j) % 6 == 0 ? 100 : 1
      sum += weight[i, j] = w
    }
    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j)
      printf "%d%s", int(total * weight[i, j] / sum) + 1, j + 1 < n ? "," : "\n"
  }'
}

link=$(awk -v k="$k" 'BEGIN { printf "%.3fMbit", 100 / k }')
name=$(lab/up.sh --hosts "$hosts" --k "$k" --backbone 100 --local-rate "$local_rate")
trap 'lab/down.sh "$name" >/dev/null 2>&1; rm -rf "$folder"' EXIT
for kind in hot columns skew even small; do
  instance "$kind" "$([[ $kind == small ]] && echo $((total / 50)) || echo "$total")" > "$folder/$kind.csv"
  lab/run.sh --lab "$name" --time-limit 300 "$sluice" run exchange "$folder/$kind.csv" --repetitions "$repetitions" \
    --backbone 100Mbit --sender-link "$link" --receiver-link "$link" --latency 2ms \
    --local-links "${local_rate}Mbit" --local-latency 200us \
    --methods sluice-chain,sluice-barrier,sluice-direct,alltoallv
done
