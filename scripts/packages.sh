#!/usr/bin/env bash
# Builds the Debian packages sluice, libsluice-dev and python3-sluice into build/package/packages.
#
#     scripts/packages.sh            builds them, and has lintian look at them where it is installed
#     scripts/packages.sh --test     and installs them in a new Debian of its own (debootstrap, root), where the command plans
#                                    and runs, a program is compiled and the Python package imported; it is removed afterwards
#
# The new Debian comes from the source of packages that this machine's apt uses.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1-} in
  "" | --test) ;;
  -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "error: $1: unknown option, expected --test or nothing" >&2; exit 2 ;;
esac

command -v dpkg-shlibdeps >/dev/null || { echo "error: no dpkg-shlibdeps, expected the package dpkg-dev" >&2; exit 1; }
command -v file >/dev/null || { echo "error: no file, expected the package of that name" >&2; exit 1; }
scripts/build.sh package
(cd build/package && cpack -G DEB >cpack.log 2>&1) || { cat build/package/cpack.log >&2; exit 1; }
ls build/package/packages/*.deb
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning build/package/packages/*.deb
  echo "packages: lintian has no complaint"
fi
[[ ${1-} == --test ]] || exit 0

[[ $(id -u) -eq 0 ]] || { echo "error: --test needs root, for a new Debian of its own" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "error: no debootstrap, expected the package of that name" >&2; exit 1; }
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
source=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' "Codename: $release" 'Component: main' | head -n 1)
[[ -n $source ]] || { echo "error: apt has no source of $release/main here" >&2; exit 1; }

work=$(mktemp -d)
root=$work/debian
clean_up() {
  umount "$root/proc" "$root/dev/shm" 2>/dev/null || true
  if mountpoint -q "$root/proc" 2>/dev/null; then echo "error: $root/proc is still mounted; $work stays" >&2; return; fi
  rm -rf "$work"
}
trap clean_up EXIT

echo "packages: a new Debian $release, which takes a minute"
debootstrap --variant=minbase "$release" "$root" "$source" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
cp /etc/resolv.conf "$root/etc/resolv.conf"
apt-config dump | grep -E '^Acquire::https?::proxy ' >"$root/etc/apt/apt.conf.d/80proxy" || true
mount -t proc proc "$root/proc"
mkdir -p "$root/dev/shm"
mount -t tmpfs tmpfs "$root/dev/shm"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"  # it is thrown away anyway
mkdir "$root/packages"
cp build/package/packages/*.deb scripts/mpirun.env examples/plan_exchange.cpp "$root/packages"

cat >"$root/packages/test.sh" <<'INSIDE'
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
cd /packages
step() { echo; echo "packages: $*"; }

step "sluice alone"
apt-get -q update >/dev/null
apt-get -qq install --no-install-recommends -y ./sluice_*.deb >install.log 2>&1 || { tail -n 20 install.log; exit 1; }
sluice --version
sluice plan redistribute --from 16:3 --to 16:5 | head -n 8
printf '7,2,0\n4,5,0\n0,0,9\n' >traffic.csv
sluice plan exchange traffic.csv --max-transfers 2 --setup 3 --summary
test -s /usr/share/man/man1/sluice-plan-exchange.1.gz
bash -c '. /usr/share/bash-completion/completions/sluice
  COMP_WORDS=(sluice plan exchange --algorithm ogg); COMP_CWORD=4; _sluice; [[ ${COMPREPLY[*]} == oggp ]]'

step "a program in C++ and one in C, with libsluice-dev"
apt-get -qq install --no-install-recommends -y ./libsluice-dev_*.deb g++ cmake make pkg-config >install.log 2>&1 ||
  { tail -n 20 install.log; exit 1; }
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX)
find_package(sluice REQUIRED COMPONENTS core)
add_executable(program plan_exchange.cpp)
target_link_libraries(program PRIVATE sluice::core)
CMAKE
cmake -B build . >/dev/null
cmake --build build
build/program
cat >program.c <<'C'
#include <sluice/sluice.h>
#include <stdio.h>
int main(void) { return puts(sluice_version()) < 0; }
C
# Words of the command line.
# shellcheck disable=SC2046
cc -Wall -Werror program.c -o program_in_c $(pkg-config --cflags --libs sluice)
./program_in_c

step "two ranks"
set -a
. ./mpirun.env
set +a
mpirun -np 2 sluice run allgather --size 4Ki

step "the Python package"
apt-get -qq install --no-install-recommends -y ./python3-sluice_*.deb >install.log 2>&1 || { tail -n 20 install.log; exit 1; }
python3 -c '
import numpy, sluice
plan = sluice.plan_exchange(numpy.array([[7, 2, 0], [4, 5, 0], [0, 0, 9]]), max_transfers=2, setup=3)
print("sluice", sluice.__version__, "from Python:", plan)'

step "removed again"
apt-get -qq purge -y sluice libsluice-dev python3-sluice >install.log 2>&1
left=$(find /usr -path '*sluice*' -not -path '/usr/share/doc/*' | head -n 5)
[[ -z $left ]] || { echo "error: left behind: $left"; exit 1; }
INSIDE
# Nothing of this shell's variables but a proxy.
chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin ${http_proxy:+"http_proxy=$http_proxy"} \
  ${https_proxy:+"https_proxy=$https_proxy"} bash /packages/test.sh
echo "packages: passed"
