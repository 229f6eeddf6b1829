#!/usr/bin/env bash
# Six collectives between two clusters of four hosts in a shaped network, links of 50 Mbit/s and a backbone of twice as
# much, told nothing of it, beside MPI's own: medians and ratios. A block is SIZE bytes for each rank, what is combined
# eight times as much. The command is built if need be; a minute. Needs a lab: root, iproute2.
#
#     bench/collectives_lab.sh [REPETITIONS [SIZE]]      5 and 128Ki unless given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=${1:-5}
size=$(numfmt --from=auto "${2:-128Ki}")
[[ -n ${BUILD-} ]] || scripts/build.sh release bin/sluice >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
for problem in scatter gather allgather alltoall reduce-scatter allreduce; do
  bytes=$size
  [[ $problem != *reduce* ]] || bytes=$((8 * size))
  lab/run.sh --hosts 4 --k 2 --backbone 100 -n 8 "$build/bin/sluice" run "$problem" --size "$bytes" \
    --repetitions "$repetitions" </dev/null
  echo
done
