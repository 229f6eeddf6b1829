#!/usr/bin/env bash
# Runs programs of others from Debian with the drop-in libraries and without, and compares their results. No part of CI: it
# installs some 150 packages, and each program takes minutes.
#
#     scripts/test-programs.sh [--runs N] [--ranks 2,4,8] [--modes plain,always,...] [--list] [PROGRAM...]
#
# N: runs of each program, number of ranks and mode; 2 unless told. Without the other options it takes all of them; --list
# names them. PROGRAMS_TIMEOUT=SECONDS: limit of a run, 300 unless set. tests/programs/README.md describes the inputs.
#
# Modes: what the ranks start with.
#
#     plain       without a library of Sluice
#     preloaded   libsluice_pmpi.so
#     always      and SLUICE_TAKE=always
#     hosts-of-2  always, and each pair of ranks pretends to have a host of its own
#     recorded    libsluice_pmpi.so and SLUICE_RECORD; the record must be complete
#     scalapack   libsluice_scalapack.so, for programs that call ScaLAPACK's pdgemr2d
#
# Ends with a table: how many runs gave the results of the first plain run, and how many calls jobs carried out in one run.
# Exit status 1 if a program fails with a library and not without: other results, another exit status, not over in time.
# What a failed run printed is kept in build/programs, and where its ranks waited if gdb is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

packages=(
  lammps lammps-examples       # lammps: molecular dynamics, and the data of its example
  cp2k cp2k-data               # cp2k: density functional theory
  quantum-espresso             # espresso: the same with plane waves
  quantum-espresso-data        # its pseudopotentials
  hpcc                         # hpcc: HPL, PTRANS, RandomAccess, FFT
  gpaw gpaw-data               # gpaw: density functional theory in Python
  libmumps-dev                 # mumps: a sparse direct solver, for a small program
  python3-h5py-mpi             # h5py: files of HDF5 that all ranks write
  python3-mpi4py-fft           # mpi4py-fft: Fourier transforms in Python
  python3-petsc4py             # petsc: Krylov methods in Python
  python3-mpi4py               # what the last three stand on
)
programs=(lammps cp2k espresso hpcc gpaw mumps h5py mpi4py-fft petsc)
modes=(plain preloaded always hosts-of-2 recorded scalapack)
ranks=(2 4 8)
runs=2
limit=${PROGRAMS_TIMEOUT:-300}

fail() { echo "error: $*" >&2; exit 2; }
usage() { sed -n '2,23s/^# \{0,1\}//p' "$0"; exit 0; }
# of NAME VALUES ALLOWED...: the values, which commas divide, if all are allowed.
of() {
  local name=$1 values=$2 each
  shift 2
  for each in ${values//,/ }; do [[ " $* " == *" $each "* ]] || fail "$name: '$each', expected some of $*"; done
  echo "${values//,/ }"
}
chosen=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage ;;
    --list) echo "programs: ${programs[*]}"; echo "modes: ${modes[*]}"; exit 0 ;;
    --runs | --ranks | --modes)
      [[ $# -ge 2 ]] || fail "$1: expected a value behind it"
      case $1 in
        --runs) runs=$2 ;;
        --ranks) ranks=($(of --ranks "$2" 2 4 8)) || exit 2 ;;
        --modes) modes=($(of --modes "$2" "${modes[@]}")) || exit 2 ;;
      esac
      shift ;;
    -*) fail "$1: unknown option, expected --runs, --ranks, --modes or --list" ;;
    *) chosen+=($(of PROGRAM "$1" "${programs[@]}")) || exit 2 ;;
  esac
  shift
done
[[ $runs =~ ^[1-9][0-9]*$ ]] || fail "--runs: '$runs', expected a number above 0"
[[ $limit =~ ^[1-9][0-9]*$ ]] || fail "PROGRAMS_TIMEOUT: '$limit', expected seconds"
[[ ${#chosen[@]} -gt 0 ]] || chosen=("${programs[@]}")

# ---- Packages and libraries

mapfile -t missing < <(printf '%s\n' "${packages[@]}" | grep -vxF -e "$(dpkg-query --show \
  --showformat='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null | sed -n 's/^installed //p')" || true)
if [[ ${#missing[@]} -gt 0 ]]; then
  echo "packages: installing ${missing[*]}"
  [[ $(id -u) -eq 0 ]] || fail "run as root: apt-get install --no-install-recommends -y ${missing[*]}"
  log=$(mktemp)
  DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 install --no-install-recommends -y "${missing[@]}" \
    </dev/null >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "apt-get install failed"; }
  rm -f "$log"
fi
scripts/build.sh release sluice_pmpi sluice_scalapack two_per_host
lib=$root/build/release/lib
inputs=$root/tests/programs
work=$root/build/programs
mkdir -p "$work"

# ---- The programs. NAME_prepare RANKS: into the present folder; NAME_command: what each rank starts; NAME_results: the
# part of its output that is the same in each run; tolerance: of its numbers, relative.

declare -A tolerance=([lammps]=1e-6 [cp2k]=1e-7 [espresso]=1e-6 [hpcc]=0 [gpaw]=1e-7 [mumps]=1e-11 [h5py]=1e-11
  [mpi4py-fft]=1e-10 [petsc]=1e-8)
declare -A redistributes=([cp2k]=1 [gpaw]=1)  # by pdgemr2d and its kin

lammps_prepare() { cp "$inputs/lammps/in.peptide" .; }
lammps_command=(lmp -in in.peptide -log none)
lammps_results() { sed -n '/^Step/,/^Loop time/{/^Loop time/!p}' output; }

cp2k_prepare() { cp "$inputs/cp2k/water.inp" .; }
cp2k_command=(env OMP_NUM_THREADS=1 CP2K_DATA_DIR=/usr/share/cp2k cp2k.psmp -i water.inp)
cp2k_results() { sed -n '/ENERGY|/p; /ATOMIC FORCES in/,/SUM OF ATOMIC FORCES/{/SUM OF/!p}' output; }

espresso_prepare() { cp "$inputs/espresso/silicon.in" .; }
espresso_command=(env OMP_NUM_THREADS=1 pw.x -in silicon.in)
espresso_results() {
  grep -E '^ +(k =|[-0-9. ]+$)|^!|contribution +=|highest|Total force|atom +[0-9]+ type' output
}

hpcc_prepare() {
  local rows=$(($1 < 4 ? 1 : 2))
  sed -e "s/@ROWS@/$rows/; s/@COLUMNS@/$(($1 / rows))/" "$inputs/hpcc/hpccinf.txt" > hpccinf.txt
}
hpcc_command=(env OMP_NUM_THREADS=1 hpcc)
# Words, as its numbers are times and rates.
hpcc_results() {
  sed -n 's/.*\.\.\.* *\(PASSED\|FAILED\)$/HPL \1/p; /^Found 0 errors/p; /^Success=/p;
    /^PTRANS_residual=/s/=.*//p; /^Finished [0-9]* tests/,/residual checks:$/p; /Node(s) with error/p' hpccoutf.txt
}

gpaw_prepare() { cp "$inputs/gpaw/water.py" .; }
gpaw_command=(env OMP_NUM_THREADS=1 GPAW_SETUP_PATH=/usr/share/gpaw-setups /usr/bin/python3 /usr/bin/gpaw python water.py)
gpaw_results() { cat output; }

mumps_prepare() {
  [[ $work/mumps -nt $inputs/mumps/laplace.c ]] ||
    mpicc.openmpi -O1 "$inputs/mumps/laplace.c" -o "$work/mumps" -ldmumps -lmumps_common -lm
}
mumps_command=(env OMP_NUM_THREADS=1 "$work/mumps")
mumps_results() { cat output; }

h5py_prepare() { cp "$inputs/h5py/parallel.py" .; }
h5py_command=(env OMP_NUM_THREADS=1 /usr/bin/python3 parallel.py)
h5py_results() { cat output; }

mpi4py-fft_prepare() { cp "$inputs/mpi4py-fft/transform.py" .; }
mpi4py_fft_command=(env OMP_NUM_THREADS=1 /usr/bin/python3 transform.py)
mpi4py-fft_results() { cat output; }

petsc_prepare() { cp "$inputs/petsc/laplace.py" .; }
petsc_command=(env OMP_NUM_THREADS=1 PETSC_DIR="$(printf '%s\n' /usr/lib/petscdir/petsc*/*-real | tail -n 1)" /usr/bin/python3
  laplace.py)
petsc_results() { cat output; }

# ---- A run

# The ranks that mpirun PID has started, and what they have.
ranks_of() {
  local each
  for each in $(pgrep -P "$1"); do echo "$each"; ranks_of "$each"; done
}
stacks_of() {
  command -v gdb >/dev/null || return 0
  local each
  for each in $(ranks_of "$1"); do
    echo "process $each, rank $(tr '\0' '\n' < "/proc/$each/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p')"
    timeout 60 gdb -p "$each" -batch -ex bt 2>/dev/null </dev/null | grep '^#' || true
  done
}

# environment MODE: of the ranks.
environment() {
  case $1 in
    plain) ;;
    preloaded) echo "LD_PRELOAD=$lib/libsluice_pmpi.so SLUICE_LOG=1" ;;
    always) echo "LD_PRELOAD=$lib/libsluice_pmpi.so SLUICE_LOG=1 SLUICE_TAKE=always" ;;
    hosts-of-2) echo "LD_PRELOAD=$lib/two_per_host.so:$lib/libsluice_pmpi.so SLUICE_LOG=1 SLUICE_TAKE=always" ;;
    recorded) echo "LD_PRELOAD=$lib/libsluice_pmpi.so SLUICE_RECORD=record" ;;
    scalapack) echo "LD_PRELOAD=$lib/libsluice_scalapack.so" ;;
  esac
}

# run PROGRAM RANKS MODE: in the present folder. Says what went wrong, or nothing.
run() {
  local program=$1 ranks=$2 mode=$3 pid status=0
  local -n command=${program//-/_}_command
  "${program}_prepare" "$ranks"
  # shellcheck disable=SC2046 # variables, one word each
  "$root/scripts/mpirun.sh" -np "$ranks" env $(environment "$mode") "${command[@]}" > output 2> errors < /dev/null &
  pid=$!
  if ! timeout "$limit" tail --pid="$pid" -f /dev/null; then
    stacks_of "$pid" > stacks
    kill "$pid" 2>/dev/null || true
    timeout 10 tail --pid="$pid" -f /dev/null || kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    echo "not over"
    return
  fi
  wait "$pid" || status=$?
  [[ $status -eq 0 ]] || { echo "status $status"; return; }
  "${program}_results" > results || true
  if [[ $mode == recorded ]] && ! grep -qs '"complete": *true' record/record.json; then
    echo "no record"
  fi
}

# The calls that jobs carried out, by the table that the library prints.
taken() { awk '$1 == "sluice:" && $2 ~ /^MPI_/ && NF == 7 { sum += $4 } END { print sum + 0 }' errors; }

# ---- All of them

worse=0
rows=()
notes=()
for program in "${chosen[@]}"; do
  for count in "${ranks[@]}"; do
    reference=
    plain_is_well=1
    row="| $program | $count "
    for mode in "${modes[@]}"; do
      if [[ $mode == scalapack && -z ${redistributes[$program]-} ]]; then
        row+="| "
        continue
      fi
      good=0
      calls=
      declare -A wrong=()
      for ((each = 1; each <= runs; ++each)); do
        folder=$work/$program.$count.$mode.$each
        rm -rf "$folder"
        mkdir "$folder"
        cd "$folder"
        why=$(run "$program" "$count" "$mode")
        if [[ -z $why && -n $reference ]]; then
          difference=$("$inputs/same_numbers.py" "${tolerance[$program]}" "$reference" results 2>&1) ||
            { why="differs"; echo "$program, $count ranks, $mode: $difference"; }
        elif [[ -z $why && $mode != plain ]]; then
          why="nothing to compare with"
        elif [[ -z $why ]]; then
          [[ -s results ]] || why="no results"
          [[ -n $why ]] || { reference=$work/$program.$count.expected; cp results "$reference"; }
        fi
        if [[ -z $why ]]; then
          good=$((good + 1))
          case $mode in preloaded | always | hosts-of-2) calls=", $(taken)" ;; esac
          cd "$root"
          rm -rf "$folder"
        else
          wrong[$why]=$((${wrong[$why]-0} + 1))
          [[ $mode != plain ]] || plain_is_well=0
          notes+=("$program, $count ranks, $mode: $why; see ${folder#"$root"/}")
          cd "$root"
        fi
      done
      cell="$good of $runs$calls"
      for why in "${!wrong[@]}"; do cell+="; **$why: ${wrong[$why]}**"; done
      [[ ${#wrong[@]} -eq 0 || $mode == plain || $plain_is_well -eq 0 ]] || worse=1
      unset wrong
      if [[ ($mode == always || $mode == hosts-of-2) && $calls == ", 0" ]]; then
        worse=1
        cell+="; **nothing was taken**"
      fi
      row+="| $cell "
      printf '%-12s %d ranks  %-10s %s\n' "$program" "$count" "$mode" "${cell//\*\*/}"
    done
    rows+=("$row|")
  done
done

echo
{
  echo "| program | ranks | $(printf '%s | ' "${modes[@]}")"
  printf '|---|---|'
  printf -- '---|%.0s' "${modes[@]}"
  echo
  printf '%s\n' "${rows[@]}"
} | sed 's/ *$//' | tee "$work/table.md"
for each in "${notes[@]}"; do echo "$each"; done
[[ $worse -eq 0 ]]
