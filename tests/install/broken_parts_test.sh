#!/usr/bin/env bash
# CMake leaves out with one line what it finds but cannot use, and the build goes on. The broken parts here are a CBC
# and a LEMON with an empty library, and compiler wrappers of MPI that find no compiler. A compiler without C++20 ends
# the build with one line. Nothing is compiled except what CMake tries.
#
#     tests/install/broken_parts_test.sh [CMAKE OPTIONS...]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

configure() { cmake -S "$root" -B "$work/build" -G Ninja "$@" 2>&1; }
# expect_line LINE: exactly one of the lines begins so.
expect_line() {
  [[ $(grep -c -e "^$1" <<<"$said") -eq 1 ]] || fail "expected one line that begins with '$1', found:"$'\n'"$said"
}

ar rc "$work/libempty.a"
printf '#!/bin/sh\necho "The Open MPI wrapper compiler was unable to find the specified compiler" >&2\nexit 1\n' >"$work/wrapper"
chmod +x "$work/wrapper"
said=$(configure "$@" -DCBC_CbcSolver_LIBRARY="$work/libempty.a" -DLEMON_LIBRARY="$work/libempty.a" \
  -DSLUICE_MPIFORT="$work/wrapper" -DSLUICE_MPICC="$work/wrapper" -DSLUICE_PYTHON=OFF -DSLUICE_FORTRAN=OFF) || fail "$said"
expect_line "left out: CBC, as it is missing or broken"
expect_line "left out: what compares matchings with LEMON's"
expect_line "left out: tests of Fortran's calls"
expect_line "left out: the example in C of drop-in"
targets=$(cmake --build "$work/build" --target help)
grep -q 'pmpi_fortran_programs' <<<"$targets" || fail "no tests of the drop-in library left: $targets"
grep 'bin/pmpi_fortran_' <<<"$targets" | grep -qv _other_ && fail "programs in Fortran are built without a compiler"

# As if what was missing had been installed: it is tried again.
said=$(configure "$@" -UCBC_CbcSolver_LIBRARY -ULEMON_LIBRARY -USLUICE_MPIFORT -USLUICE_MPICC)
grep -q "^left out: what compares matchings\|^left out: the example in C" <<<"$said" && fail "still left out: $said"

rm -r "$work/build"
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase " $* " in *" -std="*20* | *" -std="*2a*) echo "error: unrecognized command-line option" >&2; exit 1 ;; esac\nexec c++ "$@"\n' >"$work/c++"
chmod +x "$work/c++"
said=$(configure -DCMAKE_CXX_COMPILER="$work/c++") && fail "a compiler without C++20 was taken: $said"
expect_line "error: $work/c++: .* does not compile C++20, expected "
echo "broken parts: passed"
