#!/usr/bin/env bash
# Six collectives, a broadcast and a sum between clusters of four hosts in a shaped network, beside MPI's own: medians
# and ratios. Links have 50 Mbit/s and the backbone 100; ours are told nothing of it. A block is SIZE bytes for each
# rank. So is the message of the broadcast, and what each rank gives to the sum. To an allreduce and a reduce-scatter
# each rank gives SIZE bytes for every rank. The command is built if need be; a minute. Needs a lab: root, iproute2.
#
#     bench/collectives_lab.sh [REPETITIONS [SIZE]]      5 and 128Ki unless given
#     CLUSTERS=3 bench/collectives_lab.sh ..             clusters, 2 unless given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=${1:-5}
size=$(numfmt --from=auto "${2:-128Ki}")
[[ -n ${BUILD-} ]] || scripts/build.sh release bin/sluice >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
clusters=${CLUSTERS:-2}
for problem in broadcast reduce scatter gather allgather alltoall reduce-scatter allreduce; do
  amount=(--size "$size")
  [[ $problem != *reduce* ]] || amount=(--size "$((4 * clusters * size))")
  [[ $problem != reduce ]] || amount=(--count "$((size / 8))")
  lab/run.sh --hosts 4 --clusters "$clusters" --k 2 --backbone 100 "$build/bin/sluice" run "$problem" "${amount[@]}" \
    --repetitions "$repetitions" </dev/null
  echo
done
