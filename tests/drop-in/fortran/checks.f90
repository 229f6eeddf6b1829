! What tests in Fortran on any number of ranks have in common: the rank, and checks that are counted.
module checks
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  implicit none
  private
  public :: begin_checks, check, end_checks
  integer, public, protected :: rank, ranks
  integer :: failures = 0

contains

  subroutine begin_checks()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  end subroutine

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    write (error_unit, '(a,i0,2a)') 'rank ', rank, ': not so: ', what
    failures = failures + 1
  end subroutine

  ! On all ranks; ends the program with an error if any check failed on any of them.
  subroutine end_checks()
    call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Finalize()
    if (failures > 0) error stop 1
  end subroutine

end module
