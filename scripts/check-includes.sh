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
    # The rooms of the libraries. Data passes through them in this order. A room may include itself and those before it.
    rooms = "base graph input schedule timing plan plan/exchange plan/exchange/constructive plan/exchange/bounds " \
            "plan/exchange/search plan/exchange/exact plan/exchange/registry plan/exchange/adapters " \
            "plan/redistribute plan/patterns plan/broadcast plan/reduce plan/collective plan/registry show " \
            "run/mpi/runtime run/mpi/network run/mpi/engine run/mpi/ways run/mpi/elements run/mpi/exchange " \
            "run/mpi/redistribute run/mpi/collective run/mpi/probe"
    count = split(rooms, list, " ")
    for (i = 1; i <= count; ++i) place[list[i]] = i
    # Public headers of plan and run/mpi, which have no folders there, by the room that they belong to.
    headers("plan/exchange", "plan", "aggregation exchange exchange_speeds shared_links verify_bound")
    headers("plan/redistribute", "plan", "batch between_layouts redistribute relabel replicated")
    headers("plan/reduce", "plan", "reduce reduce_part reduce_scatter")
    headers("plan/collective", "plan", "library_run program reversed_broadcast")
    headers("run/mpi/runtime", "run/mpi", "error refuse_job settings transfer_record")
    headers("run/mpi/network", "run/mpi", "network")
    headers("run/mpi/ways", "run/mpi", "element_operation exchange_mode")
    headers("run/mpi/elements", "run/mpi", "element_combine predefined")
    headers("run/mpi/exchange", "run/mpi", "dynamic_exchange exchange measure")
    headers("run/mpi/redistribute", "run/mpi", "redistribution redistribution_batch redistribution_options")
    headers("run/mpi/collective", "run/mpi", "broadcast collectives reduction")
    headers("run/mpi/probe", "run/mpi", "probe")
    headers("plan", "plan", "algorithm")
    headers("plan/broadcast", "plan", "broadcast")
    headers("plan/registry", "plan", "registry")
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

  function headers(room, folder, names,    i, count, list) {
    count = split(names, list, " ")
    for (i = 1; i <= count; ++i) public_room[folder "/" list[i] ".hpp"] = room
  }

  # "graph" of "graph/x.hpp", "base" of "x.hpp".
  function first_folder(path) { return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "base" }

  # The room of a file, by its path in include/sluice or src.
  function room_of(path, is_public,    room) {
    if (is_public && path in public_room) return public_room[path]
    if (path ~ /^plan\/registry\./) return "plan/registry"
    if (path ~ /^plan\/exchange\/registry\./) return "plan/exchange/registry"
    if (path !~ /\//) return "base"
    room = path
    sub(/\/[^\/]*$/, "", room)
    while (!(room in place) && room ~ /\//) sub(/\/[^\/]*$/, "", room)
    return room
  }

  FNR == 1 {
    public_file = FILENAME ~ /^include\//
    # The jobs for C are declared beside the rest of its interface.
    in_mpi = FILENAME ~ /^(include\/sluice|src)\/run\/mpi\// || FILENAME == "include/sluice/sluice_mpi.h"
    in_simgrid = FILENAME ~ /^(include\/sluice|src)\/timing\/simgrid/
    if (FILENAME ~ /^(apps|drop-in|python|examples)\//) {
      room = "apps"
    } else {
      path = FILENAME
      sub(/^(include\/sluice|src)\//, "", path)
      room = room_of(path, public_file)
      if (!(room in place) || (public_file && path ~ /^(plan|run\/mpi)\// && !(path in public_room))) {
        spelled = "room of " path
        offence("unknown: give it a place in scripts/check-includes.sh")
        place[room] = count + 1
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
    } else if (quoted && spelled ~ /\// && room_of(spelled, 0) in place && room != "apps") {
      is_public = 0
      inner = spelled
    } else if (quoted && spelled ~ /\// && room_of(spelled, 0) in place) {
      offence("internal header: apps and examples see public headers only")
      next
    } else if (quoted && spelled !~ /\//) {
      if (public_file) offence("public headers name each other in full: \"sluice/...\"")
      next    # a file beside this one
    } else {
      # Other libraries.
      if (spelled == "mpi.h" && room != "apps" && !in_mpi) offence("sluice::core knows no MPI: only run/mpi includes it")
      if (spelled ~ /^(simgrid|smpi|xbt)\// && !in_simgrid) offence("SimGrid appears in src/timing/simgrid* only")
      if (spelled ~ /^(gtest|gmock|rapidcheck|lemon|benchmark)[\/.]/) offence("a library of the tests and benchmarks")
      if (spelled ~ /^CLI\// && FILENAME !~ /^apps\/sluice\//) offence("the command line is read in apps/sluice/ only")
      if (public_file && spelled ~ /^nlohmann\//) offence("public headers do without JSON: users would need the library")
      next
    }

    target = room_of(inner, is_public)
    if (room == "apps") next
    if (public_file && !is_public) offence("internal header in a public one")
    else if (!(target in place)) offence("no such folder")
    else if (target ~ /^run\/mpi/ && !in_mpi) offence("sluice::core knows no MPI: run/mpi is beyond it")
    else if (place[target] > place[room]) offence(room " comes before " target ": see the rooms in scripts/check-includes.sh")
    else if (target ~ /^plan/ && !is_public && room ~ /^(show|run)/) offence(room " sees only the public headers of plan")
  }

  END { exit offences > 0 }
' || exit 1
echo "includes: all point one way"
