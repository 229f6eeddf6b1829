! A program of ScaLAPACK's, which knows nothing of Sluice: moves the lower triangle of a matrix to another grid.
!
!     mpif90 -o move_triangle move_triangle.f90 -lscalapack-openmpi
!     mpirun -np 4 ./move_triangle
!     mpirun -np 4 env LD_PRELOAD=libsluice_scalapack.so ./move_triangle
program move_triangle
  implicit none
  integer, parameter :: n = 500
  integer :: me, ranks, everyone, a_context, b_context, a_desc(9), b_desc(9), info, i, j, wrong
  integer :: rows, columns, row, column, a_rows, a_columns, b_rows, b_columns
  integer, external :: numroc, indxl2g
  double precision, allocatable :: a(:, :), b(:, :)
  double precision :: expected

  call blacs_pinfo(me, ranks)
  call blacs_get(-1, 0, everyone)
  call blacs_gridinit(everyone, 'R', 1, ranks)
  call blacs_get(-1, 0, a_context)
  call blacs_gridinit(a_context, 'R', 1, ranks)
  call blacs_get(-1, 0, b_context)
  call blacs_gridinit(b_context, 'R', ranks, 1)

  call blacs_gridinfo(a_context, rows, columns, row, column)
  a_rows = numroc(n, 32, row, 0, rows)
  a_columns = numroc(n, 32, column, 0, columns)
  call descinit(a_desc, n, n, 32, 32, 0, 0, a_context, max(1, a_rows), info)
  allocate (a(max(1, a_rows), max(1, a_columns)))
  do j = 1, a_columns
    do i = 1, a_rows
      a(i, j) = indxl2g(i, 32, row, 0, rows) + 1000d0 * indxl2g(j, 32, column, 0, columns)
    end do
  end do

  call blacs_gridinfo(b_context, rows, columns, row, column)
  b_rows = numroc(n, 50, row, 0, rows)
  b_columns = numroc(n, 50, column, 0, columns)
  call descinit(b_desc, n, n, 50, 50, 0, 0, b_context, max(1, b_rows), info)
  allocate (b(max(1, b_rows), max(1, b_columns)), source=-1d0)
  call pdtrmr2d('L', 'N', n, n, a, 1, 1, a_desc, b, 1, 1, b_desc, everyone)

  wrong = 0
  do j = 1, b_columns
    do i = 1, b_rows
      expected = indxl2g(i, 50, row, 0, rows) + 1000d0 * indxl2g(j, 50, column, 0, columns)
      if (indxl2g(i, 50, row, 0, rows) < indxl2g(j, 50, column, 0, columns)) expected = -1d0
      if (b(i, j) /= expected) wrong = wrong + 1
    end do
  end do
  call igsum2d(everyone, 'All', ' ', 1, 1, wrong, 1, 0, 0)
  if (me == 0) print '(i0, a)', wrong, ' elements wrong'
  call blacs_exit(0)
end program move_triangle
