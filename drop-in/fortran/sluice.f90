!> Sluice for Fortran 2008: plans redistributions, exchanges, reductions and broadcasts, and makes jobs that run them
!> under MPI. It calls the C library: include/sluice/sluice.h and sluice_mpi.h describe each procedure and name the
!> options.
!>
!>     use mpi_f08
!>     use sluice
!>     type(sluice_job) :: job
!>     call sluice_redistribution_create(MPI_COMM_WORLD, [1000, 700], sluice_layout([4, 1], [64, 700]), to, 8, job)
!>     call sluice_redistribution_execute(job, x, y)
!>     call sluice_job_free(job)
!>
!> Every procedure has the optional arguments stat and errmsg. stat becomes SLUICE_OK or another of the codes below. If
!> it is not SLUICE_OK, errmsg gets one line that says why. Without stat a failure stops the program with that line.
!> Buffers are contiguous arrays of any type and rank, stored as Fortran does: the first dimension runs fastest. Buffers
!> of start must not change until wait or test says that the execution has ended. They need the attribute asynchronous
!> or target in the caller. Ranks, processes and steps count from 0.
module sluice
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, c_int64_t, c_loc, c_null_char, &
                                         c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real64
  use mpi_f08, only: MPI_Comm, MPI_Comm_rank, MPI_Datatype, MPI_Op
  implicit none
  private

  integer, parameter, public :: SLUICE_OK = 0  !< it was done
  integer, parameter, public :: SLUICE_BAD_INPUT = 1  !< an argument or a file is bad
  integer, parameter, public :: SLUICE_OUT_OF_MEMORY = 2  !< of this process
  integer, parameter, public :: SLUICE_MPI_FAILED = 3  !< a call to MPI; the job is of no further use
  integer, parameter, public :: SLUICE_JOB_FAILED = 4  !< another rank cannot go on with the job, which is of no further use
  integer, parameter, public :: SLUICE_FAILED = 5  !< anything else
  integer, parameter, public :: SLUICE_MAX_DIMENSIONS = 7  !< arrays of more dimensions are refused
  integer, parameter, public :: SLUICE_STEPS = 1  !< a schedule of steps of transfers
  integer, parameter, public :: SLUICE_TREE = 2  !< a schedule of timed transfers along a tree
  integer, parameter, public :: SLUICE_PROGRAM_KIND = 3  !< a program: SLUICE_PROGRAM of C, which is a type here

  !> Describes blocks of any sizes in one dimension. `at`: block boundaries, from 0 to the extent of the array; not
  !> allocated if the dimension is block-cyclic. `owners`: the process of each block, one entry less than `at`; not
  !> allocated: block i, counted from 0, is on process i modulo the grid.
  type, public :: sluice_cuts
    integer(c_int64_t), allocatable :: at(:), owners(:)
  end type
  !> Describes a layout. In each dimension blocks of `block` elements go to `grid` processes in turn, the first block to
  !> process `first`. With `cuts` a dimension has blocks of any sizes, and `block` is not read. Processes are numbered
  !> in row-major order of the grid. Entries beyond `dimensions` are not read.
  type, public :: sluice_layout
    integer(c_int64_t) :: dimensions = 0  !< 1 to SLUICE_MAX_DIMENSIONS
    integer(c_int64_t) :: grid(SLUICE_MAX_DIMENSIONS) = 1  !< processes
    integer(c_int64_t) :: block(SLUICE_MAX_DIMENSIONS) = 1  !< elements of a block
    integer(c_int64_t) :: first(SLUICE_MAX_DIMENSIONS) = 0  !< the process that has the first block
    type(sluice_cuts) :: cuts(SLUICE_MAX_DIMENSIONS)  !< where blocks of any sizes begin
  end type
  ! Layouts as the C library has them.
  type, bind(C) :: c_cuts
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: at = c_null_ptr, owners = c_null_ptr
  end type
  type, bind(C) :: c_layout
    integer(c_int64_t) :: dimensions = 0
    integer(c_int64_t) :: grid(SLUICE_MAX_DIMENSIONS) = 1
    integer(c_int64_t) :: block(SLUICE_MAX_DIMENSIONS) = 1
    integer(c_int64_t) :: first(SLUICE_MAX_DIMENSIONS) = 0
    type(c_cuts) :: cuts(SLUICE_MAX_DIMENSIONS)
  end type
  !> Describes a piece of the message from process `from` to process `to`: `size` units, starting `offset` units into
  !> the message.
  type, bind(C), public :: sluice_transfer
    integer(c_int64_t) :: from = 0, to = 0, offset = 0, size = 0
  end type
  !> Describes a transfer of a tree from machine `from` to machine `to`. `segment`: the part of the element that it
  !> carries; `start`: time when the sender begins; `end`: time when the receiver has all of it.
  type, bind(C), public :: sluice_timed_transfer
    integer(c_int64_t) :: from = 0, to = 0, segment = 0
    real(c_double) :: start = 0, end = 0
  end type
  !> Holds the cost of a schedule of steps: total = transmission + setup * steps.
  type, bind(C), public :: sluice_cost
    integer(c_int64_t) :: steps = 0, transmission = 0
    real(c_double) :: total = 0
  end type

  !> Holds named values for planners and jobs. sluice_options_set sets them, and sluice_options_free frees them.
  type, public :: sluice_options
    private
    type(c_ptr) :: handle = c_null_ptr  !< of the C library; private
  end type
  !> Holds a network of clusters. sluice_platform_free frees it.
  type, public :: sluice_platform
    private
    type(c_ptr) :: handle = c_null_ptr  !< of the C library; private
  end type
  !> Holds a program: what each rank sends, receives and combines in a collective. Jobs can execute it instead of a
  !> plan. sluice_program_free frees it.
  type, public :: sluice_program
    private
    type(c_ptr) :: handle = c_null_ptr  !< of the C library; private
  end type
  !> Holds a schedule of steps or of a tree, or a program that was read. sluice_schedule_free frees it.
  type, public :: sluice_schedule
    private
    type(c_ptr) :: handle = c_null_ptr  !< of the C library; private
  end type
  !> Describes one array of several that move at once.
  type, public :: sluice_array
    integer(c_int64_t) :: shape(SLUICE_MAX_DIMENSIONS) = 0  !< extents of the source array; no more than it has are read
    type(sluice_layout) :: from  !< of the source array
    type(sluice_layout) :: to  !< of the target array, as it is stored
    integer(c_int64_t) :: element_bytes = 8  !< size of an element, at least 1
    type(sluice_options) :: options  !< of the array; given back by sluice_options_free where any were set
  end type
  ! One array as the C library has it.
  type, bind(C) :: c_array
    type(c_ptr) :: shape, from, to
    integer(c_int64_t) :: element_bytes
    type(c_ptr) :: options
  end type
  !> Holds a job of any of the five kinds. sluice_job_free frees it.
  type, public :: sluice_job
    private
    type(c_ptr) :: handle = c_null_ptr  !< of the C library; private
    integer(c_int64_t) :: element_bytes = 0  !< of a redistribution of one array; private
    integer(c_int64_t) :: own_bytes = 0  !< of a reduction: what `own` has at least; private
    integer(c_int64_t) :: result_bytes = 0  !< of a reduction: what `result` has at least; private
  end type

  public :: sluice_options_set, sluice_options_free, sluice_platform_read, sluice_platform_free
  public :: sluice_program_read, sluice_program_parse, sluice_program_size, sluice_program_free
  public :: sluice_layout_parse, sluice_layout_local_shape
  public :: sluice_plan_redistribution, sluice_plan_exchange, sluice_plan_reduce, sluice_plan_broadcast
  public :: sluice_schedule_read, sluice_schedule_parse, sluice_schedule_write, sluice_schedule_kind, sluice_schedule_problem
  public :: sluice_schedule_cost, sluice_schedule_steps, sluice_schedule_step, sluice_schedule_tree, sluice_schedule_program
  public :: sluice_schedule_reduction_program
  public :: sluice_schedule_check, sluice_schedule_violation, sluice_schedule_replicas, sluice_schedule_free
  public :: sluice_redistribution_create, sluice_redistribution_execute, sluice_redistribution_start
  public :: sluice_redistribution_to_ranks
  public :: sluice_redistribution_batch_create, sluice_redistribution_batch_execute, sluice_redistribution_batch_start
  public :: sluice_exchange_create, sluice_exchange_receives, sluice_exchange_execute, sluice_exchange_start
  public :: sluice_reduction_create, sluice_reduction_execute, sluice_reduction_start
  public :: sluice_reduction_execute_in_place
  public :: sluice_broadcast_create, sluice_broadcast_execute, sluice_broadcast_start
  public :: sluice_job_test, sluice_job_wait, sluice_job_free
  public :: sluice_set_agreed_arguments
  public :: sluice_collective_create, sluice_combining_create, sluice_collective_execute, sluice_collective_start
  public :: sluice_collective_execute_in_place, sluice_collective_bytes

  !> sluice_options_set(options, name, value): sets a text, an integer, a flag (logical), a number, a list of integers
  !> or of numbers, a platform or a program.
  interface sluice_options_set
    module procedure set_text, set_int32, set_int64, set_logical, set_real64, set_list, set_numbers, set_platform, set_program
  end interface

  ! Procedures that also take shapes and sizes of the kind int32; all arguments of a call have one kind.

  !> sluice_layout(grid, block[, first]): makes a layout without cuts from lists with an entry for each dimension. If
  !> lists have different lengths, the layout gets -1 dimensions, and every procedure refuses it.
  interface sluice_layout
    module procedure layout_int32, layout_int64
  end interface
  !> sluice_layout_local_shape(layout, shape, process, extents[, stat, errmsg]): gets the extents of the part of an
  !> array of `shape` that `process` holds. `extents` has as many entries as the layout has dimensions.
  interface sluice_layout_local_shape
    module procedure local_shape_int32, local_shape_int64
  end interface
  !> sluice_plan_redistribution(from, to, schedule[, shape, options, stat, errmsg]): plans how an array of `shape` moves
  !> from one layout to another; sizes are elements. Without shape: the shape of the cuts, or one slice, the period of
  !> the layouts.
  interface sluice_plan_redistribution
    module procedure plan_redistribution_int32, plan_redistribution_int64
  end interface
  !> sluice_redistribution_create(comm, shape, from, to, element_bytes, job[, options, stat, errmsg]): makes a job that
  !> moves an array of `shape` from one layout to another; collective. `element_bytes`: size of one element, at least 1.
  !> Arrays are stored as Fortran does; given options get the flag column_major.
  interface sluice_redistribution_create
    module procedure redistribution_create_int32, redistribution_create_int64
  end interface
  !> sluice_exchange_create(comm, ranks, bytes, job[, options, stat, errmsg]): makes a job that sends messages between
  !> any ranks; collective. This rank has bytes(i) for rank ranks(i), each rank at most once.
  interface sluice_exchange_create
    module procedure exchange_create_int32, exchange_create_int64
  end interface
  !> sluice_reduction_create(comm, count, datatype, op, root, job[, options, stat, errmsg]): makes a job that combines
  !> `count` elements of each rank, as MPI_Reduce; collective. Type and operation must exist as long as the job.
  interface sluice_reduction_create
    module procedure reduction_create_int32, reduction_create_int64
  end interface
  !> sluice_collective_create(comm, problem, bytes, root, job[, options, stat, errmsg]): makes a job of `problem`:
  !> scatter, gather, allgather or alltoall; collective. `bytes` has one size for all blocks, or a size for each block,
  !> equal on all ranks: one for each rank, for alltoall one for each pair, row by row by the sender. `root`: for
  !> scatter and gather only.
  interface sluice_collective_create
    module procedure collective_create_int32, collective_create_int64
  end interface
  !> sluice_combining_create(comm, problem, count, datatype, op[, counts], job[, options, stat, errmsg]): makes a job of
  !> `problem`: allreduce or reduce-scatter, of `count` elements of each rank; collective. Type and operation must exist
  !> as long as the job. `counts`, for reduce-scatter: elements of each rank's share. If it is left out or empty, shares
  !> are as equal as possible.
  interface sluice_combining_create
    module procedure combining_create_int32, combining_create_int64, combining_create_equal_int32, combining_create_equal_int64
  end interface

  interface
    integer(c_int) function c_options_create(options) bind(C, name="sluice_options_create")
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: options
    end function
    integer(c_int) function c_options_set_text(options, name, value) bind(C, name="sluice_options_set_text")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*), value(*)
    end function
    integer(c_int) function c_options_set_integer(options, name, value) bind(C, name="sluice_options_set_integer")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: value
    end function
    integer(c_int) function c_options_set_number(options, name, value) bind(C, name="sluice_options_set_number")
      import :: c_char, c_double, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
    end function
    integer(c_int) function c_options_set_integers(options, name, count, values) bind(C, name="sluice_options_set_integers")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: values(*)
    end function
    integer(c_int) function c_options_set_numbers(options, name, count, values) bind(C, name="sluice_options_set_numbers")
      import :: c_char, c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: count
      real(c_double), intent(in) :: values(*)
    end function
    integer(c_int) function c_options_set_platform(options, platform) bind(C, name="sluice_options_set_platform")
      import :: c_int, c_ptr
      type(c_ptr), value :: options, platform
    end function
    integer(c_int) function c_options_set_program(options, program) bind(C, name="sluice_options_set_program")
      import :: c_int, c_ptr
      type(c_ptr), value :: options, program
    end function
    integer(c_int) function c_options_free(options) bind(C, name="sluice_options_free")
      import :: c_int, c_ptr
      type(c_ptr), value :: options
    end function
    integer(c_int) function c_platform_read(path, platform) bind(C, name="sluice_platform_read")
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(out) :: platform
    end function
    integer(c_int) function c_platform_free(platform) bind(C, name="sluice_platform_free")
      import :: c_int, c_ptr
      type(c_ptr), value :: platform
    end function
    integer(c_int) function c_program_read(path, program) bind(C, name="sluice_program_read")
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(out) :: program
    end function
    integer(c_int) function c_program_parse(text, program) bind(C, name="sluice_program_parse")
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr), intent(out) :: program
    end function
    integer(c_int) function c_program_size(program, ranks, bytes) bind(C, name="sluice_program_size")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: program
      integer(c_int64_t), intent(inout) :: ranks, bytes
    end function
    integer(c_int) function c_program_free(program) bind(C, name="sluice_program_free")
      import :: c_int, c_ptr
      type(c_ptr), value :: program
    end function
    integer(c_int) function c_layout_parse(text, layout, count, capacity, numbers) bind(C, name="sluice_layout_parse_cuts")
      import :: c_char, c_int, c_int64_t, c_layout, c_ptr
      character(kind=c_char), intent(in) :: text(*)
      type(c_layout), intent(inout) :: layout
      integer(c_int64_t), intent(inout) :: count
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: numbers
    end function
    integer(c_int) function c_schedule_replicas(schedule, from, to, first_passing) bind(C, name="sluice_schedule_replicas")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int64_t), intent(out) :: from, to, first_passing
    end function
    integer(c_int) function c_layout_local_shape(layout, shape, process, extents) bind(C, name="sluice_layout_local_shape")
      import :: c_int, c_int64_t, c_layout
      type(c_layout), intent(in) :: layout
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int64_t), value :: process
      integer(c_int64_t), intent(out) :: extents(*)
    end function
    integer(c_int) function c_plan_redistribution(shape, from, to, options, schedule) bind(C, name="sluice_plan_redistribution")
      import :: c_int, c_int64_t, c_layout, c_ptr
      type(c_ptr), value :: shape
      type(c_layout), intent(in) :: from, to
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: schedule
    end function
    integer(c_int) function c_plan_exchange(senders, receivers, messages, from, to, size, options, schedule) &
      bind(C, name="sluice_plan_exchange")
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: senders, receivers, messages
      integer(c_int64_t), intent(in) :: from(*), to(*), size(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: schedule
    end function
    integer(c_int) function c_plan_reduce(machines, transfer, compute, options, schedule) bind(C, name="sluice_plan_reduce")
      import :: c_double, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: machines
      real(c_double), value :: transfer, compute
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: schedule
    end function
    integer(c_int) function c_plan_broadcast(platform, root, bytes, options, schedule) bind(C, name="sluice_plan_broadcast")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: platform, options
      integer(c_int64_t), value :: root, bytes
      type(c_ptr), intent(out) :: schedule
    end function
    integer(c_int) function c_schedule_read(path, schedule) bind(C, name="sluice_schedule_read")
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(out) :: schedule
    end function
    integer(c_int) function c_schedule_parse(text, schedule) bind(C, name="sluice_schedule_parse")
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr), intent(out) :: schedule
    end function
    integer(c_int) function c_schedule_kind(schedule, kind) bind(C, name="sluice_schedule_kind")
      import :: c_int, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int), intent(out) :: kind
    end function
    integer(c_int) function c_schedule_problem(schedule, text) bind(C, name="sluice_schedule_problem")
      import :: c_int, c_ptr
      type(c_ptr), value :: schedule
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function c_schedule_program(schedule, program) bind(C, name="sluice_schedule_program")
      import :: c_int, c_ptr
      type(c_ptr), value :: schedule
      type(c_ptr), intent(out) :: program
    end function
    integer(c_int) function c_schedule_reduction_program(schedule, size_bytes, element_bytes, program) &
      bind(C, name="sluice_schedule_reduction_program")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int64_t), value :: size_bytes, element_bytes
      type(c_ptr), intent(out) :: program
    end function
    integer(c_int) function c_schedule_violation(schedule, violation, text) bind(C, name="sluice_schedule_violation")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int64_t), value :: violation
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function c_schedule_write(schedule, path) bind(C, name="sluice_schedule_write")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: schedule
      character(kind=c_char), intent(in) :: path(*)
    end function
    integer(c_int) function c_schedule_cost(schedule, cost, bound) bind(C, name="sluice_schedule_cost")
      import :: c_int, c_ptr, sluice_cost
      type(c_ptr), value :: schedule
      type(sluice_cost), intent(out) :: cost, bound
    end function
    integer(c_int) function c_schedule_steps(schedule, steps) bind(C, name="sluice_schedule_steps")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int64_t), intent(out) :: steps
    end function
    integer(c_int) function c_schedule_step(schedule, step, duration, transfers, capacity, list) &
      bind(C, name="sluice_schedule_step")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int64_t), value :: step
      integer(c_int64_t), intent(out) :: duration
      integer(c_int64_t), intent(inout) :: transfers
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: list
    end function
    integer(c_int) function c_schedule_tree(schedule, machines, root, length) bind(C, name="sluice_schedule_tree")
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int64_t), intent(out) :: machines, root
      real(c_double), intent(out) :: length
    end function
    integer(c_int) function c_schedule_tree_transfers(schedule, transfers, capacity, list) &
      bind(C, name="sluice_schedule_tree_transfers")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int64_t), intent(inout) :: transfers
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: list
    end function
    integer(c_int) function c_schedule_check(schedule, violations) bind(C, name="sluice_schedule_check")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int64_t), intent(out) :: violations
    end function
    integer(c_int) function c_schedule_free(schedule) bind(C, name="sluice_schedule_free")
      import :: c_int, c_ptr
      type(c_ptr), value :: schedule
    end function
    integer(c_int) function c_redistribution_create(comm, shape, from, to, element_bytes, options, job) &
      bind(C, name="sluice_redistribution_create_f")
      import :: c_int, c_int64_t, c_layout, c_ptr
      integer(c_int), value :: comm
      type(c_ptr), value :: shape
      type(c_layout), intent(in) :: from, to
      integer(c_int64_t), value :: element_bytes
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: job
    end function
    integer(c_int) function c_redistribution_batch_create(comm, count, arrays, options, job) &
      bind(C, name="sluice_redistribution_batch_create_f")
      import :: c_array, c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm
      integer(c_int64_t), value :: count
      type(c_array), intent(in) :: arrays(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: job
    end function
    integer(c_int) function c_redistribution_to_ranks(job, count, capacity, ranks) bind(C, name="sluice_redistribution_to_ranks")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), intent(inout) :: count
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: ranks
    end function
    integer(c_int) function c_redistribution_batch_to_ranks(job, array, count, capacity, ranks) &
      bind(C, name="sluice_redistribution_batch_to_ranks")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: array
      integer(c_int64_t), intent(inout) :: count
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: ranks
    end function
    integer(c_int) function c_redistribution_batch(job, sources_given, sources, targets_given, targets, start) &
      bind(C, name="sluice_fortran_redistribution_batch")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), value :: sources_given, targets_given
      type(c_ptr), intent(in) :: sources(*), targets(*)
      integer(c_int), value :: start
    end function
    integer(c_int) function c_exchange_create(comm, sends, send_ranks, send_bytes, options, job) &
      bind(C, name="sluice_exchange_create_f")
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm
      integer(c_int64_t), value :: sends
      integer(c_int), intent(in) :: send_ranks(*)
      integer(c_int64_t), intent(in) :: send_bytes(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: job
    end function
    integer(c_int) function c_exchange_receives(job, count, capacity, ranks, bytes) bind(C, name="sluice_exchange_receives")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), intent(inout) :: count
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: ranks, bytes
    end function
    integer(c_int) function c_reduction_create(comm, count, datatype, op, root, options, job) &
      bind(C, name="sluice_reduction_create_f")
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm
      integer(c_int64_t), value :: count
      integer(c_int), value :: datatype, op
      integer(c_int), value :: root
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: job
    end function
    integer(c_int) function c_broadcast_create(comm, root, options, job) bind(C, name="sluice_broadcast_create_f")
      import :: c_int, c_ptr
      integer(c_int), value :: comm
      integer(c_int), value :: root
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: job
    end function
    integer(c_int) function c_collective_create(comm, problem, sizes, bytes, root, options, job) &
      bind(C, name="sluice_collective_create_f")
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: problem(*)
      integer(c_int64_t), value :: sizes
      integer(c_int64_t), intent(in) :: bytes(*)
      integer(c_int), value :: root
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: job
    end function
    integer(c_int) function c_combining_create(comm, problem, count, datatype, op, shares, counts, options, job) &
      bind(C, name="sluice_combining_create_f")
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: problem(*)
      integer(c_int64_t), value :: count
      integer(c_int), value :: datatype, op
      integer(c_int64_t), value :: shares
      integer(c_int64_t), intent(in) :: counts(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: job
    end function
    integer(c_int) function c_collective_bytes(job, own, result) bind(C, name="sluice_collective_bytes")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: job
      integer(c_int64_t), intent(inout) :: own, result
    end function
    integer(c_int) function c_set_agreed_arguments(comm, agreed) bind(C, name="sluice_set_agreed_arguments_f")
      import :: c_int
      integer(c_int), value :: comm, agreed
    end function
    integer(c_int) function c_job_test(job, done) bind(C, name="sluice_job_test")
      import :: c_int, c_ptr
      type(c_ptr), value :: job
      integer(c_int), intent(out) :: done
    end function
    integer(c_int) function c_job_wait(job) bind(C, name="sluice_job_wait")
      import :: c_int, c_ptr
      type(c_ptr), value :: job
    end function
    integer(c_int) function c_job_free(job) bind(C, name="sluice_job_free")
      import :: c_int, c_ptr
      type(c_ptr), value :: job
    end function

    ! buffers.c
    function c_error_text() result(text) bind(C, name="sluice_fortran_error_text")
      import :: c_ptr
      type(c_ptr) :: text
    end function
    integer(c_int) function c_redistribution(job, source, target, element_bytes, start) &
      bind(C, name="sluice_fortran_redistribution")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: job
      type(*), dimension(..), intent(in) :: source
      type(*), dimension(..) :: target
      integer(c_int64_t), value :: element_bytes
      integer(c_int), value :: start
    end function
    integer(c_int) function c_exchange(job, send, receive, start) bind(C, name="sluice_fortran_exchange")
      import :: c_int, c_ptr
      type(c_ptr), value :: job
      type(*), dimension(..), intent(in) :: send
      type(*), dimension(..) :: receive
      integer(c_int), value :: start
    end function
    integer(c_int) function c_check_shape(extents, dimensions) bind(C, name="sluice_fortran_check_shape")
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: extents, dimensions
    end function
    integer(c_int64_t) function c_span(count, datatype) bind(C, name="sluice_fortran_span")
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: count
      integer(c_int), value :: datatype
    end function
    integer(c_int) function c_reduction(job, own, result, own_bytes, result_bytes, start) &
      bind(C, name="sluice_fortran_reduction")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: job
      type(*), dimension(..), intent(in) :: own
      type(*), dimension(..) :: result
      integer(c_int64_t), value :: own_bytes, result_bytes
      integer(c_int), value :: start
    end function
    integer(c_int) function c_collective(job, own, result, start) bind(C, name="sluice_fortran_collective")
      import :: c_int, c_ptr
      type(c_ptr), value :: job
      type(*), dimension(..), intent(in) :: own
      type(*), dimension(..) :: result
      integer(c_int), value :: start
    end function
    integer(c_int) function c_collective_in_place(job, result) bind(C, name="sluice_fortran_collective_in_place")
      import :: c_int, c_ptr
      type(c_ptr), value :: job
      type(*), dimension(..) :: result
    end function
    integer(c_int) function c_reduction_in_place(job, result, bytes, start) bind(C, name="sluice_fortran_reduction_in_place")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: job
      type(*), dimension(..) :: result
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: start
    end function
    integer(c_int) function c_broadcast(job, buffer, start) bind(C, name="sluice_fortran_broadcast")
      import :: c_int, c_ptr
      type(c_ptr), value :: job
      type(*), dimension(..) :: buffer
      integer(c_int), value :: start
    end function
    integer(c_int64_t) pure function c_length(text) bind(C, name="strlen")
      import :: c_int64_t, c_ptr
      type(c_ptr), value, intent(in) :: text
    end function
  end interface

contains

  ! ---- errors

  !> Reports the result of a procedure: sets stat and errmsg, or stops the program if there is no stat.
  subroutine finish(code, stat, errmsg)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    if (present(stat)) stat = code
    if (code == SLUICE_OK) return
    text = error_text()
    if (present(errmsg)) errmsg = text
    if (present(stat)) return
    write (error_unit, '(2a)') 'error: ', text
    error stop 1
  end subroutine

  function error_text() result(text)
    character(:), allocatable :: text
    text = from_c(c_error_text())
  end function

  function from_c(start) result(text)
    type(c_ptr), intent(in) :: start
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(start, characters, [c_length(start)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

  pure function in_c(text) result(characters)
    character(*), intent(in) :: text
    character(len_trim(text) + 1, kind=c_char) :: characters
    characters = trim(text)//c_null_char
  end function

  ! ---- options

  function handle_of(options) result(handle)
    type(sluice_options), intent(in), optional :: options
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(options)) handle = options%handle
  end function

  function made(options) result(code)
    type(sluice_options), intent(inout) :: options
    integer(c_int) :: code
    code = SLUICE_OK
    if (.not. c_associated(options%handle)) code = c_options_create(options%handle)
  end function

  subroutine set_text(options, name, value, stat, errmsg)
    type(sluice_options), intent(inout) :: options
    character(*), intent(in) :: name, value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    code = made(options)
    if (code == SLUICE_OK) code = c_options_set_text(options%handle, in_c(name), in_c(value))
    call finish(code, stat, errmsg)
  end subroutine

  subroutine set_int64(options, name, value, stat, errmsg)
    type(sluice_options), intent(inout) :: options
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    code = made(options)
    if (code == SLUICE_OK) code = c_options_set_integer(options%handle, in_c(name), value)
    call finish(code, stat, errmsg)
  end subroutine

  subroutine set_int32(options, name, value, stat, errmsg)
    type(sluice_options), intent(inout) :: options
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call set_int64(options, name, int(value, int64), stat, errmsg)
  end subroutine

  subroutine set_logical(options, name, value, stat, errmsg)
    type(sluice_options), intent(inout) :: options
    character(*), intent(in) :: name
    logical, intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call set_int64(options, name, merge(1_int64, 0_int64, value), stat, errmsg)
  end subroutine

  subroutine set_real64(options, name, value, stat, errmsg)
    type(sluice_options), intent(inout) :: options
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    code = made(options)
    if (code == SLUICE_OK) code = c_options_set_number(options%handle, in_c(name), value)
    call finish(code, stat, errmsg)
  end subroutine

  subroutine set_list(options, name, value, stat, errmsg)
    type(sluice_options), intent(inout) :: options
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    code = made(options)
    if (code == SLUICE_OK) code = c_options_set_integers(options%handle, in_c(name), size(value, kind=int64), value)
    call finish(code, stat, errmsg)
  end subroutine

  subroutine set_numbers(options, name, value, stat, errmsg)
    type(sluice_options), intent(inout) :: options
    character(*), intent(in) :: name
    real(real64), intent(in) :: value(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    code = made(options)
    if (code == SLUICE_OK) code = c_options_set_numbers(options%handle, in_c(name), size(value, kind=int64), value)
    call finish(code, stat, errmsg)
  end subroutine

  subroutine set_platform(options, name, value, stat, errmsg)
    type(sluice_options), intent(inout) :: options
    character(*), intent(in) :: name
    type(sluice_platform), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    code = made(options)
    if (name /= 'platform') then  ! refused where it is used, as any name that is not known
      if (code == SLUICE_OK) code = c_options_set_integer(options%handle, in_c(name), 0_int64)
    else if (code == SLUICE_OK) then
      code = c_options_set_platform(options%handle, value%handle)
    end if
    call finish(code, stat, errmsg)
  end subroutine

  subroutine set_program(options, name, value, stat, errmsg)
    type(sluice_options), intent(inout) :: options
    character(*), intent(in) :: name
    type(sluice_program), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    code = made(options)
    if (name /= 'program') then  ! refused where it is used, as any name that is not known
      if (code == SLUICE_OK) code = c_options_set_integer(options%handle, in_c(name), 0_int64)
    else if (code == SLUICE_OK) then
      code = c_options_set_program(options%handle, value%handle)
    end if
    call finish(code, stat, errmsg)
  end subroutine

  !> Frees options. Planners and jobs that were given them do not need them any more.
  subroutine sluice_options_free(options)
    type(sluice_options), intent(inout) :: options
    integer(c_int) :: code
    code = c_options_free(options%handle)
    options%handle = c_null_ptr
  end subroutine

  ! ---- platforms, programs and layouts

  !> Reads a platform file (sluice.platform/2 or /1), as `sluice probe` writes it.
  subroutine sluice_platform_read(path, platform, stat, errmsg)
    character(*), intent(in) :: path
    type(sluice_platform), intent(out) :: platform
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_platform_read(in_c(path), platform%handle), stat, errmsg)
  end subroutine

  !> Frees a platform. Options that were given it have a copy.
  subroutine sluice_platform_free(platform)
    type(sluice_platform), intent(inout) :: platform
    integer(c_int) :: code
    code = c_platform_free(platform%handle)
    platform%handle = c_null_ptr
  end subroutine

  !> Reads a program file (sluice.program/1), as `sluice plan broadcast --program` or `sluice plan allgather --json`
  !> writes it. The job that is given the program checks that it is valid and fits. sluice_schedule_read reads the same
  !> files, and sluice_schedule_check checks them.
  subroutine sluice_program_read(path, program, stat, errmsg)
    character(*), intent(in) :: path
    type(sluice_program), intent(out) :: program
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_program_read(in_c(path), program%handle), stat, errmsg)
  end subroutine

  !> Reads a program from text.
  subroutine sluice_program_parse(text, program, stat, errmsg)
    character(*), intent(in) :: text
    type(sluice_program), intent(out) :: program
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_program_parse(in_c(text), program%handle), stat, errmsg)
  end subroutine

  !> Gets the number of ranks of a program, and its size in bytes: "size_bytes" of the file, such as the message, or the
  !> elements of a rank.
  subroutine sluice_program_size(program, ranks, bytes, stat, errmsg)
    type(sluice_program), intent(in) :: program
    integer(int64), intent(out) :: ranks, bytes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    ranks = 0
    bytes = 0
    call finish(c_program_size(program%handle, ranks, bytes), stat, errmsg)
  end subroutine

  !> Frees a program. Options that were given it have a copy.
  subroutine sluice_program_free(program)
    type(sluice_program), intent(inout) :: program
    integer(c_int) :: code
    code = c_program_free(program%handle)
    program%handle = c_null_ptr
  end subroutine

  !> Reads "GRID:BLOCK", such as "16:3" or "4x4:64x64", also with cuts, such as "4:0,10,35,100@1,0,1", or, for "@FILE",
  !> the text in that file; `first` becomes 0.
  subroutine sluice_layout_parse(text, layout, stat, errmsg)
    character(*), intent(in) :: text
    type(sluice_layout), intent(out) :: layout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_layout) :: found
    integer(c_int64_t), allocatable, target :: numbers(:)
    integer(c_int64_t), pointer :: list(:)
    integer(c_int64_t) :: number
    integer(c_int) :: code
    integer :: d
    number = 0
    code = c_layout_parse(in_c(text), found, number, 0_c_int64_t, c_null_ptr)
    if (code == SLUICE_OK) then
      allocate (numbers(max(number, 1_c_int64_t)))
      code = c_layout_parse(in_c(text), found, number, number, c_loc(numbers))
    end if
    if (code == SLUICE_OK) then
      layout%dimensions = found%dimensions
      layout%grid = found%grid
      layout%block = found%block
      layout%first = found%first
      do d = 1, SLUICE_MAX_DIMENSIONS
        if (found%cuts(d)%count == 0) cycle
        call c_f_pointer(found%cuts(d)%at, list, [found%cuts(d)%count])
        layout%cuts(d)%at = list
        if (.not. c_associated(found%cuts(d)%owners)) cycle
        call c_f_pointer(found%cuts(d)%owners, list, [found%cuts(d)%count - 1])
        layout%cuts(d)%owners = list
      end do
    end if
    call finish(code, stat, errmsg)
  end subroutine

  pure function layout_int64(grid, block, first) result(layout)
    integer(int64), intent(in) :: grid(:), block(:)
    integer(int64), intent(in), optional :: first(:)
    type(sluice_layout) :: layout
    integer :: n
    n = size(grid)
    layout%dimensions = n
    if (size(block) /= n) layout%dimensions = -1
    if (present(first)) then
      if (size(first) /= n) layout%dimensions = -1
    end if
    if (layout%dimensions < 0 .or. n > SLUICE_MAX_DIMENSIONS) return
    layout%grid(:n) = grid
    layout%block(:n) = block
    if (present(first)) layout%first(:n) = first
  end function

  pure function layout_int32(grid, block, first) result(layout)
    integer(int32), intent(in) :: grid(:), block(:)
    integer(int32), intent(in), optional :: first(:)
    type(sluice_layout) :: layout
    if (present(first)) then
      layout = layout_int64(int(grid, int64), int(block, int64), int(first, int64))
    else
      layout = layout_int64(int(grid, int64), int(block, int64))
    end if
  end function

  !> Makes the layout of the C library, which points to the cuts of this layout. Lists of wrong lengths become a number
  !> of cuts that is refused.
  function c_layout_of(layout) result(found)
    type(sluice_layout), intent(in), target :: layout
    type(c_layout) :: found
    integer :: d
    found%dimensions = layout%dimensions
    found%grid = layout%grid
    found%block = layout%block
    found%first = layout%first
    do d = 1, SLUICE_MAX_DIMENSIONS
      if (.not. allocated(layout%cuts(d)%at)) then
        if (allocated(layout%cuts(d)%owners)) found%cuts(d)%count = -1
        cycle
      end if
      found%cuts(d)%count = size(layout%cuts(d)%at, kind=c_int64_t)
      if (found%cuts(d)%count == 0) found%cuts(d)%count = -1
      if (found%cuts(d)%count < 0) cycle
      found%cuts(d)%at = c_loc(layout%cuts(d)%at)
      if (.not. allocated(layout%cuts(d)%owners)) cycle
      if (size(layout%cuts(d)%owners, kind=c_int64_t) /= found%cuts(d)%count - 1) then
        found%cuts(d)%count = -1
      else if (found%cuts(d)%count > 1) then
        found%cuts(d)%owners = c_loc(layout%cuts(d)%owners)
      end if
    end do
  end function

  subroutine local_shape_int64(layout, shape, process, extents, stat, errmsg)
    type(sluice_layout), intent(in), target :: layout
    integer(int64), intent(in) :: shape(:)
    integer, intent(in) :: process
    integer(int64), intent(out) :: extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: given(SLUICE_MAX_DIMENSIONS), found(SLUICE_MAX_DIMENSIONS)
    integer(c_int) :: code
    given = 0
    found = 0
    given(:min(size(shape), SLUICE_MAX_DIMENSIONS)) = shape(:min(size(shape), SLUICE_MAX_DIMENSIONS))
    code = c_check_shape(size(shape, kind=int64), layout%dimensions)
    if (code == SLUICE_OK) code = c_layout_local_shape(c_layout_of(layout), given, int(process, int64), found)
    call finish(code, stat, errmsg)
    extents = 0
    extents(:min(size(extents), SLUICE_MAX_DIMENSIONS)) = found(:min(size(extents), SLUICE_MAX_DIMENSIONS))
  end subroutine

  subroutine local_shape_int32(layout, shape, process, extents, stat, errmsg)
    type(sluice_layout), intent(in), target :: layout
    integer(int32), intent(in) :: shape(:)
    integer, intent(in) :: process
    integer(int32), intent(out) :: extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: found(size(extents))
    call local_shape_int64(layout, int(shape, int64), process, found, stat, errmsg)
    extents = int(found, int32)  ! none is larger than the shape
  end subroutine

  ! ---- planning

  subroutine plan_redistribution_int64(from, to, schedule, shape, options, stat, errmsg)
    type(sluice_layout), intent(in), target :: from, to
    type(sluice_schedule), intent(out) :: schedule
    integer(int64), intent(in), optional :: shape(:)
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), target :: given(SLUICE_MAX_DIMENSIONS)
    type(c_ptr) :: start
    integer(c_int) :: code
    start = c_null_ptr
    code = SLUICE_OK
    if (present(shape)) then
      given = 0
      given(:min(size(shape), SLUICE_MAX_DIMENSIONS)) = shape(:min(size(shape), SLUICE_MAX_DIMENSIONS))
      start = c_loc(given)
      code = c_check_shape(size(shape, kind=int64), from%dimensions)
    end if
    if (code == SLUICE_OK) &
      code = c_plan_redistribution(start, c_layout_of(from), c_layout_of(to), handle_of(options), schedule%handle)
    call finish(code, stat, errmsg)
  end subroutine

  subroutine plan_redistribution_int32(from, to, schedule, shape, options, stat, errmsg)
    type(sluice_layout), intent(in), target :: from, to
    type(sluice_schedule), intent(out) :: schedule
    integer(int32), intent(in) :: shape(:)
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call plan_redistribution_int64(from, to, schedule, int(shape, int64), options, stat, errmsg)
  end subroutine

  !> Plans who sends when. traffic(i, j): size of the message from sender i - 1 to receiver j - 1, at least 0.
  subroutine sluice_plan_exchange(traffic, schedule, options, stat, errmsg)
    integer(int64), intent(in) :: traffic(:, :)
    type(sluice_schedule), intent(out) :: schedule
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: from(:), to(:), amount(:)
    integer(int64) :: i, j, n
    n = count(traffic /= 0, kind=int64)
    allocate (from(n), to(n), amount(n))
    n = 0
    do j = 1, size(traffic, 2, int64)
      do i = 1, size(traffic, 1, int64)
        if (traffic(i, j) == 0) cycle
        n = n + 1
        from(n) = i - 1
        to(n) = j - 1
        amount(n) = traffic(i, j)
      end do
    end do
    call finish(c_plan_exchange(size(traffic, 1, int64), size(traffic, 2, int64), n, from, to, amount, handle_of(options), &
                                schedule%handle), stat, errmsg)
  end subroutine

  !> Plans the reduction of one element of each machine. A transfer costs `transfer`, a combination `compute`. If
  !> machines or links differ, these are 0 and the options `transfer_costs` and `compute_costs` replace them.
  !> transfer_costs with an entry for each link lists the links of the first sender first.
  subroutine sluice_plan_reduce(machines, transfer, compute, schedule, options, stat, errmsg)
    integer(int64), intent(in) :: machines
    real(real64), intent(in) :: transfer, compute
    type(sluice_schedule), intent(out) :: schedule
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_plan_reduce(machines, transfer, compute, handle_of(options), schedule%handle), stat, errmsg)
  end subroutine

  !> Plans the broadcast of `bytes` bytes from rank `root`; times are seconds.
  subroutine sluice_plan_broadcast(platform, root, bytes, schedule, options, stat, errmsg)
    type(sluice_platform), intent(in) :: platform
    integer, intent(in) :: root
    integer(int64), intent(in) :: bytes
    type(sluice_schedule), intent(out) :: schedule
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_plan_broadcast(platform%handle, int(root, int64), bytes, handle_of(options), schedule%handle), stat, errmsg)
  end subroutine

  ! ---- schedules

  !> Reads a file of `sluice plan --json`, of any kind: sluice.schedule/1 or sluice.program/1. sluice_schedule_check
  !> says whether it is valid.
  subroutine sluice_schedule_read(path, schedule, stat, errmsg)
    character(*), intent(in) :: path
    type(sluice_schedule), intent(out) :: schedule
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_schedule_read(in_c(path), schedule%handle), stat, errmsg)
  end subroutine

  !> Reads a schedule from text.
  subroutine sluice_schedule_parse(text, schedule, stat, errmsg)
    character(*), intent(in) :: text
    type(sluice_schedule), intent(out) :: schedule
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_schedule_parse(in_c(text), schedule%handle), stat, errmsg)
  end subroutine

  !> Gets the kind: SLUICE_STEPS, SLUICE_TREE or SLUICE_PROGRAM_KIND.
  subroutine sluice_schedule_kind(schedule, kind, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    integer, intent(out) :: kind
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: found
    found = 0
    call finish(c_schedule_kind(schedule%handle, found), stat, errmsg)
    kind = found
  end subroutine

  !> Gets the problem: "redistribute", "exchange", "reduce", "broadcast" or, for a program, any collective.
  subroutine sluice_schedule_problem(schedule, problem, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    character(:), allocatable, intent(out) :: problem
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: text
    integer(c_int) :: code
    problem = ''
    code = c_schedule_problem(schedule%handle, text)
    if (code == SLUICE_OK) problem = from_c(text)
    call finish(code, stat, errmsg)
  end subroutine

  !> Copies the program out of a schedule. Jobs take it as an option, and sluice_program_size gives its size.
  subroutine sluice_schedule_program(schedule, program, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    type(sluice_program), intent(out) :: program
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_schedule_program(schedule%handle, program%handle), stat, errmsg)
  end subroutine

  !> Makes a program from a tree of sluice_plan_reduce. Jobs of reductions take it as an option. `size_bytes`: bytes of
  !> all elements of each rank; `element_bytes`: bytes of pieces that are never cut.
  subroutine sluice_schedule_reduction_program(schedule, size_bytes, element_bytes, program, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    integer(int64), intent(in) :: size_bytes, element_bytes
    type(sluice_program), intent(out) :: program
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_schedule_reduction_program(schedule%handle, size_bytes, element_bytes, program%handle), stat, errmsg)
  end subroutine

  !> Writes a schedule to the file `path`, which is replaced as a whole or not at all.
  subroutine sluice_schedule_write(schedule, path, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_schedule_write(schedule%handle, in_c(path)), stat, errmsg)
  end subroutine

  !> Gets the cost of a schedule of steps, and a lower bound for all schedules.
  subroutine sluice_schedule_cost(schedule, cost, bound, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    type(sluice_cost), intent(out) :: cost, bound
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_schedule_cost(schedule%handle, cost, bound), stat, errmsg)
  end subroutine

  !> Gets the copies of the source array and of the target array of a schedule of steps, usually 1. If copies of the
  !> target may forward data, sender `first_passing` + i is receiver i; otherwise `first_passing` is the number of
  !> senders.
  subroutine sluice_schedule_replicas(schedule, from, to, first_passing, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    integer(int64), intent(out) :: from, to, first_passing
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_schedule_replicas(schedule%handle, from, to, first_passing), stat, errmsg)
  end subroutine

  !> Gets the number of steps of a schedule of steps.
  subroutine sluice_schedule_steps(schedule, steps, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    integer(int64), intent(out) :: steps
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_schedule_steps(schedule%handle, steps), stat, errmsg)
  end subroutine

  !> Gets the duration and the transfers of one step of a schedule of steps, counted from 0.
  subroutine sluice_schedule_step(schedule, step, duration, transfers, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    integer(int64), intent(in) :: step
    integer(int64), intent(out) :: duration
    type(sluice_transfer), allocatable, target, intent(out) :: transfers(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: length
    integer(c_int) :: code
    length = 0
    code = c_schedule_step(schedule%handle, step, duration, length, 0_int64, c_null_ptr)
    if (code == SLUICE_OK) then
      allocate (transfers(length))
      if (length > 0) code = c_schedule_step(schedule%handle, step, duration, length, length, c_loc(transfers))
    end if
    call finish(code, stat, errmsg)
  end subroutine

  !> Gets the root of a tree, the time when the last transfer has had its effect, and the transfers in the order of
  !> their start.
  subroutine sluice_schedule_tree(schedule, root, length, transfers, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    integer, intent(out) :: root
    real(real64), intent(out) :: length
    type(sluice_timed_transfer), allocatable, target, intent(out) :: transfers(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: machines, found, number
    integer(c_int) :: code
    root = -1
    number = 0
    code = c_schedule_tree(schedule%handle, machines, found, length)
    if (code == SLUICE_OK) code = c_schedule_tree_transfers(schedule%handle, number, 0_int64, c_null_ptr)
    if (code == SLUICE_OK) then
      root = int(found)
      allocate (transfers(number))
      if (number > 0) code = c_schedule_tree_transfers(schedule%handle, number, number, c_loc(transfers))
    end if
    call finish(code, stat, errmsg)
  end subroutine

  !> Checks a schedule alone. `violations` gets the number of faults, 0 if the schedule is valid.
  subroutine sluice_schedule_check(schedule, violations, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    integer(int64), intent(out) :: violations
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_schedule_check(schedule%handle, violations), stat, errmsg)
  end subroutine

  !> Gets one line on a fault that the last check of this schedule found; `violation` counts from 0.
  subroutine sluice_schedule_violation(schedule, violation, text, stat, errmsg)
    type(sluice_schedule), intent(in) :: schedule
    integer(int64), intent(in) :: violation
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: found
    integer(c_int) :: code
    text = ''
    code = c_schedule_violation(schedule%handle, violation, found)
    if (code == SLUICE_OK) text = from_c(found)
    call finish(code, stat, errmsg)
  end subroutine

  !> Frees a schedule.
  subroutine sluice_schedule_free(schedule)
    type(sluice_schedule), intent(inout) :: schedule
    integer(c_int) :: code
    code = c_schedule_free(schedule%handle)
    schedule%handle = c_null_ptr
  end subroutine

  ! ---- jobs

  subroutine redistribution_create_int64(comm, shape, from, to, element_bytes, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: shape(:)
    type(sluice_layout), intent(in), target :: from, to
    integer(int64), intent(in) :: element_bytes
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(inout), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(sluice_options) :: own
    integer(int64), target :: given(SLUICE_MAX_DIMENSIONS)
    type(c_ptr) :: start
    integer(c_int) :: code, ignored
    given = 0
    given(:min(size(shape), SLUICE_MAX_DIMENSIONS)) = shape(:min(size(shape), SLUICE_MAX_DIMENSIONS))
    start = c_loc(given)
    ! A missing one is refused on all ranks.
    if (c_check_shape(size(shape, kind=int64), from%dimensions) /= SLUICE_OK) start = c_null_ptr
    if (present(options)) own = options
    ignored = made(own)
    ignored = c_options_set_integer(own%handle, in_c('column_major'), 1_int64)
    code = c_redistribution_create(comm%MPI_VAL, start, c_layout_of(from), c_layout_of(to), element_bytes, own%handle, job%handle)
    job%element_bytes = element_bytes
    if (present(options)) then
      options = own
    else
      ignored = c_options_free(own%handle)
    end if
    call finish(code, stat, errmsg)
  end subroutine

  subroutine redistribution_create_int32(comm, shape, from, to, element_bytes, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(int32), intent(in) :: shape(:)
    type(sluice_layout), intent(in), target :: from, to
    integer(int32), intent(in) :: element_bytes
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(inout), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call redistribution_create_int64(comm, int(shape, int64), from, to, int(element_bytes, int64), job, options, stat, errmsg)
  end subroutine

  !> Moves the data; collective. `source` and `target` hold this rank's parts of the two arrays, gaps included; they
  !> must not overlap.
  subroutine sluice_redistribution_execute(job, source, target, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..), intent(in) :: source
    type(*), dimension(..) :: target
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_redistribution(job%handle, source, target, job%element_bytes, 0_c_int), stat, errmsg)
  end subroutine

  !> Begins an execution. Arguments are as for sluice_redistribution_execute.
  subroutine sluice_redistribution_start(job, source, target, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..), intent(in) :: source
    type(*), dimension(..) :: target
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_redistribution(job%handle, source, target, job%element_bytes, 1_c_int), stat, errmsg)
  end subroutine

  !> Gets the rank of each process of the target grid, copy by copy; with relabel the job chooses it. `array`: for a job
  !> of several arrays, its number, counted from 0.
  subroutine sluice_redistribution_to_ranks(job, ranks, array, stat, errmsg)
    type(sluice_job), intent(in) :: job
    integer(c_int), allocatable, target, intent(out) :: ranks(:)
    integer, intent(in), optional :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: number
    integer(c_int) :: code
    number = 0
    code = found(0_int64, c_null_ptr)
    if (code == SLUICE_OK) then
      allocate (ranks(number))
      if (number > 0) code = found(number, c_loc(ranks))
    end if
    call finish(code, stat, errmsg)
  contains
    integer(c_int) function found(capacity, list)
      integer(int64), intent(in) :: capacity
      type(c_ptr), intent(in) :: list
      if (present(array)) then
        found = c_redistribution_batch_to_ranks(job%handle, int(array, int64), number, capacity, list)
      else
        found = c_redistribution_to_ranks(job%handle, number, capacity, list)
      end if
    end function
  end subroutine

  !> Makes a job that moves several arrays at once, with one message between two ranks; collective. Arrays are stored as
  !> Fortran does. The contents of `arrays` are not used after the call, except options, which the caller frees.
  subroutine sluice_redistribution_batch_create(comm, arrays, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    type(sluice_array), intent(inout), target :: arrays(:)
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_array) :: given(size(arrays))
    type(c_layout), target :: from(size(arrays)), to(size(arrays))
    type(sluice_options) :: own(size(arrays))
    integer(c_int) :: code, ignored
    integer :: a
    do a = 1, size(arrays)
      own(a) = arrays(a)%options
      ignored = made(own(a))
      ignored = c_options_set_integer(own(a)%handle, in_c('column_major'), 1_int64)
      from(a) = c_layout_of(arrays(a)%from)
      to(a) = c_layout_of(arrays(a)%to)
      given(a) = c_array(c_loc(arrays(a)%shape), c_loc(from(a)), c_loc(to(a)), arrays(a)%element_bytes, own(a)%handle)
    end do
    code = c_redistribution_batch_create(comm%MPI_VAL, size(arrays, kind=int64), given, handle_of(options), job%handle)
    do a = 1, size(arrays)
      if (.not. c_associated(arrays(a)%options%handle)) ignored = c_options_free(own(a)%handle)
    end do
    call finish(code, stat, errmsg)
  end subroutine

  !> Moves the data of all arrays. The lists have c_loc of this rank's part of each array, in the order of creation, or
  !> c_null_ptr if this rank has nothing to send or receive. Parts are contiguous and have the attribute target.
  subroutine sluice_redistribution_batch_execute(job, sources, targets, stat, errmsg)
    type(sluice_job), intent(inout) :: job
    type(c_ptr), intent(in) :: sources(:), targets(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_redistribution_batch(job%handle, size(sources, kind=int64), sources, size(targets, kind=int64), targets, &
                                       0_c_int), stat, errmsg)
  end subroutine

  !> Begins an execution. Arguments are as for sluice_redistribution_batch_execute.
  subroutine sluice_redistribution_batch_start(job, sources, targets, stat, errmsg)
    type(sluice_job), intent(inout) :: job
    type(c_ptr), intent(in) :: sources(:), targets(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_redistribution_batch(job%handle, size(sources, kind=int64), sources, size(targets, kind=int64), targets, &
                                       1_c_int), stat, errmsg)
  end subroutine

  subroutine exchange_create_int64(comm, ranks, bytes, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: ranks(:)
    integer(int64), intent(in) :: bytes(:)
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: number
    number = size(ranks, kind=int64)
    if (size(bytes, kind=int64) /= number) number = -1  ! which is refused on all ranks
    call finish(c_exchange_create(comm%MPI_VAL, number, int(ranks, c_int), bytes, handle_of(options), job%handle), &
                stat, errmsg)
  end subroutine

  subroutine exchange_create_int32(comm, ranks, bytes, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: ranks(:)
    integer(int32), intent(in) :: bytes(:)
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call exchange_create_int64(comm, ranks, int(bytes, int64), job, options, stat, errmsg)
  end subroutine

  !> Gets what this rank receives, by rank of the sender, without empty messages.
  subroutine sluice_exchange_receives(job, ranks, bytes, stat, errmsg)
    type(sluice_job), intent(in) :: job
    integer(c_int), allocatable, target, intent(out) :: ranks(:)
    integer(int64), allocatable, target, intent(out) :: bytes(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: number
    integer(c_int) :: code
    number = 0
    code = c_exchange_receives(job%handle, number, 0_int64, c_null_ptr, c_null_ptr)
    if (code == SLUICE_OK) then
      allocate (ranks(number), bytes(number))
      if (number > 0) code = c_exchange_receives(job%handle, number, number, c_loc(ranks), c_loc(bytes))
    end if
    call finish(code, stat, errmsg)
  end subroutine

  !> Moves the data; collective. `send` holds the messages one after another in the order of creation. `receive` has
  !> room for the messages of sluice_exchange_receives, in their order.
  subroutine sluice_exchange_execute(job, send, receive, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..), intent(in) :: send
    type(*), dimension(..) :: receive
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_exchange(job%handle, send, receive, 0_c_int), stat, errmsg)
  end subroutine

  !> Begins an execution. Arguments are as for sluice_exchange_execute.
  subroutine sluice_exchange_start(job, send, receive, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..), intent(in) :: send
    type(*), dimension(..) :: receive
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_exchange(job%handle, send, receive, 1_c_int), stat, errmsg)
  end subroutine

  subroutine reduction_create_int32(comm, count, datatype, op, root, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(int32), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer, intent(in) :: root
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call reduction_create_int64(comm, int(count, int64), datatype, op, root, job, options, stat, errmsg)
  end subroutine

  subroutine reduction_create_int64(comm, count, datatype, op, root, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer, intent(in) :: root
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    integer :: rank, ignored
    code = c_reduction_create(comm%MPI_VAL, count, datatype%MPI_VAL, op%MPI_VAL, int(root, c_int), handle_of(options), &
                              job%handle)
    if (code == SLUICE_OK) then
      call MPI_Comm_rank(comm, rank, ignored)
      job%own_bytes = c_span(count, datatype%MPI_VAL)
      if (rank == root) job%result_bytes = job%own_bytes
    end if
    call finish(code, stat, errmsg)
  end subroutine

  !> Combines the elements of all ranks; collective. `own`: this rank's elements. `result` is written on the root only.
  subroutine sluice_reduction_execute(job, own, result, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..), intent(in) :: own
    type(*), dimension(..) :: result
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_reduction(job%handle, own, result, job%own_bytes, job%result_bytes, 0_c_int), stat, errmsg)
  end subroutine

  !> Begins an execution. Arguments are as for sluice_reduction_execute.
  subroutine sluice_reduction_start(job, own, result, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..), intent(in) :: own
    type(*), dimension(..) :: result
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_reduction(job%handle, own, result, job%own_bytes, job%result_bytes, 1_c_int), stat, errmsg)
  end subroutine

  !> Combines on the root, whose elements are in `result`; the others call sluice_reduction_execute.
  subroutine sluice_reduction_execute_in_place(job, result, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..) :: result
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_reduction_in_place(job%handle, result, job%result_bytes, 0_c_int), stat, errmsg)
  end subroutine

  subroutine collective_create_int32(comm, problem, bytes, root, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: problem
    integer(int32), intent(in) :: bytes(:)
    integer, intent(in) :: root
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call collective_create_int64(comm, problem, int(bytes, int64), root, job, options, stat, errmsg)
  end subroutine

  subroutine collective_create_int64(comm, problem, bytes, root, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: problem
    integer(int64), intent(in) :: bytes(:)
    integer, intent(in) :: root
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_collective_create(comm%MPI_VAL, in_c(problem), size(bytes, kind=c_int64_t), bytes, int(root, c_int), &
                                    handle_of(options), job%handle), stat, errmsg)
  end subroutine

  subroutine combining_create_int32(comm, problem, count, datatype, op, counts, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: problem
    integer(int32), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer(int32), intent(in) :: counts(:)
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call combining_create_int64(comm, problem, int(count, int64), datatype, op, int(counts, int64), job, options, stat, errmsg)
  end subroutine

  subroutine combining_create_equal_int32(comm, problem, count, datatype, op, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: problem
    integer(int32), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call combining_create_int64(comm, problem, int(count, int64), datatype, op, [integer(int64) ::], job, options, stat, errmsg)
  end subroutine

  subroutine combining_create_equal_int64(comm, problem, count, datatype, op, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: problem
    integer(int64), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call combining_create_int64(comm, problem, count, datatype, op, [integer(int64) ::], job, options, stat, errmsg)
  end subroutine

  subroutine combining_create_int64(comm, problem, count, datatype, op, counts, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: problem
    integer(int64), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer(int64), intent(in) :: counts(:)
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_combining_create(comm%MPI_VAL, in_c(problem), count, datatype%MPI_VAL, op%MPI_VAL, &
                                   size(counts, kind=c_int64_t), counts, handle_of(options), job%handle), stat, errmsg)
  end subroutine

  !> Gets the bytes that this rank gives, and gets, in a job of one of the six collectives.
  subroutine sluice_collective_bytes(job, own, result, stat, errmsg)
    type(sluice_job), intent(in) :: job
    integer(int64), intent(out) :: own, result
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    own = 0
    result = 0
    call finish(c_collective_bytes(job%handle, own, result), stat, errmsg)
  end subroutine

  !> Executes one of the six collectives. `own` is what this rank gives, `result` has room for what it gets.
  subroutine sluice_collective_execute(job, own, result, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..), intent(in) :: own
    type(*), dimension(..) :: result
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_collective(job%handle, own, result, 0_c_int), stat, errmsg)
  end subroutine

  !> Begins an execution. Arguments are as for sluice_collective_execute.
  subroutine sluice_collective_start(job, own, result, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..), intent(in) :: own
    type(*), dimension(..) :: result
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_collective(job%handle, own, result, 1_c_int), stat, errmsg)
  end subroutine

  !> Executes a collective if what this rank gives is in `result`: in allgather and allreduce on all ranks, in gather on
  !> the root.
  subroutine sluice_collective_execute_in_place(job, result, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..) :: result
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_collective_in_place(job%handle, result), stat, errmsg)
  end subroutine

  !> Sets whether all ranks check the arguments of an execution together before it sends anything, for all jobs of the
  !> communicator. An argument that is bad on some ranks is then SLUICE_BAD_INPUT on all, and the job can be used again.
  !> Collective.
  subroutine sluice_set_agreed_arguments(comm, agreed, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    logical, intent(in) :: agreed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_set_agreed_arguments(comm%MPI_VAL, merge(1_c_int, 0_c_int, agreed)), stat, errmsg)
  end subroutine

  !> Makes a job that copies the data of rank `root` to all ranks, as MPI_Bcast.
  subroutine sluice_broadcast_create(comm, root, job, options, stat, errmsg)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: root
    type(sluice_job), intent(out) :: job
    type(sluice_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_broadcast_create(comm%MPI_VAL, int(root, c_int), handle_of(options), job%handle), stat, errmsg)
  end subroutine

  !> Copies the root's `buffer` to all ranks, of equal size on all ranks; collective.
  subroutine sluice_broadcast_execute(job, buffer, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..) :: buffer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_broadcast(job%handle, buffer, 0_c_int), stat, errmsg)
  end subroutine

  !> Begins an execution. The argument is as for sluice_broadcast_execute.
  subroutine sluice_broadcast_start(job, buffer, stat, errmsg)
    type(sluice_job), intent(in) :: job
    type(*), dimension(..) :: buffer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_broadcast(job%handle, buffer, 1_c_int), stat, errmsg)
  end subroutine

  !> Advances the execution without waiting. `done`: true if it has ended, or if none was started.
  subroutine sluice_job_test(job, done, stat, errmsg)
    type(sluice_job), intent(in) :: job
    logical, intent(out) :: done
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code, flag
    flag = 0
    code = c_job_test(job%handle, flag)
    done = flag /= 0
    call finish(code, stat, errmsg)
  end subroutine

  !> Waits until the execution has ended; returns at once if none was started.
  subroutine sluice_job_wait(job, stat, errmsg)
    type(sluice_job), intent(in) :: job
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_job_wait(job%handle), stat, errmsg)
  end subroutine

  !> Frees a job; may follow MPI_Finalize. During an execution it makes the other ranks fail.
  subroutine sluice_job_free(job)
    type(sluice_job), intent(inout) :: job
    integer(c_int) :: code
    code = c_job_free(job%handle)
    job%handle = c_null_ptr
  end subroutine

end module sluice
