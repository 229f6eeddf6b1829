#!/usr/bin/env bash
# The tests of ring, board, log of calls and leavers for other processors, Arm and POWER, run by qemu: threads in the place of ranks
# over one mapping. Needs no MPI. What it builds stays in build/cross.
#
#     scripts/cross.sh [SECONDS]     of each test with threads; 1 unless told
#
# It shows that the layout of shared memory, its alignment and its atomic operations are right there: sizes, what is
# lock-free, lines of 128 bytes, and instructions of those processors, fences too. It cannot show what a weak order of
# memory does: qemu carries loads and stores out in the order of the program, on a processor that keeps most of them in
# order (x86). tests/run/model shows that.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
case ${1-} in
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

scripts/install-deps.sh --cross
googletest=/usr/src/googletest/googletest
sources=(tests/run/{call_log,leavers,shared_memory_threads,shared_ring}_test.cpp src/base/error.cpp)
build() {
  local machine=$1 out=build/cross/$1
  mkdir -p "$out"
  if [[ ! -f $out/gtest.o ]]; then
    "$machine-linux-gnu-g++" -std=c++20 -O0 -I$googletest/include -I$googletest -c $googletest/src/gtest-all.cc -o "$out/gtest.o.part"
    "$machine-linux-gnu-g++" -std=c++20 -O0 -I$googletest/include -c $googletest/src/gtest_main.cc -o "$out/gtest_main.o"
    mv "$out/gtest.o.part" "$out/gtest.o"
  fi
  "$machine-linux-gnu-g++" -std=c++20 -O2 -Wall -Wextra -Werror -pthread -Isrc -Iinclude -I$googletest/include \
    "${sources[@]}" "$out/gtest.o" "$out/gtest_main.o" -o "$out/shared_memory_test"
}

machines=(aarch64 powerpc64le)
compiling=()
for machine in "${machines[@]}"; do
  build "$machine" &
  compiling+=($!)
done
for job in "${compiling[@]}"; do wait "$job"; done
for machine in "${machines[@]}"; do
  echo "cross: $machine"
  qemu=qemu-${machine/powerpc/ppc}-static
  SLUICE_STRESS_SECONDS=${1:-1} "$qemu" -L "/usr/$machine-linux-gnu" \
    "build/cross/$machine/shared_memory_test" --gtest_brief=1
done
