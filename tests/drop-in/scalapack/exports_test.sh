#!/usr/bin/env bash
# The library defines the forty names of REDIST that ScaLAPACK has, and nothing else.
#
#     exports_test.sh LIBRARY SCALAPACK
set -euo pipefail
names() { nm -D --defined-only "$1" | awk '{print $3}' | sort; }
diff <(names "$1") <(names "$2" | grep -E '^C?p[isdcz](ge|tr)mr2do?_?$')
[[ $(names "$1" | wc -l) -eq 40 ]]
