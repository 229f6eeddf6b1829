#!/usr/bin/env bash
# From a fresh clone to a redistribution under MPI. Installs the packages, builds the command, and plans the example of
# the paper and the traffic of a real application. Then it moves a 4096 x 4096 matrix of doubles from one block-cyclic
# layout to another on 8 ranks, every byte verified.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

show() {
  echo
  echo "\$ $*"
  "$@"
}

echo "demo 1/3: packages"
scripts/install-deps.sh
echo "demo 2/3: the command"
scripts/build.sh release bin/sluice
echo "demo 3/3: two plans, then a real matrix under MPI"
show build/release/bin/sluice plan redistribute --from 16:3 --to 16:5
show build/release/bin/sluice plan exchange studies/traffic/amg2013-64.mtx --max-transfers 8 --setup 100000 --summary
show scripts/mpirun.sh -np 8 build/release/bin/sluice run redistribute --from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096
