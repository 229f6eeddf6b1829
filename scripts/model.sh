#!/usr/bin/env bash
# The sharing of memory in a model of memory, with many more schedules than the tests have: each search goes on for up to
# SCHEDULES, and a bounded one allows SWITCHES switches that no thread asks for. Says how many schedules and mutants
# there were. Needs relacy-dev; no part of CI.
#
#     scripts/model.sh [SCHEDULES [SWITCHES]]     2 000 000 and 3 unless told: some ten minutes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-deps.sh --model
scripts/build.sh release model_test
SLUICE_MODEL_SCHEDULES=${1:-2000000} SLUICE_MODEL_SWITCHES=${2:-3} build/release/bin/model_test --gtest_brief=1
