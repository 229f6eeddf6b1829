#!/usr/bin/env bash
# Installs the Debian packages that Sluice needs, and says nothing but one line where all are there.
#
#     scripts/install-deps.sh          to build, test and run with Open MPI
#     scripts/install-deps.sh --languages   also Fortran and the Python package
#     scripts/install-deps.sh --docs   only what scripts/docs.sh makes the site of the documents with
#     scripts/install-deps.sh --mpich  also MPICH, for a build with it
#     scripts/install-deps.sh --clang  also clang with its sanitizers, for the presets asan and fuzz
#     scripts/install-deps.sh --ci     also what .ci/run checks with: these, clang and its tools
#     scripts/install-deps.sh --model  also relacy, for the tests of shared memory in a model
#     scripts/install-deps.sh --cross  only what scripts/cross.sh tests other processors with
#     scripts/install-deps.sh --smpi   also SimGrid, for the command on simulated machines (preset smpi)
#
# The only place where packages are named. Installing takes root; without it the line to run is printed.
set -euo pipefail

# shellcheck source=/dev/null
debian=$(. /etc/os-release 2>/dev/null && echo "${VERSION_ID-}" || true)
clang_runtime=libclang-rt-dev
[[ $debian != 12 ]] || clang_runtime=libclang-rt-14-dev

packages=(
  build-essential            # g++ 12 or 14, and the C library's headers
  cmake                      # 3.25 or newer
  ninja-build                # the generator of every preset
  libopenmpi-dev             # MPI: headers and compiler wrapper
  openmpi-bin                # MPI: mpirun
  libscalapack-openmpi-dev   # pdgemr2d, which our results and times are compared with
  libfmt-dev                 # text: g++ 12 has no std::format
  nlohmann-json3-dev         # schedule and result files
  coinor-libcbc-dev          # integer programs: `exact` and `auto` of exchange and redistribute
  libcli11-dev               # command line
  libssl-dev                 # SHA-256 of the files that a result was made from
  node-d3-axis               # d3, which draws in the page of `sluice report`: axes
  node-d3-scale              # its scales
  node-d3-zoom               # its zooming and moving
  libgtest-dev               # tests
  librapidcheck-dev          # tests: properties on random data
  liblemon-dev               # tests and benchmarks: matchings to compare ours with
  gnuplot-nox                # draws what studies write
  python3                    # tests: runs the commands of the documents, and follows their links
)
language_packages=(
  gfortran                   # the Fortran module
  pybind11-dev               # the Python package: between C++ and Python
  python3-dev                # its headers
  python3-numpy              # matrices in and results out
  python3-mpi4py             # communicators of jobs in Python; of Open MPI
  python3-scipy              # tests: sparse matrices as traffic
  python3-pip                # pip install, as people of Python install packages
  python3-setuptools         # what pip builds with
  python3-wheel              # what it makes
  python3-venv               # tests: an installation of its own
  file                       # scripts/packages.sh: with it cpack finds what the packages depend on
)
docs_packages=(
  doxygen                    # the references of C++, C and Fortran
  python3-sphinx             # the site, and the reference of Python
  python3-myst-parser        # the pages, which are Markdown
  furo                       # the look of the site: light and dark, for telephones too
  mandoc                     # makes the manual pages part of it; tests: finds faults in them
)
mpich_packages=(
  libmpich-dev               # the second MPI that everything is built and tested with
  mpich                      # its mpiexec
  libscalapack-mpich-dev     # its ScaLAPACK
)
clang_packages=(
  clang                      # the second compiler
  "$clang_runtime"           # its sanitizers, and libFuzzer, which feeds the readers with broken files
)
ci_packages=(
  clang-format               # the layout of the code is checked with it
  clang-tidy                 # and its usage; brings run-clang-tidy
  libbenchmark-dev           # benchmarks
  chromium                   # tests: the page of `sluice report` as a browser shows it
  python3-pil                # tests: pictures as pixels
  librsvg2-bin               # tests: rsvg-convert, which makes PDF of pictures as the documents say
  pajeng                     # tests: traces are read by its pj_dump
  python3-jsonschema         # tests: what the command writes against the JSON Schemas of the documents
  fish                       # tests: completion is really run in it
  zsh                        # tests: completion is really run in it
  libsimgrid-dev             # simulated machines: `simulate --engine simgrid`
  libgloo-dev                # tests: exported groups of sends and receives are carried out by it
  iproute2                   # the lab: network namespaces and token buckets
  mmdebstrap                 # scripts/test-fresh.sh: new Debians
)
model_packages=(
  relacy-dev                 # tests: runs what shares memory between ranks in a model of memory
)
cross_packages=(
  g++-aarch64-linux-gnu      # tests of shared memory for Arm: 64 bits, and a weak order of memory
  g++-powerpc64le-linux-gnu  # the same for POWER
  googletest                 # its sources, to compile for them
  qemu-user-static           # runs them
)
smpi_packages=(
  libsimgrid-dev             # simulated machines: `simulate --engine simgrid`; SMPI's compiler wrapper and smpirun
)

case ${1-} in
  "") ;;
  --languages) packages+=("${language_packages[@]}") ;;
  --docs) packages=("${docs_packages[@]}") ;;
  --mpich) packages+=("${mpich_packages[@]}") ;;
  --ci) packages+=("${language_packages[@]}" "${docs_packages[@]}" "${mpich_packages[@]}" "${clang_packages[@]}"
                    "${model_packages[@]}" "${cross_packages[@]}" "${ci_packages[@]}") ;;
  --model) packages+=("${model_packages[@]}") ;;
  --cross) packages=("${cross_packages[@]}") ;;
  --clang) packages+=("${clang_packages[@]}") ;;
  --smpi) packages+=("${smpi_packages[@]}") ;;
  -h | --help) sed -n '2,14s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "error: $1: unknown option, expected --languages, --docs, --mpich, --clang, --model, --cross, --ci, --smpi or nothing" >&2; exit 2 ;;
esac

missing_packages() {
  local installed
  installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
              sed -n 's/^installed //p' || true)
  printf '%s\n' "${packages[@]}" | grep -vxF -e "$installed" || true
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "error: no apt-get here; install what these Debian packages hold by other means: ${packages[*]}" >&2
  exit 1
fi

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "packages: all ${#packages[@]} installed"
  exit 0
fi
if [[ $(id -u) -ne 0 ]]; then
  echo "packages: ${#missing[@]} missing; run this as root, then start again:" >&2
  echo "    apt-get update && apt-get install --no-install-recommends -y ${missing[*]}" >&2
  exit 1
fi

echo "packages: installing ${#missing[@]} and what they need, which takes some minutes: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3 "$@" </dev/null >>"$log" 2>&1
}
fail() {
  tail -n 20 "$log" >&2
  echo "error: apt-get $1 failed (its last lines are above); expected a working package source and free disk space" >&2
  exit 1
}
# A failed update only matters if what is needed cannot be installed: one dead source among several is no reason to stop.
apt update || { tail -n 3 "$log" >&2; echo "packages: apt-get update failed, going on with the lists that are there" >&2; }
apt install --no-install-recommends -y "${missing[@]}" || fail install

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -ne 0 ]]; then
  echo "error: still missing after apt-get install: ${missing[*]}" >&2
  exit 1
fi
echo "packages: done"
