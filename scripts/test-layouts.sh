#!/usr/bin/env bash
# A thousand random redistributions at 1, 2, 3, 4, 7 and 12 ranks, every byte checked (tests/run/random_layouts_test.cpp);
# the tests and CI take a sample of them.
#
#     scripts/test-layouts.sh [PRESET [RANKS...]]      PRESET: release unless given, or dev, mpich, mpich-ci
#
# LAYOUTS [1000] and FIRST [0], in the environment: how many, and the number of the first one. Prints at each number of
# ranks how many had what; exit status 1 if one failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
shift || true
[[ $# -gt 0 ]] || set -- 1 2 3 4 7 12

scripts/build.sh "$preset" random_layouts_test >/dev/null
export RANDOM_LAYOUTS=${LAYOUTS:-1000} RANDOM_LAYOUTS_FIRST=${FIRST:-0}
status=0
for ranks in "$@"; do
  scripts/mpirun.sh -B "build/$preset" -np "$ranks" "build/$preset/bin/random_layouts_test" --gtest_brief=1 </dev/null ||
    status=1
done
exit $status
