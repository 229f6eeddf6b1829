#!/usr/bin/env python3
"""How well three answers to "how long does this take" agree: `sluice simulate` by the model, by SimGrid, and the real
executor on the same machine under SimGrid's SMPI (`sluice run` of the preset smpi). Simulated times are the same every
time, whatever the machine that computes them does. Some minutes.

    bench/simulate_agreement.py [--build build/release] [--smpi build/smpi]

"model" is the model of ports for exchanges and the planner's replay for programs. It does not count the short messages
that keep steps or k between ranks. "simgrid as executed" does (--control); beside it stands its length without them.
Exchanges: 8 hosts to 8 others, links of 125 MB/s and 25 us, log-normal and even messages; the set-up is the latency of two
links. They are executed whole, one piece per message, and in the pieces that jobs have unless told, which are messages of
their own to SMPI: simgrid's --chunk. Programs: studies/grid5000/grid5000-88.json, 88 hosts in six clusters; without them
(--exchanges) it takes a minute or two.
"""
import argparse
import json
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOSTS, BYTES_PER_S, LATENCY_S = 16, 125e6, 25e-6
# A look for messages takes as long as on a machine. Elsewhere it takes 10 us, which keeps simulations short.
QUICK_LOOKS = ("--cfg=smpi/test:1e-6", "--cfg=smpi/iprobe:1e-6")
CLUSTER = f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <cluster id="c" prefix="h-" suffix="" radical="0-{HOSTS - 1}" speed="1Gf" bw="{BYTES_PER_S:.0f}Bps" lat="{LATENCY_S}s"/>
</platform>
"""


def output_of(words):
    done = subprocess.run([str(each) for each in words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


class Machine:
    def __init__(self, options, folder):
        self.sluice, self.smpi, self.folder = options.build / "bin/sluice", options.smpi, pathlib.Path(folder)

    def simulated(self, words):
        return output_of([self.sluice, "simulate", *words, "--json", "-"])["length"]

    def executed(self, ranks, platform, hosts, words, method, settings=()):
        launcher = [ROOT / "scripts/mpirun.sh", "-B", self.smpi, *settings, "-np", ranks, "-platform", platform,
                    "-hostfile", hosts]
        run = output_of([*launcher, self.smpi / "bin/sluice", "run", *words, "--repetitions", 3, "--json", "-"])
        return next(each["median_s"] for each in run["methods"] if each["name"] == method)


def row(name, model, simgrid, control, smpi):
    print(f"| {name} | {model * 1e3:.3g} ms | {simgrid * 1e3:.3g} ms | {simgrid / model:.3f} | {control * 1e3:.3g} ms | "
          f"{smpi * 1e3:.3g} ms | {smpi / control:.3f} |", flush=True)


def exchanges(machine):
    platform, hosts = machine.folder / "cluster.xml", machine.folder / "hosts"
    platform.write_text(CLUSTER)
    hosts.write_text("".join(f"h-{i}\n" for i in range(HOSTS)))
    numbers = random.Random(1)
    half = HOSTS // 2
    for name, draw in (("log-normal", lambda: round(numbers.lognormvariate(12.5, 1))), ("even", lambda: 300000)):
        traffic = machine.folder / f"{name}.csv"
        traffic.write_text("\n".join(",".join(str(draw()) for _ in range(half)) for _ in range(half)) + "\n")
        for k in (3, half):
            # Mode local of a job keeps no k and plans for none.
            for order in ("barrier", "local", "chain") if k == half else ("barrier", "chain"):
                how = ["exchange", traffic, "--max-transfers", k, "--setup", round(2 * LATENCY_S * BYTES_PER_S)]
                model = machine.simulated([*how, "--order", order, "--speed", f"{BYTES_PER_S:.0f}B"])
                simgrid, *ways = (
                    machine.simulated([*how, "--order", order, "--engine", "simgrid", "--platform", platform, *more])
                    for more in ((), ("--control",), ("--chunk", "usual")))
                for pieces, chunk, simulated in (("whole", ("--chunk", "1Gi"), ways[0]), ("in pieces", (), ways[1])):
                    row(f"{name} exchange, k = {k}, {order}, {pieces}", model, simgrid, simulated,
                        machine.executed(HOSTS, platform, hosts, [*how, *chunk, "--methods", f"sluice-{order}"],
                                         f"sluice-{order}", QUICK_LOOKS))


def programs(machine):
    folder = ROOT / "studies/grid5000"
    ours, xml, hosts = (folder / f"grid5000-88.{end}" for end in ("json", "xml", "hosts"))
    vectors, blocks = ("1Ki", "64Ki", "1Mi"), ("128", "1Ki", "16Ki")
    for problem, size in ((problem, size) for sizes, problems in ((vectors, ("allreduce", "reduce-scatter")),
                                                                  (blocks, ("allgather", "alltoall", "scatter", "gather")))
                          for problem in problems for size in sizes):
        how = [problem, "--platform", ours, "--size", size]
        simgrid = machine.simulated([*how, "--engine", "simgrid"])  # a program has no other messages
        row(f"{problem} of {size}", machine.simulated(how), simgrid, simgrid,
            machine.executed(88, xml, hosts, [*how, "--model-only", "--methods", "sluice"], "sluice"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--smpi", type=pathlib.Path, default=ROOT / "build/smpi")
    parser.add_argument("--exchanges", action="store_true", help="no programs")
    options = parser.parse_args()
    print("| work | model | simgrid | simgrid / model | simgrid as executed | executed under SMPI | executed / simgrid |\n"
          "|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(options, folder)
        exchanges(machine)
        if not options.exchanges:
            programs(machine)


if __name__ == "__main__":
    main()
