#!/usr/bin/env bash
# Compares an MPI's own choice of algorithms with what `sluice tune` writes by models and by measuring, between two
# clusters of four hosts in a shaped network. Links have 50 Mbit/s and the backbone 100. Jobs of an unchanged program
# alternate. Prints medians over the jobs of the medians in a job, and ratios. Builds first if necessary; ten minutes.
# Needs a lab: root, iproute2.
#
#     [MPI=mpich] bench/tune_lab.sh [JOBS [SIZES [COLLECTIVES]]]     5, 4Ki,16Ki,64Ki,256Ki and all unless given
#
# MPI: openmpi unless set. BUILD: a build with that MPI and -DSLUICE_BENCH=ON, where there is one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${1:-5}
sizes=${2:-4Ki,16Ki,64Ki,256Ki}
mpi=${MPI:-openmpi}
case $mpi in
  openmpi)
    preset=release options=(--commutative) rooted=,gather,scatter
    use=(OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=) ;;
  mpich) preset=mpich options=() rooted='' use=(MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=) ;;
  *) echo "error: MPI: '$mpi', expected openmpi or mpich" >&2; exit 2 ;;
esac
collectives=${3:-bcast,reduce,allreduce,allgather,alltoall$rooted,reduce_scatter,reduce_scatter_block}
if [[ -z ${BUILD-} ]]; then
  BUILD=build/$preset
  cmake --preset "$preset" -DSLUICE_BENCH=ON --log-level=WARNING >/dev/null
  scripts/build.sh "$preset" bin/sluice collective_times >/dev/null
fi
build=$(cd "$BUILD" && pwd)
folder=$(mktemp -d)
name=$(lab/up.sh --hosts 4 --k 2 --backbone 100)
trap 'lab/down.sh "$name"; rm -rf "$folder"' EXIT
in_lab() { lab/run.sh --lab "$name" --mpi "$mpi" -n 8 "$@" </dev/null; }

in_lab "$build/bin/sluice" probe -o "$folder/platform.json" --clusters 4,4 --no-broadcasts >/dev/null
tune=("$build/bin/sluice" tune --for "$mpi" "${options[@]}" --sizes "$sizes" --collectives "$collectives")
"${tune[@]}" --platform "$folder/platform.json" -o "$folder/models"
echo
in_lab "${tune[@]}" --measure --repetitions 7 -o "$folder/measured"
echo

items=()
for call in ${collectives//,/ }; do
  for size in ${sizes//,/ }; do items+=("$call:$(numfmt --from=auto "$size")"); done
done
for ((job = 0; job < jobs; ++job)); do
  for way in own models measured; do
    with=()
    [[ $way == own ]] || with=("${use[@]/%=/=$folder/$way}")
    in_lab env "${with[@]}" "$build/bin/collective_times" 5 "${items[@]}" | sed "s/^/$way /" >> "$folder/times"
  done
done
awk "$(<bench/median.awk)"'
  { key = $2 " " $3; if (!(key in seen)) { seen[key] = 1; order[++n] = key } all[$1 " " key] = all[$1 " " key] " " $4 }
  END {
    printf "%-21s %8s %10s %10s %6s %10s %6s\n", "call", "bytes", "own ms", "models ms", "ratio", "measured", "ratio"
    for (i = 1; i <= n; ++i) {
      split(order[i], part, " ")
      own = median(all["own " order[i]]); models = median(all["models " order[i]]); meant = median(all["measured " order[i]])
      printf "%-21s %8d %10.2f %10.2f %6.2f %10.2f %6.2f\n", part[1], part[2], 1e3 * own, 1e3 * models, models / own,
             1e3 * meant, meant / own
    }
  }' "$folder/times"
