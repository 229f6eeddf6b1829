#!/usr/bin/env bash
# examples/jobs/slurm.sh by a real Slurm: four nodes of a cluster that is this machine alone, started for it and stopped
# afterwards. No part of CI: it needs root and Debian's packages slurm-wlm and munge. It takes some 20 s.
#
#     scripts/test-slurm.sh
#
# The job is submitted with sbatch as it stands and has to end well: srun starts the ranks through PMIx, sluice probe and
# sluice run have 16 of them, on four nodes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { echo "error: $*" >&2; exit 1; }

[[ $# -eq 0 ]] || { [[ $1 == -h || $1 == --help ]] && sed -n '2,9s/^# \{0,1\}//p' "$0" && exit 0; } ||
  { echo "error: $1: unknown option, expected nothing" >&2; exit 2; }
[[ $(id -u) -eq 0 ]] || fail "it needs root, to start the daemons of Slurm"
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch; do
  command -v "$program" >/dev/null || fail "no $program, expected the packages slurm-wlm and munge"
done
scripts/build.sh release sluice

root=$PWD
work=$(mktemp -d)
started=()
clean_up() {
  ((${#started[@]} == 0)) || { kill "${started[@]}" && wait "${started[@]}"; } 2>/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT

# Munge tells Slurm's programs who calls them. Both have files and ports of their own here, so that a Slurm that this machine
# may be part of is left alone.
dd if=/dev/urandom of="$work/key" bs=128 count=1 status=none
chmod 600 "$work/key"
munged --foreground --force --key-file="$work/key" --socket="$work/munge" --pid-file="$work/munge.pid" \
  --log-file="$work/munge.log" --seed-file="$work/seed" >"$work/munged.out" 2>&1 &
started+=($!)

host=$(hostname -s)
cat >"$work/slurm.conf" <<END
ClusterName=sluice
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17017
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
TmpFS=$work/tmp.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=pmix
ReturnToService=2
# Four nodes of four cores each, whatever this machine has.
SlurmdParameters=config_overrides
NodeName=node[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=[17018-17021] CPUs=4
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE
END
export SLURM_CONF=$work/slurm.conf
mkdir "$work/state" "$work"/tmp.node{1..4} "$work"/spool.node{1..4}
until [[ -S $work/munge ]]; do kill -0 "${started[0]}" || fail "$(cat "$work/munged.out")"; sleep 0.1; done
slurmctld -D >"$work/slurmctld.out" 2>&1 &
started+=($!)
for node in 1 2 3 4; do
  # Nodes have shared memory of their own, as other machines would.
  # shellcheck disable=SC2016  # its own $0
  unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/shm && exec slurmd -D -N "$0"' "node$node" >"$work/slurmd.$node.out" 2>&1 &
  started+=($!)
done
for ((tries = 0; $(sinfo --noheader --states=idle --format=%D 2>/dev/null || true) != 4; ++tries)); do
  ((tries < 100)) || { tail -n 5 "$work"/*.out >&2; fail "Slurm has no four idle nodes after 20 s"; }
  sleep 0.2
done

mkdir "$work/job"
cp examples/jobs/* "$work/job"
cd "$work/job"
export PATH=$root/build/release/bin:$PATH SECONDS_TO_MEASURE=3
set -a
# shellcheck source=/dev/null
. "$root/scripts/mpirun.env"
set +a
job=$(sbatch --parsable --output=job.out slurm.sh)
state() { squeue --noheader --states=all --jobs="$job" --format=%T; }
while [[ $(state) =~ ^(PENDING|CONFIGURING|RUNNING|COMPLETING)$ ]]; do sleep 0.2; done
cat job.out
[[ $(state) == COMPLETED ]] || fail "the job ended as $(state)"
grep -Eq '"ranks": 16\b' platform.json || fail "platform.json is not of 16 ranks"
grep -q '"sluice.run/1"' broadcast.json || fail "no result in broadcast.json"
echo "slurm: passed"
