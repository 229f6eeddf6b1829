#!/usr/bin/env bash
# Builds a lab: clusters of hosts joined by a backbone, inside this machine.
#
#     lab/up.sh [--hosts H] [--clusters C] [--k K] [--backbone MBIT] [--host-rate MBIT]
#               [--first-host-rate MBIT] [--local-rate MBIT] [--congestion NAME] [--name NAME]
#
#     --hosts       hosts of each cluster; 1 .. H send and H + 1 .. 2H receive in the papers' setting   [10]
#     --clusters    clusters, 2 to 9; of more than two, each has a link of the backbone's speed to a switch in the
#                   middle                                                                              [2]
#     --k           transfers that the backbone carries at once: a host's link has backbone / k         [3]
#     --backbone    Mbit/s between the clusters                                                         [100]
#     --host-rate   Mbit/s of a host's link, instead of backbone / k
#     --first-host-rate  the same for host 1 alone, to try a slow link                                  [as the others]
#     --local-rate  Mbit/s of a second link of each host, to a network of its own cluster alone, which then carries all
#                   that goes between two hosts of one cluster                                          [none]
#     --congestion  TCP's congestion control on the hosts: reno, cubic, bbr                             [reno]
#     --name        up to 12 of a-z and 0-9                                                             [one of its own]
#
# Prints the name, which lab/run.sh and lab/down.sh take. Every host is a network namespace with an address of
# 10.77.0.0/16 and a veth link to a bridge; both ends of the link are token buckets (burst 32 KiB, queue 128 KiB). The
# bridges, one for each cluster, are in a namespace of their own, joined by veth links with the backbone's buckets
# (64 KiB, 256 KiB).
# Nothing is added to the namespace this is called from, and no setting of the machine is changed: lab/down.sh leaves
# no trace.
#
# Exit status: 0 done, 2 bad arguments, 3 a lab is not possible here (says why), 1 anything else.
set -euo pipefail
lab=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$lab/common.sh"

hosts=10 clusters=2 k=3 backbone=100 host_rate='' first_host_rate='' congestion=reno name='' local_rate=''
while [[ $# -gt 0 ]]; do
  case $1 in
    -h|--help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    --hosts|--clusters|--k|--backbone|--host-rate|--first-host-rate|--local-rate|--congestion|--name)
      [[ $# -ge 2 ]] || lab_fail "$1: nothing after it, expected a value"
      declare "$(tr - _ <<<"${1#--}")=$2"
      shift 2 ;;
    *) lab_fail "'$1', expected an option of lab/up.sh --help" ;;
  esac
done
[[ $clusters =~ ^[2-9]$ ]] || lab_fail "--clusters: '$clusters', expected 2 to 9"
[[ $hosts =~ ^[1-9][0-9]{0,2}$ && $((clusters * hosts)) -le 240 ]] ||
  lab_fail "--hosts: '$hosts', expected 1 to $((240 / clusters))"
[[ $k =~ ^[1-9][0-9]{0,2}$ ]] || lab_fail "--k: '$k', expected 1 to 999"
number='^[0-9]+([.][0-9]+)?$'
[[ $backbone =~ $number ]] || lab_fail "--backbone: '$backbone', expected Mbit/s"
host_rate=${host_rate:-$(awk -v b="$backbone" -v k="$k" 'BEGIN { printf "%.3f", b / k }')}
[[ $host_rate =~ $number ]] || lab_fail "--host-rate: '$host_rate', expected Mbit/s"
first_host_rate=${first_host_rate:-$host_rate}
[[ $first_host_rate =~ $number ]] || lab_fail "--first-host-rate: '$first_host_rate', expected Mbit/s"
[[ -z $local_rate || $local_rate =~ $number ]] || lab_fail "--local-rate: '$local_rate', expected Mbit/s"
name=${name:-$(printf '%x%04x' $$ "$RANDOM")}
lab_is_name "$name" || lab_fail "--name: '$name', expected up to 12 of a-z and 0-9"
awk -v a="$backbone" -v b="$host_rate" -v c="$first_host_rate" -v d="${local_rate:-1}" \
  'BEGIN { exit !(a >= 0.1 && b >= 0.1 && c >= 0.1 && d >= 0.1) }' ||
  lab_fail "--backbone, --host-rate, --first-host-rate, --local-rate: $backbone, $host_rate, $first_host_rate," \
    "${local_rate:-none}, expected at least 0.1 Mbit/s"

lab_possible || exit 3
[[ -z $(lab_namespaces "$name") && ! -e $lab_root/$name ]] || lab_fail "--name: '$name' is up already, expected a new one"

done=0
# Half a lab is worse than none.
trap '[[ $done -eq 1 ]] || lab_remove "$name"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p "$lab_root/$name/tmp"

hub=sluice-$name-hub
in_hub() { ip netns exec "$hub" "$@"; }
ip netns add "$hub"
add_switch() { ip -n "$hub" link add "$1" type bridge && ip -n "$hub" link set "$1" up; }
# Joins two switches.
add_backbone() {
  ip -n "$hub" link add "$1-up" type veth peer name "$2-$1"
  ip -n "$hub" link set "$1-up" master "$1" up
  ip -n "$hub" link set "$2-$1" master "$2" up
  for end in "$1-up" "$2-$1"; do
    in_hub tc qdisc add dev "$end" root tbf rate "${backbone}mbit" burst 64k limit 256k
  done
}
for ((side = 1; side <= clusters; ++side)); do
  add_switch "switch$side"
  [[ -z $local_rate ]] || add_switch "local$side"
done
if [[ $clusters -eq 2 ]]; then
  add_backbone switch1 switch2
else
  add_switch middle
  for ((side = 1; side <= clusters; ++side)); do add_backbone "switch$side" middle; done
fi

for ((host = 1; host <= clusters * hosts; ++host)); do
  namespace=sluice-$name-$host
  side=$(((host - 1) / hosts + 1))
  rate=$([[ $host -eq 1 ]] && echo "$first_host_rate" || echo "$host_rate")
  ip netns add "$namespace"
  ip -n "$hub" link add "host$host" type veth peer name eth0 netns "$namespace"
  ip -n "$hub" link set "host$host" master "switch$side" up
  in_hub tc qdisc add dev "host$host" root tbf rate "${rate}mbit" burst 32k limit 128k
  ip -n "$namespace" link set lo up
  ip -n "$namespace" address add "10.77.0.$host/16" dev eth0
  ip -n "$namespace" link set eth0 up
  ip netns exec "$namespace" tc qdisc add dev eth0 root tbf rate "${rate}mbit" burst 32k limit 128k
  if ! ip netns exec "$namespace" sysctl -qw "net.ipv4.tcp_congestion_control=$congestion" 2>/dev/null; then
    allowed=$(sysctl -n net.ipv4.tcp_allowed_congestion_control)
    lab_fail "--congestion: '$congestion', expected one that this machine allows its namespaces: $allowed"
  fi
  if [[ -n $local_rate ]]; then
    ip -n "$hub" link add "fast$host" type veth peer name eth1 netns "$namespace"
    ip -n "$hub" link set "fast$host" master "local$side" up
    in_hub tc qdisc add dev "fast$host" root tbf rate "${local_rate}mbit" burst 64k limit 256k
    ip -n "$namespace" link set eth1 up
    ip netns exec "$namespace" tc qdisc add dev eth1 root tbf rate "${local_rate}mbit" burst 64k limit 256k
    # The address is eth0's: who asks for it on the fast network is answered there.
    for ((other = (side - 1) * hosts + 1; other <= side * hosts; ++other)); do
      [[ $other -eq $host ]] || ip -n "$namespace" route add "10.77.0.$other/32" dev eth1 src "10.77.0.$host"
    done
  fi
  echo "10.77.0.$host slots=1" >> "$lab_root/$name/hosts"
done

cat > "$lab_root/$name/settings" <<SETTINGS
hosts=$hosts
clusters=$clusters
k=$k
backbone_mbit=$backbone
host_mbit=$host_rate
congestion=$congestion
local_mbit=$local_rate
SETTINGS

# What Open MPI calls in place of ssh: OPTIONS ADDRESS COMMAND... Every daemon needs a name of its host and a folder for
# temporary files of its own: by these Open MPI tells hosts apart.
cat > "$lab_root/$name/agent" <<AGENT
#!/usr/bin/env bash
while [[ \$1 == -* ]]; do shift; done
host=\${1##*.}
shift
tmp=$lab_root/$name/tmp/\$host
mkdir -p "\$tmp"
exec ip netns exec "sluice-$name-\$host" unshare --uts bash -c 'hostname "\$1"; export TMPDIR="\$2"; eval "\$3"' \\
  lab "lab\$host" "\$tmp" "\$*"
AGENT
chmod +x "$lab_root/$name/agent"

done=1
echo "$name"
