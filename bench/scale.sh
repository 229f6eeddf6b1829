#!/usr/bin/env bash
# The jobs of bench/scale.cpp on many simulated ranks, one per host of a flat cluster: a switch that bears everything, and
# links of 10 Gbit/s and 5 us. Builds with SimGrid's SMPI (scripts/install-deps.sh --smpi) first.
#
#     bench/scale.sh [RANKS [JOB...]]      1000 ranks, all jobs but list and dynamic unless given
#
# Each job has a simulation of its own, as one takes longer for the messages of later jobs: 1000 ranks some 15 s, 4096
# ranks 3 minutes and 5 GB of memory. Every rank is a copy of the program, which SMPI writes to /tmp and loads. Each
# copy takes some seven mappings of the process; the system allows vm.max_map_count of these.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ranks=${1:-1000}
shift || true
if ! [[ $ranks =~ ^[1-9][0-9]{0,5}$ ]]; then
  echo "error: $ranks: no number of ranks, expected 1 or more" >&2
  exit 2
fi
cmake --preset smpi -DSLUICE_BENCH=ON --log-level=WARNING >/dev/null
cmake --build --preset smpi --target scale >/dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/platform.xml" <<PLATFORM
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="flat" prefix="h" suffix="" radical="0-$((ranks - 1))" speed="1Gf" bw="1.25GBps" lat="5us"/>
</platform>
PLATFORM
seq -f 'h%.0f' 0 $((ranks - 1)) >"$folder/hosts"

# Every rank has a copy of the program, which is shorter without its symbols, and a stack, 256 KiB of it.
strip -o "$folder/scale" build/smpi/bin/scale
jobs=("$@")
[[ $# -gt 0 ]] ||
  jobs=(nothing redistribution sparse planned elements short-elements objects broadcast platform-broadcast)
first=1
for job in "${jobs[@]}"; do
  scripts/mpirun.sh -B build/smpi -np "$ranks" -platform "$folder/platform.xml" -hostfile "$folder/hosts" \
    --cfg=contexts/stack-size:256 "$folder/scale" "$job" | tail -n "+$first"
  first=4  # the heading and the first job of the communicator have been said
done
