#!/usr/bin/env bash
# Formats all tracked C++ files with clang-format 14; with --check only says which lines differ, and exits 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1-} in
  "") mode=(-i) ;;
  --check) mode=(--dry-run -Werror) ;;
  *) echo "error: $1: unknown option, expected --check or nothing" >&2; exit 2 ;;
esac
git ls-files -z -- '*.cpp' '*.hpp' '*.c' '*.h' | xargs -0 --no-run-if-empty -n 20 -P "$(nproc)" clang-format "${mode[@]}"
