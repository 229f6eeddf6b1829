#!/usr/bin/env bash
# Starts MPI ranks on this machine, as any user, root included, and also with more ranks than cores. It takes the
# launcher of the MPI that a build was made with (Open MPI or MPICH).
#
#     scripts/mpirun.sh [-B BUILD_DIR] -np N PROGRAM ARGUMENTS...      BUILD_DIR: build/release unless given
#
# If the build has SimGrid's SMPI (preset smpi), the ranks run on simulated machines, which smpirun wants to know of:
#
#     scripts/mpirun.sh -B build/smpi -np N -platform P.xml -hostfile HOSTS build/smpi/bin/sluice run ...
#
# What is already set in the environment stays as it is.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

build=$scripts/../build/release
if [[ ${1-} == -B && $# -ge 2 ]]; then
  build=$2
  shift 2
fi
if [[ $# -eq 0 ]]; then
  echo "usage: scripts/mpirun.sh [-B BUILD_DIR] -np N PROGRAM ARGUMENTS..." >&2
  exit 2
fi

launcher=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null || true)
if [[ -z $launcher ]]; then
  echo "error: $build: no build with MPI there, expected one from scripts/build.sh" >&2
  exit 2
fi

while IFS='=' read -r name value; do
  [[ $name =~ ^[A-Z] && ! -v $name ]] && export "$name=$value"
done < "$scripts/mpirun.env"

if [[ ${launcher##*/} == smpirun ]]; then
  mapfile -t options < <(grep '^--' "$scripts/smpirun.options")
  exec "$launcher" "${options[@]}" "$@"
fi
exec "$launcher" "$@"
