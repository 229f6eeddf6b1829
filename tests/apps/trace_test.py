#!/usr/bin/env python3
"""Whether the traces of the command can be opened.

    trace_test.py SLUICE [PROGRAM THAT STARTS RANKS, ITS OPTIONS ...]

Chrome's traces (.json) are checked against what the trace event format asks for ("Trace Event Format", 2016), and
against what Perfetto's importer does with it: what it drops, counts as an error or names otherwise. Paje's (.trace) are
read by pj_dump of Debian's pajeng, where it is there, and both have to tell the same. With a launcher, what really ran
is traced, too."""

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
PLATFORM = """{"schema": "sluice.platform/1", "ranks": 3, "clusters": [{"name": "a", "ranks": [0, 1, 2],
  "latency_s": 4.7563e-05, "gap": [[1, 2.0217e-06], [1000, 1.33337e-05], [1048576, 0.00843219]]}], "links": []}"""
COLLECTIVE = ["--platform", "p.json", "--size", "1008"]
TRACES = {
    "steps": ["plan", "exchange", "x.csv"],
    "a node that does several things at once": ["simulate", "exchange", "x.csv", "--order", "local"],
    "a tree in parts": ["plan", "reduce", "--machines", "9", "--transfer", "2", "--compute", "1", "--segments", "3"],
    "a transfer of nothing": ["plan", "exchange", "small.csv", "--setup", "0"],
    "one machine": ["plan", "reduce", "--machines", "1", "--transfer", "2", "--compute", "1"],
    "seconds": ["simulate", "exchange", "x.csv", "--order", "chain", "--speed", "333MB/s"],
    "a broadcast": ["plan", "broadcast", *COLLECTIVE],
    "a program": ["plan", "allgather", *COLLECTIVE],
    "a program as its machine carries it out": ["simulate", "alltoall", *COLLECTIVE],
}
RUNS = {
    "what ran": ["exchange", "x.csv", "--same-ranks", "--repetitions", "1", "--methods", "sluice"],
    "a collective that ran": ["allreduce", *COLLECTIVE, "--repetitions", "1", "--methods", "sluice", "--model-only"],
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


class Perfetto:
    """What its trace processor makes of a trace, by the rules of its sources (src/trace_processor: json_trace_tokenizer,
    json_trace_parser_impl, trace_sorter, process_tracker and slice_tracker, as of 2026)."""

    def __init__(self, trace):
        self.lost = []  # what it drops or counts as an error
        self.threads = []  # [tid, pid, name, its open slices as (start, end), shown slices]
        self.processes = {}  # name by pid
        events = []
        for event in trace["traceEvents"]:
            start, length = (self.nanoseconds(event.get(key)) for key in ("ts", "dur"))
            if start is None and event.get("ph") != "M":
                self.lost.append(("json_tokenizer_failure", event))
            else:
                events.append((start or 0, length, event))
        for start, length, event in sorted(events, key=lambda each: each[0]):  # in the order of the file at one time
            self.take(start, length, event)

    @staticmethod
    def nanoseconds(value):
        return math.floor(value * 1000 + 0.5) if is_number(value) else None

    def thread(self, tid, pid=None):
        """The one that was seen last, of any process where none is named."""
        return next((each for each in reversed(self.threads) if each[0] == tid and pid in (None, each[1])), None)

    def update_thread(self, tid, pid):
        thread = self.thread(tid, pid)
        if thread is None:
            thread = [tid, pid, None, [], []]
            self.threads.append(thread)
            if pid not in self.processes:
                self.processes[pid] = None
                self.update_thread(pid, pid)  # the main one
        return thread

    def take(self, start, length, event):
        if not isinstance(event.get("ph"), str):
            self.lost.append(("no phase", event))
            return
        numbers = [event.get(key, 0) for key in ("pid", "tid")]
        if not all(isinstance(each, int) and 0 <= each < 2**32 for each in numbers):
            self.lost.append(("an id beyond 32 bits", event))
            return
        pid, tid = numbers
        thread = self.update_thread(tid, pid)
        if event["ph"] == "M":
            name = event.get("args", {}).get("name")
            if event.get("name") == "process_name":
                self.processes[pid] = name
            elif event.get("name") == "thread_name":
                self.thread(tid)[2] = name  # whichever process it is of
            return
        if event["ph"] != "X" or length is None:
            self.lost.append(("not shown", event))
            return
        if length < 0:
            self.lost.append(("slice_negative_duration", event))
            return
        stack = thread[3]
        while stack and (stack[-1][1] < start or
                         stack[-1][1] == start and not stack[-1][0] == stack[-1][1] == start + length):
            stack.pop()
        if stack and start < stack[-1][1] < start + length:
            self.lost.append(("slice_drop_overlapping_complete_event", event))
            return
        if len(stack) >= 512:
            self.lost.append(("slice_max_depth_exceeded", event))
            return
        stack.append((start, start + length))
        thread[4].append(event)


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "x.csv").write_text("300,1,20\n0,5,200\n400,2,100\n")
        (cls.path / "small.csv").write_text("0,1\n0,0\n")
        (cls.path / "p.json").write_text(PLATFORM)
        cls.traces = {}
        for title, words in TRACES.items():
            cls.traces[title] = tuple(cls.trace([SLUICE, *words], kind) for kind in ("json", "trace"))
        if LAUNCHER:
            for title, words in RUNS.items():
                run = [*LAUNCHER, "3", SLUICE, "run", *words]
                cls.traces[title] = tuple(cls.trace(run, kind) for kind in ("json", "trace"))

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

    def test_perfetto_shows_all_of_them(self):
        for title, (chrome, _) in self.traces.items():
            text = chrome.read_text()
            self.assertLess(text.index('"otherData"'), text.index('"traceEvents"'), "behind events it is not looked for")
            self.assertNotIn("\\", text, "not every escape is known")
            trace = json.loads(text)
            slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
            with self.subTest(title):
                seen = Perfetto(trace)
                self.assertEqual(seen.lost, [])
                self.assertEqual(sum(len(thread[4]) for thread in seen.threads), len(slices))
                for tid, pid, name, _, shown in seen.threads:
                    if shown:
                        self.assertRegex(seen.processes[pid], r"^(sender|receiver|machine) \d+$")
                        self.assertRegex(name, r"^receives( \d+)?$" if tid % 2 else r"^sends( \d+)?$")
                    self.assertLessEqual({event["cat"] for event in shown}, {"receive" if tid % 2 else "send"})

    def test_what_perfetto_would_drop_is_found(self):
        def lost(*events):
            return [what for what, _ in Perfetto({"traceEvents": events}).lost]

        def piece(ts, dur):
            return {"ph": "X", "pid": 1, "tid": 2, "ts": ts, "dur": dur, "name": "x"}

        self.assertEqual(lost(piece(0, 2), piece(2, 3)), [])
        self.assertEqual(lost(piece(0, 9), piece(2, 3), piece(2, 1), piece(5, 4)), [])
        self.assertEqual(lost(piece(0, 2), piece(1.999, 3)), ["slice_drop_overlapping_complete_event"])
        # These touch, but in nanoseconds the first one ends at 1 + 1 and the second one begins at 1.
        self.assertEqual(lost(piece(0.0006, 0.0008), piece(0.0014, 0.0015)), ["slice_drop_overlapping_complete_event"])
        self.assertEqual(lost(piece(None, 1)), ["json_tokenizer_failure"])
        self.assertEqual(lost(piece(1, None)), ["not shown"])
        self.assertEqual(lost(piece(1, -1)), ["slice_negative_duration"])
        self.assertEqual(lost({**piece(1, 1), "pid": -1}), ["an id beyond 32 bits"])

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
                tracks = {(event["pid"], event["tid"]): f"{names[event['pid']].split()[-1]} {event['args']['name']}"
                          for event in events if event["name"] == "thread_name"}
                in_paje = sorted(row[6] for row in rows if row[:2] == ["Container", "run"] and row[2] == "track")
                slices = [event for event in events if event["ph"] == "X" and event["dur"] > 0]
                states = [row for row in rows if row[0] == "State"]
                links = [row for row in rows if row[0] == "Link"]
                self.assertTrue(all(len(row) == 8 for row in states), "a comma in a name")
                self.assertEqual(len(states), len(slices))
                self.assertEqual(len(links), sum(event["cat"] == "send" for event in slices))
                if title in RUNS:
                    continue  # another run, of other times and so perhaps on other tracks
                self.assertEqual(in_paje, sorted(tracks.values()))
                self.assertEqual(sorted((row[1], row[7]) for row in states),
                                 sorted((tracks[event["pid"], event["tid"]], event["name"]) for event in slices))
                seconds = 1e6 if "1 us" == json.loads(chrome.read_text())["otherData"]["unit"] else 1
                for row, event in zip(sorted(states, key=lambda row: (row[1], float(row[3]))),
                                      sorted(slices, key=lambda e: (tracks[e["pid"], e["tid"]], e["ts"]))):
                    nanosecond = 1e-3
                    self.assertAlmostEqual(float(row[3]) * seconds, event["ts"], delta=nanosecond + 1e-6 * event["ts"])
                    self.assertAlmostEqual(float(row[5]) * seconds, event["dur"], delta=nanosecond + 1e-6 * event["ts"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
