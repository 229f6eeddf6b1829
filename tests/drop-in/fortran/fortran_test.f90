! Planning and jobs through the Fortran module, on any number of ranks: fortran_test PLATFORM.json FILE_TO_WRITE
program fortran_test
  use, intrinsic :: iso_c_binding, only: c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use checks
  use sluice
  implicit none
  character(4096) :: platform_file, plan_file

  call before_mpi()
  call begin_checks()
  call get_command_argument(1, platform_file)
  call get_command_argument(2, plan_file)
  if (rank == 0) call plan()
  call redistribute()
  call redistribute_several()
  call redistribute_cuts()
  call redistribute_copies()
  call plan_at_speeds()
  call exchange()
  call reduce_and_broadcast()
  call refuse_arrays()
  call fail()
  call agree()
  call move_and_combine()
  call end_checks()

contains

  subroutine before_mpi()
    type(sluice_job) :: job
    integer :: stat
    character(200) :: text
    call sluice_broadcast_create(MPI_COMM_WORLD, 0, job, stat=stat, errmsg=text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'MPI: not running') == 1, 'before MPI_Init: '//trim(text))
  end subroutine

  subroutine plan()
    type(sluice_schedule) :: schedule, again
    type(sluice_options) :: options
    type(sluice_layout) :: from, to
    type(sluice_cost) :: cost, bound
    type(sluice_platform) :: platform
    type(sluice_transfer), allocatable :: transfers(:)
    type(sluice_timed_transfer), allocatable :: timed(:)
    type(sluice_program) :: program
    integer(int64) :: traffic(3, 3), steps, violations, duration, sent, t, ranks_of_program, bytes_of_program
    integer :: root, stat, extents(3)
    real(real64) :: length
    character(200) :: text
    traffic = transpose(reshape([7_int64, 2_int64, 0_int64, 4_int64, 5_int64, 0_int64, 0_int64, 0_int64, 9_int64], [3, 3]))
    call sluice_options_set(options, 'max_transfers', 2)
    call sluice_options_set(options, 'setup', 3.0_real64)
    call sluice_plan_exchange(traffic, schedule, options)
    call sluice_schedule_cost(schedule, cost, bound)
    call check(cost%steps == 3 .and. cost%transmission == 16 .and. bound%total == 24, 'cost of an exchange')
    call sluice_schedule_steps(schedule, steps)
    sent = 0
    do t = 0, steps - 1
      call sluice_schedule_step(schedule, t, duration, transfers)
      call check(duration == maxval(transfers%size), 'duration of a step')
      sent = sent + sum(transfers%size)
    end do
    call check(sent == 27, 'all is sent')
    call sluice_schedule_write(schedule, plan_file)
    call sluice_schedule_read(plan_file, again)
    call sluice_schedule_check(again, violations)
    call check(violations == 0, 'a plan that was read')
    call sluice_schedule_free(again)
    call sluice_schedule_free(schedule)
    call sluice_options_free(options)

    call sluice_layout_parse('16:3', from)
    call sluice_layout_parse('16:5', to)
    call sluice_plan_redistribution(from, to, schedule)
    call sluice_schedule_cost(schedule, cost, bound)
    call check(cost%steps == 7 .and. cost%transmission == 15, 'cost of a redistribution')
    call sluice_schedule_free(schedule)
    call sluice_plan_redistribution(from, to, schedule, [2*16*15])
    call sluice_schedule_cost(schedule, cost, bound)
    call check(cost%steps == 7 .and. cost%transmission == 30, 'cost of two slices')
    call sluice_schedule_free(schedule)
    call sluice_plan_redistribution(from, sluice_layout([16, 1], [5]), schedule, stat=stat, errmsg=text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'to: -1 dimensions') > 0, 'a grid with one block: '//trim(text))
    from = sluice_layout([4], [3], [4])
    call check(from%dimensions == 1 .and. all(from%first == [4, 0, 0, 0, 0, 0, 0]), 'a layout that begins elsewhere')
    from = sluice_layout([4], [3], [1, 1])
    call check(from%dimensions == -1, 'a layout that begins in two dimensions, of one')
    from = sluice_layout([1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1])
    call sluice_layout_local_shape(from, [1, 1, 1, 1, 1, 1, 1, 1], 0, extents, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, '8 dimensions') > 0, 'eight dimensions: '//trim(text))
    call sluice_layout_local_shape(sluice_layout([2, 2], [64, 64]), [1000, 700], 3, extents)
    call check(all(extents == [488, 320, 0]), 'a local shape')
    call sluice_plan_reduce(4_int64, 1.0_real64, 1.0_real64, schedule)
    call sluice_schedule_tree(schedule, root, length, timed)
    call check(root == 0 .and. length == 4 .and. size(timed) == 3, 'a tree')
    call sluice_schedule_free(schedule)
    ! Machine 2 sends from 5 to 7, then the root combines until 11.
    call sluice_options_set(options, 'transfer_costs', [real(real64) :: 0, 9, 9, 1, 0, 9, 2, 9, 0])
    call sluice_options_set(options, 'compute_costs', [real(real64) :: 4, 9, 9])
    call sluice_options_set(options, 'arrivals', [real(real64) :: 0, 0, 5])
    call sluice_options_set(options, 'max_transfers', 1)
    call sluice_plan_reduce(3_int64, 0.0_real64, 0.0_real64, schedule, options)
    call sluice_schedule_tree(schedule, root, length, timed)
    call check(root == 0 .and. length == 11 .and. size(timed) == 2, 'a tree where links differ')
    call sluice_schedule_reduction_program(schedule, 800_int64, 8_int64, program)
    call sluice_program_size(program, ranks_of_program, bytes_of_program)
    call check(ranks_of_program == 3 .and. bytes_of_program == 800, 'a program of a tree')
    call sluice_program_free(program)
    call sluice_schedule_reduction_program(schedule, 801_int64, 8_int64, program, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'multiple of 8') > 0, 'parts of elements: '//trim(text))
    call sluice_options_free(options)
    call sluice_schedule_free(schedule)
    call sluice_platform_read(platform_file, platform)
    call sluice_plan_broadcast(platform, 0, 65536_int64, schedule)
    call sluice_schedule_check(schedule, violations)
    call check(violations == 0, 'a broadcast')
    call sluice_schedule_free(schedule)
    call sluice_platform_free(platform)

    call sluice_layout_parse('16x3', from, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'layout') > 0, 'a layout that is none: '//trim(text))
    call sluice_schedule_read('nowhere.json', schedule, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'nowhere.json') > 0, 'a file that is not there')
    traffic(1, 1) = -1
    call sluice_plan_exchange(traffic, schedule, stat=stat, errmsg=text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, '-1') > 0, 'a negative size')
  end subroutine

  ! Rows dealt to the ranks become columns dealt to them.
  subroutine redistribute()
    type(sluice_layout) :: rows, columns
    type(sluice_job) :: job
    integer(int64), parameter :: shape(2) = [37_int64, 23_int64]
    integer(int64) :: from(2), to(2), i, j
    real(real64), allocatable, asynchronous :: x(:, :), y(:, :)
    logical :: done
    integer :: round
    rows = sluice_layout([ranks, 1], [4, 23])
    columns = sluice_layout(int([1, ranks], int64), [37_int64, 3_int64], [0_int64, 0_int64])
    call sluice_layout_local_shape(rows, shape, rank, from)
    call sluice_layout_local_shape(columns, shape, rank, to)
    allocate (x(from(1), from(2)), y(to(1), to(2)))
    do j = 1, from(2)
      do i = 1, from(1)
        x(i, j) = value_at(global(i, 4_int64), j)
      end do
    end do
    call sluice_redistribution_create(MPI_COMM_WORLD, shape, rows, columns, 8_int64, job)
    do round = 1, 2
      y = 0
      if (round == 1) then
        call sluice_redistribution_execute(job, x, y)
      else
        call sluice_redistribution_start(job, x, y)
        done = .false.
        do while (.not. done)
          call sluice_job_test(job, done)
        end do
      end if
      do j = 1, to(2)
        do i = 1, to(1)
          call check(y(i, j) == value_at(i, global(j, 3_int64)), 'an element')
        end do
      end do
    end do
    call sluice_job_free(job)
  end subroutine

  ! The global index, from 1, of what this rank has at `local` in blocks of `block`.
  integer(int64) pure function global(local, block)
    integer(int64), intent(in) :: local, block
    global = (((local - 1)/block)*ranks + rank)*block + mod(local - 1, block) + 1
  end function

  real(real64) pure function value_at(i, j)
    integer(int64), intent(in) :: i, j
    value_at = 1000*real(i, real64) + real(j, real64)
  end function

  ! Two vectors in one job: numbers of their places, in blocks of 5 and 3, which become blocks of 2 and 4.
  subroutine redistribute_several()
    type(sluice_array) :: arrays(2)
    type(sluice_job) :: job
    real(real64), allocatable, target, asynchronous :: x(:), y(:)
    integer, allocatable, target, asynchronous :: v(:), w(:)
    type(c_ptr) :: sources(2), targets(2)
    integer(int64), parameter :: blocks(2, 2) = reshape([5_int64, 2_int64, 3_int64, 4_int64], [2, 2])
    integer(int64) :: own(1), sizes(2, 2), i
    character(200) :: text
    integer :: a, round, stat
    do a = 1, 2
      arrays(a)%shape(1) = 100 + a
      arrays(a)%from%dimensions = 1
      arrays(a)%from%grid(1) = ranks
      arrays(a)%from%block(1) = blocks(1, a)
      arrays(a)%to = arrays(a)%from
      arrays(a)%to%block(1) = blocks(2, a)
      call sluice_layout_local_shape(arrays(a)%from, arrays(a)%shape(:1), rank, own)
      sizes(1, a) = own(1)
      call sluice_layout_local_shape(arrays(a)%to, arrays(a)%shape(:1), rank, own)
      sizes(2, a) = own(1)
    end do
    arrays(2)%element_bytes = 4
    allocate (x(sizes(1, 1)), y(sizes(2, 1)), v(sizes(1, 2)), w(sizes(2, 2)))
    x = [(real(place(i, blocks(1, 1)), real64), i = 0, sizes(1, 1) - 1)]
    v = [(int(place(i, blocks(1, 2))), i = 0, sizes(1, 2) - 1)]
    sources = [c_loc(x), c_loc(v)]
    targets = [c_loc(y), c_loc(w)]
    call sluice_redistribution_batch_create(MPI_COMM_WORLD, arrays, job)
    do round = 1, 2
      y = -1
      w = -1
      if (round == 1) then
        call sluice_redistribution_batch_execute(job, sources, targets)
      else
        call sluice_redistribution_batch_start(job, sources, targets)
        call sluice_job_wait(job)
      end if
      call check(all(y == [(real(place(i, blocks(2, 1)), real64), i = 0, sizes(2, 1) - 1)]), 'the first of two arrays')
      call check(all(w == [(int(place(i, blocks(2, 2))), i = 0, sizes(2, 2) - 1)]), 'the second of two arrays')
    end do
    call sluice_redistribution_batch_execute(job, sources(:1), targets, stat, text)
    call check(stat /= SLUICE_OK .and. index(text, '0 pointers') > 0, 'a list that is too short: '//trim(text))
    call sluice_job_free(job)
    call sluice_redistribution_batch_create(MPI_COMM_WORLD, arrays(:0), job, stat=stat, errmsg=text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'at least one') > 0, 'no arrays: '//trim(text))
  end subroutine

  ! The place in the array of this rank's element number `local`, counted from 0, of blocks of `block`.
  pure function place(local, block) result(index)
    integer(int64), intent(in) :: local, block
    integer(int64) :: index
    index = (local / block * ranks + rank) * block + modulo(local, block)
  end function

  ! Rank r has r + 1 numbers of a vector given by cuts, which move to blocks of 2; alone and in a batch.
  subroutine redistribute_cuts()
    type(sluice_layout) :: cut, twos, bad
    type(sluice_array) :: arrays(1)
    type(sluice_schedule) :: schedule
    type(sluice_options) :: options
    type(sluice_job) :: job
    integer, allocatable, target :: x(:), y(:)
    integer, allocatable :: at(:)
    integer(int64) :: own(1), shape(1), violations, i
    integer :: r, stat
    character(200) :: text
    cut%dimensions = 1
    cut%grid(1) = ranks
    cut%cuts(1)%at = [(int(r, int64) * (r + 1) / 2, r = 0, ranks)]
    shape = cut%cuts(1)%at(ranks + 1)
    twos%dimensions = 1
    twos%grid(1) = ranks
    twos%block(1) = 2
    call sluice_layout_local_shape(cut, shape, rank, own)
    call check(own(1) == rank + 1, 'a block')
    allocate (x(rank + 1))
    x = [(int(cut%cuts(1)%at(rank + 1)) + r, r = 0, rank)]
    call sluice_layout_local_shape(twos, shape, rank, own)
    allocate (y(own(1)))
    y = -1
    call sluice_redistribution_create(MPI_COMM_WORLD, shape, cut, twos, 4_int64, job)
    call sluice_redistribution_execute(job, x, y)
    call check(all(y == [(int(place(i, 2_int64)), i = 0, own(1) - 1)]), 'numbers from blocks of any sizes')
    call sluice_job_free(job)
    arrays(1)%shape(1) = shape(1)
    arrays(1)%from = cut
    arrays(1)%to = twos
    arrays(1)%element_bytes = 4
    y = -1
    call sluice_redistribution_batch_create(MPI_COMM_WORLD, arrays, job)
    call sluice_redistribution_batch_execute(job, [c_loc(x)], [c_loc(y)])
    call check(all(y == [(int(place(i, 2_int64)), i = 0, own(1) - 1)]), 'numbers of a batch from blocks of any sizes')
    call sluice_job_free(job)

    arrays(1)%from = twos
    arrays(1)%to = twos
    arrays(1)%to%first(1) = ranks / 2
    call sluice_options_set(options, 'relabel', .true.)
    call sluice_redistribution_batch_create(MPI_COMM_WORLD, arrays, job, options)
    call sluice_redistribution_to_ranks(job, at, 0)
    call check(size(at) == ranks, 'as many ranks as the grid has processes')
    call check(all(at == [(modulo(r - ranks / 2, ranks), r = 0, ranks - 1)]), 'roles that take back a shift')
    call sluice_redistribution_to_ranks(job, at, stat=stat)
    call check(stat == SLUICE_BAD_INPUT, 'a job of several arrays, and none of them named')
    call sluice_job_free(job)
    call sluice_options_free(options)

    call sluice_plan_redistribution(cut, twos, schedule)
    call sluice_schedule_check(schedule, violations)
    call check(violations == 0, 'a plan from blocks of any sizes')
    call sluice_schedule_free(schedule)
    call sluice_layout_parse('3x2:0,10,35,100@2,0,0x5', bad)
    call check(bad%dimensions == 2 .and. all(bad%cuts(1)%at == [0_int64, 10_int64, 35_int64, 100_int64]) .and. &
               all(bad%cuts(1)%owners == [2_int64, 0_int64, 0_int64]) .and. .not. allocated(bad%cuts(2)%at) .and. &
               bad%block(2) == 5, 'cuts that were read')
    bad%cuts(1)%owners = [2_int64, 0_int64]
    call sluice_layout_local_shape(bad, [100_int64, 7_int64], 0, own, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'cuts') > 0, 'owners that are too few: '//trim(text))
    bad%cuts(1)%at = [integer(int64) ::]
    call sluice_layout_local_shape(bad, [100_int64, 7_int64], 0, own, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'cuts') > 0, 'no cuts: '//trim(text))
    bad = cut
    bad%cuts(1)%at(ranks + 1) = bad%cuts(1)%at(ranks)
    call sluice_redistribution_create(MPI_COMM_WORLD, shape, bad, twos, 4_int64, job, stat=stat, errmsg=text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'cuts that rise') > 0, 'cuts that do not rise: '//trim(text))
  end subroutine

  ! One vector that lies on all ranks becomes a copy on each, and back.
  subroutine redistribute_copies()
    type(sluice_layout) :: spread, whole
    type(sluice_schedule) :: schedule
    type(sluice_options) :: options
    type(sluice_job) :: job
    integer, allocatable :: part(:), every(:)
    integer(int64) :: own(1), violations, from, to, first_passing, i
    integer :: stat
    character(200) :: text
    call sluice_layout_parse('1:100', whole)
    spread%dimensions = 1
    spread%grid(1) = ranks
    spread%block(1) = 3
    call sluice_layout_local_shape(spread, [100_int64], rank, own)
    allocate (part(own(1)), every(100))
    part = [(int(place(i, 3_int64)), i = 0, own(1) - 1)]
    every = -1
    call sluice_options_set(options, 'to_replicas', ranks)
    call sluice_redistribution_create(MPI_COMM_WORLD, [100], spread, whole, 4, job, options)
    call sluice_redistribution_execute(job, part, every)
    call check(all(every == [(int(i), i = 0, 99)]), 'a copy on each rank')
    call sluice_job_free(job)
    call sluice_options_free(options)

    call sluice_options_set(options, 'from_replicas', ranks)
    call sluice_options_set(options, 'forward', .false.)
    part = -1
    call sluice_redistribution_create(MPI_COMM_WORLD, [100_int64], whole, spread, 4_int64, job, options)
    call sluice_redistribution_execute(job, every, part)
    call check(all(part == [(int(place(i, 3_int64)), i = 0, own(1) - 1)]), 'from a copy on each rank')
    call sluice_job_free(job)
    call sluice_options_set(options, 'from_replicas', ranks + 1)
    call sluice_redistribution_create(MPI_COMM_WORLD, [100_int64], whole, spread, 4_int64, job, options, stat, text)
    call check(stat == SLUICE_BAD_INPUT, 'copies on ranks that are not there: '//trim(text))
    call sluice_options_free(options)

    call sluice_options_set(options, 'from_replicas', 2)
    call sluice_options_set(options, 'to_replicas', 3)
    call sluice_plan_redistribution(whole, spread, schedule, [100_int64], options)
    call sluice_schedule_replicas(schedule, from, to, first_passing)
    call check(from == 2 .and. to == 3 .and. first_passing == 2, 'numbers of copies')
    call sluice_schedule_check(schedule, violations)
    call check(violations == 0, 'a plan of copies')
    call sluice_schedule_free(schedule)
    call sluice_options_set(options, 'to_replicas', 0)
    call sluice_plan_redistribution(whole, spread, schedule, [100_int64], options, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'to_replicas') > 0, 'no copies: '//trim(text))
    call sluice_options_free(options)
  end subroutine

  ! Sender 1 has half the speed, and the backbone carries fewer transfers from time 10 on.
  subroutine plan_at_speeds()
    type(sluice_schedule) :: schedule
    type(sluice_options) :: options
    type(sluice_cost) :: cost, bound
    integer(int64) :: traffic(2, 2)
    integer :: stat
    character(200) :: text
    traffic = reshape([10_int64, 0_int64, 0_int64, 10_int64], [2, 2])
    call sluice_options_set(options, 'setup', 0)
    call sluice_options_set(options, 'sender_speeds', [1.0_real64, 0.5_real64])
    call sluice_options_set(options, 'backbone_times', [0.0_real64, 10.0_real64])
    call sluice_options_set(options, 'backbone_max_transfers', [2_int64, 1_int64])
    call sluice_plan_exchange(traffic, schedule, options)
    call sluice_schedule_cost(schedule, cost, bound)
    call check(cost%steps == 1 .and. cost%transmission == 20, 'a plan at several speeds')
    call sluice_schedule_free(schedule)
    call sluice_options_set(options, 'sender_speeds', [1.0_real64, 0.0_real64])
    call sluice_plan_exchange(traffic, schedule, options, stat=stat, errmsg=text)
    call check(stat == sluice_bad_input .and. index(text, '0 of sender 1') > 0, 'a speed of 0')
    call sluice_options_free(options)
  end subroutine

  ! Rank r has r + 1 numbers for the next one.
  subroutine exchange()
    type(sluice_job) :: job
    type(sluice_options) :: options
    integer, allocatable :: out(:), in(:), peers(:)
    integer(int64), allocatable :: bytes(:)
    integer :: i, previous
    previous = modulo(rank - 1, ranks)
    allocate (out(rank + 1), in(previous + 1))
    out = [(100*rank + i, i=1, rank + 1)]
    in = 0
    call sluice_options_set(options, 'mode', 'chain')
    call sluice_options_set(options, 'receiver_speeds', [(1.0_real64 + i, i=1, ranks)])
    call sluice_exchange_create(MPI_COMM_WORLD, [mod(rank + 1, ranks)], [4_int64*(rank + 1)], job, options)
    call sluice_exchange_receives(job, peers, bytes)
    call check(size(peers) == 1, 'one message')
    call check(peers(1) == previous .and. bytes(1) == 4*(previous + 1), 'from the one before')
    call sluice_exchange_execute(job, out, in)
    call check(all(in == [(100*previous + i, i=1, previous + 1)]), 'numbers of the one before')
    call sluice_job_free(job)
    call sluice_options_free(options)
  end subroutine

  subroutine reduce_and_broadcast()
    type(sluice_job) :: reduction, broadcast
    real(real64) :: own(10, 20), total(10, 20)
    integer :: root
    root = ranks - 1
    own = rank + 1
    total = 0
    call sluice_reduction_create(MPI_COMM_WORLD, 200_int64, MPI_DOUBLE_PRECISION, MPI_SUM, root, reduction)
    call sluice_reduction_execute(reduction, own, total)
    call sluice_broadcast_create(MPI_COMM_WORLD, root, broadcast)
    call sluice_broadcast_start(broadcast, total)
    call sluice_job_wait(broadcast)
    call check(all(total == ranks*(ranks + 1)/2), 'the sum everywhere')
    if (rank == root) then
      call sluice_reduction_execute_in_place(reduction, own)
      call check(all(own == ranks*(ranks + 1)/2), 'the sum in place')
    else
      call sluice_reduction_execute(reduction, own, total)
    end if
    call sluice_job_free(reduction)
    call sluice_job_free(broadcast)
    ! Counts of the default kind, and shares that are as equal as they can be.
    call sluice_reduction_create(MPI_COMM_WORLD, size(own), MPI_DOUBLE_PRECISION, MPI_MAX, root, reduction)
    own = rank
    call sluice_reduction_execute(reduction, own, total)
    if (rank == root) call check(all(total == ranks - 1), 'the largest')
    call sluice_job_free(reduction)
    call sluice_combining_create(MPI_COMM_WORLD, 'allreduce', size(own), MPI_DOUBLE_PRECISION, MPI_SUM, reduction)
    own = 2
    call sluice_collective_execute_in_place(reduction, own)
    call check(all(own == 2*ranks), 'an allreduce in place')
    call sluice_job_free(reduction)
  end subroutine

  ! What Fortran knows of an array is checked: its shape, and how long it is.
  subroutine refuse_arrays()
    type(sluice_job) :: job
    type(sluice_layout) :: rows
    type(sluice_schedule) :: schedule
    integer :: stat, extents(2)
    real(real64) :: x(10, 20), y(10, 20)
    character(200) :: text
    rows = sluice_layout([ranks, 1], [1, 20])
    call sluice_redistribution_create(MPI_COMM_WORLD, [10*ranks], rows, rows, 8, job, stat=stat, errmsg=text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'shape: 1 extent, expected 2') == 1, 'a shape of a vector: '//trim(text))
    call sluice_layout_local_shape(rows, [10, 20, 1], 0, extents, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'shape: 3 extents') == 1, 'a shape of three: '//trim(text))
    call sluice_plan_redistribution(rows, rows, schedule, [10], stat=stat, errmsg=text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'shape: 1 extent') == 1, 'a shape to plan for: '//trim(text))
    x = rank
    call sluice_redistribution_create(MPI_COMM_WORLD, [10*ranks, 20], rows, rows, 8, job)
    call sluice_redistribution_execute(job, x(:, 1:3), y, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'source: 240 bytes, expected at least 1600') == 1, &
               'a source that is too short: '//trim(text))
    call sluice_job_free(job)
    call sluice_redistribution_create(MPI_COMM_WORLD, [10*ranks, 20], rows, rows, 8, job)
    call sluice_redistribution_execute(job, x(1, 1), y(1, 1))  ! by their first elements
    call check(all(y == rank), 'arrays by their first elements')
    call sluice_job_free(job)
    call sluice_reduction_create(MPI_COMM_WORLD, 100, MPI_DOUBLE_PRECISION, MPI_SUM, 0, job)
    call sluice_reduction_execute(job, x(:, 1), y, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'own: 80 bytes, expected at least 800') == 1, &
               'elements that are too few: '//trim(text))
    call sluice_job_free(job)
    call of_unknown_size(x, y)
  end subroutine

  subroutine of_unknown_size(x, y)
    real(real64), intent(inout) :: x(*), y(*)
    type(sluice_job) :: job
    integer :: stat
    character(200) :: text
    call sluice_exchange_create(MPI_COMM_WORLD, [mod(rank + 1, ranks)], [80], job)
    call sluice_exchange_execute(job, x, y)
    call check(all(y(1:10) == modulo(rank - 1, ranks)), 'an exchange of arrays of unknown size')
    call sluice_job_free(job)
    call sluice_broadcast_create(MPI_COMM_WORLD, 0, job)
    call sluice_broadcast_execute(job, x, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'buffer: an array whose size is not known') == 1, &
               'a broadcast of unknown size: '//trim(text))
    call sluice_job_free(job)
  end subroutine

  ! What is wrong on one rank is known to all.
  subroutine fail()
    type(sluice_job) :: job
    integer :: stat, later, attempt
    real(real64) :: buffer(10, 10)
    character(200) :: text
    call sluice_broadcast_create(MPI_COMM_WORLD, merge(ranks, 0, rank == ranks - 1), job, stat=stat, errmsg=text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'root') > 0, 'a root that is none: '//trim(text))
    buffer = rank
    call sluice_broadcast_create(MPI_COMM_WORLD, 0, job)
    if (rank == ranks - 1) then
      call sluice_broadcast_execute(job, buffer(1:9:2, :), stat, text)
      call check(stat == SLUICE_BAD_INPUT .and. index(text, 'gaps') > 0, 'memory with gaps: '//trim(text))
    else
      call sluice_broadcast_execute(job, buffer(:, 1:5), stat)
    end if
    ! A root whose messages MPI takes at once may come to the end of executions before it hears of the failure.
    call MPI_Barrier(MPI_COMM_WORLD)
    do attempt = 1, 100
      call sluice_broadcast_execute(job, buffer, later)
      if (later /= SLUICE_OK) exit
    end do
    call check(later /= SLUICE_OK, 'a job that failed')
    call sluice_job_free(job)
    call sluice_broadcast_execute(job, buffer, stat, text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'job') > 0, 'a job that was freed')
  end subroutine

  ! Rank r's block is of r + 1 numbers, each of them r.
  subroutine move_and_combine()
    type(sluice_job) :: job
    integer :: r, stat
    integer(int64) :: sizes(ranks), gives, gets
    real(real64) :: own(rank + 1), every(ranks * (ranks + 1) / 2)
    integer :: sums(4)
    character(200) :: text
    sizes = [(8_int64 * r, r = 1, ranks)]
    own = rank
    call sluice_collective_create(MPI_COMM_WORLD, 'allgather', sizes, 0, job)
    call sluice_collective_bytes(job, gives, gets)
    call check(gives == 8 * (rank + 1) .and. gets == sum(sizes), 'bytes of a block')
    every = -1
    call sluice_collective_execute(job, own, every)
    do r = 0, ranks - 1
      call check(all(every(r * (r + 1) / 2 + 1:(r + 1) * (r + 2) / 2) == r), 'blocks gathered')
    end do
    call sluice_job_free(job)
    call sluice_combining_create(MPI_COMM_WORLD, 'allreduce', 4_int64, MPI_INTEGER, MPI_SUM, [integer(int64) ::], job)
    sums = [rank, 1, 2, 3]
    call sluice_collective_execute_in_place(job, sums)
    call check(all(sums == [ranks * (ranks - 1) / 2, ranks, 2 * ranks, 3 * ranks]), 'elements combined')
    call sluice_job_free(job)
    call sluice_collective_create(MPI_COMM_WORLD, 'gossip', [8_int64], 0, job, stat=stat, errmsg=text)
    call check(stat == SLUICE_BAD_INPUT .and. index(text, 'gossip') > 0, 'a problem that is none: '//trim(text))
  end subroutine

  ! Where all agree on arguments, the job can be used again.
  subroutine agree()
    type(sluice_job) :: job
    integer :: stat, attempt
    real(real64) :: buffer(10, 10)
    character(200) :: text
    call sluice_set_agreed_arguments(MPI_COMM_WORLD, .true.)
    call sluice_broadcast_create(MPI_COMM_WORLD, 0, job)
    do attempt = 1, 3
      buffer = rank
      if (rank == ranks - 1) then
        call sluice_broadcast_execute(job, buffer(1:9:2, :), stat, text)
      else
        call sluice_broadcast_execute(job, buffer(:, 1:5), stat, text)
      end if
      call check(stat == SLUICE_BAD_INPUT, 'memory with gaps on one rank: '//trim(text))
      call sluice_broadcast_execute(job, buffer, stat, text)
      call check(stat == SLUICE_OK .and. all(buffer == 0), 'used again: '//trim(text))
    end do
    call sluice_job_free(job)
    call sluice_set_agreed_arguments(MPI_COMM_WORLD, .false.)
  end subroutine

end program
