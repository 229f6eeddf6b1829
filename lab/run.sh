#!/usr/bin/env bash
# Runs an MPI program in a lab, one rank per host: rank i on host i + 1, so that with the default -n the first H ranks are
# one cluster, the next H another, and so on.
#
#     lab/run.sh [OPTIONS OF lab/up.sh] [-n RANKS] PROGRAM ARGUMENTS...     in a lab of its own, taken down at the end
#     lab/run.sh --lab NAME [-n RANKS] PROGRAM ARGUMENTS...                 in one that is up, which stays
#
#     -n           ranks; more than hosts go round again                                  [one per host]
#     --mpi        what the program is built with: openmpi, or mpich (over UCX)            [openmpi]
#     --time-limit seconds until the program is ended, with exit status 124                [600]
#     --losses     file for what TCP of each host did while the program ran: segments sent, sent again, times that it
#                  waited for its timer (0.2 s or more each), and sent a probe instead (after two round trips; after
#                  0.2 s where one segment alone is outstanding)                           [none]
#
# The program finds the settings of the lab in its environment: SLUICE_LAB_HOSTS (of a cluster), SLUICE_LAB_CLUSTERS,
# SLUICE_LAB_K, SLUICE_LAB_BACKBONE_MBIT, SLUICE_LAB_HOST_MBIT, SLUICE_LAB_LOCAL_MBIT (empty: none),
# SLUICE_LAB_CONGESTION. Interrupted or not, the lab is taken down with all that runs in it.
#
# Exit status: the status of the program; 2 bad arguments; 3 a lab is not possible here (says why).
set -euo pipefail
lab=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$lab/common.sh"

name='' own_name='' ranks='' mpi=openmpi time_limit=600 losses='' up=()
while [[ $# -gt 0 && $1 == -* ]]; do
  [[ $1 != -h && $1 != --help ]] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0; }
  [[ $# -ge 2 ]] || lab_fail "$1: nothing after it, expected a value"
  case $1 in
    --lab) name=$2 ;;
    -n) ranks=$2 ;;
    --mpi) mpi=$2 ;;
    --name) own_name=$2 ;;
    --time-limit) time_limit=$2 ;;
    --losses) losses=$2 ;;
    *) up+=("$1" "$2") ;;
  esac
  shift 2
done
[[ $# -gt 0 ]] || lab_fail "no program, expected one: see lab/run.sh --help"
[[ -z $ranks || $ranks =~ ^[1-9][0-9]*$ ]] || lab_fail "-n: '$ranks', expected a number of ranks"
[[ $time_limit =~ ^[1-9][0-9]*$ ]] || lab_fail "--time-limit: '$time_limit', expected seconds"
[[ -z $losses || -w $(dirname "$losses") && ! -d $losses ]] ||
  lab_fail "--losses: '$losses', expected a file in a folder that is there"
command -v "$1" >/dev/null || lab_fail "'$1', expected a program"
case $mpi in
  openmpi) launcher=mpirun.openmpi needed=$launcher ;;
  mpich) launcher=mpiexec.mpich needed="$launcher mpicxx.mpich" ;;
  *) lab_fail "--mpi: '$mpi', expected openmpi or mpich" ;;
esac
for tool in $needed; do
  command -v "$tool" >/dev/null || lab_fail "no $tool, needed with --mpi $mpi"
done

job=''
finish() {
  local status=$?
  trap '' INT TERM
  if [[ -n $job ]]; then
    disown "$job" 2>/dev/null || true                # the shell need not say that it was killed
    kill -TERM -- "-$job" 2>/dev/null || true         # a process group of its own
  fi
  [[ -z $own ]] || lab_remove "$own"
  exit "$status"
}
own=''
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
if [[ -z $name ]]; then
  # Named before it is there, so that an interruption finds what to take down.
  name=${own_name:-$(printf '%x%04x' $$ "$RANDOM")}
  lab_is_name "$name" || lab_fail "--name: '$name', expected up to 12 of a-z and 0-9"
  lab_possible || exit 3
  [[ -z $(lab_namespaces "$name") ]] || lab_fail "--name: '$name' is up already, expected a new one"
  own=$name
  "$lab/up.sh" "${up[@]}" --name "$name" >/dev/null
elif [[ ${#up[@]} -gt 0 || -n $own_name ]]; then
  lab_fail "${up[0]:---name}: with --lab, expected none of the options of lab/up.sh"
fi
settings=$lab_root/$name/settings
[[ -e $settings ]] || lab_fail "--lab: '$name' is not up"
exports=()  # MPICH's launcher passes on all of the environment
while IFS='=' read -r key value; do
  export "SLUICE_LAB_${key^^}=$value"
  exports+=(-x "SLUICE_LAB_${key^^}")
done < "$settings"
ranks=${ranks:-$((SLUICE_LAB_CLUSTERS * SLUICE_LAB_HOSTS))}

# From inside host 1, by the routes of the lab only.
if [[ $mpi == openmpi ]]; then
  # Without `routed direct` and host names of their own 20 hosts hang.
  command=("$launcher" --allow-run-as-root -np "$ranks" --hostfile "$lab_root/$name/hosts" --map-by node --bind-to none
           --oversubscribe "${exports[@]}"
           --mca plm_rsh_agent "$lab_root/$name/agent" --mca plm_rsh_no_tree_spawn 1 --mca routed direct
           --mca oob_tcp_if_include 10.77.0.0/16 --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/16
           --mca pml ob1 --mca mpi_yield_when_idle 1 "$@")
else
  preloaded=$lab_root/$name/mpich.so
  if [[ ! -e $preloaded ]]; then
    mpicxx.mpich -shared -fPIC -O2 -o "$preloaded.$$" "$lab/mpich.cpp" "$lab/yield_when_idle.cpp"
    mv "$preloaded.$$" "$preloaded"
  fi
  # All hosts share this machine's memory, which would carry what is meant for the network. UCX warns of connections
  # that are never closed.
  command=("$launcher" -launcher ssh -launcher-exec "$lab_root/$name/agent" -np "$ranks"
           -hosts "$(cut -d ' ' -f 1 "$lab_root/$name/hosts" | paste -sd ,)"
           -genv LD_PRELOAD "$preloaded" -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES eth0
           -genv UCX_LOG_LEVEL error "$@")
fi
mkdir -p "$lab_root/$name/tmp/1"
[[ -z $losses ]] || counts_before=$(lab_tcp_counts "$name")
set -m
ip netns exec "sluice-$name-1" unshare --uts bash -c 'hostname lab1; TMPDIR=$1; export TMPDIR; shift; exec "$@"' \
  lab "$lab_root/$name/tmp/1" timeout --foreground --kill-after=5 "$time_limit" "${command[@]}" </dev/null \
  2> >(grep --line-buffered -v 'plm:rsh: Warning: setpgid' >&2) &   # a race inside mpirun that harms nothing
job=$!
set +m
status=0
wait "$job" || status=$?
job=''
if [[ -n $losses ]]; then
  { echo "host segments again timeouts probes"
    join <(sort <<<"$counts_before") <(lab_tcp_counts "$name" | sort) | sort -n |
      awk '{ print $1, $6 - $2, $7 - $3, $8 - $4, $9 - $5; for (i = 2; i <= 5; ++i) sum[i] += $(i + 4) - $i }
           END { print "all", sum[2], sum[3], sum[4], sum[5] }'
  } >"$losses.$$"
  mv "$losses.$$" "$losses"
fi
exit "$status"
