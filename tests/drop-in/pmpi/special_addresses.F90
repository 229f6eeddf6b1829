! Calls with MPI_BOTTOM, with MPI_IN_PLACE beyond those of mpif_h.f90, and of a section of an array: of mpif.h, or with
! -DUSE_MPI_F08 of mpi_f08.
program special_addresses
#ifdef USE_MPI_F08
  use mpi_f08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
  implicit none
#ifndef USE_MPI_F08
  include 'mpif.h'
#endif
  integer, parameter :: each = 1000
  integer :: ierror, rank, ranks, i, wrong, all_wrong
  integer, allocatable, asynchronous :: own(:), all(:), back(:)
  integer, allocatable :: counts(:), places(:)
  HANDLE(MPI_Datatype) :: own_each, all_each, back_each  ! `each` numbers at absolute addresses; the next ones lie behind
  HANDLE(MPI_Request) :: request

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  wrong = 0
  allocate (own(each), all(each * ranks), back(each * ranks), counts(ranks), places(ranks))
  own_each = type_at(own)
  all_each = type_at(all)
  back_each = type_at(back)
  counts = 1
  places = [(i, i = 0, ranks - 1)]

  ! ---- from and to MPI_BOTTOM

  own = rank
  all = -1
  call MPI_ALLGATHER(MPI_BOTTOM, 1, own_each, all, each, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call expect(all, [(i, i = 0, ranks - 1)], 'MPI_ALLGATHER from MPI_BOTTOM')
  all = -1
  call MPI_ALLGATHER(own, each, MPI_INTEGER, MPI_BOTTOM, 1, all_each, MPI_COMM_WORLD, ierror)
  call expect(all, [(i, i = 0, ranks - 1)], 'MPI_ALLGATHER to MPI_BOTTOM')
  call MPI_BCAST(MPI_BOTTOM, 1, own_each, ranks - 1, MPI_COMM_WORLD, ierror)
  call expect(own, [ranks - 1], 'MPI_BCAST of MPI_BOTTOM')
  call MPI_SCATTER(all, each, MPI_INTEGER, MPI_BOTTOM, 1, own_each, 0, MPI_COMM_WORLD, ierror)
  call expect(own, [rank], 'MPI_SCATTER to MPI_BOTTOM')
  all = -1
  call MPI_GATHER(MPI_BOTTOM, 1, own_each, MPI_BOTTOM, 1, all_each, 1, MPI_COMM_WORLD, ierror)
  if (rank == 1) call expect(all, [(i, i = 0, ranks - 1)], 'MPI_GATHER from and to MPI_BOTTOM')
  all = [(ranks * rank + (i - 1) / each, i = 1, each * ranks)]  ! block j, counted from 0: ranks * rank + j
  back = -1
  call MPI_ALLTOALL(MPI_BOTTOM, 1, all_each, MPI_BOTTOM, 1, back_each, MPI_COMM_WORLD, ierror)
  call expect(back, [(ranks * i + rank, i = 0, ranks - 1)], 'MPI_ALLTOALL from and to MPI_BOTTOM')
  back = -1
  call MPI_ALLTOALLV(MPI_BOTTOM, counts, places, all_each, MPI_BOTTOM, counts, places, back_each, MPI_COMM_WORLD, ierror)
  call expect(back, [(ranks * i + rank, i = 0, ranks - 1)], 'MPI_ALLTOALLV from and to MPI_BOTTOM')

  ! ---- MPI_IN_PLACE

  back = all
  call MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_INTEGER, back, each, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call expect(back, [(ranks * i + rank, i = 0, ranks - 1)], 'MPI_ALLTOALL in place')
  back = all
  call MPI_REDUCE_SCATTER_BLOCK(MPI_IN_PLACE, back, each, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call expect(back(:each), [ranks * (ranks * (ranks - 1) / 2) + ranks * rank], 'MPI_REDUCE_SCATTER_BLOCK in place')
  back = rank
  call MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_INTEGER, MPI_BOTTOM, 1, back_each, MPI_COMM_WORLD, ierror)
  call expect(back, [(i, i = 0, ranks - 1)], 'MPI_ALLGATHER in place, to MPI_BOTTOM')
  back = rank
  if (rank == 1) then
    call MPI_GATHER(MPI_IN_PLACE, 0, MPI_INTEGER, MPI_BOTTOM, 1, back_each, 1, MPI_COMM_WORLD, ierror)
    call expect(back, [(i, i = 0, ranks - 1)], 'MPI_GATHER in place, to MPI_BOTTOM')
  else
    call MPI_GATHER(MPI_BOTTOM, 1, own_each, back, 0, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
  end if

  ! ---- a section: a copy by the compiler, or a type with gaps by MPI

  back = rank
  call MPI_BCAST(back(2 : 2 * each : 2), each, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierror)
  call expect(back(2 : 2 * each : 2), [ranks - 1], 'MPI_BCAST of a section')
  call expect(back(1 : 2 * each : 2), [rank], 'MPI_BCAST beside a section')

  ! ---- calls that are never taken

  own = rank
  call MPI_IBCAST(MPI_BOTTOM, 1, own_each, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call expect(own, [0], 'MPI_IBCAST of MPI_BOTTOM')
  back = rank
  call MPI_ALLGATHERV(MPI_IN_PLACE, 0, MPI_INTEGER, MPI_BOTTOM, counts, places, back_each, MPI_COMM_WORLD, ierror)
  call expect(back, [(i, i = 0, ranks - 1)], 'MPI_ALLGATHERV in place, to MPI_BOTTOM')
  own = rank + 1
  call MPI_SCAN(MPI_IN_PLACE, own, each, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call expect(own, [(rank + 1) * (rank + 2) / 2], 'MPI_SCAN in place')
  own = rank
  back = -1
  call MPI_SENDRECV(MPI_BOTTOM, 1, own_each, mod(rank + 1, ranks), 0, MPI_BOTTOM, 1, back_each, modulo(rank - 1, ranks), 0, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call expect(back(:each), [modulo(rank - 1, ranks)], 'MPI_SENDRECV from and to MPI_BOTTOM')

  call MPI_TYPE_FREE(own_each, ierror)
  call MPI_TYPE_FREE(all_each, ierror)
  call MPI_TYPE_FREE(back_each, ierror)
  call MPI_ALLREDUCE(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(I0, A)', all_wrong, ' wrong'
  call MPI_FINALIZE(ierror)
  if (all_wrong /= 0) stop 1

contains

  function type_at(numbers) result(type)
    integer, asynchronous :: numbers(*)
    HANDLE(MPI_Datatype) :: type
    integer(kind=MPI_ADDRESS_KIND) :: at(1)
    call MPI_GET_ADDRESS(numbers, at(1), ierror)
    call MPI_TYPE_CREATE_HINDEXED(1, [each], at, MPI_INTEGER, type, ierror)
    call MPI_TYPE_COMMIT(type, ierror)
  end function

  ! Of each block of `each` numbers, that they are what is expected.
  subroutine expect(numbers, blocks, what)
    integer, intent(in) :: numbers(:), blocks(:)
    character(*), intent(in) :: what
    integer :: block
    do block = 1, size(blocks)
      if (any(numbers(each * (block - 1) + 1 : each * block) /= blocks(block))) then
        print '(A, I0, 2A, I0)', 'rank ', rank, ': ', what//', block ', block
        wrong = wrong + 1
      end if
    end do
  end subroutine
end program
