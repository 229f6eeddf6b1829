#!/usr/bin/env bash
# Formats all tracked C++ files with clang-format 14, and wraps the prose of documents at 120 columns; with --check only
# says what would change, and exits 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1-} in
  "") mode=(-i) wrap=() ;;
  --check) mode=(--dry-run -Werror) wrap=(--check) ;;
  *) echo "error: $1: unknown option, expected --check or nothing" >&2; exit 2 ;;
esac
status=0
git ls-files -z -- '*.cpp' '*.hpp' '*.c' '*.h' |
  xargs -0 --no-run-if-empty -n 20 -P "$(nproc)" clang-format "${mode[@]}" || status=1
git ls-files -z -- '*.md' | xargs -0 --no-run-if-empty python3 scripts/wrap_documents.py "${wrap[@]}" || status=1
exit $status
