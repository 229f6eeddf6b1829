#!/usr/bin/env bash
# Two thousand random calls of ScaLAPACK's redistributions beside the real library, on 1, 2, 3, 4 and 7 ranks; less
# than a minute on two cores.
#
#     tests/drop-in/scalapack/all.sh [BUILD_DIR [CASES]]      build/release and 2000 unless given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
build=$(realpath "${1:-build/release}") cases=${2:-2000}
preload=$build/lib/yield_when_idle.so
[[ -f $preload ]] || preload=  # it is there in builds for MPICH, whose ranks wait busily
for ranks in 1 2 3 4 7; do
  scripts/mpirun.sh -B "$build" -np "$ranks" env LD_PRELOAD="$preload" \
    "$build/bin/redist_tester" "$build/lib/libsluice_scalapack.so" $((cases / 5)) "$ranks"00000
done
