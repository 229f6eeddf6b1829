#!/usr/bin/env bash
# Redistribution of a 4096 x 4096 matrix of doubles by every method, on 4, 8 and 16 ranks: medians, ratios and extra
# memory. The command is built first if need be; a minute on two cores.
#
#     bench/redistribute.sh [REPETITIONS]      15 unless given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repetitions=${1:-15}
scripts/build.sh release bin/sluice >/dev/null
while read -r ranks from to; do
  scripts/mpirun.sh -np "$ranks" build/release/bin/sluice run redistribute --from "$from" --to "$to" --shape 4096x4096 \
    --repetitions "$repetitions" </dev/null
  echo
done <<END
4 2x2:64x64 4x1:100x100
4 2x2:32x32 1x4:128x128
4 4x1:64x64 2x2:64x64
8 4x2:64x64 2x4:100x100
16 4x4:64x64 2x8:100x100
16 4x4:32x32 4x4:48x48
16 16x1:64x64 4x4:64x64
END
