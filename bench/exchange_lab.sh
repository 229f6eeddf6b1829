#!/usr/bin/env bash
# Exchanges between the hosts of a shaped network whose links are what is short, the backbone of ten times their rate is
# not: what bench/exchange_ports.cpp measures. A minute for 8 hosts and a seed. Needs a lab (root, iproute2) and a build
# with -DSLUICE_BENCH=ON.
#
#     bench/exchange_lab.sh [REPETITIONS [SEED...]]      7 and 1 unless given
#
# HOSTS of each cluster, [4]; RATE of links in Mbit/s, [100]; CONGESTION [reno]; BUILD=DIR: another build than
# build/release; all in the environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -n ${BUILD-} ]] || scripts/build.sh release exchange_ports >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
rate=${RATE:-100}
exec lab/run.sh --hosts "${HOSTS:-4}" --backbone $((10 * rate)) --host-rate "$rate" --congestion "${CONGESTION:-reno}" \
  "$build/bin/exchange_ports" "$@"
