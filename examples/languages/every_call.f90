! A matrix redistributed, an exchange and a broadcast in Fortran: mpirun -np 4 every_call_fortran
program every_call
  use mpi_f08
  use sluice
  implicit none
  integer :: rank, ranks, came, i, here(2), there(2), wrong = 0
  integer, allocatable :: x(:, :), y(:, :)
  double precision :: word
  type(sluice_layout) :: rows, columns
  type(sluice_job) :: redistribution, exchange, broadcast
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! Rows of a 1000 x 700 matrix become columns. Each element is the rank that has its row.
  rows = sluice_layout([ranks, 1], [64, 700])
  columns = sluice_layout([1, ranks], [1000, 64])
  call sluice_layout_local_shape(rows, [1000, 700], rank, here)
  call sluice_layout_local_shape(columns, [1000, 700], rank, there)
  allocate (x(here(1), here(2)), source=rank)
  allocate (y(there(1), there(2)))
  call sluice_redistribution_create(MPI_COMM_WORLD, [1000, 700], rows, columns, 4, redistribution)
  call sluice_redistribution_execute(redistribution, x, y)  ! as often as you like
  do i = 1, 1000
    wrong = wrong + count(y(i, :) /= mod((i - 1)/64, ranks))
  end do

  ! Every rank has its number for the next one.
  call sluice_exchange_create(MPI_COMM_WORLD, [mod(rank + 1, ranks)], [4], exchange)
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
end program
