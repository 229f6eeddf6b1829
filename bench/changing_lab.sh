#!/usr/bin/env bash
# A job by default options between eight hosts whose links change their speed while it runs: what bench/changing.cpp
# prints. A minute. Needs a lab (root, iproute2) and a build with -DSLUICE_BENCH=ON.
#
#     bench/changing_lab.sh [BEFORE [AFTER [BYTES [EXECUTIONS [JOB]]]]]
#
# BEFORE, AFTER: Mbit/s of each link, 100 and 20. BYTES: 65536. EXECUTIONS: 30. JOB: exchange, broadcast or reduce.
# BUILD=DIR in the environment: another build than build/release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
before=${1:-100} after=${2:-20} bytes=${3:-65536} executions=${4:-30} job=${5:-exchange}
[[ -n ${BUILD-} ]] || scripts/build.sh release changing >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)

name=chg$((RANDOM % 10000)) folder=$(mktemp -d) hosts=8
trap 'lab/down.sh "$name" >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
lab/up.sh --hosts $((hosts / 2)) --backbone 10000 --host-rate "$before" --name "$name" >/dev/null
echo "links of $before Mbit/s"
lab/run.sh --lab "$name" -n $hosts "$build/bin/changing" "$bytes" "$executions" "$folder/change" "$job" &
program=$!
while [[ ! -e $folder/change ]] && kill -0 $program 2>/dev/null; do sleep 0.1; done
for ((host = 1; host <= hosts; ++host)); do
  ip netns exec "sluice-$name-hub" tc qdisc change dev "host$host" root tbf rate "${after}mbit" burst 32k limit 128k
  ip netns exec "sluice-$name-$host" tc qdisc change dev eth0 root tbf rate "${after}mbit" burst 32k limit 128k
done
echo "links of $after Mbit/s"
rm -f "$folder/change"
wait $program
