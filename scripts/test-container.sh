#!/usr/bin/env bash
# packaging/Containerfile by a real builder of images, buildah: makes the image and runs the commands that the file and
# docs/how-to/cluster.md show in it. No part of CI: it needs root, Debian's packages buildah and debootstrap, some 15 GB and,
# as it compiles everything, some ten minutes.
#
#     scripts/test-container.sh
#
# No registry is asked: the images that the file begins FROM are made here by debootstrap, from where this machine gets its
# packages. Images and containers are in a folder of their own, which is removed afterwards.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { echo "error: $*" >&2; exit 1; }

case ${1-} in
  "") ;;
  -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "error: $1: unknown option, expected nothing" >&2; exit 2 ;;
esac
[[ $(id -u) -eq 0 ]] || fail "it needs root, to make images"
for program in buildah debootstrap; do
  command -v "$program" >/dev/null || fail "no $program, expected the package of that name"
done
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
source=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' "Codename: $release" 'Component: main' | head -n 1)
[[ -n $source ]] || fail "apt has no source of $release/main here"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# In a folder of their own; without the privileges that containers usually take, which this machine may not give.
images() { buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$@"; }

echo "container: the images that it begins from, which takes a minute"
debootstrap --variant=minbase "$release" "$work/debian" "$source" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
apt-config dump | grep -E '^Acquire::https?::proxy ' >"$work/debian/etc/apt/apt.conf.d/80proxy" || true
rm -rf "$work"/debian/var/cache/apt/archives/*.deb
base=$(images from scratch)
images copy --quiet "$base" "$work/debian" / >/dev/null
rm -rf "$work/debian"
for name in $(sed -n 's/^FROM \([^ ]*\).*/\1/p' packaging/Containerfile); do
  images commit --quiet "$base" "localhost/$name" >/dev/null
done
images rm "$base" >/dev/null

echo "container: the image"
images build --isolation chroot --pull-never -f packaging/Containerfile -t sluice . >"$work/log" 2>&1 ||
  { tail -n 40 "$work/log" >&2; exit 1; }
container=$(images from --pull-never localhost/sluice)
[[ $(images inspect --format '{{.OCIv1.Config.Entrypoint}}' "$container") == "[sluice]" ]] ||
  fail "the image does not begin with sluice"

# buildah run knows no entry point: its command line is the whole one.
mkdir "$work/folder"
printf '7,2,0\n4,5,0\n0,0,9\n' >"$work/folder/traffic.csv"
inside() { images run --isolation chroot --volume "$work/folder:/work" "$container" -- "$@"; }
inside sluice plan redistribute --from 16:3 --to 16:5 | head -n 8
inside sluice plan exchange traffic.csv --json plan.json
grep -q '"sluice.schedule/1"' "$work/folder/plan.json" || fail "no plan beside the matrix"
inside mpirun -np 8 sluice run allgather --size 4Ki
inside python3 -c 'import sluice; print("sluice", sluice.__version__, "from Python")'
images images
echo "container: passed"
