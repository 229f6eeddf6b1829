#!/usr/bin/env bash
# The job scripts and files of hosts in examples/jobs: Open MPI reads its file, and the job for PBS really runs, on this
# machine, with the variables that PBS sets.
#
#     tests/install/jobs_test.sh BUILD_DIR MPIRUN
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
launcher=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root"/examples/jobs/* "$work"
cd "$work"
mkdir bin
ln -s "$launcher" bin/mpirun
ln -s "$build/bin/sluice" bin/sluice
export PATH=$work/bin:$PATH
set -a
# shellcheck source=../../scripts/mpirun.env
. "$root/scripts/mpirun.env"
set +a

fail() { echo "error: $*" >&2; exit 1; }

for script in *.sh; do bash -n "$script"; done
# It ends with an error, as there are no such hosts to start anything on.
map=$(mpirun --hostfile hosts.openmpi --display-map --do-not-launch -np 8 true 2>&1) || true
for host in node1 node2; do
  grep -Eq "Data for node: $host[[:space:]]+Num slots: 4.*Num procs: 4" <<<"$map" || fail "hosts.openmpi is read as: $map"
done

printf 'localhost\n%.0s' 1 2 3 >nodes
PBS_O_WORKDIR=$work PBS_NODEFILE=$work/nodes SECONDS_TO_MEASURE=2 bash pbs.sh
grep -Eq '"ranks": 3\b' platform.json || fail "platform.json is not of 3 ranks"
grep -q '"sluice.run/1"' broadcast.json || fail "no result in broadcast.json"
echo "jobs: passed"
