#!/usr/bin/env python3
"""Whether the pictures of `sluice report` look as those in tests/apps/report/looks do:

    looks_test.py SLUICE CHROMIUM FOLDER            compares
    looks_test.py SLUICE CHROMIUM FOLDER --renew    takes the pictures anew; look at them, and at `git diff`, before a commit

The stored pictures have a pixel for 8 by 8 of the page, so a few kilobytes hold all of them and another font changes little.
What they show comes from files of this folder and from the text below, not from planners, which may improve."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from browser import Browser
from picture import difference, read_png, smaller, write_png

SLUICE, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[3])
CHROMIUM = sys.argv[2]
RENEW = "--renew" in sys.argv[4:]
LOOKS = pathlib.Path(__file__).resolve().parent / "looks"

SIDE = 8         # pixels of the page that become one
ALLOWED = 0.02   # of what is drawn; see test_another_font_is_no_difference and test_a_wrong_picture_is_noticed
MEDIA = {"light": ("screen", "light"), "dark": ("screen", "dark"), "paper": ("print", "light")}


def steps_file():
    """Four senders, five receivers, a message in two pieces, steps of unequal length."""
    steps = [[(0, 1, 0, 30), (1, 0, 0, 20), (2, 3, 0, 30), (3, 2, 0, 12)], [(0, 2, 0, 8), (2, 1, 0, 25), (3, 4, 0, 25)],
             [(0, 1, 30, 10), (1, 2, 0, 16), (2, 0, 0, 40), (3, 3, 0, 5)], [(1, 4, 0, 22), (3, 0, 0, 3)]]
    rows = [{"duration": max(t[3] for t in step), "transfers": [dict(zip(("from", "to", "offset", "size"), t)) for t in step]}
            for step in steps]
    transmission = sum(row["duration"] for row in rows)
    return {"schema": "sluice.schedule/1", "type": "steps", "problem": "exchange", "algorithm": "by hand", "senders": 4,
            "receivers": 5, "max_transfers": 4, "setup": 2, "steps": rows,
            "cost": {"steps": 4, "transmission": transmission, "total": transmission + 8},
            "bound": {"steps": 3, "transmission": 95, "total": 101}}


def tree_file():
    transfers = [(1, 0, 0, 2), (3, 2, 0, 2), (5, 4, 0, 2), (2, 0, 3, 5), (6, 4, 3, 5), (4, 0, 6, 8)]
    return {"schema": "sluice.schedule/1", "type": "tree", "problem": "reduce", "algorithm": "by hand", "machines": 7, "root": 0,
            "transfer": 2, "compute": 1, "transfers": [dict(zip(("from", "to", "start", "end"), t)) for t in transfers],
            "length": 9, "bound": {"lower": 9, "upper": 9}}


# Each picture: the section of its file, counted from 1, and what to take of it.
PICTURES = {"timeline": (1, ".scroller"), "step": (1, ".beside canvas"), "tree": (2, ".drawn svg"), "bars": (3, "figure svg"),
            "matrix": (4, ".beside canvas"), "shades": (4, ".beside svg"), "curves": (5, "figure .drawing > svg"),
            "latencies": (6, ".beside canvas")}

# What may go wrong with a picture: a text of the page, what stands in its place, and the picture that shows it.
WRONG = {
    "a transfer of another length": ('"end":[32,22,32,14,', '"end":[32,22,12,14,', "timeline"),
    "a transfer to another receiver": ('"to":[1,0,3,2,2,1,4,1,', '"to":[1,0,3,2,2,1,4,3,', "step"),
    "one colour for all receivers": ("context.fillStyle = theme.series[c];", "context.fillStyle = theme.series[0];", "timeline"),
    "bars that are not drawn": ("context.fillRect(from, y - top, Math.max(to - from - 0.5, 0.75), thick);", "", "timeline"),
    "rows upside down": ("return [bars.row[b] * height +", "return [(bars.rows.length - 1 - bars.row[b]) * height +", "timeline"),
    "a linear scale of colours": ("return Math.log(value / low) / Math.log(high / low);", "return (value - low) / (high - low);", "matrix"),
    "rows for columns": ("const xOf = e => firstX + order.columns.position[entries.column[e]]",
                         "const xOf = e => firstX + order.columns.position[entries.row[e]]", "latencies"),
    "a linear axis": ("if (low > 0 && high / low >= wide) return d3.scaleLog()", "if (low > 0 && high / low >= wide) return d3.scaleLinear()", "curves"),
    "bars from nothing": ('bar => Math.max(at(bar.value) - left, 0.5)', '"0.5"', "bars"),
    "a tree without its machines": ("const svg = document.importNode(drawn, true);",
                                           "const svg = document.importNode(drawn, true); for (const p of svg.querySelectorAll('circle')) p.remove();", "tree"),
}


def stored(name, medium):
    return LOOKS / f"{name}-{medium}.png"


class Looks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.folder = cls.stack.enter_context(tempfile.TemporaryDirectory(prefix="sluice-looks-"))
        os.chdir(cls.folder)
        files = {"steps.json": json.dumps(steps_file()), "tree.json": json.dumps(tree_file()),
                 "traffic.csv": "3000,100,0,5\n0,0,200,5\n40,0,1,5\n1,20,300,4\n",
                 "study.csv": "bytes,method,executed_s\n" + "".join(
                     f"{1 << k},{name},{first + (1 << k) * per_byte}\n"
                     for k in range(4, 20) for name, first, per_byte in (("flat", 1e-5, 2e-8), ("tree", 5e-5, 2e-9)))}
        for name, content in files.items():
            pathlib.Path(name).write_text(content)
        subprocess.run([SLUICE, "report", "steps.json", "tree.json", os.path.join(SOURCE, "tests/docs/samples/run.json"), "traffic.csv",
                        "study.csv", os.path.join(SOURCE, "studies/grid5000/grid5000-88.json"), "-o", "page.html"],
                       check=True, stdout=subprocess.DEVNULL)
        cls.page = pathlib.Path("page.html").read_text()
        cls.browser = cls.stack.enter_context(Browser(CHROMIUM))
        if RENEW:
            cls.renew()

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    @classmethod
    def renew(cls):
        cls.show(cls.page)
        LOOKS.mkdir(exist_ok=True)
        for old in LOOKS.glob("*.png"):
            old.unlink()
        for medium in MEDIA:
            for name in PICTURES:
                stored(name, medium).write_bytes(write_png(cls.look(name, medium)))

    def setUp(self):
        self.browser.problems.clear()

    def tearDown(self):
        self.assertEqual(self.browser.problems, [])

    @classmethod
    def show(cls, page):
        pathlib.Path("shown.html").write_text(page)
        cls.browser.open("shown.html")
        cls.browser.run("(() => { const s = document.querySelector('main > section input[type=range]');"
                         " s.value = 2; s.dispatchEvent(new Event('input')); })()")

    @classmethod
    def look(cls, name, medium):
        section, part = PICTURES[name]
        media, scheme = MEDIA[medium]
        cls.browser.media(media, scheme)
        selector = f"main > section:nth-child({section}) {part}"
        # Where it begins in a pixel must not depend on the texts above it.
        cls.browser.run("document.body.style.paddingTop = '0px'")
        top = cls.browser.box(selector)["y"]
        cls.browser.run(f"document.body.style.paddingTop = '{-top % (2 * SIDE)}px'")
        cls.browser.frames()
        # Half the size is precise enough, and read in half the time.
        png = cls.browser.picture(selector, scale=0.5)
        return smaller(read_png(png), SIDE // 2)

    def differences(self, media=MEDIA):
        return {(name, medium): difference(self.look(name, medium), read_png(stored(name, medium).read_bytes()))
                for medium in media for name in PICTURES}

    def test_pictures_look_as_stored(self):
        self.show(self.page)
        self.assertEqual({path.name for path in LOOKS.glob("*.png")}, {f"{n}-{m}.png" for n in PICTURES for m in MEDIA})
        for which, share in self.differences().items():
            with self.subTest(which):
                self.assertLessEqual(share, ALLOWED)

    def test_another_font_is_no_difference(self):
        for font in ("monospace", "serif"):
            head = f"""<style>svg text {{ font-family: {font} !important; }}</style><script>
              const font = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, "font");
              Object.defineProperty(CanvasRenderingContext2D.prototype, "font", {{
                get() {{ return font.get.call(this); }},
                set(value) {{ font.set.call(this, value.replace("system-ui, sans-serif", "{font}")); }}
              }});</script>"""
            page = self.page.replace("</head>", head + "</head>")
            self.show(page)
            shares = self.differences(["light"])
            print(font, {name: round(share, 3) for (name, _), share in shares.items()}, file=sys.stderr)
            for which, share in shares.items():
                # Half of what the small tree draws are letters, which are a third wider there.
                if (font, which[0]) == ("monospace", "tree"):
                    continue
                with self.subTest((font, which)):
                    self.assertLessEqual(share, ALLOWED)

    def test_a_wrong_picture_is_noticed(self):
        for what, (text, instead, name) in WRONG.items():
            with self.subTest(what):
                self.assertIn(text, self.page)
                self.show(self.page.replace(text, instead))
                for medium in MEDIA:
                    share = difference(self.look(name, medium), read_png(stored(name, medium).read_bytes()))
                    print(f"{what}, {medium}: {share:.3f}", file=sys.stderr)
                    self.assertGreater(share, ALLOWED)
        with self.subTest("light in place of dark"):
            self.show(self.page)
            for name in PICTURES:
                self.assertGreater(difference(self.look(name, "light"), read_png(stored(name, "dark").read_bytes())), ALLOWED)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
