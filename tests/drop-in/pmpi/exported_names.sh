#!/usr/bin/env bash
# libsluice_pmpi.so exports the calls it is said to wrap, Fortran's, and nothing else; and the jobs inside call none of
# them by its MPI_ name.
#
#     exported_names.sh LIBRARY JOBS CALL...
set -euo pipefail
library=$1
jobs=$2
shift 2
printf 'MPI_%s\n' "$@" | sort > wanted.$$
trap 'rm -f wanted.$$ exported.$$ undefined.$$' EXIT
nm --dynamic --defined-only "$library" | awk '{print $3}' | grep -v '^mpi_[a-z_0-9]*_$' | sort > exported.$$
diff wanted.$$ exported.$$ || { echo "error: $library exports other names (>) than wrapped_calls.cmake has (<)"; exit 1; }
nm --undefined-only "$jobs" | awk '$1 == "U" {print $2}' | sort -u > undefined.$$
grep -q '^PMPI_Bcast$' undefined.$$ || { echo "error: $jobs does not call PMPI_Bcast"; exit 1; }
if comm -12 wanted.$$ undefined.$$ | grep .; then
  echo "error: $jobs calls the names above, which would come back into the wrappers"
  exit 1
fi
echo "exported names: $# calls, as expected"
