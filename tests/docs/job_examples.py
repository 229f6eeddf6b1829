#!/usr/bin/env python3
"""Makes a program of the examples that pages show, to compile and run them.

    tests/docs/job_examples.py OUTPUT LANGUAGE PAGE.md...      LANGUAGE: cpp, c, fortran or python

The blocks of a page in this language follow each other in one scope, in which `comm`, `rank` and `ranks` are there (in
Fortran, all pages share that). Comments before a block tell what the page does not show:

- `<!-- given: CODE -->`: declarations; in Fortran of the whole page;
- `<!-- compiled only -->`: the block is compiled, and not run.

The program prints "LANGUAGE: N pages" when all is done.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"((?:^<!--.*?-->\n)*)^```(\w+)\n(.*?)^```$", re.M | re.S)
GIVEN = re.compile(r"<!-- given: (.*?) -->", re.S)


def blocks_of(page, language):
    """(what is given, whether it only compiles, the code) of each block in this language."""
    return [("\n".join(GIVEN.findall(notes)), "<!-- compiled only -->" in notes, code)
            for notes, name, code in BLOCK.findall(page) if name == language]


def of_c(pages, language):
    cpp = language == "cpp"
    includes = (["<cstddef>", "<cstdint>", "<cstdio>", "<span>", "<vector>"] if cpp
                else ["<sluice/sluice_mpi.h>", "<stdint.h>", "<stdio.h>", "<stdlib.h>"])
    if cpp:
        includes += [f'"sluice/run/mpi/{name}.hpp"' for name in (
            "broadcast", "collectives", "dynamic_exchange", "exchange", "redistribution", "redistribution_batch", "reduction")]
    functions, calls, codes = [], [], []
    for name, blocks in pages.items():
        code = ""
        for given, compiled_only, text in blocks:
            text = re.sub(r"^#include.*\n", "", text, flags=re.M)
            code += given + "\n" + (f"if (rank < 0) {{\n{text}}}\n" if compiled_only else text)
        functions.append(f"static void {name}(MPI_Comm comm, int rank, int ranks) {{\n(void)rank, (void)ranks;\n{code}}}\n")
        calls.append(f"  {name}(MPI_COMM_WORLD, rank, ranks);\n")
    return ("#include <mpi.h>\n" + "".join(f"#include {each}\n" for each in includes) + "".join(functions)
            + "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n  int rank, ranks;\n"
              "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &ranks);\n" + "".join(calls)
            + f'  if (rank == 0) printf("{language}: {len(pages)} pages\\n");\n  MPI_Finalize();\n}}\n')


def of_fortran(pages):
    code = ""
    for blocks in pages.values():
        given = "\n".join(each.replace("; ", "\n") for each, _, _ in blocks)
        code += f"block\n{given}\n" + "".join(text for _, _, text in blocks) + "end block\n"
    return ("program job_examples\nuse, intrinsic :: iso_fortran_env\nuse mpi_f08\nuse sluice\nimplicit none\n"
            "type(MPI_Comm) :: comm\ninteger :: rank, ranks\ncall MPI_Init()\ncomm = MPI_COMM_WORLD\n"
            "call MPI_Comm_rank(comm, rank)\ncall MPI_Comm_size(comm, ranks)\n" + code
            + f'if (rank == 0) print "(a)", "fortran: {len(pages)} pages"\ncall MPI_Finalize()\nend program\n')


def of_python(pages):
    code = "".join(f"{given}\n{text}" for blocks in pages.values() for given, _, text in blocks)
    return ("import numpy\nfrom mpi4py import MPI\n\nimport sluice.mpi\n\ncomm = MPI.COMM_WORLD\nrank, ranks = comm.rank, comm.size\n"
            + code + f'if rank == 0:\n    print("python: {len(pages)} pages")\n')


def main(arguments):
    output, language, *names = arguments
    pages = {}
    for path in map(pathlib.Path, names):
        blocks = blocks_of(path.read_text(encoding="utf-8"), language)
        if blocks:
            pages[path.stem.replace("-", "_")] = blocks
    make = {"cpp": of_c, "c": of_c}.get(language)
    text = make(pages, language) if make else of_fortran(pages) if language == "fortran" else of_python(pages)
    pathlib.Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
