"""What the package raises."""


class Error(Exception):
    """The base of all that this package raises by itself."""


class InputError(Error, ValueError):
    """Bad input: an argument or a file. Nothing was sent or written."""


class MpiError(Error, RuntimeError):
    """A call to MPI failed. The job is of no further use; the other ranks raise JobError."""


class JobError(Error, RuntimeError):
    """Another rank cannot go on with a job, which is of no further use."""
