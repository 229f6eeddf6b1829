#!/usr/bin/env bash
# Runs clang-tidy, and with it clang with the warnings of the build, on src/ and apps/. Warnings are errors in both.
#
#     scripts/tidy.sh [REGEX]     only the files whose path matches, one by one; unless given, many together, which takes
#                                 a fifth of the time
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset tidy --log-level=WARNING >/dev/null  # for the compile commands: clang-tidy compiles, and tells what clang warns of
cmake --build build/tidy --target sluice_build_facts >/dev/null  # the one header that is made
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# tidy BUILD REGEX [ARGUMENT...]: the files of BUILD whose path matches; false for a finding.
tidy() {
  local status=0
  run-clang-tidy -quiet -p "$1" -j "$(nproc)" "${@:3}" "$2" >"$log" 2>&1 || status=1
  sed -i 's/\x1b\[[0-9;]*m//g' "$log"  # colours
  return $status
}
# findings: what they are, without what clang-tidy says beside them.
findings() {
  grep -vE '^clang-tidy|^[0-9]+ warnings? (generated|treated)|^Suppressed|^$' "$log" >&2 || true
  echo "tidy: failed" >&2
}
regex=${1:-}
if [[ -z $regex ]]; then
  together=$PWD/build/tidy/together
  echo "tidy: clang-tidy, $(nproc) at a time: $(python3 scripts/tidy_together.py build/tidy "^$PWD/(src|apps)/" "$together")"
  # A file that includes others is what this check warns of.
  if tidy "$together" "$together/" -checks=-bugprone-suspicious-include; then
    echo "tidy: clean"
    exit
  fi
  # Which files? Names of two of them may have clashed. Those that are named; but all that were together where one
  # does not compile, as nothing behind an error is looked at, or a header is named.
  mapfile -t failed < <(sed -n "s#^Error while processing \($together/[0-9]*\.cpp\)\..*#\1#p" "$log" | sort -u)
  if [[ ${#failed[@]} -eq 0 ]]; then
    findings
    exit 1
  fi
  echo "tidy: of ${#failed[@]} failed, for"
  sed -n 's#^'"$PWD"'/\([^ ]*: error: .*\)#  \1#p' "$log"
  named=$(sed -n 's#^\('"$PWD"'/[^ ]*\.cpp\):[0-9:]* error: .*#\1#p' "$log" | sort -u)
  if [[ -n $named ]] && ! grep ': error: ' "$log" | grep -qE '\[clang-diagnostic-error|\.hpp:[0-9]'; then
    regex=$(paste -sd '|' <<<"$named")
  else
    regex=$(sed -n 's/^#include "\(.*\)"$/\1/p' "${failed[@]}" | paste -sd '|')
  fi
fi
echo "tidy: clang-tidy, $(nproc) at a time, one by one"
if ! tidy build/tidy "$regex"; then
  findings
  exit 1
fi
echo "tidy: clean, $(grep -c '^clang-tidy' "$log") files"
