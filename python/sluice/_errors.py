"""Defines the exceptions that the package raises."""


class Error(Exception):
    """Is the base class of all exceptions of this package."""


class InputError(Error, ValueError):
    """Reports bad input: an argument or a file. Nothing was sent or written."""


class MpiError(Error, RuntimeError):
    """Reports that a call to MPI failed. The job cannot be used any more; the other ranks raise JobError."""


class JobError(Error, RuntimeError):
    """Reports that another rank cannot go on with a job. The job cannot be used any more."""
