#!/usr/bin/env bash
# The job scripts and files of hosts in examples/jobs: Open MPI reads its file; MPICH, where its mpiexec is there, starts a
# process on each slot of its file, with this machine in the place of each host; and the job for PBS really runs, on this
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

# Stands in for ssh: -x HOST COMMAND...
cat >local_ssh <<'END'
#!/bin/sh
[ "$1" = -x ] && shift
FAKE_HOST=$1
export FAKE_HOST
shift
exec sh -c "$*"
END
chmod +x local_ssh
if command -v mpiexec.mpich >/dev/null; then
  # shellcheck disable=SC2016  # variables of the processes that it starts
  started=$(timeout 100 mpiexec.mpich -f hosts.mpich -n 8 -launcher ssh -launcher-exec "$work/local_ssh" \
    sh -c 'echo "$FAKE_HOST $PMI_RANK"' | sort -k2n)
  [[ $started == $'node1 0\nnode1 1\nnode1 2\nnode1 3\nnode2 4\nnode2 5\nnode2 6\nnode2 7' ]] ||
    fail "hosts.mpich starts: $started"
else
  echo "jobs: hosts.mpich is not read, as there is no mpiexec.mpich"
fi

printf 'localhost\n%.0s' 1 2 3 >nodes
PBS_O_WORKDIR=$work PBS_NODEFILE=$work/nodes SECONDS_TO_MEASURE=2 bash pbs.sh
grep -Eq '"ranks": 3\b' platform.json || fail "platform.json is not of 3 ranks"
grep -q '"sluice.run/1"' broadcast.json || fail "no result in broadcast.json"
echo "jobs: passed"
