! Calls of mpif.h with MPI_IN_PLACE: what Fortran's bindings hand to the wrappers.
program mpif_h
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, ranks, i, wrong, all_wrong
  integer :: numbers(1000)
  double precision :: own(1000), total(1000)
  integer, allocatable :: outgoing(:), incoming(:), counts(:), offsets(:)

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  wrong = 0

  numbers = rank
  call MPI_BCAST(numbers, 1000, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
  wrong = wrong + count(numbers /= 1)

  own = rank + 1
  total = -1
  call MPI_REDUCE(own, total, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) wrong = wrong + count(total /= ranks * (ranks + 1) / 2)
  if (rank == 0) then
    total = 1
    call MPI_REDUCE(MPI_IN_PLACE, total, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    wrong = wrong + count(total /= ranks * (ranks + 1) / 2)
  else
    call MPI_REDUCE(own, total, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  end if

  allocate(outgoing(1000 * ranks), incoming(1000 * ranks), counts(ranks), offsets(ranks))
  outgoing = rank
  incoming = -1
  call MPI_ALLTOALL(outgoing, 1000, MPI_INTEGER, incoming, 1000, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  do i = 0, ranks - 1
    wrong = wrong + count(incoming(1000 * i + 1 : 1000 * i + 1000) /= i)
  end do

  counts = 4
  offsets = [(10 * (i - 1), i = 1, ranks)]
  incoming = rank
  call MPI_ALLTOALLV(MPI_IN_PLACE, counts, offsets, MPI_INTEGER, incoming, counts, offsets, MPI_INTEGER, &
                     MPI_COMM_WORLD, ierror)
  do i = 0, ranks - 1
    wrong = wrong + count(incoming(10 * i + 1 : 10 * i + 4) /= i)
    wrong = wrong + count(incoming(10 * i + 5 : 10 * i + 10) /= rank)
  end do

  total = rank + 1
  call MPI_ALLREDUCE(MPI_IN_PLACE, total, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  wrong = wrong + count(total /= ranks * (ranks + 1) / 2)

  outgoing = rank + 1
  numbers = -1
  call MPI_REDUCE_SCATTER_BLOCK(outgoing, numbers, 1000, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  wrong = wrong + count(numbers /= ranks * (ranks + 1) / 2)

  incoming = rank
  call MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_INTEGER, incoming, 1000, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  do i = 0, ranks - 1
    wrong = wrong + count(incoming(1000 * i + 1 : 1000 * i + 1000) /= i)
  end do

  numbers = -1
  if (rank == 1) then
    call MPI_SCATTER(incoming, 1000, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
    numbers = rank
  else
    call MPI_SCATTER(outgoing, 0, MPI_INTEGER, numbers, 1000, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
  end if
  wrong = wrong + count(numbers /= rank)

  incoming = rank
  if (rank == 1) then
    call MPI_GATHER(MPI_IN_PLACE, 0, MPI_INTEGER, incoming, 1000, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
    do i = 0, ranks - 1
      wrong = wrong + count(incoming(1000 * i + 1 : 1000 * i + 1000) /= i)
    end do
  else
    call MPI_GATHER(numbers, 1000, MPI_INTEGER, incoming, 0, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
  end if

  all_wrong = wrong
  if (rank == 0) then
    do i = 1, ranks - 1
      call MPI_RECV(numbers, 10, MPI_INTEGER, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      all_wrong = all_wrong + numbers(1)
    end do
    print '(I0, A)', all_wrong, ' wrong'
  else
    numbers(1) = wrong
    call MPI_SEND(numbers, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
  end if
  call MPI_FINALIZE(ierror)
  if (all_wrong /= 0) stop 1
end program
