#!/usr/bin/env bash
# Installs a build to a prefix of its own, then builds and runs examples/ against it as a user would: nothing of this
# repository but the installed files is seen.
#
#     tests/install/run.sh BUILD_DIR
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:?usage: tests/install/run.sh BUILD_DIR}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
set -a
# shellcheck source=../../scripts/mpirun.env
. "$root/scripts/mpirun.env"
set +a

echo "install: to a prefix of its own"
cmake --install "$build" --prefix "$work/prefix" >"$work/log" || { cat "$work/log" >&2; exit 1; }

# A file that names where it was built works here and nowhere else.
if grep -rlI -e "$root" "$work/prefix" >&2; then
  echo "error: the installed files above name the source tree" >&2
  exit 1
fi

echo "install: examples against it"
cp -R "$root/examples" "$work/examples"
cmake -S "$work/examples" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$work/prefix" --log-level=WARNING
cmake --build "$work/build" --parallel "$(nproc)"
ctest --test-dir "$work/build" --output-on-failure --no-tests=error

if [[ -n $(find "$work/prefix" -name sluiceCTargets.cmake) ]]; then
  echo "install: a project in C alone"
  mkdir "$work/c"
  cp "$root/examples/languages/every_call.c" "$work/c/"
  cat >"$work/c/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES C)
find_package(sluice REQUIRED)
set(MPI_C_COMPILER ${sluice_MPI_C_COMPILER})
find_package(MPI REQUIRED COMPONENTS C)
add_executable(program every_call.c)
target_link_libraries(program PRIVATE sluice::c MPI::MPI_C)
END
  cmake -S "$work/c" -B "$work/c/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" --log-level=WARNING
  cmake --build "$work/c/build"
  sed -i 's/sluice REQUIRED/sluice REQUIRED COMPONENTS c nothing/' "$work/c/CMakeLists.txt"
  out=$(cmake -S "$work/c" -B "$work/c/other" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" 2>&1 || true)
  if ! grep -q "component 'nothing' is not there" <<<"$out"; then
    printf '%s\nerror: a component that there is none of was not named\n' "$out" >&2
    exit 1
  fi
fi

if command -v pkg-config >/dev/null; then
  echo "install: a program in C by pkg-config"
  pc=$(find "$work/prefix" -name sluice.pc -printf '%h')
  printf '#include <sluice/sluice.h>\nint main(void) { return sluice_schedule_free(NULL); }\n' >"$work/program.c"
  # Words of the command line.
  # shellcheck disable=SC2046
  cc -std=c11 -pedantic -Werror -include stddef.h "$work/program.c" -o "$work/program" \
    $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs sluice)
  LD_LIBRARY_PATH=$(dirname "$pc") "$work/program"
fi

# Programs that know nothing of Sluice, served by what is installed; of the MPI of the build.
launcher=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
family=${launcher##*.}
drop_in() { find "$work/prefix" -name "libsluice_$1.so"; }
# preloaded LIBRARY PROGRAM ARGUMENT...: prints the output of the program and of the library.
preloaded() {
  "$launcher" -n 3 env LD_PRELOAD="$1" SLUICE_TAKE=always SLUICE_LOG=1 "${@:2}" </dev/null 2>&1
}
if [[ -n $(drop_in pmpi) ]] && command -v "mpicc.$family" >/dev/null; then
  echo "install: a program of MPI's calls"
  "mpicc.$family" -O2 "$root/examples/drop-in/collectives.c" -o "$work/collectives"
  out=$(preloaded "$(drop_in pmpi)" "$work/collectives" 5 || true)
  if ! grep -q '; 0 wrong elements' <<<"$out" || ! grep -Eq '^sluice: MPI_Bcast +5 +5 +0 ' <<<"$out"; then
    printf '%s\nerror: the installed library did not serve it\n' "$out" >&2
    exit 1
  fi
fi
if [[ -n $(drop_in scalapack) ]] && command -v "mpicc.$family" >/dev/null; then
  echo "install: a program of ScaLAPACK's calls"
  "mpicc.$family" -o "$work/move_matrix" "$root/examples/drop-in/move_matrix.c" "-lscalapack-$family"
  # The loader says whose names are used, in files of its own.
  out=$(preloaded "$(drop_in scalapack)" env LD_DEBUG=bindings LD_DEBUG_OUTPUT="$work/bindings" "$work/move_matrix" || true)
  if ! grep -qx '0 elements wrong' <<<"$out" || ! grep -q "to $(drop_in scalapack) .*Cpdgemr2d" "$work"/bindings.*; then
    printf '%s\nerror: the installed library did not serve it\n' "$out" >&2
    exit 1
  fi
fi

if [[ -x $work/prefix/bin/sluice ]]; then
  echo "install: the command"
  "$work/prefix/bin/sluice" --help >/dev/null
  for file in man/man1/sluice-plan-exchange.1 bash-completion/completions/sluice zsh/site-functions/_sluice \
    fish/vendor_completions.d/sluice.fish; do
    [[ -s $work/prefix/share/$file ]] || { echo "error: $file was not installed" >&2; exit 1; }
  done
  # An example of a manual page, as it stands there.
  (cd "$work/prefix/share/doc/sluice/examples" &&
    "$work/prefix/bin/sluice" plan broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi >/dev/null)
fi
echo "install: passed"
