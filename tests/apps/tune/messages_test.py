#!/usr/bin/env python3
"""Counts messages inside an MPI library: what `sluice tune` writes takes effect, and its models send what the library
sends.

    messages_test.py openmpi|mpich SLUICE CALLS [COUNT_SENDS] -- LAUNCHER...

LAUNCHER ends with the option for the number of ranks. CALLS is calls.cpp, COUNT_SENDS the library of count_sends.c.
Open MPI counts by its component pml/monitoring.
"""

import collections
import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SPLIT = sys.argv.index("--")
LIBRARY, SLUICE, CALLS, *REST = sys.argv[1:SPLIT]
COUNT_SENDS = REST[0] if REST else ""
LAUNCHER = sys.argv[SPLIT + 1:]
RANKS = 8 if LIBRARY == "openmpi" else 4

# Two clusters, a link that their ranks share.
PLATFORM = """{"schema": "sluice.platform/1", "ranks": %d,
 "clusters": [{"name": "a", "ranks": %s, "latency_s": 5e-5, "gap": [[1, 1e-5], [1048576, 0.0845]]},
              {"name": "b", "ranks": %s, "latency_s": 5e-5, "gap": [[1, 1e-5], [1048576, 0.0845]]}],
 "links": [{"from": 0, "to": 1, "latency_s": 1e-4, "gap": [[1, 1e-5], [1048576, 0.0845]], "connections": 1}]}
""" % (RANKS, list(range(RANKS // 2)), list(range(RANKS // 2, RANKS)))

Row = collections.namedtuple("Row", "call bytes below own tuned")

# Open MPI's algorithms with a model. pml/monitoring does not see the persistent messages of alltoall's linear.
MODELS = {
    "bcast": {"basic_linear": 1, "chain": 2, "pipeline": 3, "binary_tree": 5, "binomial": 6, "knomial": 7,
              "scatter_allgather": 8, "scatter_allgather_ring": 9},
    "reduce": {"linear": 1, "chain": 2, "pipeline": 3, "binary": 4, "binomial": 5, "rabenseifner": 7},
    "allreduce": {"basic_linear": 1, "recursive_doubling": 3, "ring": 4, "rabenseifner": 6},
    "allgather": {"bruck": 2, "recursive_doubling": 3, "ring": 4, "neighbor": 5},
    "alltoall": {"pairwise": 2, "modified_bruck": 3, "linear_sync": 4},
    "gather": {"basic_linear": 1, "binomial": 2},
    "scatter": {"basic_linear": 1, "binomial": 2, "linear_nb": 3},
    "reduce_scatter": {"recursive_halving": 2, "ring": 3},
}


def run(command, environment=None):
    result = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False,
                            env={**os.environ, **(environment or {})})
    if result.returncode != 0:
        raise AssertionError(f"{command}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def sent_by_open_mpi(items, parameters):
    """Of the calls "CALL:BYTES": (from, to) -> (messages, bytes, sizes of messages by powers of two)."""
    with tempfile.TemporaryDirectory() as folder:
        given = {"coll_tuned_use_dynamic_rules": "1", "pml_monitoring_enable": "2", "pml_monitoring_enable_output": "3",
                 "pml_monitoring_filename": os.path.join(folder, "sent"), **parameters}
        options = [word for name, value in given.items() for word in ("--mca", name, str(value))]
        run([*LAUNCHER, str(RANKS), *options, CALLS, *items])
        files = glob.glob(os.path.join(folder, "sent.*.prof"))
        if len(files) != RANKS:
            raise AssertionError(f"{files}, expected one for each of {RANKS} ranks")
        text = "".join(pathlib.Path(name).read_text(encoding="ascii") for name in files)
    sent = {}
    for line in text.splitlines():
        found = re.match(r"I\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent\t(\S+)", line)
        if found:
            source, target, size, count = map(int, found.groups()[:4])
            sent[source, target] = (count, size, found[5])
    return sent


def sent_by_mpich(items, variables):
    """The same: rank -> (messages, bytes)."""
    result = run([*LAUNCHER, str(RANKS), "env", "LD_PRELOAD=" + COUNT_SENDS, CALLS, *items],
                 {"MPIR_CVAR_NOLOCAL": "1", **variables})
    sent = {}
    for rank, count, size in re.findall(r"sent by (\d+): (\d+) messages, (\d+) bytes", result.stderr):
        sent[int(rank)] = (int(count), int(size))
    if len(sent) != RANKS:
        raise AssertionError(result.stderr)
    return sent


def number_of(text):
    """A choice "pipeline in 8Ki" as name and bytes of a segment."""
    name, _, segment = text.partition(" in ")
    units = {"Ki": 1 << 10, "Mi": 1 << 20}
    return name, int(segment[:-2]) * units[segment[-2:]] if segment else 0


class Messages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.platform = os.path.join(cls.folder.name, "platform.json")
        cls.file = os.path.join(cls.folder.name, "rules")
        with open(cls.platform, "w", encoding="ascii") as out:
            out.write(PLATFORM)
        options = ["--commutative"] if LIBRARY == "openmpi" else []
        table = run([SLUICE, "tune", "--platform", cls.platform, "--for", LIBRARY, "-o", cls.file, "--sizes",
                     "1Ki,8Ki,32Ki,64Ki", "--gain", "0.05", *options]).stdout
        cls.rows = [Row(found[1], int(found[2]), int(found[3]), found[4], found[5]) for found in re.finditer(
            r"^(\w+) +(\d+) +(\d+)  (\S+(?: in \S+)?) +(\S+(?: in \S+)?)  .*$", table, re.MULTILINE)]

    def rounds(self):
        """Items, and for each call in them what the library takes and what it is to take: of each call one pair of
        choices a round, so that all calls of a round can be forced at once."""
        by_call = collections.defaultdict(lambda: collections.defaultdict(list))
        for row in self.rows:
            by_call[row.call][row.own, row.tuned].append(f"{row.call}:{row.bytes}")
        rounds = []
        for pairs in by_call.values():
            for number, (choices, items) in enumerate(pairs.items()):
                if number == len(rounds):
                    rounds.append(([], {}))
                rounds[number][0].extend(items)
                rounds[number][1][items[0].split(":")[0]] = choices
        return rounds

    @unittest.skipUnless(LIBRARY == "openmpi", "Open MPI's")
    def test_rules_of_open_mpi_take_effect(self):
        def forced(choices, which):
            parameters = {}
            for call, pair in choices.items():
                name, segment = number_of(pair[which])
                parameters[f"coll_tuned_{call}_algorithm"] = self.numbers()[call, name]
                parameters[f"coll_tuned_{call}_algorithm_segmentsize"] = segment
            return parameters

        self.assertGreaterEqual(len({row.call for row in self.rows}), 5, self.rows)
        for items, choices in self.rounds():
            with self.subTest(items=items, choices=choices):
                by_file = sent_by_open_mpi(items, {"coll_tuned_dynamic_rules_filename": self.file})
                self.assertEqual(by_file, sent_by_open_mpi(items, forced(choices, 1)))
                without = sent_by_open_mpi(items, {})
                self.assertEqual(without, sent_by_open_mpi(items, forced(choices, 0)))
                self.assertNotEqual(by_file, without)

    @unittest.skipUnless(LIBRARY == "openmpi", "Open MPI's")
    def test_rules_end_where_they_say(self):
        ends = {row.call: row.below for row in self.rows}
        items = [f"{call}:{size}" for call, end in ends.items() for size in (8, end)]
        self.assertEqual(sent_by_open_mpi(items, {"coll_tuned_dynamic_rules_filename": self.file}),
                         sent_by_open_mpi(items, {}))

    @unittest.skipUnless(LIBRARY == "openmpi", "Open MPI's")
    def test_models_send_what_open_mpi_sends(self):
        for call, algorithms in MODELS.items():
            for name, number in algorithms.items():
                self.assertEqual(self.numbers()[call, name], number)
        for turn in range(max(map(len, MODELS.values()))):
            items, parameters = [], {}
            for call, algorithms in MODELS.items():
                if turn >= len(algorithms):
                    continue
                name = list(algorithms)[turn]
                segment = 1024 if name in ("chain", "pipeline", "binary_tree", "binary") else 0
                parameters[f"coll_tuned_{call}_algorithm"] = algorithms[name]
                parameters[f"coll_tuned_{call}_algorithm_segmentsize"] = segment
                items += [f"{call}:{size}:{name}:{segment}" for size in (64, 4096)]
            with self.subTest(items=items):
                model = run([CALLS, "--model", str(RANKS), *items]).stdout
                modelled = {(int(f), int(t)): (int(n), int(b)) for f, t, n, b in map(str.split, model.splitlines())}
                sent = sent_by_open_mpi(items, parameters)
                self.assertEqual({edge: of[:2] for edge, of in sent.items()}, modelled)

    def numbers(self):
        """Of Open MPI's algorithms, by call and name, as ompi_info tells them."""
        if not hasattr(Messages, "known"):
            Messages.known = {}
            text = run(["ompi_info", "--param", "coll", "tuned", "--level", "9", "--parsable"]).stdout
            for call, number, name in re.findall(r":coll_tuned_(\w+)_algorithm:enumerator:value:(\d+):(\S+)", text):
                Messages.known[call, name] = int(number)
        return Messages.known

    @unittest.skipUnless(LIBRARY == "mpich", "MPICH's")
    def test_selection_of_mpich_takes_effect(self):
        def forced(choices, which):
            return {f"MPIR_CVAR_{call.upper()}_INTRA_ALGORITHM": pair[which] for call, pair in choices.items()}

        self.assertGreaterEqual(len({row.call for row in self.rows}), 3, self.rows)
        for items, choices in self.rounds():
            with self.subTest(items=items, choices=choices):
                by_file = sent_by_mpich(items, {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": self.file})
                self.assertEqual(by_file, sent_by_mpich(items, forced(choices, 1)))
                without = sent_by_mpich(items, {})
                self.assertEqual(without, sent_by_mpich(items, forced(choices, 0)))
                self.assertNotEqual(by_file, without)

    @unittest.skipUnless(LIBRARY == "mpich", "MPICH's")
    def test_everything_else_is_as_the_library_has_it(self):
        ends = {row.call: row.below for row in self.rows}
        calls = ("bcast", "reduce", "allreduce", "allgather", "alltoall", "gather", "scatter", "reduce_scatter")
        items = [f"{call}:{size}" for call in calls for size in (8, ends.get(call, 1024))]
        self.assertEqual(sent_by_mpich(items, {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": self.file}),
                         sent_by_mpich(items, {}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
