#!/usr/bin/env bash
# Tests bench/both.sh with a script in place of a benchmark, whose figures vary as it is told.
set -euo pipefail
script=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/bench/both.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
mkdir -p "$work/slow/bin" "$work/fast/bin"

# Rounds vary by up to 6 %. The slow build takes 20 % longer for the first row, and has another length of the second.
cat >"$work/bench" <<'BENCH'
#!/usr/bin/env bash
folder=$(dirname "$0")
echo run >>"$folder/runs"
noise=$(($(wc -l <"$folder/runs") * 5 % 7))
more=0 length=36
[[ $SLUICE == */slow/* ]] && more=20 length=37
printf '%-20s %8s %10s %8s\n' 'name of the row' size 'time, ms' length
printf '%-20s %8d %10.1f %8d\n' 'ring, whole' 1000 $((100 + noise + more)) 5
printf '%-20s %8d %10.1f %8d\n' 'ring, whole' 2000 $((200 + noise)) $length
printf '\nBenchmark          Time        CPU   Iterations\n'
printf 'again/64      %5d us   %5d us   %10d kept=%d\n' 40 $((300 - noise - more * 3)) $((noise * 1000)) 8
printf '\n| name | ms |\n|---|---|\n| bars | %d |\n' $((50 + noise))
[[ ${1-} == fails ]] && { echo 'out of luck' >&2; exit 3; }
exit 0
BENCH
chmod +x "$work/bench"
# expect STATUS TEXT ARGUMENTS...: it ends so, and has a line that begins with the words of TEXT, which may be patterns.
expect() {
  local status=0 said
  said=$("$script" "${@:3}" 2>&1) || status=$?
  [[ $status -eq $1 ]] && tr -s ' ' <<<"$said" | grep -q -e "^$2" || fail "$*: exit status $status, $said"
}
both=("$work/fast" "$work/slow" "$work/bench")
expect 0 'ring, whole 1000 time, ms [0-9. ]* to [0-9.]* slower$' "${both[@]}"
expect 0 'ring, whole 2000 time, ms [0-9. ]* to [0-9.]* within noise$' "${both[@]}"
expect 0 'ring, whole 2000 length 36 37 1.028 1.028 to 1.028 different$' "${both[@]}"
expect 0 'again/64 40 us CPU [0-9. ]* to [0-9.]* faster$' "${both[@]}"
expect 0 'bars ms [0-9. ]* to [0-9.]* within noise$' "${both[@]}"
expect 0 '5 figures, intervals of 98.4 % confidence: 1 different, 1 faster, 1 slower, 2 within noise$' "${both[@]}"
expect 0 '.* intervals of 96.1 % confidence: ' --rounds 9 "${both[@]}"
expect 0 'ring, whole 1000 time, ms [0-9. ]* to [0-9.]* within noise$' "$work/slow" "$work/slow" "$work/bench"

expect 2 "error: --rounds 8: expected an odd number" --rounds 8 "${both[@]}"
expect 2 "error: .*out of luck" "${both[@]}" fails
expect 2 "error: none: neither a program in .*/fast/bin nor a script" "$work/fast" "$work/slow" none
expect 2 "error: the following arguments are required: NEW, BENCH" "$work/fast"
echo "both: as expected"
