#!/usr/bin/env bash
# Eight arrays in one job beside eight jobs one after another, and MPI's calls for each: small and large arrays, alike
# and not. On this host, or with `--lab` on four hosts of the lab (docs/how-to/lab.md), which takes root.
#
#     bench/redistribute_batch.sh [--lab] [REPETITIONS]
set -eu
cd "$(dirname "$0")/.."
start=(scripts/mpirun.sh -np 4)
sizes='32 128 512 1024'
if [ "${1:-}" = --lab ]; then
  start=(lab/run.sh --hosts 4 --backbone 10000 --host-rate 100 -n 4)
  sizes='32 128 512'
  shift
fi
repetitions=${1:-31}
arrays=$(mktemp)
trap 'rm -f "$arrays"' EXIT

run() {
  echo "== $*"
  "${start[@]}" build/release/bin/sluice run redistribute "$@" --repetitions "$repetitions" \
    --methods sluice,one-by-one,alltoallw | grep -E "^(sluice|one-by-one|alltoallw|verified)"
}

# Eight arrays whose layouts differ: matrices and vectors of $1 x $1 and $1 elements.
mixed() {
  {
    echo '{"schema": "sluice.arrays/1", "arrays": ['
    for part in 16 10 8 5; do
      block=$(($1 / part))
      echo "{\"from\": \"2x2:${block}x3\", \"to\": \"4x1:7x100\", \"shape\": \"$1x$1\"},"
      echo "{\"from\": \"4:$block\", \"to\": \"2:5\", \"shape\": \"$1\", \"element_bytes\": 4}$([ $part = 5 ] || echo ,)"
    done
    echo ']}'
  } >"$arrays"
}

for n in $sizes; do
  run --from "2x2:$((n / 8))x$((n / 8))" --to "4x1:$((n / 5))x$n" --shape "${n}x$n" --arrays 8
done
for n in $sizes; do
  mixed "$n"
  echo "== mixed, $n x $n and $n elements"
  run --batch "$arrays"
done
