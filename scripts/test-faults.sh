#!/usr/bin/env bash
# The whole fault table: every job, every fault, every moment and choice of ranks, at 2, 3, 4 and 7 ranks. It takes some
# hours on two cores, half a minute to three minutes for each row; the tests and CI run a sample of it.
#
#     scripts/test-faults.sh [PRESET [RANKS...]]     PRESET: release unless given, or dev, mpich
#     scripts/test-faults.sh --asan [RANKS...]       the sample and the tests of jobs in flight, under AddressSanitizer,
#                                                    LeakSanitizer and UndefinedBehaviorSanitizer; 2 and 3 ranks
#
# Ends with the number of cases at each number of ranks; exit status 1 if one failed or a sanitizer found something. What
# MPI leaves behind of its own is left out: tests/run/leaks_of_mpi.supp.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

status=0
if [[ ${1-} == --asan ]]; then
  shift
  [[ $# -gt 0 ]] || set -- 2 3
  scripts/build.sh asan-mpi fault_table in_flight_test
  # Stacks of MPI's libraries can only be walked slowly: without that, a leak of theirs would not show whose it is.
  export ASAN_OPTIONS=detect_leaks=1:fast_unwind_on_malloc=0:malloc_context_size=20:detect_stack_use_after_return=1
  export LSAN_OPTIONS=suppressions=$PWD/tests/run/leaks_of_mpi.supp:print_suppressions=0
  export UBSAN_OPTIONS=print_stacktrace=1
  # AddressSanitizer stands where Open MPI would put hooks of its own into the memory functions.
  export OMPI_MCA_memory=^patcher
  for ranks in "$@"; do
    for test in fault_table in_flight_test; do
      echo "faults: $test, $ranks ranks"
      scripts/mpirun.sh -B build/asan-mpi -np "$ranks" "build/asan-mpi/bin/$test" </dev/null || status=1
    done
  done
  exit $status
fi

preset=${1:-release}
shift || true
[[ $# -gt 0 ]] || set -- 2 3 4 7

scripts/build.sh "$preset" fault_table
launcher=scripts/mpirun.sh
[[ $preset != mpich ]] || launcher=mpiexec.mpich
for ranks in "$@"; do
  "$launcher" -np "$ranks" "build/$preset/bin/fault_table" --all || status=1
done
exit $status
