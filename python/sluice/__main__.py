"""Runs the command sluice as `python -m sluice`, if it is built or installed with this package."""

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn


def fail(text: str) -> NoReturn:
    """Ends the program as the command does for bad input."""
    print(f"error: {text}", file=sys.stderr)
    sys.exit(2)


def command() -> str:
    """Returns the program: SLUICE_COMMAND, or the one installed or built with this package, or one on PATH."""
    given = os.environ.get("SLUICE_COMMAND")
    if given:
        return given
    for folder in Path(__file__).resolve().parents[:6]:
        program = folder / "bin" / "sluice"
        if program.is_file() and os.access(program, os.X_OK):
            return str(program)
    found = shutil.which("sluice")
    if found is None:
        fail("sluice: no such program, expected one on PATH or its name in SLUICE_COMMAND")
    return found


def main() -> NoReturn:
    """Runs the command in place of this process."""
    program = command()
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        fail(f"{program}: cannot be run: {error.strerror}, expected the command sluice")


if __name__ == "__main__":
    main()
