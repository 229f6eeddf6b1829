# What the scripts of the lab share; not to be run.
#
# A lab NAME is: network namespaces sluice-NAME-1 .. sluice-NAME-(C H), the hosts, and sluice-NAME-hub, the switches; and
# the folder $lab_root/NAME with the settings, the host file and the agent that starts processes on the hosts. All links
# and addresses are inside those namespaces: deleting them leaves nothing behind, and two labs know nothing of each other.

lab_root=${TMPDIR:-/tmp}/sluice-lab

lab_fail() {
  echo "error: $*" >&2
  exit 2
}

# Whether a lab can be built here; says why not on standard error.
lab_possible() {
  if [[ $(id -u) -ne 0 ]]; then
    echo "the lab needs root: it makes network namespaces" >&2
    return 1
  fi
  local tool
  for tool in ip tc unshare; do
    if ! command -v "$tool" >/dev/null; then
      echo "the lab needs $tool, of Debian's packages iproute2 and util-linux" >&2
      return 1
    fi
  done
  local probe=sluice-probe-$$
  if ! ip netns add "$probe" 2>/dev/null; then
    echo "the lab needs network namespaces, which this system does not allow" >&2
    return 1
  fi
  local possible=0
  if ! ip -n "$probe" link add probe1 type veth peer name probe2 2>/dev/null ||
     ! ip netns exec "$probe" tc qdisc add dev probe1 root tbf rate 1mbit burst 32k limit 64k 2>/dev/null; then
    echo "the lab needs veth links and token buckets (tc-tbf), which this kernel does not have" >&2
    possible=1
  fi
  ip netns delete "$probe"
  return $possible
}

lab_is_name() { [[ $1 =~ ^[a-z0-9]{1,12}$ ]]; }

lab_namespaces() { ip netns list | awk -v prefix="sluice-$1-" 'index($1, prefix) == 1 { print $1 }'; }

# "host segments again timeouts probes" of each host: TCP segments sent, those sent once more because they were lost,
# times that a sender waited for its timer (200 ms or more), and probes that it sent instead.
lab_tcp_counts() {
  local namespace
  for namespace in $(lab_namespaces "$1"); do
    [[ $namespace != *-hub ]] || continue
    # In /proc a line of names comes before one of numbers.
    ip netns exec "$namespace" awk -v host="${namespace##*-}" '
      $1 != kind { kind = $1; for (i = 2; i <= NF; ++i) name[i] = $i; next }
      { for (i = 2; i <= NF; ++i) value[name[i]] = $i; kind = "" }
      END { print host, value["OutSegs"], value["RetransSegs"], value["TCPTimeouts"], value["TCPLossProbes"] }
    ' /proc/net/snmp /proc/net/netstat
  done
}

# Ends what runs inside the lab and takes it down; what is not there is no error.
lab_remove() {
  local namespace pids
  for namespace in $(lab_namespaces "$1"); do
    pids=$(ip netns pids "$namespace" 2>/dev/null) || true
    # shellcheck disable=SC2086  # a list
    [[ -z $pids ]] || kill -KILL $pids 2>/dev/null || true
    ip netns delete "$namespace" || true
  done
  rm -rf "${lab_root:?}/$1"
  rmdir "$lab_root" 2>/dev/null || true
}
