#!/usr/bin/env bash
# Feeds the readers of files with random changes of the corpus in tests/fuzz/corpus, with clang's libFuzzer under
# AddressSanitizer and UndefinedBehaviorSanitizer. Exits 1 if a reader crashes, hangs or takes too much memory; the input
# that did it is left in build/fuzz/findings: mend the reader, and add the input to the corpus.
#
#     scripts/fuzz.sh [SECONDS]     SECONDS: for all readers together, 60 unless given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
if ! [[ $seconds =~ ^[1-9][0-9]{0,5}$ ]]; then
  echo "error: $seconds: no number of seconds, expected 1 or more" >&2
  exit 2
fi
readers=(mtx csv schedule latency platform)
each=$(((seconds + ${#readers[@]} - 1) / ${#readers[@]}))

scripts/build.sh fuzz sluice_fuzzers
findings=build/fuzz/findings
mkdir -p "$findings"
log=$(mktemp)
grown=$(mktemp -d)
trap 'rm -rf "$log" "$grown"' EXIT

for reader in "${readers[@]}"; do
  mkdir "$grown/$reader"
  echo "fuzz: $reader, $each s"
  # The first folder takes what the fuzzer finds worth keeping, the others are only read.
  if ! "build/fuzz/bin/fuzz_$reader" -max_total_time="$each" -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=64 \
       -max_len=4096 -dict="tests/fuzz/$reader.dict" -artifact_prefix="$findings/$reader-" \
       "$grown/$reader" "tests/fuzz/corpus/$reader" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "error: fuzz_$reader failed (above); its input is in $findings, expected an InputError or a result" >&2
    exit 1
  fi
  sed -n 's/^Done \(.*\)/fuzz: \1/p' "$log"
done
echo "fuzz: no findings"
