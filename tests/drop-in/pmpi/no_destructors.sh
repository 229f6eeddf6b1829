#!/usr/bin/env bash
# No static variable of these objects and archives has a destructor: MPI_Finalize may be called when such variables are
# destroyed, and a forked child that exits must not destroy what its parent uses. Each registration with the end of the
# program is one of the streams' of the C++ library, which keeps them.
#
#     no_destructors.sh FILE...
set -euo pipefail
status=0
for file; do
  registered=$(readelf --relocs --wide "$file" | grep -cE '__cxa_(thread_)?atexit' || true)
  streams=$(readelf --relocs --wide "$file" | grep -c '_ZNSt8ios_base4InitD1Ev' || true)
  if [[ $registered -ne $streams ]]; then
    echo "error: $file: $((registered - streams)) static variables with a destructor: keep them for ever (NeverDestroyed)"
    status=1
  fi
done
exit $status
