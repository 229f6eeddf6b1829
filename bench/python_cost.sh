#!/usr/bin/env bash
# What a redistribution of 32 MiB takes from Python, over the same job in C++: 4 ranks of this machine, jobs of both in
# turns, the medians of the medians. Built first if need be, with -DSLUICE_BENCH=ON; a minute.
#
#     bench/python_cost.sh [JOBS [EXECUTIONS]]      31 and 41 unless given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${1:-31} executions=${2:-41}
[[ -n ${BUILD-} ]] || scripts/build.sh release >/dev/null
build=$(cd "${BUILD:-build/release}" && pwd)
times=$(mktemp)
trap 'rm -f "$times"' EXIT
for ((job = 0; job < jobs; ++job)); do
  scripts/mpirun.sh -B "$build" -np 4 "$build/bin/python_cost" "$executions" </dev/null | sed 's/^/C++ /' >> "$times"
  PYTHONPATH=$build/python scripts/mpirun.sh -B "$build" -np 4 /usr/bin/python3 bench/python_cost.py "$executions" \
    </dev/null | sed 's/^/Python /' >> "$times"
done
python3 - "$times" <<'END'
import statistics, sys
rows = [line.split() for line in open(sys.argv[1])]
python, command = (statistics.median(float(s) for name, s in rows if name == which) for which in ("Python", "C++"))
print(f"C++ {command * 1e3:.2f} ms, Python {python * 1e3:.2f} ms, ratio {python / command:.3f}")
END
