#!/usr/bin/env python3
"""Whether the pictures of the command are legible where they are printed in a column of a paper, 85 mm wide.

    legible_test.py SLUICE FOLDER [CHROMIUM]

Every kind of picture is drawn; those of the documents are looked at too. No text may be smaller than 6 pt then; in
Chromium, where it is given, no text may reach beyond the edge of its picture. The lab and simulated machines are stood
in for, as in the tests of their studies; those pictures, and curves of studies, need gnuplot. Where rsvg-convert is
there, every picture becomes PDF and PNG by it."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SLUICE, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
CHROMIUM = sys.argv[3] if len(sys.argv) > 3 else ""
sys.path.insert(0, str(SOURCE / "tests" / "apps" / "report"))
from browser import Browser  # noqa: E402
try:
    from picture import colours_of  # noqa: E402
except ModuleNotFoundError:
    colours_of = None

WIDTH_PT = 85 / 25.4 * 72
LEAST_PT = 6
GRID5000 = SOURCE / "studies" / "grid5000"
LAB = r"""matrix= methods= json=
while [[ $# -gt 0 ]]; do
  case $1 in
    --method|--methods) methods=$2 ;;
    --json) json=$2 ;;
  esac
  shift
done
[[ -n $json ]] || exit 0
second=0
for method in ${methods//,/ }; do
  second=$((second + 1))
  list+=",{\"name\": \"$method\", \"median_s\": $second, \"min_s\": 0.5, \"max_s\": 9, \"how\": \"by $method\"}"
done
echo "{\"methods\": [${list#,}]}" > "$json"
"""
WIDE = "plan redistribute --from 6x4:16x16 --to 4x6:20x20 --shape 960x960"

# Name of the file: the command that draws it.
PICTURES = {
    "steps.svg": "plan exchange x.csv --svg {}",
    "receivers.svg": "plan exchange x.csv --rows receivers --svg {}",
    "matrix.svg": "report x.csv --svg {}",
    "tuning.svg": "report tuning.json --svg {}",
    "curves.svg": f"report {GRID5000}/grid5000-88.json --svg {{}}",
    "beside.svg": "plan exchange x.csv --beside ran.json --svg {}",
    "many rows.svg": WIDE + " --summary --svg {}",
    "machines.svg": f"simulate allreduce --platform {GRID5000}/grid5000-88.json --size 16Ki --algorithm binomial --svg {{}}",
    "tree.svg": "plan reduce --machines 16 --transfer 2 --compute 1 --tree {}",
    "large tree.svg": f"plan broadcast --platform {GRID5000}/grid5000-88.json --size 1Ki --algorithm ecef --tree {{}}",
    "front.svg": "plan redistribute --from 15:2 --to 6:3 --front --svg {}",
    "one.svg": "plan redistribute --from 16:3 --to 16:5 --front --setup 12345.5 --svg {}",
    "bars.svg": "compare exchange x.csv --svg {}",
    "bars of collectives.svg": f"compare allreduce --platform {GRID5000}/grid5000-88.json --size 16Ki --svg {{}}",
    "clusters.svg": f"cluster {GRID5000}/latency-88.mtx --svg {{}}",
}
STUDIES = ["reduce-figure-2", "reduce-unknown-costs --samples 2", "redistribute-optimality --samples 20", "redistribute-replicas --samples 20",
           "exchange-quality --samples 3", "broadcast-simulation --samples 3", "switch-demand --quick --samples 2",
           "exchange-lab --quick", "defaults-lab --quick", "redistribute-lab --quick"]


def sizes(element, inherited, scale):
    """(points in a picture of 1 unit per pixel, text) of every text in `element`."""
    transform = element.get("transform", "")
    found = re.search(r"scale\(([0-9.]+)", transform)
    scale *= float(found.group(1)) if found else 1
    size = element.get("font-size")
    size = float(size.removesuffix("px")) if size else inherited
    if element.tag.endswith("}text") and "".join(element.itertext()).strip():
        inner = [float(part.get("font-size")) for part in element.iter() if part is not element and part.get("font-size")]
        yield min([size, *inner]) * scale, "".join(element.itertext()).strip()
        return
    for child in element:
        yield from sizes(child, size, scale)


class Legible(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "x.csv").write_text("300,1,0,2.5\n0,0,200,1\n4,0,100,7\n1,2,3,4\n")
        (cls.path / "lab").mkdir()
        (cls.path / "lab" / "run.sh").write_text(LAB)
        cls.run_command("simulate exchange x.csv --order chain --trace ran.json")
        cls.run_command(f"tune --platform {GRID5000}/grid5000-88.json --for openmpi -o rules.conf --json tuning.json --collectives bcast,gather")
        for name, command in PICTURES.items():
            cls.run_command(command, name)
        if shutil.which("gnuplot"):
            for study in STUDIES:
                cls.run_command(f"study {study} -o study-{study.split()[0]}")
        (cls.path / "docs").mkdir()
        for picture in (SOURCE / "docs").glob("*.svg"):
            shutil.copy(picture, cls.path / "docs")
        cls.pictures = sorted(cls.path.rglob("*.svg"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_command(cls, command, name=""):
        done = subprocess.run([SLUICE, *(word.replace("{}", name) for word in command.split())], cwd=cls.path,
                              env={**os.environ, "SLUICE_LAB": str(cls.path / "lab")}, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{command}: {done.stderr}")

    def test_all_kinds_are_drawn(self):
        self.assertGreaterEqual(len(self.pictures), len(PICTURES) + 2 + (15 if shutil.which("gnuplot") else 0))

    def test_no_text_is_smaller_than_6_points(self):
        for picture in self.pictures:
            root = xml.etree.ElementTree.parse(picture).getroot()
            width = float(root.get("viewBox").split()[2])
            texts = list(sizes(root, float(root.get("font-size", "16")), 1))
            with self.subTest(picture.relative_to(self.path)):
                self.assertGreater(len(texts), 2)
                size, text = min(texts)
                self.assertGreaterEqual(size * WIDTH_PT / width, LEAST_PT, text)

    def test_prints_of_studies_have_such_text_too(self):
        for script in self.path.rglob("*.gp"):
            found = re.search(r'set terminal pdfcairo size ([0-9.]+)cm,[0-9.]+cm font "sans-serif,([0-9.]+)"',
                              script.read_text())
            with self.subTest(script.name):
                self.assertIsNotNone(found)
                self.assertGreaterEqual(float(found.group(2)) * 8.5 / float(found.group(1)), LEAST_PT)

    @unittest.skipUnless(shutil.which("rsvg-convert") and colours_of,
                         "left out: no rsvg-convert or Pillow (Debian: librsvg2-bin, python3-pil)")
    def test_print_as_the_documents_say(self):
        for number, picture in enumerate(self.pictures):
            pdf, png = self.path / f"{number}.pdf", self.path / f"{number}.png"
            subprocess.run(["rsvg-convert", "-f", "pdf", "-o", pdf, picture], check=True)
            subprocess.run(["rsvg-convert", "-f", "png", "-o", png, picture], check=True)
            with self.subTest(picture.relative_to(self.path)):
                _, _, width, height = map(float, xml.etree.ElementTree.parse(picture).getroot().get("viewBox").split())
                content = pdf.read_bytes()
                self.assertEqual(content[:5], b"%PDF-")
                page = re.search(rb"/MediaBox \[ *0 0 ([0-9.]+) ([0-9.]+) *\]", content)
                self.assertIsNotNone(page)
                self.assertAlmostEqual(float(page.group(1)) / float(page.group(2)), width / height, delta=0.01)
                self.assertEqual(content.count(b"/Type /Page\n") + content.count(b"/Type /Page "), 1)
                self.assertIn(b"/FontFile", content)  # text, not a bitmap
                # The picture is not blank: it shows more colours than its ground.
                self.assertGreater(len(colours_of(png.read_bytes())), 4)

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_no_text_reaches_beyond_its_picture(self):
        with Browser(CHROMIUM) as browser:
            for picture in self.pictures:
                browser.open(picture)
                beyond = browser.run("""(() => {
                  const all = document.documentElement.getBoundingClientRect();
                  return [...document.querySelectorAll("text")].filter(text => {
                    const box = text.getBoundingClientRect();
                    return box.width > 0 && (box.left < all.left - 1 || box.right > all.right + 1 ||
                      box.top < all.top - 1 || box.bottom > all.bottom + 1);
                  }).map(text => text.textContent);
                })()""")
                with self.subTest(picture.relative_to(self.path)):
                    self.assertEqual(beyond, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
