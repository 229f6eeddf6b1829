#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json into build/PRESET.
#
#     scripts/build.sh [PRESET [TARGET...]]     PRESET: release unless given; TARGET: everything unless given
#
# CMAKE_BUILD_PARALLEL_LEVEL limits the number of compilers at work (one a core unless set).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
case $preset in
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
shift || true
presets=$(cmake --list-presets=build | sed -n 's/^  "\(.*\)".*/\1/p')
if ! grep -qx -e "$preset" <<<"$presets"; then
  echo "error: $preset: no preset, expected one of ${presets//$'\n'/ }" >&2
  exit 2
fi
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

echo "build: configuring preset $preset in build/$preset"
cmake --preset "$preset" --log-level=NOTICE >/dev/null  # what is left out, warnings and errors go to standard error
echo "build: compiling ${*:-everything}, $CMAKE_BUILD_PARALLEL_LEVEL at a time"
cmake --build --preset "$preset" ${@:+--target "$@"}
if [[ -x build/$preset/bin/sluice ]]; then
  echo "build: done, the command is build/$preset/bin/sluice"
fi
