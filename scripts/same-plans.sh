#!/usr/bin/env bash
# Compares what two `sluice` commands write: a fence for changes that must not change any plan.
#
#     scripts/same-plans.sh [--quick] [--only REGEX] OLD NEW      commands, or build folders
#
# scripts/same_plans.py has the rest; it needs Python 3.9.
set -euo pipefail
if ! command -v python3 >/dev/null; then
  echo "error: no python3, expected it to be installed (apt-get install python3)" >&2
  exit 2
fi
exec python3 "$(dirname "${BASH_SOURCE[0]}")/same_plans.py" "$@"
