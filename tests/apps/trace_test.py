#!/usr/bin/env python3
"""Whether the traces of the command can be opened.

    trace_test.py SLUICE [PROGRAM THAT STARTS RANKS, ITS OPTIONS ...]

Chrome's traces (.json) are checked against what the trace event format asks for ("Trace Event Format", 2016), Paje's
(.trace) are read by pj_dump of Debian's pajeng, where it is there, and both have to tell the same. With a launcher, what
really ran is traced, too."""

import collections
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SLUICE = os.path.abspath(sys.argv[1])
LAUNCHER = sys.argv[2:]
PHASES = set("BEXibnesftPNODMVvRc()C")  # all there are
TRACES = {
    "steps": ["plan", "exchange", "x.csv"],
    "a node that does several things at once": ["simulate", "exchange", "x.csv", "--order", "local"],
    "a tree in parts": ["plan", "reduce", "--machines", "9", "--transfer", "2", "--compute", "1", "--segments", "3"],
    "a transfer of nothing": ["plan", "exchange", "small.csv", "--setup", "0"],
    "one machine": ["plan", "reduce", "--machines", "1", "--transfer", "2", "--compute", "1"],
}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def faults(trace):
    """What a file is refused for, or shown wrongly."""
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return ["no traceEvents"]
    found = []
    if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        found.append("displayTimeUnit")
    processes, threads, tracks = {}, {}, collections.defaultdict(list)
    for number, event in enumerate(trace["traceEvents"]):
        complain = lambda what: found.append(f"event {number}: {what}")  # noqa: E731
        if event.get("ph") not in PHASES:
            complain("ph")
        if not isinstance(event.get("name"), str):
            complain("name")
        for key in ("pid", "tid"):
            if not isinstance(event.get(key), int):
                complain(key)
        if not is_number(event.get("ts")) or event["ts"] < 0:
            complain("ts")
        if not isinstance(event.get("args", {}), dict):
            complain("args")
        track = event.get("pid"), event.get("tid")
        if event.get("ph") == "X":
            if not is_number(event.get("dur")) or event["dur"] < 0:
                complain("dur")
            elif is_number(event.get("ts")):
                tracks[track].append((event["ts"], event["ts"] + event["dur"]))
        if event.get("ph") == "M":
            kind, arguments = event.get("name"), event.get("args", {})
            if kind in ("process_name", "thread_name"):
                names, key = (processes, track[0]) if kind == "process_name" else (threads, track)
                if not isinstance(arguments.get("name"), str) or key in names:
                    complain("a name")
                names[key] = arguments.get("name")
            elif kind in ("process_sort_index", "thread_sort_index"):
                if not isinstance(arguments.get("sort_index"), int):
                    complain("sort_index")
            else:
                complain(f"metadata {kind}")
    for track, slices in tracks.items():
        if track not in threads or track[0] not in processes:
            found.append(f"track {track} has no name")
        slices.sort(key=lambda each: (each[0], -each[1]))
        open_until = []
        for start, end in slices:  # of a track, one may be inside another one, not beside it in part
            tolerance = 1e-9 * max(abs(end), 1)
            while open_until and open_until[-1] <= start + tolerance:
                open_until.pop()
            if open_until and end > open_until[-1] + tolerance:
                found.append(f"track {track}: {start} to {end} overlaps another one")
            open_until.append(end)
    return found


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "x.csv").write_text("300,1,20\n0,5,200\n400,2,100\n")
        (cls.path / "small.csv").write_text("0,1\n0,0\n")
        cls.traces = {}
        for title, words in TRACES.items():
            cls.traces[title] = tuple(cls.trace([SLUICE, *words], kind) for kind in ("json", "trace"))
        if LAUNCHER:
            run = [*LAUNCHER, "3", SLUICE, "run", "exchange", "x.csv", "--same-ranks", "--repetitions", "1", "--methods", "sluice"]
            cls.traces["what ran"] = cls.trace(run, "json"), cls.trace(run, "trace")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def trace(cls, words, kind):
        path = cls.path / f"trace-{len(cls.traces)}.{kind}"
        done = subprocess.run([*words, "--trace", str(path)], cwd=cls.path, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{words}: {done.stderr}")
        return path

    def test_chrome_traces_are_as_the_format_asks(self):
        for title, (chrome, _) in self.traces.items():
            with self.subTest(title):
                trace = json.loads(chrome.read_text())
                self.assertEqual(faults(trace), [])
                self.assertGreaterEqual(len(trace["traceEvents"]), 2)

    def test_faults_are_found(self):
        good = json.loads(self.traces["steps"][0].read_text())
        slices = [i for i, event in enumerate(good["traceEvents"]) if event["ph"] == "X"]
        for key in ("ph", "name", "pid", "tid", "ts", "dur"):
            broken = json.loads(json.dumps(good))
            del broken["traceEvents"][slices[0]][key]
            self.assertTrue(faults(broken), key)
        for name in ("thread_name", "process_name"):
            broken = json.loads(json.dumps(good))
            broken["traceEvents"] = [event for event in broken["traceEvents"] if event["name"] != name]
            self.assertTrue(faults(broken), name)
        broken = json.loads(json.dumps(good))
        twice = dict(broken["traceEvents"][slices[0]])
        twice["ts"] += twice["dur"] / 2
        broken["traceEvents"].append(twice)
        self.assertTrue(faults(broken), "slices that overlap")

    @unittest.skipUnless(shutil.which("pj_dump"), "pajeng is not installed")
    def test_paje_traces_tell_the_same_to_pj_dump(self):
        for title, (chrome, paje) in self.traces.items():
            with self.subTest(title):
                done = subprocess.run(["pj_dump", "--float-precision=12", str(paje)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                rows = [line.split(", ") for line in done.stdout.splitlines()]
                events = json.loads(chrome.read_text())["traceEvents"]
                names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
                tracks = {(event["pid"], event["tid"]): f"{names[event['pid']]} {event['args']['name']}"
                          for event in events if event["name"] == "thread_name"}
                in_paje = sorted(row[6] for row in rows if row[:2] == ["Container", "run"] and row[2] == "track")
                slices = [event for event in events if event["ph"] == "X" and event["dur"] > 0]
                states = [row for row in rows if row[0] == "State"]
                links = [row for row in rows if row[0] == "Link"]
                self.assertTrue(all(len(row) == 8 for row in states), "a comma in a name")
                self.assertEqual(len(states), len(slices))
                self.assertEqual(len(links), sum(event["cat"] == "send" for event in slices))
                if title == "what ran":
                    continue  # another run, of other times and so perhaps on other tracks
                self.assertEqual(in_paje, sorted(tracks.values()))
                self.assertEqual(sorted((row[1], row[7]) for row in states),
                                 sorted((tracks[event["pid"], event["tid"]], event["name"]) for event in slices))
                seconds = 1e6 if "1 us" == json.loads(chrome.read_text())["otherData"]["unit"] else 1
                for row, event in zip(sorted(states, key=lambda row: (row[1], float(row[3]))),
                                      sorted(slices, key=lambda e: (tracks[e["pid"], e["tid"]], e["ts"]))):
                    self.assertAlmostEqual(float(row[3]) * seconds, event["ts"], delta=1e-6 * (1 + event["ts"]))
                    self.assertAlmostEqual(float(row[5]) * seconds, event["dur"], delta=1e-6 * (1 + event["dur"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
