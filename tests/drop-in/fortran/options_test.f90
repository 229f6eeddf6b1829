! Options of jobs through the Fortran module, on any number of ranks: programs to carry out, and parts of a matrix.
! options_test PLATFORM.json
program options_test
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use checks
  use sluice
  implicit none
  integer, parameter :: numbers = 100, bytes = 8*numbers
  character(4096) :: platform_file

  call begin_checks()
  call get_command_argument(1, platform_file)
  call read_programs()
  call judge_programs()
  call carry_out_programs()
  call refuse_programs()
  call move_parts()
  call end_checks()

contains

  ! A program that passes the message on from rank to rank, or combines elements on their way to rank 0.
  function program_of(problem, for_ranks) result(text)
    character(*), intent(in) :: problem
    integer, intent(in) :: for_ranks
    character(:), allocatable :: text
    character(200) :: line
    character(10) :: waits
    integer :: number, from, to
    write (line, '(a,i0,a,i0,a)') '", "algorithm": "by hand", "ranks": ', for_ranks, ', "size_bytes": ', bytes, ', "root": 0, '
    text = '{"schema": "sluice.program/1", "problem": "'//problem//trim(line)
    if (problem == 'reduce') text = text//'"element_bytes": 8, "commutative": true, '
    text = text//'"operations": ['
    do number = 0, for_ranks - 2
      from = merge(for_ranks - 1 - number, number, problem == 'reduce')
      to = merge(from - 1, from + 1, problem == 'reduce')
      waits = ''
      if (number > 0) write (waits, '(i0)') 2*number - 1
      if (number > 0) text = text//', '
      write (line, 1) from, 'send', to, bytes
      text = text//trim(line)//trim(waits)//']}, '
      write (line, 1) to, trim(merge('combine', 'receive', problem == 'reduce')), from, bytes
      text = text//trim(line)//']}'
    end do
    text = text//'], "length_s": 0, "bound_s": 0, "bound": ""}'
1   format('{"rank": ', i0, ', "kind": "', a, '", "peer": ', i0, ', "offset": 0, "bytes": ', i0, ', "after": [')
  end function

  ! Options with that program alone, which keep a copy.
  function options_with(text) result(options)
    character(*), intent(in) :: text
    type(sluice_options) :: options
    type(sluice_program) :: program
    call sluice_program_parse(text, program)
    call sluice_options_set(options, 'program', program)
    call sluice_program_free(program)
  end function

  subroutine read_programs()
    type(sluice_program) :: program
    integer(int64) :: for_ranks, size_bytes
    integer :: stat
    character(300) :: text
    call sluice_program_parse(program_of('reduce', 3), program)
    call sluice_program_size(program, for_ranks, size_bytes)
    call check(for_ranks == 3 .and. size_bytes == bytes, 'what a program is for')
    call sluice_program_free(program)
    call sluice_program_read('nowhere.json', program, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'nowhere.json: cannot be read') == 1, &
               'a file that is not there: '//trim(text))
    call sluice_program_parse('{}', program, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'text') == 1, 'a text that is no program: '//trim(text))
    call sluice_program_size(program, for_ranks, size_bytes, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'program') == 1, 'no program: '//trim(text))
  end subroutine

  ! As schedules, which a check judges.
  subroutine judge_programs()
    type(sluice_schedule) :: schedule, again
    type(sluice_program) :: program
    integer(int64) :: for_ranks, size_bytes, violations, steps
    integer :: kind, stat
    character(:), allocatable :: problem, found, sound, file
    character(300) :: text
    sound = program_of('reduce', 3)
    call sluice_schedule_parse(sound, schedule)
    call sluice_schedule_kind(schedule, kind)
    call sluice_schedule_problem(schedule, problem)
    call check(kind == SLUICE_PROGRAM_KIND .and. problem == 'reduce', 'a program as a schedule')
    call sluice_schedule_check(schedule, violations)
    call check(violations == 0, 'a sound program')
    call sluice_schedule_program(schedule, program)
    call sluice_program_size(program, for_ranks, size_bytes)
    call check(for_ranks == 3 .and. size_bytes == bytes, 'the program of a schedule')
    call sluice_program_free(program)
    call sluice_schedule_steps(schedule, steps, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. text == 'schedule: a program, expected one of steps', &
               'steps of a program: '//trim(text))
    if (rank == 0) then
      file = 'program-of-'//char(iachar('0') + ranks)//'.json'
      call sluice_schedule_write(schedule, file)
      call sluice_schedule_read(file, again)
      call sluice_schedule_check(again, violations)
      call check(violations == 0, 'a program that was written')
      call sluice_schedule_free(again)
    end if
    call sluice_schedule_free(schedule)

    ! Rank 1 sends without waiting for what it has to combine first.
    stat = index(sound, '[1]')
    call sluice_schedule_parse(sound(:stat)//sound(stat + 2:), schedule)
    call sluice_schedule_check(schedule, violations)
    call check(violations > 0, 'a program that does not wait')
    call sluice_schedule_violation(schedule, 0_int64, found)
    call check(index(found, '1') > 0, 'why it is broken: '//found)
    call sluice_schedule_violation(schedule, violations, found, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. found == '', 'one violation too many: '//trim(text))
    call sluice_schedule_free(schedule)
    call sluice_schedule_problem(schedule, problem, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. problem == '', 'no schedule: '//trim(text))
  end subroutine

  subroutine carry_out_programs()
    type(sluice_job) :: job
    type(sluice_options) :: options
    real(real64) :: own(numbers), total(numbers)
    own = rank + 1
    total = 0
    options = options_with(program_of('reduce', ranks))
    call sluice_reduction_create(MPI_COMM_WORLD, int(numbers, int64), MPI_DOUBLE_PRECISION, MPI_SUM, 0, job, options)
    call sluice_options_free(options)
    call sluice_reduction_execute(job, own, total)
    call check(rank /= 0 .or. all(total == ranks*(ranks + 1)/2), 'a sum by a program')
    call sluice_job_free(job)
    options = options_with(program_of('broadcast', ranks))
    call sluice_broadcast_create(MPI_COMM_WORLD, 0, job, options)
    call sluice_options_free(options)
    call sluice_broadcast_execute(job, total)
    call check(all(total == ranks*(ranks + 1)/2), 'a broadcast by a program')
    call sluice_job_free(job)
  end subroutine

  ! Making both jobs with `options` fails, for `reasons`.
  subroutine expect_refused(options, count, reduction, broadcast)
    type(sluice_options), intent(in) :: options
    integer, intent(in) :: count
    character(*), intent(in) :: reduction, broadcast
    type(sluice_job) :: job
    integer :: stat
    character(300) :: text
    call sluice_reduction_create(MPI_COMM_WORLD, int(count, int64), MPI_DOUBLE_PRECISION, MPI_SUM, 0, job, options, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, reduction) > 0, reduction//', but: '//trim(text))
    call sluice_broadcast_create(MPI_COMM_WORLD, 0, job, options, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, broadcast) > 0, broadcast//', but: '//trim(text))
  end subroutine

  subroutine refuse_programs()
    type(sluice_job) :: job
    type(sluice_options) :: options
    type(sluice_platform) :: platform
    type(sluice_program) :: program
    real(real64) :: values(numbers)
    integer :: stat
    character(300) :: text, about
    options = options_with(program_of('reduce', ranks))
    call expect_refused(options, numbers + 1, 'program: size_bytes 800, expected 808', 'program: reduce, expected broadcast')
    call sluice_options_free(options)
    write (about, '(a,i0,a,i0)') 'program: ranks ', ranks + 1, ', expected ', ranks
    options = options_with(program_of('broadcast', ranks + 1))
    call expect_refused(options, numbers, 'program: broadcast, expected reduce', trim(about))
    call sluice_options_free(options)
    call sluice_platform_read(platform_file, platform)
    options = options_with(program_of('broadcast', ranks))
    call sluice_options_set(options, 'platform', platform)
    call expect_refused(options, numbers, 'program: cannot be used with a platform', 'program: cannot be used with a platform')
    call sluice_options_free(options)
    call sluice_platform_free(platform)

    options = options_with(program_of('broadcast', ranks))
    call sluice_broadcast_create(MPI_COMM_WORLD, 0, job, options)
    call sluice_options_free(options)
    values = 0
    call sluice_broadcast_execute(job, values(:numbers - 1), stat, text)
    call check(stat /= SLUICE_OK .and. index(text, '792, expected the 800 of the program') > 0, &
               'a message of another size: '//trim(text))
    call sluice_job_free(job)
    ! A text is of the call that failed, and of no other.
    call sluice_broadcast_create(MPI_COMM_SELF, 0, job)
    call sluice_broadcast_execute(job, values(1:9:2), stat, text)
    call check(stat /= SLUICE_OK .and. index(text, 'gaps') > 0, 'memory with gaps: '//trim(text))
    call sluice_job_free(job)
    call sluice_program_read('nowhere.json', program, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'nowhere.json') == 1, 'not of the call before: '//trim(text))
    ! Under another name it is refused where it is used.
    call sluice_program_parse(program_of('broadcast', ranks), program)
    call sluice_options_set(options, 'programme', program)
    call sluice_program_free(program)
    call expect_refused(options, numbers, "'programme', expected one of", "'programme', expected one of")
    call sluice_options_free(options)
  end subroutine

  ! Rows of a matrix are dealt to the ranks. The part on one side of the diagonal moves to a matrix whose columns are
  ! dealt.
  subroutine move_parts()
    type(sluice_layout) :: rows, columns
    type(sluice_options) :: options
    type(sluice_schedule) :: schedule
    type(sluice_job) :: job
    integer(int64), parameter :: shape(2) = [4_int64, 7_int64]
    integer(int64) :: from(2), to(2), i, j, global_j
    real(real64), allocatable :: x(:, :), y(:, :)
    logical :: moves, strictly
    integer :: round, stat
    character(300) :: text
    rows%dimensions = 2
    rows%grid(1) = ranks
    rows%block(:2) = [1, 7]
    columns%dimensions = 2
    columns%grid(2) = ranks
    columns%block(:2) = [4, 1]
    call sluice_layout_local_shape(rows, shape, rank, from)
    call sluice_layout_local_shape(columns, shape, rank, to)
    allocate (x(from(1), from(2)), y(to(1), to(2)))
    do j = 1, from(2)
      do i = 1, from(1)
        x(i, j) = real(10*((i - 1)*ranks + rank + 1) + j, real64)
      end do
    end do
    do round = 1, 2
      strictly = round == 2
      call sluice_options_set(options, 'part', 'lower')
      call sluice_options_set(options, 'unit_diagonal', strictly)
      call sluice_redistribution_create(MPI_COMM_WORLD, shape, rows, columns, 8_int64, job, options)
      call sluice_options_free(options)
      y = -1
      call sluice_redistribution_execute(job, x, y)
      call sluice_job_free(job)
      do j = 1, to(2)
        global_j = (j - 1)*ranks + rank + 1
        do i = 1, to(1)
          ! The diagonal ends in the last element, so begins in column 4.
          moves = i + 3 > global_j .or. (i + 3 == global_j .and. .not. strictly)
          call check(y(i, j) == merge(real(10*i + global_j, real64), -1.0_real64, moves), 'an element of a part')
        end do
      end do
    end do
    call sluice_options_set(options, 'part', 'left')
    call sluice_redistribution_create(MPI_COMM_WORLD, shape, rows, columns, 8_int64, job, options, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, "'left', expected upper or lower") > 0, 'no part: '//trim(text))
    call sluice_plan_redistribution(rows, columns, schedule, shape, options, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, "part: 'left', expected upper or lower") == 1, &
               'no part of a plan: '//trim(text))
    call sluice_options_free(options)
    call sluice_options_set(options, 'unit_diagonal', .true.)
    call sluice_redistribution_create(MPI_COMM_WORLD, shape, rows, columns, 8_int64, job, options, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'no part') > 0, 'a diagonal of no part: '//trim(text))
    call sluice_options_free(options)
  end subroutine

end program
