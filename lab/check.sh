#!/usr/bin/env bash
# A short run of the lab, for CI, verified byte by byte: exchanges and redistributions between 3 + 3 hosts over a
# backbone that carries 2, under both MPIs; broadcasts between 2 + 2 and an alltoall between 2 + 2 + 2 by default;
# exchanges with local phases; a probe of 2 + 2 hosts, whose ranks are dealt to the hosts one by one, must find them
# host by host; then an interrupted run. At the end nothing of these may be left.
#
#     lab/check.sh [BUILD_DIR [MPICH_BUILD_DIR]]      builds with Open MPI, build/release unless given, and with MPICH
#
# Where a lab is not possible it says so and exits with 0.
set -euo pipefail
lab=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$lab/common.sh"

build=$(cd "${1:-$lab/../build/release}" && pwd)
if ! lab_possible; then
  echo "lab: skipped"
  exit 0
fi
settings() { sysctl -a 2>/dev/null | grep -E '^net\.(ipv4\.(tcp|ip)_|core\.(default|[rw]mem))' | sort; }
links() { ip -brief link | sort; }
name=check$((RANDOM % 10000))
settings_before=$(settings)
links_before=$(links)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$lab/run.sh" --name "$name" --hosts 3 --k 2 --time-limit 120 --losses "$folder/losses.txt" \
  "$build/bin/exchange_test" --gtest_brief=1
awk 'NR > 1 && $2 < 1000 { few = 1 } END { exit few || NR != 8 }' "$folder/losses.txt" ||
  { echo "error: --losses wrote $(cat "$folder/losses.txt")" >&2; exit 1; }
redistributions=(env RANDOM_LAYOUTS=60)  # on every host
"$lab/run.sh" --name "$name" --hosts 3 --k 2 --time-limit 120 \
  "${redistributions[@]}" "$build/bin/random_layouts_test" --gtest_brief=1
for ranks in 4 8; do  # one for each host, and two
  "$lab/run.sh" --name "$name" --hosts 2 --k 2 -n "$ranks" --time-limit 120 \
    "$build/bin/run_hosts_test" --gtest_brief=1 --gtest_filter='Broadcast.*WithoutAPlatform*'
done
"$lab/run.sh" --name "$name" --clusters 3 --hosts 2 --k 2 --time-limit 120 \
  "$build/bin/sluice" run alltoall --size 64Ki --method sluice --repetitions 9
# Two ranks on each host, and local links.
"$lab/run.sh" --name "$name" --hosts 2 --k 2 --local-rate 1000 -n 8 --time-limit 120 \
  "$build/bin/run_hosts_test" --file=local_phases_exchange_test.cpp --gtest_brief=1
if [[ -n ${2-} ]]; then
  "$lab/run.sh" --mpi mpich --name "$name" --hosts 3 --k 2 --time-limit 120 "$2/bin/exchange_test" --gtest_brief=1
  "$lab/run.sh" --mpi mpich --name "$name" --hosts 3 --k 2 --time-limit 120 \
    "${redistributions[@]}" "$2/bin/random_layouts_test" --gtest_brief=1
  # A program of the other MPI.
  if "$lab/run.sh" --mpi mpich --name "$name" --hosts 2 --k 2 "$build/bin/sluice" probe --quick >/dev/null 2>"$folder/errors" ||
    ! grep -qF "expected one built with MPICH" "$folder/errors"; then
    echo "error: --mpi mpich took a program of Open MPI: $(cat "$folder/errors")" >&2
    exit 1
  fi
fi

"$lab/run.sh" --name "$name" --hosts 2 --k 2 -n 8 --time-limit 120 \
  "$build/bin/sluice" probe -o "$folder/platform.json" --clusters 8 --time-budget 3
grep -qF '"members": "0,4,1,5,2,6,3,7"' "$folder/platform.json" ||
  { echo "error: probe has the ranks in another order: $(cat "$folder/platform.json")" >&2; exit 1; }

status=0
timeout --signal=TERM 2 "$lab/run.sh" --name "$name" --hosts 3 --k 2 sleep 60 2>/dev/null || status=$?
[[ $status -eq 124 ]] || { echo "error: lab/run.sh ended with $status when interrupted" >&2; exit 1; }

[[ -z $(lab_namespaces "$name") && ! -e $lab_root/$name ]] || { echo "error: a lab is left" >&2; exit 1; }
[[ $(settings) == "$settings_before" ]] || { echo "error: settings of the machine have changed" >&2; exit 1; }
[[ $(links) == "$links_before" ]] || { echo "error: links are left" >&2; exit 1; }
echo "lab: passed"
