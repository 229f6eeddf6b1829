#!/usr/bin/env bash
# Makes, runs and frees communicators, jobs and taken calls in a hurry, on 2, 4, 8 and 16 ranks of one host. Ranks come
# late, and the system refuses things (tests/stress/README.md).
#
#     scripts/stress.sh [--minutes M | --hours H] [--seed N] [openmpi|mpich|tsan] [MODE...]
#
# Each mode gets an equal share of the time, 10 minutes unless given, and starts at least one job. Prints rounds,
# minutes and failures of each mode; exit status 1 if there are failures. The output of a job that failed, and its
# command, stay in BUILD/stress. Some modes need root and are left out without it. `tsan` is Open MPI, with the modes of
# threads alone, under ThreadSanitizer. Before it: scripts/build.sh release stress, mpich-ci stress or tsan-mpi stress.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The name of a mode; its programs, | between them, each with a preloaded libsluice_pmpi.so (P), with SLUICE_TAKE=always
# too (A), recording (R) or without (-), and maybe words for stress_refuse.
modes='
loop           P plain loop-l1
jobs-loop      - jobs loop
mix            P plain mix | A plain mix
jobs           - jobs mix
failures       - jobs failures --rounds 60 --most-mib 12 | - jobs failures-kept --rounds 60 --most-mib 12
sizes          P plain sizes --rounds 1 --most-mib 512
finalize       P plain finalize
finalize-live  - jobs finalize | - jobs finalize-running
own            - threads own
destroy        - threads destroy
free           - threads free
calls          P threads calls
record         R threads calls
kill           P plain mix | - jobs mix
descriptors    P plain mix --trouble descriptors | - jobs mix --trouble descriptors
close          P plain mix --trouble close | - jobs mix --trouble close
fork           P plain mix --trouble fork | - jobs mix --trouble fork
memfd          P:memfd:all plain mix | -:memfd:odd jobs mix
proc           P:proc:all plain mix | -:proc:odd jobs mix
hidepid        P:hidepid:all plain mix | -:hidepid:all jobs mix
pids           P:pids:one plain mix | -:pids:one jobs mix
pids-alone     P:pids-alone:one plain mix | -:pids-alone:one jobs mix
'
need_root=' proc hidepid pids pids-alone '
need_openmpi=' proc pids pids-alone '  # MPICH over UCX ends in MPI_Init there, or hangs in MPI_Finalize

minutes=10
seed=$((RANDOM * 32768 + RANDOM))
family=openmpi
chosen=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; awk 'NF { printf "%s ", $1 } END { print "" }' <<<"$modes"; exit 0 ;;
    --minutes) minutes=$2; shift ;;
    --hours) minutes=$(awk "BEGIN { print 60 * $2 }"); shift ;;
    --seed) seed=$2; shift ;;
    openmpi | mpich | tsan) family=$1 ;;
    *)
      grep -q "^$1 " <<<"$modes" || { echo "error: $1: no mode, expected one of $(awk 'NF { printf "%s ", $1 }' <<<"$modes")" >&2; exit 2; }
      chosen+=("$1") ;;
  esac
  shift
done
[[ ${#chosen[@]} -gt 0 || $family != tsan ]] || chosen=(own destroy free calls record)
[[ ${#chosen[@]} -gt 0 ]] || mapfile -t chosen < <(awk 'NF { print $1 }' <<<"$modes")

case $family in
  openmpi) build=build/release ;;
  mpich) build=build/mpich-ci ;;
  tsan) build=build/tsan-mpi ;;
esac
if [[ ! -x $build/bin/stress_threads ]]; then
  echo "error: $build: no programs of stress, expected scripts/build.sh ${build#build/} stress before" >&2
  exit 2
fi
# What a job leaves in /dev/shm is seen only if nobody else puts anything there.
if [[ $(id -u) -eq 0 && -z ${STRESS_OWN_SHM-} ]] && unshare -m true 2>/dev/null; then
  arguments=(--minutes "$minutes" --seed "$seed" "$family" "${chosen[@]}")
  STRESS_OWN_SHM=1 exec unshare -m bash -c 'mount -t tmpfs tmpfs /dev/shm && exec "$@"' bash "$0" "${arguments[@]}"
fi

build=$PWD/$build
logs=$build/stress
rm -rf "$logs"
mkdir -p "$logs"
export UCX_HANDLE_ERRORS=none  # the programs say themselves where a signal came
# MPI itself copies between processes by their numbers, and opens files below /proc.
by_messages=(OMPI_MCA_btl_vader_single_copy_mechanism=none UCX_TLS=self,tcp)

# A pair of a read and a write counts if either is in code of ours: MPI's own is not compiled for ThreadSanitizer.
if [[ $family == tsan ]]; then
  export TSAN_OPTIONS=ignore_noninstrumented_modules=1:history_size=5
  export OMPI_MCA_pml=ob1 OMPI_MCA_btl=vader,self OMPI_MCA_memory=^patcher
fi

now() { echo "${EPOCHREALTIME/./}"; }  # microseconds

# start LOG RANKS DELAYS KIND PROGRAM ARGUMENTS...: a job. KIND as in the table of modes.
start() {
  local log=$1 ranks=$2 delays=$3 kind=$4 program=$5
  shift 5
  local refuse=() launcher=() environment=() preload=
  if [[ $kind == *:* ]]; then
    local what=${kind#*:}
    refuse=("$build/bin/stress_refuse" "${what%:*}" "${what#*:}")
    # Ranks of another user than their launcher are refused by MPI.
    [[ $what != hidepid* ]] || { launcher=("${refuse[@]}") refuse=(); }
    [[ $what == memfd* || $what == hidepid* ]] || environment+=("${by_messages[@]}")
  fi
  # Preloaded in this order: delays, the library, what makes ranks give way.
  if [[ $delays != 0 ]]; then
    preload=$build/lib/stress_delays.so
    environment+=("STRESS_DELAY_US=$delays" "STRESS_DELAY_SEED=$seed")
  fi
  [[ $family == tsan && $kind != -* ]] && preload+=:$(g++ -print-file-name=libtsan.so)
  [[ $kind == [PAR]* ]] && preload+=:$build/lib/libsluice_pmpi.so
  [[ $kind == R* ]] && environment+=("SLUICE_RECORD=$log.record")
  [[ $kind == A* ]] && environment+=(SLUICE_TAKE=always)
  [[ $family == mpich ]] && preload+=:$build/lib/yield_when_idle.so
  local command=("${launcher[@]}" scripts/mpirun.sh -B "$build" -np "$ranks" env "${environment[@]}" "${refuse[@]}"
    env "LD_PRELOAD=${preload#:}" "$build/bin/stress_$program" "$@" --seed "$seed" --hang "$hang_s")
  printf '%s\n' "${command[*]}" >"$log"
  exec timeout --kill-after=10 "$limit_s" "${command[@]}" </dev/null >>"$log" 2>&1
}

# What a log says: rounds and failed rounds.
rounds_of() { sed -n 's/^stress: .* rounds \([0-9]*\) .*/\1/p' "$1" | tail -n 1; }
failures_of() { sed -n 's/^stress: .* failures \([0-9]*\) .*/\1/p' "$1" | tail -n 1; }

# The words of a mode that kills one rank: the job ends, and nothing of it is left.
kill_one() {
  local log=$1 ranks=$2 folder launcher status=0 victim left each
  folder=$(mktemp -d)
  chmod 777 "$folder"
  rm -f /dev/shm/* 2>/dev/null || true
  start "$@" --seconds 100 --pids "$folder" &
  launcher=$!
  for ((i = 0; i < 300; ++i)); do
    [[ $(ls "$folder" | wc -l) -lt $ranks ]] || break
    sleep 0.1
  done
  sleep "0.$((RANDOM % 9))"
  victim=$(ls "$folder" | shuf -n 1)
  local killed=$SECONDS
  kill -KILL "$victim" 2>>"$log" || echo "stress: no rank to kill" >>"$log"
  wait "$launcher" || status=$?
  local problem=
  [[ $status -ne 0 ]] || problem="the job ends with status 0"
  [[ $((SECONDS - killed)) -lt 30 ]] || problem="the job goes on without rank of process $victim"
  for ((i = 0; i < 50; ++i)); do
    left=
    for each in $(ls "$folder"); do
      grep -qs stress_ "/proc/$each/cmdline" && left+=" $each"
    done
    [[ -n $left ]] || break
    sleep 0.1
  done
  [[ -z $left ]] || { problem="processes are left:$left"; kill -KILL $left 2>/dev/null || true; }
  if [[ -n ${STRESS_OWN_SHM-} ]]; then
    # What MPI has there itself: Open MPI's vader, UCX, MPICH.
    left=$(ls /dev/shm | grep -v -e '^vader_segment' -e '^ucx_shm' -e '^mpich' -e '^sem.mp' || true)
    [[ -z $left ]] || problem="left in /dev/shm: $left"
  fi
  rm -rf "$folder"
  echo "stress: kill ranks $ranks rounds 1 failures $([[ -z $problem ]] && echo 0 || echo 1) $problem" >>"$log"
  [[ -z $problem ]]
}

# What one minute is enough for comes first.
combinations=("4 2000" "2 0" "8 2000" "2 2000" "4 0" "16 0" "8 0" "16 2000")
# The library of delays would load earlier than ThreadSanitizer's, which slows down threads anyway.
[[ $family != tsan ]] || combinations=("2 0" "3 0" "4 0" "8 0")
share_us=$(awk "BEGIN { printf \"%d\", 60e6 * $minutes / ${#chosen[@]} }")
hang_s=$(awk "BEGIN { print $minutes < 5 ? 30 : 100 }")  # much more than a round takes
longest_run_us=$((share_us / 8 > 2000000 ? share_us / 8 : 2000000))
failed=0
printf 'stress: %s, seed %s, %s minutes\n%-14s %10s %8s %9s\n' "$family" "$seed" "$minutes" mode rounds minutes failures
for mode in "${chosen[@]}"; do
  if [[ $need_root == *" $mode "* && $(id -u) -ne 0 ]]; then
    printf '%-14s needs root\n' "$mode"
    continue
  fi
  if [[ $need_openmpi == *" $mode "* && $family != openmpi ]]; then
    printf '%-14s needs Open MPI\n' "$mode"
    continue
  fi
  IFS='|' read -ra programs <<<"$(sed -n "s/^$mode  *//p" <<<"$modes")"
  began=$(now)
  rounds=0 failures=0 runs=0
  while [[ $runs -eq 0 || $(($(now) - began)) -lt $share_us ]]; do
    for program in "${programs[@]}"; do
      left_us=$((share_us - ($(now) - began)))
      [[ $runs -lt ${#programs[@]} || $left_us -gt 0 ]] || break
      read -r ranks delays <<<"${combinations[runs / ${#programs[@]} % ${#combinations[@]}]}"
      read -ra words <<<"$program"
      run_us=$((left_us / ${#programs[@]} < longest_run_us ? left_us / ${#programs[@]} : longest_run_us))
      [[ $run_us -gt 500000 ]] || run_us=500000
      [[ " ${words[*]} " == *" --rounds "* || $mode == finalize* || $mode == kill ]] ||
        words+=(--seconds "$((run_us / 1000000)).$((run_us % 1000000 / 100000))")
      limit_s=$((run_us / 1000000 + 2 * hang_s))
      log=$logs/$mode.$runs.log
      status=0
      seed=$((seed + 1))
      if [[ $mode == kill ]]; then
        (kill_one "$log" "$ranks" "$delays" "${words[@]}") || status=$?
      else
        (start "$log" "$ranks" "$delays" "${words[@]}") || status=$?
      fi
      runs=$((runs + 1))
      if [[ $status -eq 77 ]] || grep -q '^refuse: ' "$log"; then
        printf '%-14s %s\n' "$mode" "not possible here: $(grep -m 1 '^refuse: ' "$log")"
        break 2
      fi
      made=$(rounds_of "$log")
      wrong=$(failures_of "$log")
      rounds=$((rounds + ${made:-1}))
      said=$(grep -c 'cannot share memory' "$log" || true)
      # Each rank says so once.
      [[ $said -le $ranks ]] || { status=1; echo "stress: said $said times that memory cannot be shared" >>"$log"; }
      [[ $status -eq 0 || ${wrong:-0} -gt 0 ]] || wrong=1
      if [[ ${wrong:-0} -gt 0 ]]; then
        failures=$((failures + wrong))
        printf '  %s, status %d:\n' "$log" "$status"
        grep -e '^stress: ' -e '^sluice: ' -e '^SUMMARY: ' "$log" | head -n 4 | cut -c 1-200 | sed 's/^/    /'
      else
        rm -rf "$log" "$log.record"
      fi
    done
  done
  printf '%-14s %10d %8.1f %9d\n' "$mode" "$rounds" "$(awk "BEGIN { print ($(now) - $began) / 60e6 }")" "$failures"
  failed=$((failed + failures))
done
[[ $failed -eq 0 ]]
