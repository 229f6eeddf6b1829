#!/usr/bin/env bash
# From a fresh clone to the tests' result: installs the packages, builds everything and runs ctest.
#
#     scripts/test.sh [PRESET [CTEST ARGUMENTS...]]     PRESET: release unless given, or dev, mpich, asan, coverage
#
# With mpich and asan it installs MPICH and clang too.
#
# scripts/test.sh release -R matching     runs the tests with "matching" in their name
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
shift || true

echo "test 1/3: packages"
case $preset in
  asan) scripts/install-deps.sh --clang ;;
  mpich) scripts/install-deps.sh --mpich ;;
  *) scripts/install-deps.sh ;;
esac
echo "test 2/3: build"
scripts/build.sh "$preset"
echo "test 3/3: ctest, $(nproc) at a time"
# The launcher of Open MPI 4 fails if another one makes or removes its folder at this moment, so the folder stays meanwhile.
host=$(uname -n)
kept=${TMPDIR:-/tmp}/ompi.${host%%.*}.$(id -u)/kept
mkdir -p -m 700 "$(dirname "$kept")" "$kept" 2>/dev/null || true
trap 'rmdir "$kept" "$(dirname "$kept")" 2>/dev/null || true' EXIT
ctest --preset "$preset" --parallel "$(nproc)" "$@"
