#!/usr/bin/env bash
# Tests scripts/same-plans.sh: a command beside itself, and beside one that takes another algorithm.
#
#     tests/install/same_plans_test.sh SLUICE
set -euo pipefail
script=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/scripts/same-plans.sh
sluice=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
# expect STATUS TEXT ARGUMENTS...: the script ends so, and has TEXT in what it prints.
expect() {
  local status=0 said
  said=$("$script" "${@:3}" 2>&1) || status=$?
  [[ $status -eq $1 && $said == *"$2"* ]] || fail "$*: exit status $status, $said"
}

expect 0 "all the same: " --quick --only 'plan (reduce|scatter) |^platform|bad input' "$sluice" "$sluice"
[[ -z $(ls "$work") ]] || fail "files are left: $(ls "$work")"

mkdir -p "$work/build/bin"
printf '#!/usr/bin/env bash\nexec -a sluice "%s" "${@/#stepwise/coloring}"\n' "$sluice" >"$work/build/bin/sluice"
chmod +x "$work/build/bin/sluice"
expect 1 "different: " --quick --only 'plan redistribute.* --algorithm stepwise' "$sluice" "$work/build"
[[ -n $(ls "$work"/same-plans-*/new) ]] || fail "the files of the different plans are gone"
expect 0 "all the same: " --quick --only 'plan redistribute.* --algorithm greedy' "$sluice" "$work/build"

expect 2 "error: $work/none: no command there, expected" "$work/none" "$sluice"
expect 2 "error: --only (: " --only '(' "$sluice" "$sluice"
expect 2 "error: --only nothing has this: no case has it" --only 'nothing has this' "$sluice" "$sluice"
expect 2 "error: the following arguments are required: NEW, expected scripts/same-plans.sh" "$sluice"
expect 2 "no list of algorithms" /bin/true "$sluice"
echo "same-plans: as expected"
