#!/usr/bin/env bash
# Redistributions of 2048 x 2048 doubles between eight and sixteen hosts of a shaped network, links of 100 Mbit/s: the
# job as users get it beside its plan (sluice-chain), its order alone (sluice-local), MPI_Alltoallw and MPI_Alltoallv, with the time that ports or
# backbone take at least for each. Five minutes. Needs a lab: root, iproute2.
#
#     bench/redistribute_lab.sh [REPETITIONS]      5 unless given
#
# CONGESTION [reno]; BUILD=DIR: another build than build/release; both in the environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=${1:-5}
[[ -n ${BUILD-} ]] || scripts/build.sh release bin/sluice >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)

# row HOSTS BACKBONE FROM TO [apart]: half of the hosts on each side of the backbone; apart: one grid on each side
row() {
  printf '\n%d hosts, backbone of %d Mbit/s, %s -> %s %s\n' "$1" "$2" "$3" "$4" "${5-}"
  # No schedule, of whatever messages, sends less through a port than the busiest process has.
  local same=--same-processes
  [[ -z ${5-} ]] || same=
  "$build/bin/sluice" plan redistribute --shape 2048x2048 --from "$3" --to "$4" $same --preemptive --summary |
    awk '$1 == "transmission" { printf "ports: at least %.0f ms\n", $4 * 8 / 12.5e6 * 1000 }'
  lab/run.sh --hosts "$(($1 / 2))" --backbone "$2" --host-rate 100 --congestion "${CONGESTION:-reno}" \
    "$build/bin/sluice" run redistribute --shape 2048x2048 --from "$3" --to "$4" --repetitions "$repetitions" \
    ${5+--apart} --method sluice,sluice-chain,sluice-local,alltoallw,alltoallv </dev/null
}
row 8 1000 2x4:64x64 4x2:100x100
row 8 1000 8x1:64x2048 8x1:100x2048
row 8 1000 1x8:64x64 8x1:100x100
row 8 1000 4x2:32x32 2x4:48x48
row 8 1000 8x1:1x2048 1x8:2048x1
row 16 1000 16x1:3x2048 16x1:5x2048
row 16 1000 4x4:64x64 2x8:100x100
row 16 1000 16x1:64x2048 4x4:100x100
row 8 200 2x4:64x64 4x2:100x100
row 8 200 2x2:64x64 4x1:100x100 apart
row 16 300 4x2:64x64 2x4:100x100 apart
