#!/usr/bin/env python3
"""The page of `sluice report` in a headless Chromium: page_test.py SLUICE CHROMIUM FOLDER [KEEP]

KEEP: a folder for the pictures that it takes, to be looked at."""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

from browser import Browser
from picture import colours_of

SLUICE, CHROMIUM, SOURCE = sys.argv[1:4]
KEEP = sys.argv[4] if len(sys.argv) > 4 else None


def sluice(*arguments):
    subprocess.run([SLUICE, *arguments], check=True, stdout=subprocess.DEVNULL)


def keep(name, content):
    if KEEP:
        with open(os.path.join(KEEP, name), "wb") as file:
            file.write(content)
    return content


def steps_file(path, senders, steps):
    """A sound schedule in which every sender sends in every step."""
    rng = random.Random(1)
    rows, sums, offsets = [], 0, {}
    for step in range(steps):
        turn = rng.randrange(senders)
        transfers = []
        for sender in range(senders):
            receiver, size = (sender + turn) % senders, rng.randint(1, 50)
            offset = offsets.get((sender, receiver), 0)
            offsets[sender, receiver] = offset + size
            transfers.append({"from": sender, "to": receiver, "offset": offset, "size": size})
        rows.append({"duration": max(t["size"] for t in transfers), "transfers": transfers})
        sums += rows[-1]["duration"]
    cost = {"steps": steps, "transmission": sums, "total": sums + steps}
    with open(path, "w") as file:
        json.dump({"schema": "sluice.schedule/1", "type": "steps", "problem": "exchange", "algorithm": "made up",
                   "senders": senders, "receivers": senders, "max_transfers": senders, "setup": 1, "steps": rows,
                   "cost": cost, "bound": {"steps": 1, "transmission": 1, "total": 2}}, file)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="sluice-report-")
        os.chdir(cls.folder.name)
        with open("traffic.csv", "w") as file:
            file.write("30,10,0,5\n0,0,20,5\n40,0,10,5\n1,2,3,4\n")
        with open("study.csv", "w") as file:
            file.write("bytes,method,executed_s\n" +
                       "".join(f"{1 << k},{name},{(1 << k) * cost}\n" for k in range(12) for name, cost in (("flat", 2e-6), ("tree", 1e-6))))
        sluice("plan", "exchange", "traffic.csv", "--algorithm", "oggp", "--json", "plan.json")
        sluice("compare", "exchange", "traffic.csv", "--json", "compare.json")
        sluice("plan", "reduce", "--machines", "16", "--transfer", "2", "--compute", "1", "--json", "tree.json")
        grid = os.path.join(SOURCE, "studies/grid5000/grid5000-88.json")
        for problem in ("broadcast", "allgather"):
            sluice("predict", problem, "--platform", grid, "--size", "16Ki", "--json", problem + ".json")
        sluice("tune", "--platform", grid, "--for", "openmpi", "-o", "rules.conf", "--json", "tuning.json",
               "--collectives", "bcast,gather", "--sizes", "1Ki,64Ki")
        evil = "<img src=x onerror='evil = 1'>.json"
        with open(os.path.join(SOURCE, "tests/docs/samples/run.json")) as sample, open(evil, "w") as file:
            run = json.load(sample)
            run["methods"][0].update(name="</script><script>evil = 1</script>", how="<b>how</b>")
            json.dump(run, file)
        sluice("report", "plan.json", "compare.json", "tree.json", "traffic.csv", "study.csv", grid,
               os.path.join(SOURCE, "tests/docs/samples/record.json"), evil, "broadcast.json", "allgather.json", "tuning.json",
               "-o", "page.html")
        steps_file("many.json", 250, 400)
        sluice("report", "many.json", "-o", "many.html")
        cls.browser = Browser(CHROMIUM)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def setUp(self):
        self.browser.problems.clear()
        self.browser.requests.clear()
        self.browser.media()
        self.browser.open("many.html" if "many" in self.id() else "page.html")

    def tearDown(self):
        self.assertEqual(self.browser.problems, [])
        self.assertEqual([url for url in self.browser.requests if not url.startswith("file:///")], [])

    def text(self, selector):
        return self.browser.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def texts(self, selector):
        return self.browser.run(f"Array.from(document.querySelectorAll({json.dumps(selector)}), e => e.textContent)")

    def rows(self, caption, section=1):
        return self.browser.run(
            f"Array.from(Array.from(document.querySelectorAll('main > section:nth-child({section}) table'))"
            f".find(t => t.caption.textContent === {json.dumps(caption)}).tBodies[0].rows,"
            " row => Array.from(row.cells, cell => cell.textContent))")

    def press(self, name, section=1):
        self.browser.run(f"Array.from(document.querySelectorAll('main > section:nth-child({section}) button'))"
                         f".find(b => b.textContent.startsWith({json.dumps(name)})).click()")
        self.browser.frames()

    def test_a_section_for_each_file_with_pictures_figures_and_tables(self):
        self.assertEqual(self.browser.run("document.querySelectorAll('main > section').length"), 11)
        self.assertEqual(len(self.texts("nav a")), 11)
        for section in range(1, 12):
            for part in ("h2", "dl.figures dd", "figure", "table caption", "tbody tr"):
                self.assertTrue(self.texts(f"main > section:nth-child({section}) {part}"), (section, part))
        self.assertEqual(self.browser.run("document.documentElement.lang"), "en")

    def test_a_tree_is_drawn_in_the_colours_of_the_page(self):
        drawn = "main > section:nth-child(3) .drawn svg"
        self.assertEqual(self.browser.run(f"document.querySelectorAll('{drawn} circle').length"), 16)
        self.assertEqual(self.browser.run(f"document.querySelectorAll('{drawn} style').length"), 0)
        ink = "getComputedStyle(document.querySelector({})).{}".format
        for scheme in ("light", "dark"):
            self.browser.media(scheme=scheme)
            self.assertEqual(self.browser.run(ink(f"'{drawn} text'", "fill")), self.browser.run(ink("'body'", "color")))

    def test_names_from_files_stay_texts(self):
        self.assertEqual(self.browser.run("typeof evil"), "undefined")
        self.assertEqual(self.browser.run("document.querySelectorAll('img, b, main script').length"), 0)
        self.assertEqual(self.texts("main > section:nth-child(8) h2"), ["<img src=x onerror='evil = 1'>.json"])
        self.assertEqual(self.rows("Methods", 8)[0][0], "</script><script>evil = 1</script>")

    def test_pictures_are_not_blank_in_light_dark_and_on_paper(self):
        grounds = {}
        for scheme in ("light", "dark"):
            self.browser.media(scheme=scheme)
            if KEEP:
                keep(f"{scheme}.png", self.browser.picture(whole=True))
            for name in ("section:nth-child(1) .scroller", "section:nth-child(1) .beside", "section:nth-child(2) figure",
                         "section:nth-child(5) figure .drawing", "section:nth-child(6) .beside"):
                counts = colours_of(self.browser.picture("main > " + name, scale=0.5))
                ground = max(counts, key=counts.get)
                grounds[scheme, name] = ground
                share = 1 - counts[ground] / sum(counts.values())
                self.assertGreater(share, 0.02, (scheme, name))
                self.assertGreater(len(counts), 8, (scheme, name))
            self.assertEqual(max(grounds[scheme, n][0] for s, n in grounds if s == scheme) < 128, scheme == "dark")
        paper = keep("paper.pdf", self.browser.paper())
        self.assertEqual(paper[:5], b"%PDF-")
        # Where a page ends in a table, Chromium begins the next with its heads again, but without buttons.
        self.browser.media("print")
        self.assertEqual(self.browser.run(
            "[...new Set([...document.querySelectorAll('th button')].map(b => getComputedStyle(b).display))].join()"),
            "contents")
        # On paper colours are light, whatever the screen.
        self.browser.media(scheme="dark")
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.run("colours().page"), "#ffffff")
        self.browser.run("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.run("colours().page"), "#1a1a1a")

    def test_the_slider_shows_the_matching_of_a_step(self):
        with open("plan.json") as file:
            steps = json.load(file)["steps"]
        slider = "main > section:nth-child(1) input[type=range]"
        self.assertEqual(self.browser.run(f"document.querySelector('{slider}').max"), str(len(steps) - 1))
        matrix = "main > section:nth-child(1) .beside"
        before = self.browser.picture(matrix, scale=0.5)
        self.browser.run(f"document.querySelector('{slider}').focus()")
        self.browser.key("ArrowRight", 39)
        self.browser.key("ArrowRight", 39)
        count = len(steps[2]["transfers"])
        self.assertIn(f"step 2: {count} transfer", self.browser.run(f"document.querySelector('{slider}').getAttribute('aria-valuetext')"))
        after = self.browser.picture(matrix, scale=0.5)
        self.assertNotEqual(before, after)
        if KEEP:
            keep("step.png", self.browser.picture("main > section:nth-child(1)"))
        mark = (0xD5, 0x5E, 0x00)
        self.assertGreater(colours_of(after).get(mark, 0), 200 * count)
        self.press("Next step")
        self.assertIn("Step 3 of 0 to", " ".join(self.texts("main > section:nth-child(1) [role=status]")))
        self.browser.run("document.querySelector('main > section:nth-child(1) input[type=checkbox]').click()")
        self.browser.frames()
        self.assertEqual(colours_of(self.browser.picture(matrix, scale=0.5)).get(mark, 0), 0)

    def test_the_filter_leaves_ranks_in_pictures_and_tables(self):
        def set_filter(text):
            self.browser.run("(() => { const i = document.querySelector('main > section input[type=text]');"
                             f" i.value = {json.dumps(text)}; i.dispatchEvent(new Event('input')); }})()")
            self.browser.frames()
        before = self.browser.picture("main > section:nth-child(1) .scroller")
        set_filter("2")
        rows = self.rows("Transfers")
        self.assertTrue(rows)
        self.assertTrue(all("2" in row[:2] for row in rows))
        self.assertNotEqual(before, self.browser.picture("main > section:nth-child(1) .scroller"))
        self.browser.run("(() => { const s = document.querySelectorAll('main > section select')[0];"
                         " s.value = 'from'; s.dispatchEvent(new Event('change')); })()")
        self.assertEqual({row[0] for row in self.rows("Transfers")}, {"2"})
        set_filter("2-")
        self.assertEqual(self.browser.run("document.querySelector('main > section input[type=text]').getAttribute('aria-invalid')"), "true")
        self.assertIn("neither a rank nor a range", self.text("main > section .problem"))
        self.press("All ranks")
        self.assertGreater(len({row[0] for row in self.rows("Transfers")}), 2)

    def test_tables_sort_by_their_heads(self):
        self.press("size")
        sizes = [float(row[2]) for row in self.rows("Transfers")]
        self.assertEqual(sizes, sorted(sizes))
        self.assertEqual(self.texts("main > section:nth-child(1) th[aria-sort=ascending]"), ["size▲"])
        self.press("size")
        sizes = [float(row[2]) for row in self.rows("Transfers")]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.press("algorithm", 2)
        names = [row[0] for row in self.rows("Algorithms", 2)]
        self.assertEqual(names, sorted(names))

    def test_the_pointer_tells_the_facts_of_a_transfer(self):
        self.browser.run("document.querySelector('main > section .scroller').scrollIntoView({behavior: 'instant', block: 'center'})")
        self.browser.frames()
        box = self.browser.run("(() => { const b = document.querySelector('.scroller canvas').getBoundingClientRect(); return [b.x, b.y]; })()")
        with open("plan.json") as file:
            steps = json.load(file)["steps"]
        first = steps[0]["transfers"][0]
        heights = self.browser.run("document.querySelector('.scroller canvas').clientHeight / 4")
        self.browser.mouse("mouseMoved", box[0] + 70, box[1] + heights * (first["from"] + 0.5))
        tip = self.text("main > section .tip:not([hidden])")
        self.assertIn(f"{first['from']} to {first['to']}", tip)
        self.assertIn("step 0", tip)
        self.assertIn(f"offset {first['offset']}", tip)
        pieces = {(t["from"], t["to"], t["offset"], t["size"]) for step in steps for t in step["transfers"]}
        # The first page of the table, which has a message in pieces.
        rows = {(int(row[0]), int(row[1]), int(row[3]), int(row[2])) for row in self.rows("Transfers")}
        self.assertEqual(len(rows), min(len(pieces), 20))
        self.assertLessEqual(rows, pieces)
        self.assertTrue(any(offset > 0 for _, _, offset, _ in rows))

    def spans(self, y):
        """Where on the timeline the pointer meets each transfer at a height: (first, last) by the facts it is told."""
        tips = self.browser.run(f"""(() => {{
          const canvas = document.querySelector('.scroller canvas');
          const box = canvas.getBoundingClientRect();
          const tip = canvas.closest('figure').querySelector('.tip');
          const tips = [];
          for (let x = 0; x < canvas.clientWidth; ++x) {{
            canvas.dispatchEvent(new MouseEvent('mousemove', {{ bubbles: true, clientX: box.x + x, clientY: box.y + {y} }}));
            tips.push(tip.hidden ? '' : tip.textContent);
          }}
          return tips;
        }})()""")
        return {tip: (tips.index(tip), len(tips) - 1 - tips[::-1].index(tip)) for tip in tips if tip}

    def test_the_wheel_zooms_at_the_pointer_and_dragging_moves(self):
        canvas = "main > section:nth-child(1) .scroller canvas"
        self.browser.run(f"document.querySelector('{canvas}').scrollIntoView({{behavior: 'instant', block: 'center'}})")
        self.browser.frames()
        x, y, width, height = self.browser.run(
            f"(() => {{ const b = document.querySelector('{canvas}').getBoundingClientRect();"
            " return [b.x, b.y, b.width, b.height / 4]; })()")
        row = height / 2  # of sender 0
        before = self.spans(row)
        self.assertGreater(len(before), 1)
        # A transfer that is still inside when everything is twice as wide.
        facts, (left, right) = min(before.items(), key=lambda each: abs(sum(each[1]) - width))
        pointer = (left + right) / 2

        def wheel(modifiers):
            self.browser.mouse("mouseWheel", x + pointer, y + row, deltaX=0, deltaY=-500, modifiers=modifiers)

        ctrl = 2
        wheel(ctrl)  # 500 are a factor of 2
        zoomed = self.spans(row)
        self.assertIn(facts, zoomed)
        self.assertAlmostEqual(zoomed[facts][1] - zoomed[facts][0], 2 * (right - left), delta=4)
        self.assertAlmostEqual(pointer - zoomed[facts][0], 2 * (pointer - left), delta=3)
        self.assertLess(len(zoomed), len(before) + 1)

        shift = 40
        self.browser.mouse("mousePressed", x + pointer, y + row, button="left", clickCount=1)
        self.browser.mouse("mouseMoved", x + pointer + shift, y + row, button="left", buttons=1)
        self.browser.mouse("mouseReleased", x + pointer + shift, y + row, button="left", clickCount=1)
        moved = self.spans(row)
        self.assertAlmostEqual(moved[facts][0], zoomed[facts][0] + shift, delta=2)
        self.assertAlmostEqual(moved[facts][1], zoomed[facts][1] + shift, delta=2)

        self.press("Show all")
        self.assertEqual(self.spans(row), before)
        self.press("Zoom in")
        by_button = self.spans(row)
        self.assertNotEqual(by_button, before)
        self.press("Zoom out")
        self.assertEqual(self.spans(row), before)
        # Without Ctrl the wheel is the page's.
        wheel(0)
        self.assertEqual(self.spans(row), before)

    def test_keys_move_through_transfers_and_cells(self):
        self.browser.run("document.querySelector('.scroller canvas').focus()")
        self.browser.key("ArrowRight", 39)
        first = self.text("main > section figure p.status")
        self.assertIn("0 to ", first)
        self.browser.key("ArrowRight", 39)
        self.assertNotEqual(self.text("main > section figure p.status"), first)
        self.browser.key("ArrowDown", 40)
        self.assertTrue(self.text("main > section figure p.status").startswith("1 to "))
        before = self.browser.picture("main > section:nth-child(1) .scroller")
        self.browser.key("+")
        self.assertNotEqual(before, self.browser.picture("main > section:nth-child(1) .scroller"))
        self.browser.run("document.querySelector('.beside canvas').focus()")
        self.browser.key("ArrowRight", 39)
        self.browser.key("ArrowRight", 39)
        self.assertIn("sender 0, receiver 1: sum of sizes 10", self.texts("main > section:nth-child(1) figure p.status")[1])

    def test_everything_that_can_be_used_has_a_name(self):
        self.browser.call("Accessibility.enable")
        nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
        usable = {"button", "textbox", "combobox", "slider", "checkbox", "link", "application", "image", "table", "region"}
        seen = {}
        for node in nodes:
            role = node.get("role", {}).get("value")
            if role in usable and not node.get("ignored"):
                seen[role] = seen.get(role, 0) + 1
                self.assertTrue(node.get("name", {}).get("value"), node)
        for role in usable:
            self.assertGreater(seen.get(role, 0), 0, role)

    def test_long_texts_of_tables_keep_their_lines_in_a_narrow_window(self):
        sluice("report", os.path.join(SOURCE, "tests/docs/samples/run.json"), "-o", "narrow.html")
        self.browser.call("Emulation.setDeviceMetricsOverride", width=400, height=900, deviceScaleFactor=1, mobile=False)
        try:
            self.browser.open("narrow.html")
            self.assertEqual(self.browser.run("document.documentElement.scrollWidth"), 400)
            heights = self.browser.run("Array.from(document.querySelectorAll('tbody td'), cell => cell.offsetHeight)")
            self.assertLess(max(heights), 4 * 24, "more than four lines")
            # Each row is a block, with the title of the column before each cell: nothing is outside the window.
            right = self.browser.run("Math.max(...Array.from(document.querySelectorAll('td'), cell => cell.getBoundingClientRect().right))")
            self.assertLessEqual(right, 400)
            self.assertIn("/ sluice", self.browser.run("Array.from(document.querySelectorAll('td'), cell => cell.dataset.column)"))
            # Its words are not broken.
            sluice("report", "tuning.json", "-o", "narrow.html")
            self.browser.open("narrow.html")
            self.assertEqual(self.browser.run("document.documentElement.scrollWidth"), 400)
            broken = "Array.from(document.querySelectorAll('td'), c => c).filter(c => !c.textContent.includes(' ') && c.offsetHeight > 35).length"
            self.assertEqual(self.browser.run(broken), 0)
        finally:
            self.browser.call("Emulation.clearDeviceMetricsOverride")

    def outside(self, width):
        """What reaches beyond the left or the right edge of a window of that width, or of its own table."""
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        try:
            self.browser.open("page.html")
            return self.browser.run(f"""Array.from(document.querySelectorAll('main *')).filter(e => {{
              const box = e.getBoundingClientRect();
              return box.width > 0 && (box.left < -1 || box.right > {width + 1}) || e.matches('.table, .drawn') && e.scrollWidth > e.clientWidth + 1;
            }}).map(e => e.tagName + ': ' + e.textContent.slice(0, 60))""")
        finally:
            self.browser.call("Emulation.clearDeviceMetricsOverride")

    def test_nothing_is_cut_in_a_wide_or_a_narrow_window(self):
        self.assertEqual(self.outside(1400), [])
        self.assertEqual(self.outside(400), [])

    def test_long_numbers_have_their_digits_grouped(self):
        texts = self.browser.run("[9999, 10000, -1234567.5, 1e21, 0.125].map(numberText)")
        self.assertEqual(texts, ["9999", "10,000", "-1,234,567.5", "1e+21", "0.125"])
        self.assertEqual(self.browser.run("[quantityText(12345, 'B'), quantityText(0.0123, 's')]"), ["12.3 kB", "12.3 ms"])

    def test_the_caption_says_what_the_numbers_in_bars_are(self):
        caption = "main > section:nth-child(1) figcaption"
        self.assertIn("Number and colour of a bar: its receiver.", self.text(caption))
        self.browser.run("(() => { const s = document.querySelector('main > section figure select');"
                         " s.value = 'to'; s.dispatchEvent(new Event('change')); })()")
        self.assertIn("Number and colour of a bar: its sender.", self.text(caption))

    def test_names_of_any_length_stay_in_a_narrow_window(self):
        clusters = [{"name": name, "ranks": [rank], "latency_s": 0, "gap": []} for rank, name in enumerate(("Köln", "Ž" * 60))]
        with open("long.json", "w") as file:
            json.dump({"schema": "sluice.platform/1", "ranks": 2, "clusters": clusters,
                       "links": [{"from": 0, "to": 1, "latency_s": 1e-4, "gap": [[1, 1e-6], [1024, 1e-5]]}]}, file)
        sluice("report", "long.json", "-o", "narrow.html")
        self.browser.call("Emulation.setDeviceMetricsOverride", width=400, height=900, deviceScaleFactor=1, mobile=False)
        try:
            self.browser.open("narrow.html")
            self.assertEqual(self.browser.run("document.documentElement.scrollWidth"), 400)
        finally:
            self.browser.call("Emulation.clearDeviceMetricsOverride")

    def test_a_schedule_of_nothing_says_so(self):
        with open("nothing.csv", "w") as file:
            file.write("0,0\n0,0\n")
        sluice("plan", "exchange", "nothing.csv", "--json", "nothing.json")
        sluice("report", "nothing.json", "-o", "nothing.html")
        self.browser.open("nothing.html")
        self.assertEqual(self.texts(".note"), ["Nothing is sent."])
        self.assertEqual(self.texts("canvas"), [])

    def test_many_transfers_are_drawn_once_each(self):
        self.assertEqual(self.browser.run("JSON.parse(document.getElementById('data').textContent)[0].timeline.from.length"), 100000)
        if KEEP:
            keep("many.png", self.browser.picture(whole=True))
        # The number of rectangles of each drawing of the timeline and of the matrix, at several zooms.
        drawings = self.browser.run("""(async () => {
          const buttons = Array.from(document.querySelectorAll('main button'));
          const drawn = CanvasRenderingContext2D.prototype.fillRect;
          const drawings = [];
          for (const name of ['Zoom in', 'Zoom in', 'Zoom in', 'Lower rows', 'Zoom out', 'Show all', 'Taller rows']) {
            for (const button of buttons.filter(b => b.textContent === name)) button.click();
            await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
            for (const picture of pictures) {
              let rectangles = 0;
              CanvasRenderingContext2D.prototype.fillRect = function (...where) {
                ++rectangles;
                return drawn.apply(this, where);
              };
              picture.draw(false);
              CanvasRenderingContext2D.prototype.fillRect = drawn;
              drawings.push(rectangles);
            }
          }
          return drawings;
        })()""")
        self.assertEqual(len(drawings), 14)
        for rectangles in drawings:
            # A transfer, or an entry of the matrix, once; besides them the page and every other row.
            self.assertGreater(rectangles, 100, drawings)
            self.assertLess(rectangles, 100000 + 250, drawings)
        # Transfers that share a pixel are one rectangle: so it is with the timeline after 'Show all'.
        self.assertLess(drawings[10], 50000, drawings)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
