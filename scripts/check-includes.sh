#!/usr/bin/env bash
# Checks that includes point one way (see CONTRIBUTING.md, "Where things go") and that each library stays in its place.
#
#     scripts/check-includes.sh [ROOT]     ROOT: this repository unless given
#
# Prints FILE:LINE, the include and the reason for each offence, and exits 1 if there was one.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

roots=()
for folder in include src apps drop-in/c drop-in/fortran python examples; do
  [[ -d $folder ]] && roots+=("$folder")
done

find "${roots[@]}" -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -print0 | sort -z |
xargs -0 --no-run-if-empty awk '
  BEGIN {
    # What a folder may include besides itself. An own folder and base are always fine.
    sees["base"] = ""
    sees["graph"] = ""
    sees["input"] = ""
    sees["schedule"] = "graph input"
    sees["plan"] = "graph input schedule"
    sees["run"] = "graph input schedule plan"    # plan: public headers only, below
    sees["show"] = "graph input schedule plan"
    sees["apps"] = "graph input schedule plan run show"    # public headers only
    # What a folder of planners may include of the other ones.
    plans_see["network"] = ""
    plans_see["exchange"] = ""
    plans_see["reduce"] = ""
    plans_see["redistribute"] = "exchange"
    plans_see["broadcast"] = "network program"
    plans_see["program"] = "network broadcast"
    # What a folder of the command may include of the other ones, besides command.hpp; what lies above them, "base", all.
    command_sees["process"] = ""
    command_sees["output"] = "process"
    command_sees["options"] = "output process"
    command_sees["plan"] = "options output process"
    command_sees["compare"] = "plan options output process"
    command_sees["simulate"] = "plan options output process"
    command_sees["run"] = "options output process"
    command_sees["network"] = "options output process"
    command_sees["tune"] = "options output process"
    command_sees["report"] = "options output process"
    command_sees["study"] = "options output process"
    command_sees["manuals"] = "base options output process"
  }

  function offence(reason) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, spelled, reason
    offences++
  }

  # "graph" of "graph/x.hpp", "base" of "x.hpp".
  function first_folder(path) { return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "base" }

  # "broadcast" of "plan/broadcast/x.hpp", none of "plan/x.hpp".
  function folder_of_plans(path) { return path ~ /^plan\/[^\/]*\// ? first_folder(substr(path, 6)) : "" }

  FNR == 1 {
    public_file = FILENAME ~ /^include\//
    # The jobs for C are declared beside the rest of its interface.
    in_mpi = FILENAME ~ /^(include\/sluice|src)\/run\/mpi\// || FILENAME == "include/sluice/sluice_mpi.h"
    in_simulate = FILENAME ~ /^(include\/sluice|src)\/run\/simulate\//
    if (FILENAME ~ /^(apps|drop-in|python|examples)\//) {
      folder = "apps"
    } else {
      path = FILENAME
      sub(/^(include\/sluice|src)\//, "", path)
      folder = first_folder(path)
      if (!(folder in sees) || folder == "apps") {
        spelled = "folder " folder
        offence("unknown: give it a place in scripts/check-includes.sh")
        sees[folder] = ""
      }
    }
  }

  /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    spelled = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", spelled)
    quoted = $0 ~ /include[ \t]*"/
    sub(/[>"].*/, "", spelled)

    if (spelled ~ /(^|\/)\.\.?\//) { offence("paths go from include/, src/ or the root, never up or from here"); next }

    if (spelled ~ /^apps\//) {
      if (FILENAME !~ /^apps\//) offence("no part of the libraries: only the command sees it")
      else if (spelled ~ /^apps\/compare\//) next
      else if (FILENAME !~ /^apps\/sluice\//) offence("the command is seen by nobody")
      else if (spelled != "apps/sluice/command.hpp") {
        own = first_folder(substr(FILENAME, 13))
        theirs = first_folder(substr(spelled, 13))
        if (own != "base" && theirs != own && (" " command_sees[own] " ") !~ (" " theirs " "))
          offence("apps/sluice/" own " may include of the command: command.hpp, " command_sees[own])
      }
      next
    }

    if (spelled ~ /^sluice\//) {
      is_public = 1
      inner = substr(spelled, 8)
    } else if (quoted && spelled ~ /\// && first_folder(spelled) in sees && folder != "apps") {
      is_public = 0
      inner = spelled
    } else if (quoted && spelled ~ /\// && first_folder(spelled) in sees) {
      offence("internal header: apps and examples see public headers only")
      next
    } else if (quoted && spelled !~ /\//) {
      if (public_file) offence("public headers name each other in full: \"sluice/...\"")
      next    # a file beside this one
    } else {
      # Other libraries.
      if (spelled == "mpi.h" && folder != "apps" && !in_mpi) offence("sluice::core knows no MPI: only run/mpi includes it")
      if (spelled ~ /^(simgrid|smpi|xbt)\// && !in_simulate) offence("SimGrid appears in run/simulate only")
      if (spelled ~ /^(gtest|gmock|rapidcheck|lemon|benchmark)[\/.]/) offence("a library of the tests and benchmarks")
      if (spelled ~ /^CLI\// && FILENAME !~ /^apps\/sluice\//) offence("the command line is read in apps/sluice/ only")
      if (public_file && spelled ~ /^nlohmann\//) offence("public headers do without JSON: users would need the library")
      next
    }

    target = first_folder(inner)
    if (public_file && !is_public) offence("internal header in a public one")
    else if (!(target in sees) || target == "apps") offence("no such folder")
    else if (target != folder && target != "base" && (" " sees[folder] " ") !~ (" " target " "))
      offence(folder " may include " (sees[folder] == "" ? "base headers" : "base, " sees[folder]) " only")
    else if (target == "plan" && !is_public && folder != "plan") offence(folder " sees only the public headers of plan")
    else if (!is_public && FILENAME ~ /^src\/plan\/[^\/]*\// && folder_of_plans(inner) != "") {
      own = folder_of_plans(substr(FILENAME, 5))
      theirs = folder_of_plans(inner)
      if (theirs != own && (" " plans_see[own] " ") !~ (" " theirs " "))
        offence("plan/" own " may include of other folders of plan: " (plans_see[own] == "" ? "none" : plans_see[own]))
    } else if (inner ~ /^run\/mpi\// && !in_mpi && folder != "apps") offence("sluice::core knows no MPI: run/mpi is beyond it")
  }

  END { exit offences > 0 }
' || exit 1
echo "includes: all point one way"
