#!/usr/bin/env python3
"""Collectives on a simulated machine: predicted, executed by the plan, and executed with the ranks in a random order.
Beside them the fastest of all algorithms and selectors that SimGrid's SMPI has for the call. Simulated times come out the
same every time, whatever else the machine that computes them does. An hour or so for 72 ranks; needs build/smpi
(scripts/build.sh smpi).

    bench/smpi_figures.py [PLATFORM.json] [--collectives A,B,..] [--operation OP] [--algorithm NAME] [--no-best]
        [--no-shuffled] [--build build/release] [--smpi build/smpi]

PLATFORM.json: studies/four-levels/four-levels-72.json unless given. SimGrid's machine is made of it by sluice
platform-to-simgrid. --operation: of reductions, as sluice run reduce has it. affine (its arrays are cut like the arrays of
a sum) and matmul (one matrix of about as many bytes) combine ranks in their order; an algorithm of SMPI's counts if its
result is right. --algorithm: another one than auto, of reductions.
"""
import argparse
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
VECTORS, BLOCKS, MESSAGES = ("1Ki", "64Ki", "1Mi"), ("128", "1Ki", "16Ki"), ("1Ki", "64Ki", "1Mi", "4Mi")
# The array of a reduction is given in elements of 8 bytes.
ELEMENTS = dict(zip(MESSAGES, ("128", "8Ki", "128Ki", "512Ki")))
SIZES = {"broadcast": MESSAGES, "reduce": MESSAGES, "allreduce": VECTORS, "reduce-scatter": VECTORS, "allgather": BLOCKS, "alltoall": BLOCKS, "scatter": BLOCKS,
         "gather": BLOCKS}
IN_ORDER = ("affine", "matmul")
# The name of MPI's call, in SMPI's settings and in the names of methods.
CALLS = {"broadcast": "bcast"}
# They try every algorithm in turn, which is none of its own.
LEFT_OUT = {"automatic"}
# An algorithm that hangs is given up: it is not the fastest.
MOST_SECONDS = 240


def bytes_of(size):
    return int(size.removesuffix("Ki").removesuffix("Mi")) * {"Ki": 1 << 10, "Mi": 1 << 20}.get(size[-2:], 1)


def run(words, timeout=None):
    """Beyond the time it ends with all processes that it has started. The first of them may not be the one that hangs."""
    process = subprocess.Popen([str(each) for each in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def output_of(words):
    done = run(words)
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


class Machine:
    def __init__(self, options, folder):
        self.sluice, self.smpi, self.folder = options.build / "bin/sluice", options.smpi, pathlib.Path(folder)
        self.operation, self.algorithm = options.operation, options.algorithm
        self.platform, self.xml, self.hosts = options.platform, self.folder / "p.xml", self.folder / "hosts"
        output_of([self.sluice, "platform-to-simgrid", self.platform, "-o", self.xml, "--hosts", self.hosts])
        output_of([self.sluice, "platform", self.platform, "--format", "1", "-o", self.folder / "listed.json"])
        listed = json.loads((self.folder / "listed.json").read_text())
        self.ranks = listed["ranks"]
        # The same machine, with rank order[i] where rank i was; the root stays where it is.
        order = list(range(1, self.ranks))
        random.Random(1).shuffle(order)
        order.insert(0, 0)
        for cluster in listed["clusters"]:
            cluster["ranks"] = [order[rank] for rank in cluster["ranks"]]
        self.shuffled, self.shuffled_hosts = self.folder / "shuffled.json", self.folder / "shuffled-hosts"
        self.shuffled.write_text(json.dumps(listed))
        hosts = self.hosts.read_text().split()
        places = dict(zip(order, hosts))
        self.shuffled_hosts.write_text("".join(f"{places[rank]}\n" for rank in range(self.ranks)))

    def rows_of_matrix(self, size):
        return math.isqrt(bytes_of(size) // 8)

    def run_words(self, collective, size, platform, hosts, method, settings=()):
        how_much = ["--size", size]
        if collective == "reduce":
            count = self.rows_of_matrix(size) if self.operation == "matmul" else ELEMENTS[size]
            how_much = ["--count", count, "--operation", self.operation, "--algorithm", self.algorithm]
        return [ROOT / "scripts/mpirun.sh", "-B", self.smpi, *settings, "-np", self.ranks, "-platform", self.xml,
                "-hostfile", hosts, self.smpi / "bin/sluice", "run", collective, "--platform", platform, *how_much,
                "--model-only", "--methods", method, "--repetitions", 3, "--json", "-"]

    def executed(self, collective, size, platform, hosts):
        return json.loads(output_of(self.run_words(collective, size, platform, hosts, "sluice")))["methods"][0]["median_s"]

    def predicted(self, collective, size):
        """By the replay of what is executed. The plan of a long message itself states what a part of it says."""
        element = 8
        if collective == "reduce" and self.operation == "matmul":
            size = element = 8 * self.rows_of_matrix(size) ** 2
        how = ["--platform", self.platform, "--size", size]
        if collective == "broadcast":
            return json.loads(output_of([self.sluice, "plan", "broadcast", *how, "--program", "-"]))["length_s"]
        if collective == "reduce":
            collective = "broadcast"
            how += ["--reversed", "--element-bytes", element, "--algorithm", self.algorithm]
            if self.operation in IN_ORDER:
                how.append("--in-order")
        return json.loads(output_of([self.sluice, "simulate", collective, *how, "--json", "-"]))["length"]

    def best_of_smpi(self, collective, size):
        """The least time of MPI's own call by any algorithm, and whose."""
        call, best = CALLS.get(collective, collective), (float("nan"), "none")

        def by(name):
            words = self.run_words(collective, size, self.platform, self.hosts, f"mpi-{call}",
                                   [f"--cfg=smpi/{call.replace('-', '_')}:{name}"])
            return run(words, timeout=MOST_SECONDS)

        refused = by("none-of-them")
        names = re.search(r"Valid algorithms: ([^.]*)\.", refused.stdout + refused.stderr).group(1).split(", ")
        for name in names:
            if name in LEFT_OUT:
                continue
            try:
                done = by(name)
            except subprocess.TimeoutExpired:
                continue
            if done.returncode == 0 and "{" in done.stdout:
                # Some algorithms print that they hand a call on.
                seconds = json.loads(done.stdout[done.stdout.index("{"):])["methods"][0]["median_s"]
                if not best[0] <= seconds:
                    best = (seconds, name)
        return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("platform", nargs="?", type=pathlib.Path, default=ROOT / "studies/four-levels/four-levels-72.json")
    parser.add_argument("--collectives", default=",".join(SIZES))
    parser.add_argument("--operation", default="sum", choices=("sum", *IN_ORDER))
    parser.add_argument("--algorithm", default="auto", help="of reductions")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--no-best", dest="best", action="store_false", help="none of SMPI's algorithms: some minutes")
    parser.add_argument("--no-shuffled", dest="shuffled", action="store_false", help="no order drawn at random")
    parser.add_argument("--smpi", type=pathlib.Path, default=ROOT / "build/smpi")
    options = parser.parse_args()
    print("| collective | size | executed | predicted | executed / predicted | ranks shuffled / executed | best of SMPI | "
          "executed / best |\n|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(options, folder)
        for collective in options.collectives.split(","):
            for size in SIZES[collective]:
                executed = machine.executed(collective, size, options.platform, machine.hosts)
                predicted = machine.predicted(collective, size)
                shuffled, best = "", "| "
                if options.shuffled:
                    theirs = machine.executed(collective, size, machine.shuffled, machine.shuffled_hosts)
                    shuffled = f"{theirs / executed:.3f}"
                if options.best:
                    theirs, name = machine.best_of_smpi(collective, size)
                    best = f"{theirs * 1e3:.3g} ({name}) | {executed / theirs:.2f}"
                print(f"| {collective} | {size} | {executed * 1e3:.3g} | {predicted * 1e3:.3g} | {executed / predicted:.3f}"
                      f" | {shuffled} | {best} |", flush=True)


if __name__ == "__main__":
    main()
