#!/usr/bin/env bash
# Whether a shared library shows what the lists say, no more and no less: symbols.sh LIBRARY LIST...
set -euo pipefail
library=${1:?usage: symbols.sh LIBRARY LIST...}
shift
diff <(sort "$@") <(nm --dynamic --defined-only "$library" | awk '{print $3}' | sort) && echo "symbols: as listed" || {
  echo "error: < is listed and not there, > is there and not listed: what drop-in/c shows and its lists differ" >&2
  exit 1
}
