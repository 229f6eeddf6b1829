#!/usr/bin/env bash
# Runs a benchmark of two builds alternating, and says which of its figures differ by more than noise.
#
#     bench/both.sh [--rounds N] [--ranks N] OLD NEW BENCH [ARGUMENTS...]      OLD, NEW: build folders
#
# bench/both.py has the rest; it needs Python 3.9.
set -euo pipefail
if ! command -v python3 >/dev/null; then
  echo "error: no python3, expected it to be installed (apt-get install python3)" >&2
  exit 2
fi
exec python3 "$(dirname "${BASH_SOURCE[0]}")/both.py" "$@"
