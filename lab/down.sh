#!/usr/bin/env bash
# Takes labs down, with whatever still runs in them.
#
#     lab/down.sh NAME ...     those that lab/up.sh named so
#     lab/down.sh              lists the labs that are up
set -euo pipefail
source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/common.sh"

case ${1-} in
  -h|--help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
esac
if [[ $# -eq 0 ]]; then
  command -v ip >/dev/null || exit 0
  ip netns list | sed -n 's/^sluice-\([a-z0-9]*\)-hub\b.*/\1/p'
  exit 0
fi
[[ $(id -u) -eq 0 ]] || lab_fail "lab/down.sh needs root"
for name in "$@"; do
  lab_is_name "$name" || lab_fail "'$name', expected the name of a lab"
  [[ -n $(lab_namespaces "$name") || -e $lab_root/$name ]] || lab_fail "'$name' is not up"
  lab_remove "$name"
done
