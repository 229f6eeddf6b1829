#!/usr/bin/env bash
#PBS -N sluice
#PBS -l select=4:ncpus=4:mpiprocs=4
#PBS -l walltime=00:10:00
# A job for PBS: qsub pbs.sh, in this folder. PBS names a file with a line per rank, the name of its host.
set -euo pipefail
cd "$PBS_O_WORKDIR"
./measure.sh mpirun -np "$(wc -l <"$PBS_NODEFILE")" -hostfile "$PBS_NODEFILE"
