"""Compares what two `sluice` commands write: a fence for changes that must not change any plan.

    scripts/same-plans.sh [--quick] [--only REGEX] OLD NEW      commands, or build folders

Every verb that plans, judges, predicts or simulates without MPI gets the same instances from both commands, with every
algorithm that OLD lists. Instances are drawn here, with fixed seeds. A case is a few commands that read each other's
files. It differs if a command differs in its exit status, in what it prints or in the files it writes. The table has a
row for each kind of case: how many cases both commands refuse in the same words, and how many differ. The first that
differ are printed, and their files are kept. Only dates, versions and the time of planning may differ. No command has a
limit in seconds, so the same arguments give the same plan.

--quick takes a tenth of the cases of each kind, --only those cases that have REGEX in their kind or in a command.
Exit status: 0 all the same, 1 some differ, 2 bad input.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

LONGEST_S = 300  # a command that takes longer hangs
SHOWN = 3  # commands of a kind that differ

# What may differ between two runs of the same command.
VARIES = [(re.compile(rb'"(version|date)": ?"[^"]*"'), rb'"\1": "1"'), (re.compile(rb'"plan_s": ?[-+.0-9e]+'), b'"plan_s": 1')]

COLLECTIVES = ["scatter", "gather", "allgather", "reduce-scatter", "allreduce", "alltoall"]

Case = collections.namedtuple("Case", "kind commands large")


# --- instances ---------------------------------------------------------------------------------------------------------


class Inputs:
    """Writes instances into a folder. Commands run in folders beside it."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="ascii")
        return f"../../in/{name}"

    def json(self, name, value):
        return self.write(name, json.dumps(value) + "\n")

    def traffic(self, name, senders, receivers, messages):
        """messages: (sender, receiver, size), counted from 0."""
        lines = [f"{u + 1} {v + 1} {size}" for u, v, size in messages]
        head = f"%%MatrixMarket matrix coordinate integer general\n{senders} {receivers} {len(lines)}\n"
        return self.write(name, head + "\n".join(lines) + "\n")


def sizes(draw, how):
    return {"units": lambda: draw.randint(1, 20),
            "equal": lambda: 4096,
            "log-normal": lambda: 1 + int(draw.lognormvariate(9, 2)),
            "classes": lambda: draw.choice([100, 100, 100, 25000]) + draw.randint(0, 9)}[how]


def drawn_messages(draw, senders, receivers, density, how):
    size = sizes(draw, how)
    messages = [(u, v, size()) for u in range(senders) for v in range(receivers) if draw.random() < density]
    return messages or [(0, 0, size())]


def sparse_messages(draw, nodes, each, how):
    size = sizes(draw, how)
    return [(u, v, size()) for u in range(nodes) for v in sorted(draw.sample(range(nodes), each))]


def gap(draw, rate, overhead_s):
    points = [[1, overhead_s], [1 << 20, overhead_s + (1 << 20) / rate]]
    if draw.random() < 0.4:
        points.insert(1, [4096, overhead_s + 4096 / rate * draw.choice([0.6, 1, 1.5])])
    return points


def drawn_part(draw, depth, name, most):
    rate = draw.choice([12.5e6, 60e6, 125e6, 1e9])
    link = {"latency_s": draw.choice([1e-6, 3e-5, 1e-4]), "gap": gap(draw, rate, draw.choice([1e-6, 2e-6, 1e-5]))}
    part = {"name": name, "link": link}
    if depth == 0:
        part["ranks"] = draw.randint(1, most)
        return part
    part["link"] = {"latency_s": draw.choice([1e-4, 1e-3, 7e-3]), "gap": gap(draw, draw.choice([5e6, 20e6, 118e6]), 2e-6),
                    "connections": draw.choice([1, 1, 2, 8])}
    if draw.random() < 0.4:
        part["parts"] = [dict(drawn_part(draw, depth - 1, "x", most), count=draw.choice([2, 3, 4]))]
    else:
        part["parts"] = [drawn_part(draw, depth - 1, f"x{i}", most) for i in range(draw.choice([2, 3]))]
    return part


def platform_of_levels(draw, depth, most):
    platform = drawn_part(draw, depth, "top", most)
    if depth == 0:
        platform["ranks"] += 2
    if depth == 2:  # between clusters of different parts
        for part in platform["parts"]:
            part["shares_uplink"] = draw.random() < 0.5
    return dict({"schema": "sluice.platform/2"}, **platform)


def ranks_of(part):
    if "ranks" in part:
        return part["ranks"] * part.get("count", 1)
    return sum(ranks_of(each) for each in part["parts"]) * part.get("count", 1)


def platform_of_pairs(draw, clusters, most):
    """Version 1: a link for every pair of clusters, none like another, ranks dealt out round the clusters or in blocks."""
    count = [draw.randint(1, most) for _ in range(clusters)]
    ranks = list(range(sum(count)))
    if draw.random() < 0.3:
        draw.shuffle(ranks)
    platform = {"schema": "sluice.platform/1", "ranks": len(ranks), "clusters": [], "links": []}
    for i in range(clusters):
        mine, ranks = ranks[:count[i]], ranks[count[i]:]
        platform["clusters"].append({"name": f"c{i}", "ranks": mine, "latency_s": draw.choice([1e-6, 4e-5]),
                                     "gap": gap(draw, draw.choice([60e6, 125e6, 1e9]), 2e-6)})
        for j in range(i):
            platform["links"].append({"from": j, "to": i, "latency_s": draw.uniform(1e-4, 1e-2),
                                      "gap": gap(draw, draw.uniform(2e6, 1e8), 2e-6), "connections": draw.choice([1, 1, 8])})
    return platform


# --- cases -------------------------------------------------------------------------------------------------------------


class Cases:
    def __init__(self, inputs, sluice):
        self.inputs = inputs
        self.sluice = sluice
        self.cases = []

    def add(self, kind, *commands, large=False):
        """Commands follow each other in one folder; a word has no blanks."""
        self.cases.append(Case(kind, [["sluice", *command.split()] for command in commands], large))

    def algorithms(self, verb):
        """The names that the help has after --algorithm NAME; and those that --reversed adds for broadcasts."""
        text = subprocess.run([self.sluice, *verb.split(), "--help"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"--algorithm NAME \[[a-z]+\](.*?)\n(?:  -|\n)", text, re.S)
        if not found:
            bad_input(f"{self.sluice} {verb} --help: no list of algorithms, expected one of sluice")
        parts = re.sub(r"\s+", " ", found[1]).partition("; with --reversed also a program:")
        return [[name.strip() for name in parts[i].split(";")[0].split(",") if name.strip()] for i in (0, 2)]

    def add_plan(self, kind, number, plan, check="", simulate=""):
        """Writes a plan in one of three ways; then another verb reads it."""
        write, use = [("--json plan.json --all", f"check plan.json {check}"),
                      ("--json plan.json --svg plan.svg --quiet", f"simulate plan.json {simulate} --json times.json --all"),
                      ("--json plan.json --trace plan.trace --summary", "report plan.json -o page.html")][number % 3]
        self.add(kind, f"{plan} {write}", use)


def exchange_network(draw):
    if draw.random() < 0.4:
        return f"--node-link 10Gbit --ranks-per-node {draw.choice([1, 2, 4])} --latency 5us"
    return (f"--backbone {draw.choice(['1Gbit', '2500Mbit'])} --sender-link {draw.choice(['100Mbit', '1Gbit'])} "
            f"--receiver-link {draw.choice(['100Mbit', '300Mbit'])} --latency {draw.choice(['1ms', '50us'])}")


def exchanges(cases):
    draw = random.Random(101)
    names, _ = cases.algorithms("plan exchange")
    compared = ",".join(name for name in names if name != "multigraph")
    small = []  # name, senders, receivers, names of algorithms; multigraph makes a step for each unit
    for i in range(36):
        senders, receivers = draw.randint(1, 9), draw.randint(1, 9)
        messages = drawn_messages(draw, senders, receivers, draw.choice([0.3, 0.7, 1]),
                                  draw.choice(["units", "units", "equal", "log-normal", "classes"]))
        fitting = names if sum(size for _, _, size in messages) < 3000 else compared.split(",")
        small.append((cases.inputs.traffic(f"small{i}.mtx", senders, receivers, messages), senders, receivers, fitting))
    effort = "--effort 0.05"
    number = 0
    for path, senders, receivers, fitting in small:
        for name in fitting:
            number += 1
            limit = f"--max-transfers {draw.randint(1, min(senders, receivers))}" if draw.random() < 0.6 else ""
            order = draw.choice(["barrier", "local", "chain"])
            cases.add_plan("plan exchange", number, f"plan exchange {path} --algorithm {name} {effort} {limit} "
                           f"--setup {draw.choice([0, 0.5, 1, 7, 300])}", f"--traffic {path}", f"--order {order}")
    for i, (path, senders, receivers, fitting) in enumerate(small[:16]):
        speeds = {"schema": "sluice.speeds/1"}
        if i % 4 != 3:
            speeds["senders"] = [draw.choice([0.25, 0.5, 1, 1, 2.5]) for _ in range(senders)]
            speeds["receivers"] = [draw.choice([0.125, 1, 1, 3]) for _ in range(receivers)]
        if i % 4 >= 2:
            speeds["backbone"] = [{"time": time, "max_transfers": draw.randint(1, 6)} for time in (0, 9, 40, 5000)]
        file = cases.inputs.json(f"speeds{i}.json", speeds)
        for number, name in enumerate(fitting):
            cases.add_plan("plan exchange, speeds and k(t)", i + number, f"plan exchange {path} --speeds {file} "
                           f"--algorithm {name} {effort} --setup {draw.choice([0, 1, 20])}", f"--traffic {path}")
    for i, (path, senders, receivers, fitting) in enumerate(small[10:22]):
        switches = min(2 + i % 3, senders, receivers)
        for name in fitting:
            cases.add("plan exchange, switches", f"plan exchange {path} --switches {switches} --algorithm {name} {effort} "
                      f"--setup {draw.choice([1, 30])} --json plan.json --all", f"check plan.json --traffic {path}")
    for path, _, _, fitting in small[20:34]:
        for name in fitting[::3] + ["auto"]:
            network = exchange_network(draw)
            cases.add("plan exchange, hardware",
                      f"plan exchange {path} {network} --algorithm {name} {effort} --json plan.json")
        cases.add("predict exchange", f"predict exchange {path} {exchange_network(draw)} --effort 0.02 --json -")
        links = (f"--backbone 1Gbit --sender-link {draw.choice(['200Mbit', '1Gbit'])} --receiver-link 300Mbit --latency 2ms "
                 f"--local-links {draw.choice(['10Gbit', '1Gbit'])} --local-latency 20us")
        for name in ["auto", "oggp", "first-fit"]:
            cases.add("plan exchange, local links", f"plan exchange {path} {links} --algorithm {name} {effort} --json plan.json",
                      f"check plan.json --traffic {path} --json -")
    for i, (path, _, _, _) in enumerate(small):
        cases.add("compare exchange", f"compare exchange {path} --setup {[1, 25][i % 2]} --effort 0.02 --seed {1 + i % 3} "
                  f"--algorithms {compared} --json compare.json --svg compare.svg --quiet", "report compare.json -o page.html")
        cases.add("simulate exchange", f"simulate exchange {path} --order {['barrier', 'local', 'chain'][i % 3]} "
                  "--effort 0.02 --json times.json --svg times.svg --rows receivers")
        cases.add("plan exchange, export", f"plan exchange {path} --export {['ppermute', 'p2p'][i % 2]} - --algorithm oggp")
        exact = f"plan exchange {path} --algorithm exact"
        cases.add("plan exchange, resume", f"{exact} --effort 0.02 --json plan.json",
                  f"{exact} --effort 0.1 --resume plan.json --json further.json")
    for i in range(8):
        messages = drawn_messages(draw, 6, 6, 0.6, "log-normal")
        edges = cases.inputs.write(f"edges{i}.csv", "src,dst,bytes\n" + "".join(f"{u},{v},{size}\n" for u, v, size in messages))
        rows = "".join(",".join(str(draw.choice([0, 1, 40, 3000])) for _ in range(5)) + "\n" for _ in range(4))
        matrix = cases.inputs.write(f"matrix{i}.csv", rows + "1,1,1,1,1\n")
        for path in (edges, matrix):
            cases.add("plan exchange, tables", f"plan exchange {path} --effort 0.02 --all", f"report {path} -o -")
    slow = ["exact", "multigraph", "eclipse", "thresholds"]
    slower = slow + ["stepwise", "greedy", "solstice", "profile", "rising", "weights", "degrees", "auto"]
    for i, (nodes, each, how, left_out) in enumerate([
            (64, 63, "log-normal", slow[:2]), (48, 47, "equal", slow[:2]), (300, 10, "classes", slow),
            (600, 5, "log-normal", slow), (2000, 4, "log-normal", slower)]):
        path = cases.inputs.traffic(f"large{i}.mtx", nodes, nodes, sparse_messages(draw, nodes, each, how))
        for name in names:
            if name not in left_out:
                cases.add("plan exchange, large", f"plan exchange {path} --algorithm {name} --setup 2000 --max-transfers "
                          f"{nodes if i % 2 else nodes // 3} --effort 0.02 --json plan.json --quiet", large=True)


def redistributions(cases):
    draw = random.Random(202)
    names, _ = cases.algorithms("plan redistribute")
    exchange_names = [name for name in cases.algorithms("plan exchange")[0] if name not in ("exact", "multigraph")]

    def layout(dimensions):
        processes = [draw.choice([1, 2, 3, 4, 5, 6] if dimensions == 1 else [1, 2, 2, 3]) for _ in range(dimensions)]
        blocks = [draw.randint(1, 7 if dimensions < 3 else 3) for _ in range(dimensions)]
        return "x".join(map(str, processes)) + ":" + "x".join(map(str, blocks))

    def option(chance, text):
        return text if draw.random() < chance else ""

    number = 0
    for i in range(60):
        dimensions = [1, 1, 1, 2, 2, 2, 3, 4, 5][i % 9]
        most = 90 if dimensions < 3 else 14
        shape = "x".join(str(draw.randint(most // 3, most)) for _ in range(dimensions))  # most have tails
        words = f"--from {layout(dimensions)} --to {layout(dimensions)} " + option(0.5, f"--shape {shape} ")
        words += option(0.3, f"--setup {draw.choice([0, 10, 1000])} ") + option(0.2, f"--element-bytes {draw.choice([1, 16])} ")
        same = option(0.2, "--same-processes")
        kind = f"plan redistribute, {dimensions} dimension{'s' if dimensions > 1 else ''}"
        for name in names:
            number += 1
            plan = f"plan redistribute {words} {same} --algorithm {name}"
            if name == "walker-otto":  # two schedules, which no file holds
                cases.add(kind, f"{plan} --all")
            else:
                cases.add_plan(kind, number, plan, simulate=f"--order {draw.choice(['barrier', 'local', 'chain'])}")
        if i % 2 == 0:
            cases.add("compare redistribute", f"compare redistribute {words} {same} --json compare.json --quiet",
                      "report compare.json -o page.html")
        if dimensions < 3:
            cases.add("simulate redistribute", f"simulate redistribute {words} --order local --json -")
    for i in range(24):
        p, q = draw.randint(2, 6), draw.randint(2, 6)
        base = f"--from {p}:{draw.randint(1, 5)} --to {q}:{draw.randint(1, 5)}"
        tail = f"{base} --shape {draw.randint(20, 300)}"

        def add(feature, words, checked=True):
            cases.add(f"plan redistribute, {feature}", f"plan redistribute {words} --effort 0.1 --json plan.json --all",
                      *(["check plan.json"] if checked else []))
        add("relabel", f"{tail} --relabel")
        add("arrays", f"{tail} --arrays {1 + i % 4}")
        add("preemptive", f"{tail} --preemptive", checked=False)
        add("preemptive", f"{tail} --algorithm {draw.choice(exchange_names)}")
        copies = f"--from-replicas {draw.randint(1, 3)} --to-replicas {draw.randint(1, 3)} --setup {draw.choice([1, 50])}"
        add("replicas", f"{base} {copies}")
        matrix = f"--from 2x{p}:{draw.randint(1, 4)}x3 --to {q}x2:4x{draw.randint(1, 4)} --shape {draw.randint(8, 40)}x{draw.randint(8, 40)}"
        part = ["--transpose", "--part upper", "--part lower --unit-diagonal", "--part upper --transpose"][i % 4]
        add("parts of matrices", f"{matrix} {part}")
        cuts = ",".join(map(str, [0, *sorted(draw.sample(range(1, 60), p - 1)), 60]))
        owners = "@" + ",".join(map(str, draw.sample(range(p), p))) if i % 2 else ""
        add("cuts", f"--from {p}:{cuts}{owners} --to {q}:{draw.randint(1, 9)}")
        arrays = [{"from": f"{p}:{draw.randint(1, 5)}", "to": f"{q}:{draw.randint(1, 5)}", "shape": str(draw.randint(20, 200)),
                   "element_bytes": draw.choice([4, 8])} for _ in range(1 + i % 3)]
        arrays.append({"from": f"{p}x1:2x3", "to": f"1x{q}:3x2", "shape": "24x30", **[{}, {"part": "upper"}][i % 2]})
        file = cases.inputs.json(f"arrays{i}.json", {"schema": "sluice.arrays/1", "arrays": arrays})
        add("batches", f"--batch {file}")
        cases.add("compare redistribute, batches", f"compare redistribute --batch {file} --effort 0.02 --json -")
        cases.add("compare redistribute, replicas", f"compare redistribute {base} {copies} --json -")
        cases.add("plan redistribute, fronts", f"plan redistribute {base} --front --json front.json --svg front.svg",
                  "report front.json -o page.html")
        cases.add("plan redistribute, one rank", f"plan redistribute {tail} --rank {draw.randrange(max(p, q))} --all")
        engine = ["ppermute -", "p2p -", "msccl -"][i % 3]
        cases.add("plan redistribute, export", f"plan redistribute {base if i % 3 < 2 else f'--from {p}:1 --to {p}:{p}'} --export {engine}")
    for words in ["--from 64:3 --to 96:5", "--from 16x16:64x64 --to 12x20:100x100 --shape 4096x4096", "--from 8x8x4:4x4x4 --to 4x8x8:3x5x4",
                  "--from 5000:64 --to 5000:100", "--from 120:7 --to 77:12 --shape 100003"]:
        for name in names:
            cases.add("plan redistribute, large", f"plan redistribute {words} --algorithm {name} --summary", large=True)
        if "5000" not in words:
            cases.add("plan redistribute, large", f"plan redistribute {words} --json plan.json --quiet", "check plan.json", large=True)


def column(draw, values, count):
    return "".join(f"{draw.choice(values)}\n" for _ in range(count))


def reductions(cases, platforms):
    draw = random.Random(303)
    names, _ = cases.algorithms("plan reduce")
    number = 0
    for i in range(40):
        machines = draw.randint(1, 10) if i % 4 else draw.randint(11, 60)
        transfer, c = f"--transfer {draw.choice([0.5, 1, 2, 3])}", draw.choice([0, 0.25, 1, 2])
        compute, overhead = f"--compute {c}", f"--transfer-overhead 0.1 --compute-overhead {0.1 * c}"
        if i % 7 == 1:
            transfer = "--transfer-costs " + cases.inputs.write(f"senders{i}.csv", column(draw, [0.5, 1, 2, 4], machines))
        elif i % 7 == 2:
            rows = [["0" if u == v else str(draw.choice([0.5, 1, 2, 4])) for v in range(machines)] for u in range(machines)]
            transfer = "--transfer-costs " + cases.inputs.write(f"links{i}.csv", "".join(",".join(row) + "\n" for row in rows))
        if i % 5 == 3:
            compute = "--compute-costs " + cases.inputs.write(f"computes{i}.csv", column(draw, [0.5, 1, 3], machines))
            overhead = "--transfer-overhead 0.1"
        words = f"--machines {machines} {transfer} {compute}"
        if draw.random() < 0.3:
            words += " --arrivals " + cases.inputs.write(f"arrivals{i}.txt", column(draw, [0, 1, 2.5, 7], machines))
        words += draw.choice(["", "", f" --max-transfers {draw.randint(1, 4)}", f" --max-reducers {draw.randint(1, 4)}"])
        words += draw.choice(["", "", " --root any", f" --root {draw.randrange(machines)}"])
        words += draw.choice(["", "", "", " --non-commutative"])
        words += draw.choice(["", "", f" --segments {draw.choice([2, 5, 'auto'])} {overhead}"])
        for name in names:
            number += 1
            plan = f"plan reduce {words} --algorithm {name}" + (" --arity 3" if name == "k-ary" else "")
            cases.add_plan("plan reduce", number, plan)
            if number % 5 == 0:
                cases.add("plan reduce, programs", f"{plan} --size 6Ki --program program.json --tree tree.svg --quiet",
                          "check program.json")
        cases.add("compare reduce", f"compare reduce {words} --json -")
        cases.add("simulate reduce", f"simulate reduce {words.replace('--segments auto', '--segments 3')} --json -")
    for i, (path, ranks) in enumerate(platforms[:16]):
        for name in names[i % 2::2]:
            cases.add("plan reduce, platforms", f"plan reduce --platform {path} --size {draw.choice(['1Ki', '1Mi'])} --compute 1ms "
                      f"--root {draw.choice([0, ranks - 1, 'any'])} --algorithm {name} --json plan.json --program program.json",
                      f"simulate program.json --platform {path} --json -")
    for words in ["--machines 1000", "--machines 300 --segments auto --transfer-overhead 0.05", "--machines 100000",
                  "--machines 2000 --max-transfers 20", "--machines 3000 --non-commutative"]:
        for name in names:
            cases.add("plan reduce, large", f"plan reduce {words} --transfer 2 --compute 1 --algorithm {name} --json plan.json --quiet",
                      large=True)


def platform_files(cases):
    draw = random.Random(404)
    files = []
    for i in range(24):
        if i % 3 == 0:
            platform = platform_of_pairs(draw, [2, 3, 5, 7][i // 3 % 4], 4)
            ranks = platform["ranks"]
        else:
            platform = platform_of_levels(draw, [0, 1, 1, 2][i % 4], 5)
            ranks = ranks_of(platform)
            if i in (4, 16):  # one cluster, whose broadcasts were measured
                platform.update(broadcast=[[1, 3e-5], [1 << 20, 2e-2]], planned_broadcast=[[1, 4e-5], [1 << 20, 1e-2]])
        path = cases.inputs.json(f"platform{i}.json", platform)
        files.append((path, ranks))
        cases.add("platform", f"platform {path} -o two.json --json levels.json", f"platform {path} --format 1 -o one.json",
                  "platform one.json", f"report {path} -o page.html")
        cases.add("platform-to-simgrid", f"platform-to-simgrid {path} -o machine.xml --hosts hosts")
        cases.add("tune", f"tune --platform {path} --for {['openmpi', 'mpich'][i % 2]} --sizes 1Ki,64Ki -o rules --json rules.json")
    return files


def large_platforms(cases):
    draw = random.Random(505)
    flat = {"schema": "sluice.platform/2", "ranks": 128, "link": {"latency_s": 1e-5, "gap": gap(draw, 1e9, 2e-6)}}
    cluster = {"name": "c", "count": 8, "ranks": 24, "link": {"latency_s": 2e-5, "gap": gap(draw, 1.25e8, 2e-6)}}
    clusters = {"schema": "sluice.platform/2", "parts": [cluster],
                "link": {"latency_s": 1e-3, "gap": gap(draw, 1e8, 4e-6), "connections": 4}}
    return [cases.inputs.json("flat.json", flat), cases.inputs.json("clusters.json", clusters)]


def broadcasts(cases, platforms, large):
    draw = random.Random(606)
    names, reversed_names = cases.algorithms("plan broadcast")
    number = 0
    for path, ranks in platforms:
        for name in names:
            number += 1
            words = (f"--platform {path} --size {draw.choice([1, 3000, '64Ki', '1Mi'])} --root {draw.randrange(ranks)} "
                     f"--algorithm {name} --effort 0.05 ")
            if name in ("auto", "exact"):
                words += draw.choice(["", "--segments 1", "--segments 1 --early-internal"])
            elif name in ("pipelined", "parallel-entry"):
                words += draw.choice(["", "--segments 1", "--segments 6"])
            elif name != "native":
                words += draw.choice(["", "--segments 1", "--segments 6", "--inside binomial", "--inside chain --segments 4"])
            if name == "ecef-la":
                words += f" --lookahead {draw.choice(['min', 'average', 'average-sets'])}"
            cases.add_plan("plan broadcast", number, f"plan broadcast {words}")
            if name != "native":
                cases.add("plan broadcast, programs", f"plan broadcast {words} --program program.json --tree tree.svg",
                          f"simulate program.json --platform {path} --json times.json --summary",
                          f"check program.json --platform {path}")
        for name in dict.fromkeys(names + reversed_names):
            more = draw.choice(["", "--element-bytes 8", "--element-bytes 8 --compute 2ns", "--element-bytes 4 --in-order"])
            cases.add("plan broadcast, reversed", f"plan broadcast --platform {path} --size {draw.choice([800, '64Ki'])} --reversed "
                      f"--root {draw.randrange(ranks)} --algorithm {name} --effort 0.02 {more} --program program.json",
                      f"check program.json --platform {path}")
        of_platform = f"broadcast --platform {path} --size 64Ki"
        cases.add("compare broadcast", f"compare {of_platform} --effort 0.02 --json -")
        cases.add("predict broadcast", f"predict {of_platform} --json -")
        cases.add("simulate broadcast", f"simulate {of_platform} --effort 0.02 --json -")
        cases.add("simulate broadcast, SimGrid", f"simulate {of_platform} --effort 0.02 --engine simgrid --json -")
    for path in large:
        for name in names + ["auto --reversed", "circulant --reversed", "reduce-scatter-gather --reversed"]:
            cases.add("plan broadcast, large", f"plan broadcast --platform {path} --size 1Mi --algorithm {name} --effort 0.02 "
                      "--program program.json --quiet", large=True)


def collectives(cases, platforms, large):
    draw = random.Random(707)
    for problem in COLLECTIVES:
        names, _ = cases.algorithms(f"plan {problem}")
        number = 0
        for i, (path, ranks) in enumerate(platforms[:20]):
            large_block = 8 * draw.choice([900, 40000])
            counts = ",".join([*(str(8 * draw.choice([0, 1, 5, 900])) for _ in range(ranks - 1)), str(large_block)])
            if problem == "alltoall":
                rows = [[8 * draw.choice([0, 1, 5, 300]) for _ in range(ranks)] for _ in range(ranks)]
                rows[0][-1] = large_block
                text = "".join(",".join(map(str, row)) + "\n" for row in rows)
                counts = cases.inputs.write(f"counts{i}.csv", text)
            costs = cases.inputs.write(f"costs{i}.csv", column(draw, ["1e-9", "2e-9", "8e-9"], ranks))

            def of_problem(more):
                words = f"{problem} --platform {path} "
                words += f"--counts {counts}" if draw.random() < 0.4 and problem != "allreduce" else f"--size {draw.choice([8, 4096, '64Ki'])}"
                if problem in ("scatter", "gather"):
                    words += f" --root {draw.randrange(ranks)}"
                return f"{words} {more if problem in ('reduce-scatter', 'allreduce') else ''}"
            for name in names:
                number += 1
                more = draw.choice(["", "--compute 3ns", "--element-bytes 4", f"--compute-costs {costs}"])
                if name.startswith("ordered") or draw.random() < 0.15:
                    more += " --in-order"
                if problem == "allreduce" and name in ("chain", "ordered-tree", "grouped-pipeline"):
                    more += draw.choice(["", " --segments 1", " --segments 3"])
                cases.add_plan(f"plan {problem}", number, f"plan {of_problem(more)} --algorithm {name} --effort 0.05",
                               f"--platform {path}", f"--platform {path}")
            cases.add(f"compare {problem}", f"compare {of_problem('--in-order' if i % 4 == 0 else '')} --effort 0.02 --json -")
            cases.add(f"predict {problem}", f"predict {of_problem('')} --effort 0.02 --json -")
            cases.add(f"simulate {problem}", f"simulate {of_problem('')} --effort 0.02 --json -")
            if i % 3 == 0:
                cases.add("simulate collectives, SimGrid", f"simulate {of_problem('')} --effort 0.02 --engine simgrid --json -")
        for path in large:
            for name in names:
                cases.add("plan collectives, large", f"plan {problem} --platform {path} --size 24Ki --algorithm {name} --effort 0.02 "
                          "--json program.json --quiet", large=True)
        cases.add(f"plan {problem}", f"plan {problem} --node-link 10Gbit --ranks-per-node 4 --ranks 14 --size 4Ki --json -")


def clusterings(cases):
    draw = random.Random(808)
    for i in range(20):
        nodes = draw.randint(3, 30)
        near = [2e-5, 5e-3, 9e-3]
        lines = [f"{u + 1} {v + 1} {draw.uniform(1, 1.4) * near[(u % 3 != v % 3) + (u % 6 != v % 6)]:.6g}"
                 for u in range(nodes) for v in range(u) if i % 3 or draw.random() < 0.8]
        head = f"%%MatrixMarket matrix coordinate real symmetric\n{nodes} {nodes} {len(lines)}\n"
        path = cases.inputs.write(f"latency{i}.mtx", head + "\n".join(lines) + "\n")
        for name in cases.algorithms("cluster")[0]:
            cases.add("cluster", f"cluster {path} --algorithm {name} --tolerance {draw.choice(['0.3', '0.1,0.5', '0.3,0.4,2'])} "
                      "--json clusters.json --svg clusters.svg --all", "report clusters.json -o page.html")


def simulations(cases, platforms):
    """Of steps and trees on SimGrid's machine of a platform."""
    draw = random.Random(909)
    for i, (path, ranks) in enumerate(platforms[:12]):
        senders, receivers = ranks // 2, ranks - ranks // 2
        messages = drawn_messages(draw, senders, receivers, 0.6, "log-normal")
        traffic = cases.inputs.traffic(f"simulated{i}.mtx", senders, receivers, messages)
        machine = f"--engine simgrid --platform {path}"
        steps = f"{machine} --order {draw.choice(['barrier', 'local', 'chain'])}"
        more = draw.choice(["", "--control", "--chunk usual", "--chunk 4096"])
        cases.add("simulate exchange, SimGrid", f"simulate exchange {traffic} {steps} {more} --effort 0.02 --json -")
        cases.add("simulate redistribute, SimGrid",
                  f"simulate redistribute --from {senders}:3 --to {receivers}:5 --shape 3000 {steps} --json -")
        cases.add("simulate reduce, SimGrid",
                  f"simulate reduce --machines {ranks} --transfer 2 --compute 1 {machine} --size 10Ki --json -")


def refusals(cases, platforms):
    path = platforms[0][0]
    head = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n"
    broken = [("broken.mtx", head + "3 1 5\n"), ("minus.mtx", head + "1 1 -5\n"), ("words.csv", "a,b\nc,d\n"),
              ("broken.json", '{"schema": "sluice.schedule/1", "type": "steps"}\n'), ("other.json", "[1, 2\n")]
    for file in [cases.inputs.write(*each) for each in broken] + ["../../in/none"]:
        for command in [f"plan exchange {file}", f"check {file}", f"simulate {file}", f"cluster {file}", f"platform {file}",
                        f"report {file} -o page.html", f"plan broadcast --platform {file} --size 8",
                        f"plan redistribute --batch {file}"]:
            cases.add("bad input", command)
    for words in ["--from 0:3 --to 3:1", "--from 4 --to 3:1", "--from 4x2:1 --to 3:1", "--from 4:2 --to 3:0", "--to 3:1",
                  "--from 4:2 --to 3:1 --shape 0", "--from 4:2 --to 3:1 --algorithm none"]:
        cases.add("bad input", f"plan redistribute {words}")
    for words in ["0", "3 --transfer -1 --compute 1", "3 --transfer 1 --compute 1 --root 3"]:
        cases.add("bad input", f"plan reduce --machines {words}")
    for problem in COLLECTIVES + ["broadcast"]:
        for words in ["", "--size 8 --root 100000", "--counts 1,2", "--size 12 --algorithm nothing"]:
            cases.add("bad input", f"plan {problem} --platform {path} {words}")


def all_cases(inputs, sluice):
    cases = Cases(inputs, sluice)
    platforms = platform_files(cases)
    large = large_platforms(cases)
    exchanges(cases)
    redistributions(cases)
    reductions(cases, platforms)
    broadcasts(cases, platforms, large)
    collectives(cases, platforms, large)
    clusterings(cases)
    simulations(cases, platforms)
    refusals(cases, platforms)
    return cases.cases


# --- running and comparing ---------------------------------------------------------------------------------------------


def fixed(content):
    for pattern, instead in VARIES:
        content = pattern.sub(instead, content)
    return content


def outcome(sluice, command, folder):
    """Exit status, what is printed, and what files have after it, without what varies."""
    try:
        done = subprocess.run(command, executable=sluice, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return {"exit status": f"none within {LONGEST_S} s"}
    result = {"exit status": done.returncode, "standard output": fixed(done.stdout), "standard error": fixed(done.stderr)}
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        result[path.name] = fixed(content)
        if result[path.name] != content:
            path.write_bytes(result[path.name])  # the next command reads the same
    return result


def run_case(old, new, work, number, case):
    """(commands run, whether both refused one, None or (commands to the first that differs, folders, what differs))."""
    folders = [work / name / f"{number:05}" for name in ("old", "new")]
    for folder in folders:
        folder.mkdir(parents=True)
    for i, command in enumerate(case.commands):
        results = [outcome(sluice, command, folder) for sluice, folder in zip((old, new), folders)]
        different = [name for name in dict.fromkeys([*results[0], *results[1]])
                     if results[0].get(name) != results[1].get(name)]
        if different:
            return i + 1, False, (case.commands[: i + 1], folders, different)
        if results[0]["exit status"] != 0:
            break  # the others read what it would have written
    for folder in folders:
        shutil.rmtree(folder)
    return i + 1, results[0]["exit status"] != 0, None


def bad_input(text):
    print(f"error: {text}", file=sys.stderr)
    sys.exit(2)


def command_of(text):
    """The command that a path means: itself, or that of a build folder."""
    path = pathlib.Path(text)
    if path.is_dir():
        path = path / "bin" / "sluice"
    if not path.is_file() or not os.access(path, os.X_OK):
        bad_input(f"{text}: no command there, expected sluice or a build folder with bin/sluice")
    return str(path.resolve())


def chosen(cases, only, quick):
    if only:
        cases = [case for case in cases if only.search(case.kind) or any(only.search(shlex.join(each)) for each in case.commands)]
    if not quick:
        return cases
    draw = random.Random(1)
    kinds = collections.defaultdict(list)
    for case in cases:
        kinds[case.kind].append(case)
    return [case for each in kinds.values() for case in draw.sample(each, (len(each) + 9) // 10)]


class Row:
    """What became of a kind of case."""

    def __init__(self):
        self.cases = self.commands = self.refused = 0
        self.different = []


def print_table(rows):
    width = max(map(len, rows))
    print(f"{'kind':{width}}  cases  commands  refused  different")
    for kind, row in rows.items():
        verdict = len(row.different) or "same"
        print(f"{kind:{width}}  {row.cases:5}  {row.commands:8}  {row.refused:7}  {verdict:>9}")


def print_different(rows, old, new):
    for kind, row in rows.items():
        for commands, folders, names in row.different[:SHOWN]:
            print(f"\n{kind}: different {', '.join(names)}")
            for sluice, folder in zip((old, new), folders):
                lines = " && ".join(shlex.join([sluice, *command[1:]]) for command in commands)
                print(f"  (cd {folder} && {lines})")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        bad_input(f"{message}, expected {self.usage}")


def main():
    parser = Parser(prog="scripts/same-plans.sh", description=__doc__,
                    formatter_class=argparse.RawDescriptionHelpFormatter,
                    usage="scripts/same-plans.sh [--quick] [--only REGEX] OLD NEW")
    parser.add_argument("--quick", action="store_true", help="a tenth of the cases of each kind")
    parser.add_argument("--only", metavar="REGEX", help="cases whose kind or commands have it")
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    given = parser.parse_args()
    old, new = command_of(given.old), command_of(given.new)
    try:
        only = re.compile(given.only) if given.only else None
    except re.error as error:
        bad_input(f"--only {given.only}: {error}, expected a regular expression of Python")
    for name in [name for name in os.environ if name.startswith("SLUICE_")]:
        del os.environ[name]

    work = pathlib.Path(tempfile.mkdtemp(prefix="same-plans-"))
    keep = False
    try:
        cases = chosen(all_cases(Inputs(work / "in"), old), only, given.quick)
        if not cases:
            bad_input(f"--only {given.only}: no case has it")
        rows = {case.kind: Row() for case in cases}
        order = sorted(range(len(cases)), key=lambda i: not cases[i].large)  # long ones first, so that all cores end together
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            results = pool.map(lambda i: run_case(old, new, work, i, cases[i]), order)
            for i, (commands, refused, different) in zip(order, results):
                row = rows[cases[i].kind]
                row.cases += 1
                row.commands += commands
                row.refused += refused
                if different:
                    row.different.append(different)
        keep = any(row.different for row in rows.values())
        print_table(rows)
        if keep:
            print_different(rows, old, new)
            count = sum(len(row.different) for row in rows.values())
            print(f"\ndifferent: {count} of {len(cases)} cases; their files stay in {work}")
            return 1
        print(f"all the same: {sum(row.commands for row in rows.values())} commands")
        return 0
    finally:
        if not keep:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
