#!/usr/bin/env bash
# What ScaLAPACK says of bad arguments, and its exit status, are what the preloaded library says and its exit status.
#
#     bad_arguments_test.sh PROGRAM LIBRARY
set -euo pipefail
program=$1 library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# Status, and what was printed without the name of the library.
outcome() {
  local name=$1 status=0
  shift
  env "$@" >"$work/out" 2>"$work/err" || status=$?
  if [[ $(head -n 1 "$work/out") != "$name" ]]; then
    echo "FAILED: $* called $(head -n 1 "$work/out"), not $name" >&2
    exit 1
  fi
  echo "status $status"
  tail -n +2 "$work/out"
  grep -E 'MR2D|mr2d' "$work/err" || true
}

for what in good first-process sub-matrix start leading no-grid empty; do
  theirs=$(outcome scalapack "$program" "$what")
  ours=$(outcome sluice LD_PRELOAD="$library" "$program" "$what")
  if [[ $theirs != "$ours" ]]; then
    printf 'FAILED: %s\nScaLAPACK: %s\nSluice:    %s\n' "$what" "$theirs" "$ours" >&2
    failures=$((failures + 1))
  fi
done
# The cases above are what they are meant to be.
[[ $(outcome sluice LD_PRELOAD="$library" "$program" good) == $'status 0\n30 elements moved' ]] || failures=$((failures + 1))
# ScaLAPACK runs out of memory there.
[[ $(outcome sluice LD_PRELOAD="$library" "$program" negative) == *"status 1"*"Bad submatrix"* ]] || failures=$((failures + 1))
[[ $(outcome sluice LD_PRELOAD="$library" "$program" leading) == *"bad lda arg"* ]] || failures=$((failures + 1))
exit $((failures > 0))
