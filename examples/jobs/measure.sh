#!/usr/bin/env bash
# Measures the network between the hosts of a job, compares what can be done on it, and runs the best against MPI's own.
#
#     measure.sh LAUNCHER...      the words that start a rank on every slot of the job
#
# Writes platform.json and broadcast.json. SECONDS_TO_MEASURE: how long the probe may take, 60 unless set.
set -euo pipefail

"$@" sluice probe -o platform.json --time-budget "${SECONDS_TO_MEASURE:-60}"
# Plans, without MPI: by the batch script itself, not by the launcher.
sluice compare broadcast --platform platform.json --size 1Mi
"$@" sluice run broadcast --platform platform.json --size 1Mi --json broadcast.json
