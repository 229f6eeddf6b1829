#!/usr/bin/env bash
# Prints how long a redistribution of 32 MiB takes from Python, divided by its time in C++ with the memory and threads
# that NumPy and mpi4py ask for. Jobs of both alternate. Prints medians over the jobs of the medians of executions, and
# an interval of the ratio that holds 95 % of ratios of jobs drawn at random from these. First one rank by processor
# time, which other programs change less; then 4 ranks by the clock, which needs an idle machine. Builds first if
# necessary, with -DSLUICE_BENCH=ON; two minutes.
#
#     bench/python_cost.sh [JOBS [EXECUTIONS]]      31 and 41 unless given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${1:-31} executions=${2:-41}
[[ -n ${BUILD-} ]] || scripts/build.sh release >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
times=$(mktemp)
trap 'rm -f "$times"' EXIT
for ranks in 1 4; do
  for ((job = 0; job < jobs; ++job)); do
    scripts/mpirun.sh -B "$build" -np "$ranks" "$build/bin/python_cost" "$executions" </dev/null |
      sed "s/^/$ranks C++ /" >> "$times"
    PYTHONPATH=$build/python scripts/mpirun.sh -B "$build" -np "$ranks" /usr/bin/python3 bench/python_cost.py \
      "$executions" </dev/null | sed "s/^/$ranks Python /" >> "$times"
  done
done
python3 - "$times" <<'END'
import random, statistics, sys
rows = [line.split() for line in open(sys.argv[1])]
chance = random.Random(1)
for ranks, column, what in (("1", 3, "1 rank, processor time"), ("4", 2, "4 ranks, elapsed time")):
    command, python = ([float(row[column]) for row in rows if row[:2] == [ranks, name]] for name in ("C++", "Python"))
    ratio = lambda some, others: statistics.median(some) / statistics.median(others)
    drawn = sorted(ratio(chance.choices(python, k=len(python)), chance.choices(command, k=len(command)))
                   for _ in range(2000))
    print(f"{what}: C++ {statistics.median(command) * 1e3:.3f} ms, Python {statistics.median(python) * 1e3:.3f} ms, "
          f"ratio {ratio(python, command):.3f} ({drawn[49]:.3f} to {drawn[1949]:.3f})")
END
