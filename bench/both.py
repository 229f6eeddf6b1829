"""Runs a benchmark of two builds alternating, and says which of its figures differ by more than noise.

    bench/both.sh [--rounds N] [--ranks N] OLD NEW BENCH [ARGUMENTS...]

OLD and NEW are build folders. BENCH is a program in their bin/, or a script such as bench/collective_planning.sh, which
finds the command in the variable SLUICE. --ranks N starts a program by scripts/mpirun.sh. There are 7 rounds unless
--rounds says otherwise, an odd number of at least 7. The two builds take turns at being first.

A row of the benchmark's output is a line with numbers: a table, CSV, or the table of google-benchmark. Rows belong
together if they are the same except for numbers, and come at the same place among such rows. A number that all runs of
both builds print is no figure. All others are figures, named by the last line of names before them; less is faster. The
row's name is what precedes the first figure. Iterations, and rows of google-benchmark about spread, are left out.

For each figure there are the medians of both builds, and the median of the ratios new / old of the rounds. The interval
holds the median ratio with at least 95 % confidence, whatever the distribution of the times: it goes from the j-th
smallest to the j-th largest ratio. A figure is within noise if the interval has 1 in it. If there are many figures, one
in twenty may leave it by chance: repeat these. Exit status: 0, or 2 for bad input and a benchmark that fails.
"""
import argparse
import collections
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

LEAST_CONFIDENCE = 0.95
FEWEST_ROUNDS = 7
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
LEFT_OUT = re.compile(r"iterations", re.I)
LEFT_OUT_ROWS = re.compile(r"_(?:stddev|cv)\b")  # of google-benchmark

Figure = collections.namedtuple("Figure", "row column old new")  # old, new: a value for each round


def bad_input(text):
    print(f"error: {text}", file=sys.stderr)
    sys.exit(2)


# --- reading what a benchmark prints -----------------------------------------------------------------------------------


def divided_by(line):
    """What divides the cells of a line: bars, commas, or nothing if blanks align them."""
    if line.lstrip().startswith("|"):
        return "|"
    return "," if "," in line and not re.search(r"\S\s{2,}\S", line) else None


class Row:
    def __init__(self, line, header):
        self.line = line
        self.header = header  # a line
        self.numbers = [(found.start(), found[0]) for found in NUMBER.finditer(line)]

    def column(self, start, number):
        """The name of a number: NAME in NAME=number, else the header's cell over it."""
        named = re.search(r"([A-Za-z_]\w*)=$", self.line[:start])
        if named:
            return named[1]
        divider = divided_by(self.line)
        if divider:
            cells = self.header.split(divider)
            place = self.line[:start].count(divider)
            return cells[place].strip() if place < len(cells) else ""
        names = list(re.finditer(r"\S+(?: \S+)*", self.header))
        end = start + len(number)
        return min(names, key=lambda name: abs(name.end() - end))[0] if names else ""


def rows_of(text):
    """The rows of an output by what identifies them: the line without its numbers, and how often it came before."""
    rows, count, header = {}, collections.Counter(), ""
    for line in text.splitlines():
        if not line.strip() or set(line.strip()) <= set("-=+| "):
            continue
        if not NUMBER.search(line):
            header = line
            continue
        bare = " ".join(NUMBER.sub("#", line).split())
        rows[bare, count[bare]] = Row(line, header)
        count[bare] += 1
    return rows


def figures_of(old, new):
    """The figures of runs of both builds; how many rows are not in all runs."""
    runs = [*map(rows_of, old), *map(rows_of, new)]
    figures, missing = [], len({key for run in runs for key in run if not all(key in other for other in runs)})
    for key, first in runs[0].items():
        if LEFT_OUT_ROWS.search(first.line) or not all(key in run for run in runs):
            continue
        alike = [[run[key].numbers[i][1] for run in runs] for i in range(len(first.numbers))]
        varying = [start for (start, _), values in zip(first.numbers, alike) if len(set(values)) > 1]
        name = first.line[:varying[0]] if varying else ""
        for (start, number), values in zip(first.numbers, alike):
            column = first.column(start, number)
            if len(set(values)) > 1 and not LEFT_OUT.search(column):
                numbers = [float(value) for value in values]
                figures.append(Figure(" ".join(name.replace("|", " ").split()).rstrip(","), column, numbers[:len(old)], numbers[len(old):]))
    return figures, missing


# --- comparing ---------------------------------------------------------------------------------------------------------


def interval_of(ratios):
    """(least, largest, confidence) of the narrowest interval that holds the median with LEAST_CONFIDENCE."""
    n, below, j = len(ratios), 0.0, 0
    while 2 * (below + math.comb(n, j) / 2**n) <= 1 - LEAST_CONFIDENCE:
        below += math.comb(n, j) / 2**n
        j += 1
    ordered = sorted(ratios)
    return ordered[j - 1], ordered[n - j], 1 - 2 * below


def ratio_of(new, old):
    if old == new:
        return 1.0
    return new / old if old else math.inf


def verdict_of(figure, low, high):
    if len(set(figure.old)) == 1 and len(set(figure.new)) == 1:
        return "different"  # in all rounds alike: no time
    if low <= 1 <= high:
        return "within noise"
    return "faster" if high < 1 else "slower"


def print_figures(figures):
    table = [("row", "figure", "old", "new", "new / old", "interval", "")]
    counts = collections.Counter()
    for figure in figures:
        ratios = [ratio_of(new, old) for old, new in zip(figure.old, figure.new)]
        low, high, confidence = interval_of(ratios)
        verdict = verdict_of(figure, low, high)
        counts[verdict] += 1
        table.append((figure.row, figure.column, f"{statistics.median(figure.old):.6g}", f"{statistics.median(figure.new):.6g}",
                      f"{statistics.median(ratios):.3f}", f"{low:.3f} to {high:.3f}", verdict))
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        cells = [cell.ljust(width) if i in (0, 1, 6) else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
    summary = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    print(f"{len(figures)} figures, intervals of {100 * confidence:.1f} % confidence: {summary}")


# --- running -----------------------------------------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    def error(self, message):
        bad_input(f"{message}, expected {self.usage}")


def command_of(build, bench, ranks):
    program = pathlib.Path(build) / "bin" / bench
    if program.is_file() and os.access(program, os.X_OK):
        starter = pathlib.Path(__file__).resolve().parents[1] / "scripts" / "mpirun.sh"
        return [str(starter), "-B", build, "-np", str(ranks), str(program)] if ranks else [str(program)]
    script = pathlib.Path(bench)
    if script.is_file() and os.access(script, os.X_OK) and not ranks:
        return [str(script.resolve())]
    return bad_input(f"{bench}: neither a program in {build}/bin nor a script, expected a benchmark of bench/ that is built")


def output_of(build, command):
    environment = dict(os.environ, SLUICE=str((pathlib.Path(build) / "bin" / "sluice").resolve()))
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["nothing on standard error"])[-1]
        bad_input(f"{' '.join(command)}: exit status {done.returncode} ({last}), expected 0")
    return done.stdout


def main():
    parser = Parser(prog="bench/both.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                    usage="bench/both.sh [--rounds N] [--ranks N] OLD NEW BENCH [ARGUMENTS...]")
    parser.add_argument("--rounds", type=int, default=FEWEST_ROUNDS, metavar="N", help="how often each build runs [7]")
    parser.add_argument("--ranks", type=int, metavar="N", help="start the program under MPI, on N ranks")
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("bench", metavar="BENCH")
    parser.add_argument("arguments", metavar="ARGUMENTS", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if given.rounds < FEWEST_ROUNDS or given.rounds % 2 == 0:
        bad_input(f"--rounds {given.rounds}: expected an odd number of at least {FEWEST_ROUNDS}")
    if given.ranks is not None and given.ranks < 1:
        bad_input(f"--ranks {given.ranks}: expected at least 1")
    builds = (given.old, given.new)
    commands = [command_of(build, given.bench, given.ranks) + given.arguments for build in builds]
    outputs = ([], [])
    for number in range(given.rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            outputs[side].append(output_of(builds[side], commands[side]))
        print(f"round {number + 1} of {given.rounds}", file=sys.stderr)
    figures, missing = figures_of(*outputs)
    if missing:
        print(f"{missing} rows left out: not every run printed them")
    if figures:
        print_figures(figures)
    else:
        print("no figures: all runs printed the same numbers")


if __name__ == "__main__":
    main()
