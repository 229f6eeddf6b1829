#!/usr/bin/env bash
# Runs clang-tidy, and with it clang with the warnings of the build, on src/ and apps/. Warnings are errors in both.
#
#     scripts/tidy.sh [REGEX]     only the files whose path matches
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset tidy --log-level=WARNING >/dev/null  # for the compile commands: clang-tidy compiles, and tells what clang warns of
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "tidy: clang-tidy, $(nproc) at a time"
if ! run-clang-tidy -quiet -p build/tidy -j "$(nproc)" "${1:-$PWD/(src|apps)/}" >"$log" 2>&1; then
  sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -vE '^clang-tidy|^[0-9]+ warnings? (generated|treated)|^Suppressed|^$' >&2 || true
  echo "tidy: failed" >&2
  exit 1
fi
echo "tidy: clean, $(grep -c '^clang-tidy' "$log") files"
