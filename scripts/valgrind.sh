#!/usr/bin/env bash
# The tests of exchange on a few ranks under valgrind's memcheck, with the suppressions that Open MPI comes with.
#
#     scripts/valgrind.sh [BUILD_DIR [GTEST_FILTER [RANKS...]]]      build/dev, the exchanges, 2 and 3 ranks unless given
#
# Fails if anything is found whose stack has a function of Sluice in it: Open MPI has findings of its own beyond its
# suppressions. What is found stays in BUILD_DIR/valgrind. Open MPI copies between processes are made through shared
# memory, as memcheck does not know what another process writes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build/dev}
filter=${2:-Exchange.*:DynamicExchange.*}
shift $(($# < 2 ? $# : 2))
(($# > 0)) || set -- 2 3
if ! command -v valgrind >/dev/null; then
  echo "error: no valgrind, expected it to be installed (apt-get install valgrind)" >&2
  exit 2
fi
suppressions=$(find -L /usr/share/openmpi /usr/local/share/openmpi /usr/lib/*/openmpi/share -name openmpi-valgrind.supp 2>/dev/null | head -n 1 || true)
out=$build/valgrind
rm -rf "$out"
mkdir -p "$out"
export OMPI_MCA_btl_vader_single_copy_mechanism=none
for ranks in "$@"; do
  for test in exchange_test dynamic_exchange_test; do
    scripts/mpirun.sh -B "$build" -np "$ranks" valgrind -q --num-callers=40 --fair-sched=yes --child-silent-after-fork=yes \
      ${suppressions:+--suppressions="$suppressions"} --log-file="$out/$test.$ranks.%p" \
      "$build/bin/$test" --gtest_filter="$filter" --gtest_brief=1 </dev/null
  done
done
# A finding is a block of lines; those with our names in their stacks are ours.
cat "$out"/* | awk '
  { sub(/^==[0-9]+== ?/, "") }
  /^$/ { if (block ~ /sluice::/) { print block; found = 1 }; block = ""; next }
  { block = block $0 "\n" }
  END { if (block ~ /sluice::/) { print block; found = 1 }; exit found }' || {
  echo "error: findings of memcheck in $out, expected none" >&2
  exit 1
}
echo "memcheck: nothing found"
