#!/usr/bin/env python3
"""Validates what the command writes against the JSON Schemas of the documents, and the schemas against the readers.

    tests/docs/schemas_test.py BUILD_DIR

A document from which a field is taken away, or that gets one more, has to be refused: by the schema, and, of the formats
that the command reads strictly, by the command if and only if by the schema. Needs Debian's python3-jsonschema; exit
status 77 without it. Formats that are written under MPI, or by a library, are validated as kept in SAMPLES.
"""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("left out: python3-jsonschema is not installed")
    sys.exit(77)

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = SOURCE / "docs" / "reference" / "schemas"
SLUICE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else SOURCE / "build" / "release").resolve() / "bin" / "sluice"
FOUR_LEVELS = SOURCE / "studies" / "four-levels" / "four-levels-72.json"
PLATFORM = "small.json"  # validating the programs of 72 ranks would take most of the time

# What writes a file for --json, and the verb that reads such files.
COMMANDS = {
    "redistribution": (["plan", "redistribute", "--from", "6:1", "--to", "6:6", "--same-processes"], "check"),
    "exchange with a certificate": (["plan", "exchange", "small.csv", "--max-transfers", "2", "--setup", "3",
                                     "--effort", "0.05"], "check"),
    "exchange with prices of nodes": (["plan", "exchange", "alike.csv", "--setup", "30", "--effort", "0.05"], "check"),
    "exchange with local phases": (["plan", "exchange", "skew.csv", "--backbone", "1Gbit", "--sender-link", "100Mbit",
                                    "--receiver-link", "100Mbit", "--latency", "10ms", "--local-links", "10Gbit",
                                    "--local-latency", "20us", "--effort", "0.05"], "check"),
    "exchange on two switches": (["plan", "exchange", "small.csv", "--switches", "2", "--effort", "0.05"], "check"),
    "exchange at speeds": (["plan", "exchange", "small.csv", "--speeds", "speeds.json", "--effort", "0.05"], "check"),
    "exchange with fractions": (["plan", "exchange", "fractions.csv"], "check"),
    "reduction": (["plan", "reduce", "--machines", "9", "--transfer", "2", "--compute", "1", "--max-transfers", "2"],
                  "check"),
    "reduction in parts": (["plan", "reduce", "--machines", "5", "--transfer", "2", "--compute", "1", "--segments", "3"],
                           "check"),
    "broadcast": (["plan", "broadcast", "--platform", PLATFORM, "--size", "1Ki", "--algorithm", "ecef"], "check"),
    "allreduce": (["plan", "allreduce", "--platform", PLATFORM, "--size", "4Ki", "--algorithm", "ring"], "check"),
    "scatter": (["plan", "scatter", "--platform", PLATFORM, "--size", "4Ki", "--algorithm", "binomial"], "check"),
    "comparison of exchange": (["compare", "exchange", "small.csv", "--algorithms", "ggp,oggp"], None),
    "comparison of redistribution": (["compare", "redistribute", "--from", "15:2", "--to", "6:3"], None),
    "front": (["plan", "redistribute", "--from", "15:2", "--to", "6:3", "--front"], None),
    "comparison of trees": (["compare", "reduce", "--machines", "9", "--transfer", "2", "--compute", "1"], None),
    "comparison of collectives": (["compare", "scatter", "--platform", PLATFORM, "--size", "4Ki"], None),
    "redistribution of a part": (["plan", "redistribute", "--from", "2x2:1x1", "--to", "2x2:2x2", "--shape", "8x8", "--part",
                                  "upper"], "check"),
    "redistribution of several arrays": (["plan", "redistribute", "--batch", "arrays.json", "--same-processes"], "check"),
    "simulation of steps": (["simulate", "exchange", "small.csv", "--order", "chain"], None),
    "simulation of a tree": (["simulate", "reduce", "--machines", "9", "--transfer", "2", "--compute", "1"], None),
    "predictions of a broadcast": (["predict", "broadcast", "--platform", PLATFORM, "--size", "1Ki"], None),
    "predictions of a scatter": (["predict", "scatter", "--platform", PLATFORM, "--size", "1Ki"], None),
    "rules for an MPI library": (["tune", "--platform", str(FOUR_LEVELS), "--for", "openmpi", "-o", "rules.conf",
                                  "--collectives", "bcast,gather", "--sizes", "64Ki,1Mi"], None),
    "a report": (["report", PLATFORM, "-o", "report.html", "--svg", "report.svg"], None),
    "levels of a platform": (["platform", PLATFORM, "-o", "levels.json"], None),
    "a platform for SimGrid": (["platform-to-simgrid", PLATFORM, "-o", "platform.xml", "--hosts", "hosts"], None),
    "a study": (["study", "reduce-figure-2", "-o", "figures"], None),
    "clusters": (["cluster", str(SOURCE / "studies" / "grid5000" / "latency-88.mtx"), "--tolerance", "0.3,0.35"], None),
}
EXPORTS = ("ppermute", "p2p")
SAMPLES = pathlib.Path(__file__).resolve().parent / "samples"
OWN = {"record-part"}  # of a file that a program writes and reads itself, and takes away
STRICT = {"arrays", "schedule", "program", "platform", "ppermute", "p2p", "speeds"}
ARRAYS = {"schema": "sluice.arrays/1",
          "arrays": [{"from": "2x2:1x1", "to": "4x1:2x2", "shape": "8x8", "part": "upper", "transpose": True},
                     {"from": "4:2", "to": "2:3", "shape": "50", "element_bytes": 4}]}


# Version 2 of a platform: two racks of three hosts of two ranks.
TREE = {"schema": "sluice.platform/2", "name": "all",
        "parts": [{"name": "rack", "count": 2, "uplink": [[1, 1e-6]], "shares_uplink": True,
                   "link": {"latency_s": 2e-5, "gap": [[1, 1e-5]], "connections": 3},
                   "parts": [{"name": "host", "count": 3, "ranks": 2, "shares_uplink": False,
                              "link": {"latency_s": 1e-6, "gap": [[1, 1e-6]]}, "broadcast": [[1, 1e-5]]}],
                   "part_links": [{"from": a, "to": b, "latency_s": 3e-5, "gap": [[1, 1e-5]], "connections": 2}
                                  for a, b in ((0, 1), (0, 2), (1, 2))],
                   "cluster_links": []}],
        "link": {"latency_s": 1e-4, "gap": [[1, 1e-5]]},
        "part_links": [{"from": 0, "to": 1, "latency_s": 2e-4, "gap": [[1, 1e-5]], "connections": 1}],
        "cluster_links": [{"from": 0, "to": 5, "latency_s": 3e-4, "gap": [[1, 1e-5]]}]}


def small(platform):
    """The first two ranks of each of its first three clusters."""
    platform["clusters"] = platform["clusters"][:3]
    for number, cluster in enumerate(platform["clusters"]):
        cluster["ranks"] = [2 * number, 2 * number + 1]
    platform["links"] = [link for link in platform["links"] if max(link["from"], link["to"]) < 3]
    platform["ranks"] = 6
    return platform


def name_of(document):
    """"schedule" of "sluice.schedule/1"."""
    return document["schema"].removeprefix("sluice.").partition("/")[0]


def validator(document):
    path = SCHEMAS / (document["schema"].removeprefix("sluice.").replace("/", "-") + ".json")
    return jsonschema.Draft202012Validator(json.loads(path.read_text()))


def changed(document):
    """(what was done, the document) for a field taken away at the top or in the first object of each list, one more,
    and a number as text."""
    for key in document:
        if key != "schema":
            other = copy.deepcopy(document)
            del other[key]
            yield f"without {key}", other
            if isinstance(document[key], (int, float)) and not isinstance(document[key], bool):
                yield f"{key} as text", {**document, key: str(document[key])}
            if isinstance(document[key], dict):
                for inner in document[key]:
                    other = copy.deepcopy(document)
                    del other[key][inner]
                    yield f"{key} without {inner}", other
            if isinstance(document[key], list) and document[key] and isinstance(document[key][0], dict):
                for inner in document[key][0]:
                    other = copy.deepcopy(document)
                    del other[key][0][inner]
                    yield f"{key}[0] without {inner}", other
    yield "with one more field", {**document, "surplus": 1}


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "small.csv").write_text("7,2,0\n4,5,0\n0,0,9\n")
        (cls.path / "alike.csv").write_text("".join(
            ",".join(str((u * u * 3 + v * v * v * 7 + u * v * 11) % 97) for v in range(24)) + "\n" for u in range(24)))
        (cls.path / "speeds.json").write_text((SAMPLES / "speeds.json").read_text())
        (cls.path / "arrays.json").write_text(json.dumps(ARRAYS))
        (cls.path / "fractions.csv").write_text("7.5,2\n0,0.25\n")
        (cls.path / "skew.csv").write_text("1000000,1000,1000\n1000,0,0\n1000,0,0\n")
        (cls.path / PLATFORM).write_text(json.dumps(small(json.loads(FOUR_LEVELS.read_text()))))
        cls.documents = {}
        for title, (arguments, reader) in COMMANDS.items():
            cls.documents[title] = (cls.run_command([*arguments, "--json", "-"]), reader)
        path = cls.path / "plan.json"
        path.write_text(json.dumps(cls.documents["exchange with fractions"][0]))
        cls.documents["what is right"] = (cls.run_command(["check", "plan.json", "--json", "-"]), None)
        path.write_text(path.read_text().replace('"setup": 1', '"setup": 2', 1))
        cls.documents["what is wrong"] = (cls.run_command(["check", "plan.json", "--json", "-"], 1), None)
        for name in EXPORTS:
            cls.documents[name] = (cls.run_command(["plan", "exchange", "small.csv", "--export", name, "-"]), None)
        cls.documents["platform with levels"] = (cls.run_command(["platform", PLATFORM, "-o", "-"]), "predict")
        cls.documents["platform with parts that are alike"] = (TREE, "predict")
        host = TREE["parts"][0]["parts"][0]
        cls.documents["platform of one cluster"] = (
            {"schema": TREE["schema"], **{key: host[key] for key in ("name", "ranks", "link", "broadcast")}}, "predict")
        cls.documents["arrays"] = (ARRAYS, "plan")
        cls.documents["platform"] = (json.loads((cls.path / PLATFORM).read_text()), "predict")
        for path in sorted(SAMPLES.glob("*.json")):
            cls.documents[f"sample {path.name}"] = (json.loads(path.read_text()), None)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_command(cls, arguments, status=0):
        done = subprocess.run([SLUICE, *arguments], cwd=cls.path, capture_output=True, text=True)
        if done.returncode != status:
            raise AssertionError(f"sluice {' '.join(arguments)}: exit status {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def reads(self, document, verb):
        """Whether the command takes a file for what it says it is; a schedule that is not sound is one, too."""
        path = self.path / "changed.json"
        path.write_text(json.dumps(document))
        arguments = {"check": ["check", path], "plan": ["plan", "redistribute", "--batch", path],
                     "predict": ["predict", "broadcast", "--platform", path, "--size", "1Ki"]}[verb]
        return subprocess.run([SLUICE, *arguments], cwd=self.path, capture_output=True).returncode in (0, 1)

    def test_every_schema_is_one_and_has_a_document(self):
        seen = {name_of(document) for document, _ in self.documents.values()}
        for path in SCHEMAS.glob("*.json"):
            jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))
            self.assertIn(path.stem.rpartition("-")[0], seen)

    def test_every_name_in_the_sources_has_a_schema(self):
        names = set()
        for folder in ("include", "src", "apps", "drop-in", "python"):
            for path in (SOURCE / folder).rglob("*"):
                if path.suffix not in (".hpp", ".cpp", ".h", ".py"):
                    continue
                names |= set(re.findall(r"sluice\.([a-z0-9-]+)/([0-9]+)", path.read_text(encoding="utf-8")))
        self.assertGreater(len(names), 8)
        for name, version in sorted(names):
            if name not in OWN:
                self.assertTrue((SCHEMAS / f"{name}-{version}.json").is_file(), f"sluice.{name}/{version}")

    def test_what_is_written(self):
        for title, (document, _) in self.documents.items():
            with self.subTest(title):
                self.assertEqual([error.message for error in validator(document).iter_errors(document)], [])

    def test_every_problem_of_every_verb(self):
        problems = {"redistribute": ["--from", "4:3", "--to", "4:5"], "exchange": ["small.csv"],
                    "reduce": ["--machines", "9", "--transfer", "2", "--compute", "1"]}
        for verb in ("plan", "compare", "simulate", "predict"):
            text = subprocess.run([SLUICE, verb, "--help"], capture_output=True, text=True, check=True).stdout
            names = re.findall(r"^  ([a-z-]+) ", text.partition("Problems:\n")[2].partition("\n\n")[0], re.MULTILINE)
            self.assertGreater(len(names), 6, verb)
            for name in names:
                arguments = problems.get(name, ["--platform", PLATFORM, "--size", "4Ki"])
                if (verb, name) == ("predict", "exchange"):  # times need speeds
                    arguments = [*arguments, "--node-link", "1Gbit", "--ranks-per-node", "2"]
                with self.subTest(f"{verb} {name}"):
                    document = self.run_command([verb, name, *arguments, "--json", "-"])
                    self.assertEqual([error.message for error in validator(document).iter_errors(document)], [])

    def test_report_shows_each_kind_or_says_what_does(self):
        instead = {"check": "the schedule or program that was judged", "ppermute": "plan --json", "p2p": "plan --json",
                   "written": "these files",
                   "arrays": "plan redistribute --batch --json", "speeds": "plan exchange --speeds --json"}
        for title, (document, _) in self.documents.items():
            with self.subTest(title):
                path = self.path / "reported.json"
                path.write_text(json.dumps(document))
                done = subprocess.run([SLUICE, "report", path, "-o", "-"], cwd=self.path, capture_output=True, text=True)
                if "a build without d3" in done.stderr:
                    self.skipTest("a build without d3")
                if name_of(document) not in instead:
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    continue
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, "^error: [^\n]*reported.json: [^\n]*, expected [^\n]*\n$")
                self.assertIn(instead[name_of(document)], done.stderr)

    def test_what_is_changed(self):
        for title, (document, reader) in self.documents.items():
            judge = validator(document)
            refused = 0
            for what, other in changed(document):
                with self.subTest(f"{title}, {what}"):
                    valid = judge.is_valid(other)
                    refused += not valid
                    if what == "with one more field":
                        self.assertEqual(valid, name_of(document) not in STRICT)
                    if reader:
                        self.assertEqual(valid, self.reads(other, reader))
            self.assertGreater(refused, 2, title)


if __name__ == "__main__":
    unittest.main()
