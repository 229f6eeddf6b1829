#!/usr/bin/env bash
# Runs the README's commands where a newcomer runs them: in a new Debian that has nothing but git. Needs root.
#
#     scripts/test-fresh.sh [bookworm|trixie] [demo|test] [OPTIONS] [-- PRESET [CTEST ARGUMENTS...]]
#
# Makes that Debian (bookworm unless named) in a folder, clones HEAD into it and runs scripts/demo.sh and scripts/test.sh, or
# the one named: first as root, then as a user, for whom root has installed the packages. Prints the exit status and the
# seconds of each command. What follows -- is for scripts/test.sh.
#
#     --as root|user     one of the two only; a user alone is refused first, and root then runs the line that was printed
#     --cache FOLDER     keeps the files of packages for the next run; build/fresh/packages unless given
#     --folder FOLDER    where the Debian goes; build/fresh/RELEASE unless given
#     --keep             leaves the Debian there; otherwise it is removed
#     --again            takes the one that --keep left, with what was built in it, and leaves it again
#
# The Debian comes from the source of packages that this machine's apt uses. Mounts are private to this script: they end with
# it, however it ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { echo "error: $*" >&2; exit 1; }

release=bookworm
commands=(demo test)
users=(root user)
cache=build/fresh/packages
folder=
keep=
again=
arguments=()
given=("$@")
value_of() { [[ $# -ge 2 && -n $2 ]] || { echo "error: $1: expected a value" >&2; exit 2; }; }
while [[ $# -gt 0 ]]; do
  case $1 in
    bookworm | trixie) release=$1 ;;
    demo | test) commands=("$1") ;;
    --as)
      value_of "$@"
      case $2 in root | user) users=("$2") ;; *) echo "error: --as $2: expected root or user" >&2; exit 2 ;; esac
      shift ;;
    --cache) value_of "$@"; cache=$2; shift ;;
    --folder) value_of "$@"; folder=$2; shift ;;
    --keep) keep=yes ;;
    --again) keep=yes; again=yes ;;
    --) shift; arguments=("$@"); break ;;
    -h | --help) sed -n '2,18s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: $1: unknown argument, expected bookworm, trixie, demo, test or an option that --help lists" >&2; exit 2 ;;
  esac
  shift
done
[[ $(id -u) -eq 0 ]] || fail "it needs root, to make a new Debian"
folder=$(realpath -m "${folder:-build/fresh/$release}")
cache=$(realpath -m "$cache")

# The outer part starts itself in namespaces of its own and cleans up. When it ends, by whatever signal, so do all processes
# in there, and with the last of them the mounts.
if [[ ${SLUICE_FRESH_INSIDE-} != yes ]]; then
  if [[ -e $folder ]] && ! [[ -e $folder/etc/debian_version || -z $(ls -A "$folder") ]]; then
    fail "$folder: holds something else than a Debian, expected a folder that may be removed"
  fi
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  inner=
  clean_up() {
    if [[ -n $inner ]]; then
      kill -KILL "$inner" 2>/dev/null || true
      wait "$inner" 2>/dev/null || true
    fi
    [[ -n $keep ]] || rm -rf --one-file-system "$folder"
  }
  trap clean_up EXIT
  [[ -n $again ]] || rm -rf --one-file-system "$folder"
  [[ -z $again || -e $folder/home/user ]] || fail "$folder: no Debian that --keep left"
  SLUICE_FRESH_INSIDE=yes setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --mount-proc \
    bash scripts/test-fresh.sh "${given[@]}" </dev/null &
  inner=$!
  status=0
  wait "$inner" || status=$?
  inner=
  exit "$status"
fi

# shellcheck source=/dev/null
here=$(. /etc/os-release && echo "$VERSION_CODENAME")
source=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' "Codename: $here" 'Component: main' | head -n 1)
[[ -n $source ]] || fail "apt has no source of $here/main here"

mkdir -p "$folder" "$cache/partial"
[[ -n $again ]] || echo "fresh: a new Debian $release in $folder, which takes a minute"
log=$cache/new-$release.log
if [[ -n $again ]]; then
  echo "fresh: the Debian in $folder again"
elif command -v mmdebstrap >/dev/null; then
  # mmdebstrap's shell reads the hooks; $1 in them is the folder.
  # shellcheck disable=SC2016
  mmdebstrap --mode=root --variant=minbase --include=git,ca-certificates --skip=download/empty --skip=essential/unlink \
    --setup-hook='mkdir -p "$1/var/cache/apt/archives"; mount --bind "'"$cache"'" "$1/var/cache/apt/archives"' \
    --customize-hook='umount "$1/var/cache/apt/archives"' \
    "$release" "$folder" "$source" >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
elif command -v debootstrap >/dev/null; then
  debootstrap --variant=minbase --include=git,ca-certificates --cache-dir="$cache" "$release" "$folder" "$source" >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; exit 1; }
else
  fail "no mmdebstrap and no debootstrap, expected one of these packages"
fi

mount -t proc proc "$folder/proc"
mount --rbind /sys "$folder/sys"
mount --rbind /dev "$folder/dev"
mount -t tmpfs tmpfs "$folder/dev/shm"
mount --bind "$cache" "$folder/var/cache/apt/archives"
cp /etc/resolv.conf "$folder/etc/resolv.conf"
# An installed Debian knows its own name. Without it each rank of Open MPI asks the network, for seconds.
printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(uname -n)" >"$folder/etc/hosts"
apt-config dump | grep -E '^Acquire::https?::proxy ' >"$folder/etc/apt/apt.conf.d/80proxy" || true
echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/unsafe-io"  # a crash of this machine ends the test anyway
[[ -n $again ]] || chroot "$folder" useradd --create-home --shell /bin/bash user

home_of() { if [[ $1 == root ]]; then echo /root; else echo "/home/$1"; fi; }
# inside USER COMMAND...: runs it in that user's clone, if there is one, with nothing of this shell's variables but a proxy.
inside() {
  local user=$1
  shift
  chroot --userspec="$user:$user" "$folder" env -i HOME="$(home_of "$user")" USER="$user" TERM=dumb \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
    bash -c 'cd; [[ ! -d sluice ]] || cd sluice; exec "$@"' bash "$@"
}

results=()
failed=0
# try USER COMMAND...: runs it and keeps its status and seconds.
try() {
  local started=$SECONDS status=0
  echo "fresh: Debian $release, as $1: ${*:2}"
  inside "$@" || status=$?
  results+=("$(printf '%-8s  %-4s  status %3d  %5d s  %s' "$release" "$1" "$status" $((SECONDS - started)) "${*:2}")")
  [[ $status -eq 0 ]] || failed=1
}

for user in "${users[@]}"; do
  clone=$(home_of "$user")/sluice
  if [[ -d $folder$clone ]]; then
    git -C "$folder$clone" -c safe.directory="$folder$clone" fetch --quiet --depth 1 "file://$PWD" HEAD
    git -C "$folder$clone" -c safe.directory="$folder$clone" reset --quiet --hard FETCH_HEAD
  else
    git clone --quiet --depth 1 "file://$PWD" "$folder$clone"
  fi
  [[ $user == root ]] || chroot "$folder" chown -R "$user:$user" "$clone"
  if [[ $user != root && ${#users[@]} -eq 1 ]]; then
    if refusal=$(inside "$user" scripts/install-deps.sh 2>&1); then
      [[ -n $again ]] || fail "scripts/install-deps.sh passed without root and packages"
      line=true
    else
      line=$(sed -n 's/^    \(apt-get update .*\)/\1/p' <<<"$refusal")
      [[ -n $line ]] || fail "scripts/install-deps.sh printed no line for root: $refusal"
    fi
    echo "fresh: Debian $release, as root: $line"
    inside root bash -c "cd; DEBIAN_FRONTEND=noninteractive; export DEBIAN_FRONTEND; $line" >"$log" 2>&1 ||
      { tail -n 20 "$log" >&2; exit 1; }
  fi
  for command in "${commands[@]}"; do
    if [[ $command == test ]]; then
      try "$user" scripts/test.sh ${arguments[@]+"${arguments[@]}"}
    else
      try "$user" scripts/demo.sh
    fi
  done
done

echo
printf 'fresh: %s\n' "${results[@]}"
exit "$failed"
