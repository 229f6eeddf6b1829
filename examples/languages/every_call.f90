! A matrix redistributed, an exchange and a broadcast in Fortran: mpirun -np 4 every_call_fortran
program every_call
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use sluice
  implicit none
  integer(int64), parameter :: shape(2) = [1000_int64, 700_int64]
  integer :: rank, ranks, came, i, j, wrong = 0
  integer(int64) :: here(2), there(2)
  real(real64) :: word
  real(real64), allocatable :: x(:, :), y(:, :)
  type(sluice_layout) :: rows, columns
  type(sluice_job) :: redistribution, exchange, broadcast
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! Rows of a 1000 x 700 matrix become columns; element (i, j), counted from 0, is 1000 i + j.
  rows%dimensions = 2
  rows%grid(:2) = [ranks, 1]
  rows%block(:2) = [64, 700]
  columns%dimensions = 2
  columns%grid(:2) = [1, ranks]
  columns%block(:2) = [1000, 64]
  call sluice_layout_local_shape(rows, shape, rank, here)
  call sluice_layout_local_shape(columns, shape, rank, there)
  allocate (x(here(1), here(2)), y(there(1), there(2)))
  x = reshape([((1000.0_real64*global(i) + j, i=0, int(here(1)) - 1), j=0, int(here(2)) - 1)], [here(1), here(2)])
  call sluice_redistribution_create(MPI_COMM_WORLD, shape, rows, columns, 8_int64, redistribution)
  call sluice_redistribution_execute(redistribution, x, y)  ! as often as you like
  do j = 0, int(there(2)) - 1
    wrong = wrong + count(y(:, j + 1) /= [(1000.0_real64*i + global(j), i=0, int(there(1)) - 1)])
  end do

  ! Every rank has its number for the next one.
  call sluice_exchange_create(MPI_COMM_WORLD, [mod(rank + 1, ranks)], [4_int64], exchange)
  call sluice_exchange_execute(exchange, rank, came)
  if (came /= modulo(rank - 1, ranks)) wrong = wrong + 1

  word = merge(42, 0, rank == 0)
  call sluice_broadcast_create(MPI_COMM_WORLD, 0, broadcast)
  call sluice_broadcast_execute(broadcast, word)
  if (word /= 42) wrong = wrong + 1

  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a)', 'Fortran: ', wrong, ' wrong'
  call sluice_job_free(redistribution)
  call sluice_job_free(exchange)
  call sluice_job_free(broadcast)
  call MPI_Finalize()

contains

  integer pure function global(local)  ! in blocks of 64 dealt to the ranks
    integer, intent(in) :: local
    global = (local/64*ranks + rank)*64 + mod(local, 64)
  end function
end program
