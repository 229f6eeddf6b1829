#!/usr/bin/env bash
# Tests scripts/check-includes.sh on a small tree: clean as it stands, and one offence a rule.
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/scripts/check-includes.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

fresh_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/include/sluice/{graph,input,schedule,plan,show,run/mpi} "$tree"/src/{graph,schedule,timing,plan/{exchange,reduce},show,run/mpi/{runtime,engine,exchange}} "$tree"/apps/compare "$tree"/apps/sluice/{options,output,plan,run}
  echo '#include <string>' > "$tree/include/sluice/error.hpp"
  printf '%s\n' '#include <vector>' '#include "sluice/error.hpp"' '#include <fmt/core.h>' > "$tree/include/sluice/graph/g.hpp"
  echo '  #  include "sluice/graph/g.hpp"  // why' > "$tree/include/sluice/schedule/s.hpp"
  printf '%s\n' '#include "sluice/schedule/s.hpp"' '#include "graph/inner.hpp"' '#include "plan/exchange/inner.hpp"' '#include "beside.hpp"' \
    > "$tree/src/plan/exchange/p.cpp"
  printf '%s\n' '#include "sluice/plan/exchange.hpp"' '#include "sluice/run/mpi/error.hpp"' '#include <mpi.h>' > "$tree/src/run/mpi/engine/r.cpp"
  printf '%s\n' '#include "sluice/run/mpi/x.hpp"' '#include "apps/sluice/plan/plan.hpp"' '#include "apps/compare/c.hpp"' '#include <CLI/CLI.hpp>' \
    > "$tree/apps/sluice/main.cpp"
  printf '%s\n' '#include "apps/sluice/command.hpp"' '#include "apps/sluice/plan/plan.hpp"' '#include "apps/sluice/output/files.hpp"' \
    > "$tree/apps/sluice/plan/exchange.cpp"
  printf '%s\n' '#include "apps/compare/c.hpp"' '#include "sluice/run/mpi/x.hpp"' '#include <mpi.h>' > "$tree/apps/compare/c.cpp"
}

# expect_offence FILE INCLUDE REASON: FILE with INCLUDE as its line 2 is the one offence.
expect_offence() {
  fresh_tree
  printf '// a file\n#include %s\n' "$2" > "$tree/$1"
  local output status=0
  output=$("$check" "$tree") || status=$?
  if [[ $status -eq 0 || $output != "$1:2: "*"$3"* || $(wc -l <<<"$output") -ne 1 ]]; then
    echo "FAILED: $1 with $2: exit status $status, output: $output; expected one line with: $3"
    failures=$((failures + 1))
  fi
}

fresh_tree
"$check" "$tree" > "$tree/output" || { echo "FAILED: a clean tree:"; cat "$tree/output"; failures=1; }

expect_offence include/sluice/index.hpp      '"sluice/graph/g.hpp"'        "base comes before graph"
expect_offence include/sluice/graph/h.hpp    '"sluice/input/traffic.hpp"'  "graph comes before input"
expect_offence src/schedule/t.cpp            '"timing/replay.hpp"'         "schedule comes before timing"
expect_offence src/plan/q.cpp                '"sluice/show/table.hpp"'     "plan comes before show"
expect_offence src/plan/exchange/q.cpp       '"plan/redistribute/r.hpp"'   "plan/exchange comes before plan/redistribute"
expect_offence src/plan/reduce/q.cpp         '"sluice/plan/program.hpp"'   "plan/reduce comes before plan/collective"
expect_offence src/run/mpi/runtime/e.cpp     '"run/mpi/engine/e.hpp"'      "run/mpi/runtime comes before run/mpi/engine"
expect_offence src/run/mpi/exchange/e.cpp    '"sluice/run/mpi/reduction.hpp"' "run/mpi/exchange comes before run/mpi/collective"
expect_offence src/show/t.cpp                '"plan/exchange/inner.hpp"'   "show sees only the public headers of plan"
expect_offence src/run/mpi/engine/e.cpp      '"plan/step_rule.hpp"'        "sees only the public headers of plan"
expect_offence src/show/u.cpp                '"sluice/run/mpi/error.hpp"'  "knows no MPI"
expect_offence src/timing/model.cpp          '"sluice/run/mpi/error.hpp"'  "knows no MPI"
expect_offence src/graph/m.cpp               '<mpi.h>'                     "knows no MPI"
expect_offence src/graph/n.cpp               '<simgrid/s4u.hpp>'           "SimGrid"
expect_offence src/graph/o.cpp               '<lemon/matching.h>'          "tests and benchmarks"
expect_offence src/graph/p.cpp               '"../plan/inner.hpp"'         "never up"
expect_offence src/graph/c.cpp               '<CLI/CLI.hpp>'               "apps/sluice/ only"
expect_offence apps/compare/d.cpp            '<CLI/CLI.hpp>'               "apps/sluice/ only"
expect_offence include/sluice/graph/i.hpp    '"graph/inner.hpp"'           "internal header in a public one"
expect_offence include/sluice/graph/j.hpp    '"g.hpp"'                     "in full"
expect_offence include/sluice/graph/k.hpp    '<nlohmann/json.hpp>'         "without JSON"
expect_offence apps/sluice/plan/plan.cpp     '"plan/inner.hpp"'            "public headers only"
expect_offence apps/sluice/output/o.cpp      '"apps/sluice/options/v.hpp"' "apps/sluice/output may include of the command"
expect_offence apps/sluice/options/v.cpp     '"apps/sluice/plan/plan.hpp"' "apps/sluice/options may include of the command"
expect_offence apps/sluice/plan/plan.cpp     '"apps/sluice/run/run.hpp"'   "apps/sluice/plan may include of the command"
expect_offence apps/sluice/plan/plan.cpp     '"apps/sluice/command_tree.hpp"' "apps/sluice/plan may include of the command"
expect_offence apps/compare/e.cpp            '"run/mpi/engine/inner.hpp"'    "public headers only"
expect_offence apps/compare/f.cpp            '"apps/sluice/verbs.hpp"'     "seen by nobody"
expect_offence src/run/mpi/engine/f.cpp      '"apps/compare/c.hpp"'        "only the command sees it"
expect_offence src/graph/l.cpp               '"sluice/grpah/g.hpp"'        "no such folder"
# A public header without a room, and a folder that is none.
fresh_tree
echo > "$tree/include/sluice/plan/new.hpp"
mkdir "$tree/src/grpah"
echo > "$tree/src/grpah/g.cpp"
[[ $("$check" "$tree" | grep -c "give it a place") -eq 2 ]] || { echo "FAILED: files without a room"; failures=$((failures + 1)); }

[[ $failures -eq 0 ]] && echo "check-includes: as expected"
exit $((failures > 0))
