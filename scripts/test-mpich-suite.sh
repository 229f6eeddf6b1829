#!/usr/bin/env bash
# MPICH's own tests of collectives (test/mpi/coll), by either MPI: each program without libsluice_pmpi.so, with it
# preloaded, and with SLUICE_TAKE=always. No part of CI: it takes some eight minutes.
#
#     scripts/test-mpich-suite.sh [openmpi|mpich [REGEX]]     openmpi unless given; REGEX: programs whose names match
#
# The source comes from Debian's mpich by apt-get source, from where this machine gets its packages; it is kept in
# build/mpich-suite. Ends with how many pass; exit status 1 if one passes without the library and fails with it.
# SUITE_TIMEOUT=SECONDS: limit of a program, 120 unless set. Programs that an MPI does not compile, as it lacks the calls,
# and those that need more memory than there is are left out and counted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

family=${1:-openmpi}
regex=${2:-.}
limit=${SUITE_TIMEOUT:-120}
case $family in
  openmpi) preset=release ;;
  mpich) preset=mpich ;;
  *) echo "error: '$family', expected openmpi or mpich" >&2; exit 2 ;;
esac
[[ $limit =~ ^[1-9][0-9]*$ ]] || { echo "error: SUITE_TIMEOUT: '$limit', expected seconds" >&2; exit 2; }

root=$PWD
suite=$root/build/mpich-suite
library=$root/build/$preset/lib/libsluice_pmpi.so
yield=
targets=(sluice_pmpi)
if [[ $family == mpich ]]; then
  yield=$root/build/$preset/lib/yield_when_idle.so
  targets+=(yield_when_idle)
fi
scripts/build.sh "$preset" "${targets[@]}"
mkdir -p "$suite"

# ---- The source, as the machine's package manager gets it

fetch() (
  temporary=$(mktemp -d "$suite/fetch.XXXXXX")  # beside its place, to be renamed
  trap 'rm -rf "$temporary"' EXIT
  mkdir -p "$temporary/sources" "$temporary/lists/partial" "$temporary/cache/archives/partial"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ ! -f $file ]] || sed -n 's/^deb[[:space:]]/deb-src /p' "$file" > "$temporary/sources/$(basename "$file" .list).list"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ ! -f $file ]] || sed 's/^Types:.*/Types: deb-src/' "$file" > "$temporary/sources/$(basename "$file")"
  done
  options=(-qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$temporary/sources"
    -o "Dir::State::Lists=$temporary/lists" -o "Dir::Cache=$temporary/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update
  (cd "$temporary" && apt-get "${options[@]}" source --download-only mpich)
  archive=("$temporary"/mpich_*.orig.tar.*)
  mkdir "$temporary/unpacked"
  tar -xf "${archive[0]}" -C "$temporary/unpacked" --strip-components=3 --wildcards '*/test/mpi/coll' \
    '*/test/mpi/util' '*/test/mpi/include' '*/test/mpi/dtpools'
  basename "${archive[0]}" > "$temporary/unpacked/version"
  mv "$temporary/unpacked" "$suite/source"
)
[[ -d $suite/source ]] || fetch

# ---- The programs, without the suite's own build: what its configuration would find

source=$suite/source
out=$suite/$family
mkdir -p "$out/include" "$out/bin"
for name in LONG_DOUBLE LONG_LONG LONG_LONG_INT FLOAT__COMPLEX DOUBLE__COMPLEX LONG_DOUBLE__COMPLEX _BOOL MPI_WIN_CREATE \
  STDARG_H STDINT_H STDLIB_H STRING_H STRINGS_H INTTYPES_H SYS_TIME_H SYS_TYPES_H SYS_STAT_H SYS_RESOURCE_H UNISTD_H \
  MEMORY_H GETRUSAGE STRDUP USLEEP; do
  echo "#define HAVE_$name 1"
done > "$out/include/mpitestconf.h"
printf '%s\n' '#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX' '#define HAVE_PTHREAD_H 1' \
  '#define HAVE_PTHREAD_BARRIER_INIT 1' >> "$out/include/mpitestconf.h"

compile() {
  "mpicc.$family" -O1 -w "-I$out/include" "-I$source/include" "-I$source/dtpools/include" "$@"
}
echo "suite: $(< "$source/version"), by $family"
for file in "$source"/util/{mtest,mtest_common,mtest_single}.c; do
  object=$out/$(basename "$file" .c).o
  [[ $object -nt $file ]] || compile -c "$file" -o "$object"
done

# Whether a program of the list is there: nbNAME is NAME by non-blocking calls.
build() {
  local file=$source/coll/$1.c flags=()
  if [[ ! -f $file ]]; then
    file=$source/coll/${1#nb}.c
    flags=(-DUSE_MTEST_NBC)
  fi
  [[ -f $out/bin/$1 ]] ||
    compile "${flags[@]}" "$file" "$out"/*.o -lm -o "$out/bin/$1" > "$out/bin/$1.log" 2>&1
}

# ---- The list

ways=(without preloaded always)
declare -A settings=([without]="LD_PRELOAD=$yield" [preloaded]="LD_PRELOAD=$library:$yield"
  [always]="LD_PRELOAD=$library:$yield SLUICE_TAKE=always SLUICE_LOG=1")
declare -A passed=([without]=0 [preloaded]=0 [always]=0)
# runs WAY RANKS PROGRAM ARGUMENT...: whether it ends in time, with status 0, and says that it found no errors.
runs() {
  local way=$1 ranks=$2 program=$3 log status=0
  shift 3
  log=$out/$total.$program.$way.txt
  # shellcheck disable=SC2086 # variables, one word each
  (cd "$out" && exec timeout -k 5 "$limit" "$root/scripts/mpirun.sh" -B "$root/build/$preset" -np "$ranks" \
    env ${settings[$way]} "$out/bin/$program" "$@") < /dev/null > "$log" 2>&1 || status=$?
  [[ $status -eq 0 ]] && grep -q "No Errors" "$log"
}

rm -f "$out"/*.txt
total=0
left_out=()
failing=()
worse=()
while read -r program ranks rest; do
  [[ $program =~ $regex ]] || continue
  if [[ $program == @* ]] || ! build "$program"; then
    left_out+=("${program##*@}")
    continue
  fi
  arguments=()
  for word in $rest; do [[ $word != arg=* ]] || arguments+=("${word#arg=}"); done
  total=$((total + 1))
  line=
  for way in "${ways[@]}"; do
    if runs "$way" "$ranks" "$program" "${arguments[@]}"; then
      passed[$way]=$((passed[$way] + 1))
      line+=" $way: pass"
    else
      line+=" $way: FAIL"
    fi
  done
  case $line in
    *"without: FAIL"*) failing+=("$program on $ranks ranks") ;;
    *FAIL*) worse+=("$program on $ranks ranks:$line") ;;
  esac
  printf '%-24s %2d ranks %s\n' "$program" "$ranks" "$line"
done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$source/coll/testlist.in")
((total + ${#left_out[@]} > 0)) || { echo "error: no program is called '$regex'" >&2; exit 2; }

echo
echo "suite: $total programs with $family; pass: ${passed[without]} without, ${passed[preloaded]} with the library," \
  "${passed[always]} with SLUICE_TAKE=always; left out: ${#left_out[@]}"
# Programs that end otherwise than by MPI_Finalize have no table.
cat "$out"/*.always.txt | awk '
  $1 == "sluice:" && $2 ~ /^MPI_/ && NF == 7 && $3 > 0 { calls[$2] += $3; planned[$2] += $4 }
  END { for (call in calls) printf "taken of %s: %d of %d\n", call, planned[call], calls[call] }' | sort
[[ ${#left_out[@]} -eq 0 ]] || printf 'left out: %s\n' "${left_out[*]}"
for each in "${failing[@]}"; do echo "fails without the library: $each"; done
for each in "${worse[@]}"; do echo "fails with the library only: $each"; done
[[ ${#worse[@]} -eq 0 ]]
