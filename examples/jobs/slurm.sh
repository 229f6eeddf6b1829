#!/usr/bin/env bash
#SBATCH --job-name=sluice
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=4
#SBATCH --time=00:10:00
# A job for Slurm: sbatch slurm.sh, in this folder. srun --mpi=list tells what MPI your Slurm starts; where it is not the one that
# sluice was built with, mpirun (Open MPI) or mpiexec (MPICH) instead of srun finds the hosts of the job too.
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
./measure.sh srun
