#!/usr/bin/env bash
# Builds the libraries and the command with clang, then runs clang-tidy on src/ and apps/. Warnings are errors in both.
#
#     scripts/tidy.sh [REGEX]     only the files whose path matches
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/build.sh tidy
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "tidy: clang-tidy, $(nproc) at a time"
if ! run-clang-tidy -quiet -p build/tidy -j "$(nproc)" "${1:-$PWD/(src|apps)/}" >"$log" 2>&1; then
  sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -vE '^clang-tidy|^[0-9]+ warnings? (generated|treated)|^Suppressed|^$' >&2 || true
  echo "tidy: failed" >&2
  exit 1
fi
echo "tidy: clean, $(grep -c '^clang-tidy' "$log") files"
