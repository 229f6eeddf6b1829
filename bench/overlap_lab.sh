#!/usr/bin/env bash
# Computing while data travels between eight hosts of a shaped network, links of 100 Mbit/s: what bench/overlap.cpp
# measures. A minute. Needs a lab (root, iproute2) and a build with -DSLUICE_BENCH=ON.
#
#     bench/overlap_lab.sh [ARGUMENTS OF overlap]
#
# HOSTS of each cluster, [4]; CONGESTION [reno]; BUILD=DIR: another build than build/release; all in the environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -n ${BUILD-} ]] || scripts/build.sh release overlap >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
exec lab/run.sh --hosts "${HOSTS:-4}" --backbone 1000 --host-rate 100 --congestion "${CONGESTION:-reno}" \
  "$build/bin/overlap" "$@"
