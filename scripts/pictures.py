#!/usr/bin/env python3
"""Draws the pictures of the documents from what the command says and does.

    scripts/pictures.py [--command build/release/bin/sluice] [--output docs]
        picture.svg: a communication matrix, its schedule in the fewest steps, and its time beside the caterpillar's
    scripts/pictures.py --lab ...
        bottleneck.svg: an exchange over a bottleneck, all messages at once and by a plan, as both ran in the lab
        (lab/run.sh: root, Open MPI, a machine that does nothing else)

Only Python's own modules are used.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

WIDTH, TEXT = 600, 15  # text of 6 pt where a picture is printed 85 mm wide
# Okabe and Ito's palette, told apart with any common kind of colour blindness.
PALETTE = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"]
ON_LIGHT = {"#E69F00", "#56B4E9", "#F0E442"}  # black text is read on these, white on the others


class Drawing:
    """An SVG on white, in the units of the screen."""

    def __init__(self, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'font-family="sans-serif" font-size="{TEXT}">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        ]

    def box(self, x, y, width, height, fill, edge=""):
        stroke = f' stroke="{edge}"' if edge else ""
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"{stroke}/>')

    def text(self, x, y, text, fill="#222", anchor="start", bold=False, turned=False):
        at = f'transform="translate({x:g},{y:g}) rotate(-90)"' if turned else f'x="{x:g}" y="{y:g}"'
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text {at} text-anchor="{anchor}" fill="{fill}"{weight}>{escape(text)}</text>')

    def heading(self, x, y, title, *below):
        self.text(x, y, title, bold=True)
        for line, text in enumerate(below, 1):
            self.text(x, y + 20 * line, text, fill="#555")

    def arrow(self, x, y, length=26):
        self.parts.append(f'<path d="M{x} {y}h{length}m-7 -5l7 5l-7 5" fill="none" stroke="#444" stroke-width="2"/>')

    def line(self, x1, y1, x2, y2, colour="#bbb"):
        self.parts.append(f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{colour}"/>')

    def save(self, path):
        text = "\n".join(self.parts + ["</svg>", ""])
        unfinished = path.with_suffix(".part")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)


def on(colour):
    return "#222" if colour in ON_LIGHT else "#fff"


def letter_of(step):
    return chr(ord("a") + step)


def plan(command, algorithm):
    words = [command, "plan", "redistribute", "--from", "16:3", "--to", "16:5", "--algorithm", algorithm, "--json", "-"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def matrix(drawing, x, y, cell, nodes, cells):
    """cells: (row, column, fill, text, colour of the text)"""
    drawing.box(x, y, cell * nodes, cell * nodes, "none", "#bbb")
    for row, column, fill, text, colour in cells:
        left, top = x + column * cell, y + row * cell
        drawing.box(left, top, cell, cell, fill)
        drawing.text(left + cell / 2, top + cell - 3.5, text, fill=colour, anchor="middle")


def bars(drawing, x, y, scale, schedule, colours):
    """A row: of each step its set-up, light, and its transmission."""
    for step, each in enumerate(schedule["steps"]):
        for width, fill in ((schedule["setup"], "#eeeeee"), (each["duration"], colours[step % len(colours)])):
            drawing.box(x, y, width * scale, 26, fill, "#ffffff")
            x += width * scale


def draw_redistribution(command, output):
    ours, other = plan(command, "auto"), plan(command, "caterpillar")
    nodes, cell, left, right, top = ours["senders"], 16.5, 26, 326, 72
    drawing = Drawing(584, "From the communication matrix of 16:3 to 16:5 to seven steps, and their time beside the caterpillar")
    moves = [(t["from"], t["to"], t["size"], step) for step, s in enumerate(ours["steps"]) for t in s["transfers"]]
    greys = {1: ("#d9d9d9", "#222"), 2: ("#a6a6a6", "#222"), 3: ("#636363", "#fff")}
    drawing.heading(left, 20, "Who sends how much to whom", "16 processes, blocks of 3 to 5")
    drawing.text(left + nodes * cell / 2, top - 8, "receiver", fill="#555", anchor="middle")
    drawing.text(left - 8, top + nodes * cell / 2, "sender", fill="#555", anchor="middle", turned=True)
    matrix(drawing, left, top, cell, nodes, [(i, j, greys[size][0], str(size), greys[size][1]) for i, j, size, _ in moves])
    drawing.arrow(left + nodes * cell + 5, top + nodes * cell / 2)
    drawing.heading(right, 20, "The fewest steps", "messages of one length in each")
    matrix(drawing, right, top, cell, nodes,
           [(i, j, PALETTE[step], letter_of(step), on(PALETTE[step])) for i, j, _, step in moves])
    drawing.heading(left, 372, "Time", "transmission, and before each step its set-up (light)")
    scale = (WIDTH - 2 * left) / other["cost"]["total"]
    for y, name, schedule, colours in ((428, "Sluice", ours, PALETTE), (494, "Caterpillar (ScaLAPACK)", other, ["#999999"])):
        cost = schedule["cost"]
        drawing.text(left, y - 8, f"{name}: {cost['steps']} steps, transmission {cost['transmission']}, total {cost['total']:g}")
        bars(drawing, left, y, scale, schedule, colours)
    drawing.text(left, 548, "sluice plan redistribute --from 16:3 --to 16:5", fill="#555")
    drawing.text(left, 568, "Example 1 of Desprez et al., 1997", fill="#555")
    drawing.save(output / "picture.svg")


SENDERS, K, BACKBONE_MBIT = 8, 3, 100


def skewed_traffic():
    """Bytes; the third sender has most to send."""
    numbers = random.Random(3)
    return [[(600 if i == 2 else 100) * 1000 + numbers.randrange(80) * 1000 for _ in range(SENDERS)] for i in range(SENDERS)]


def executed(root, command, mode, traffic, folder):
    """Runs it in the lab: bars (sender, receiver, start, end) in seconds, from the start at the sender to the arrival, of
    one execution more than those whose median comes with them."""
    trace, result, table = folder / f"{mode}.json", folder / f"{mode}-run.json", folder / "traffic.csv"
    table.write_text("\n".join(",".join(map(str, row)) for row in traffic) + "\n")
    words = [root / "lab/run.sh", "--hosts", SENDERS, "--k", K, "--backbone", BACKBONE_MBIT, "-n", 2 * SENDERS, command,
             "run", "exchange", table, "--max-transfers", K, "--mode", mode, "--methods", "sluice", "--repetitions", 9,
             "--json", result, "--trace", trace, "--quiet"]
    subprocess.run([str(each) for each in words], check=True)
    events = json.loads(trace.read_text())["traceEvents"]
    ends = {"send": [], "receive": []}
    for event in events:
        if event["ph"] == "X":
            ends[event["cat"]].append(event)
    sends = sorted(ends["send"], key=lambda each: each["ts"])
    arrivals = sorted(ends["receive"], key=lambda each: each["ts"] + each["dur"])
    # The pieces of a message arrive in the order of their sends.
    shown = []
    for send in sends:
        facts = send["args"]
        arrival = next(each for each in arrivals if each["args"] == facts)
        arrivals.remove(arrival)
        shown.append((facts["from"], facts["to"] - SENDERS, send["ts"] / 1e6, (arrival["ts"] + arrival["dur"]) / 1e6))
    return shown, json.loads(result.read_text())["methods"][0]["median_s"]


def lanes_of(shown):
    """Of the bars of one receiver, side by side where they overlap: (bar, lane), and how many lanes."""
    ends, placed = [], []
    for bar in sorted(shown, key=lambda each: each[2]):
        lane = next((i for i, end in enumerate(ends) if end <= bar[2]), len(ends))
        ends[lane:lane + 1] = [bar[3]]
        placed.append((bar, lane))
    return placed, max(len(ends), 1)


def draw_bottleneck(root, command, output):
    traffic = skewed_traffic()
    total = sum(map(sum, traffic))
    with tempfile.TemporaryDirectory() as folder:
        runs = [(name, below, *executed(root, command, mode, traffic, pathlib.Path(folder)))
                for mode, name, below in (("at-once", "All at once", "every message from the start, as fixed patterns have it"),
                                          ("chain", "By the plan", f"one message per host, {K} at once"))]
    longest = max([end for _, _, shown, _ in runs for *_, end in shown])
    width, row, left = 490, 18, 96
    head, foot = 112, 28  # of each run: what stands above its bars, and the time below
    height = 68 + len(runs) * (head - 46 + SENDERS * row + foot)
    drawing = Drawing(height, "An exchange over a bottleneck: all messages at once, and by a plan, as they ran")
    drawing.heading(12, 20, f"{total / 1e6:.1f} MB between two clusters of {SENDERS} hosts",
                    f"backbone of {BACKBONE_MBIT} Mbit/s, links of {BACKBONE_MBIT / K:.0f} Mbit/s: {K} messages fill it;",
                    "a bar is a message, in the colour of its sender; sender 2 has most to send")
    top = 68
    for name, below, shown, median in runs:
        drawing.heading(12, top + 20, name, f"{below};", f"median of 9 executions {median:.2f} s, drawn is one more")
        top += head - 46
        for receiver in range(SENDERS):
            y = top + receiver * row
            drawing.text(left - 8, y + row - 4, f"receiver {receiver}", fill="#555", anchor="end")
            drawing.line(left, y + row, left + width, y + row, "#eee")
            placed, lanes = lanes_of([each for each in shown if each[1] == receiver])
            for (sender, _, start, end), lane in placed:
                thick = (row - 2) / lanes
                drawing.box(left + start / longest * width, y + 1 + lane * thick, max((end - start) / longest * width, 0.5),
                            thick * 0.85, PALETTE[sender % len(PALETTE)])
        y = top + SENDERS * row
        drawing.line(left, y, left + width, y)
        tick = 0.5 if longest > 1 else 0.1
        for i in range(int(longest / tick) + 1):
            x = left + i * tick / longest * width
            drawing.line(x, y, x, y + 4)
            drawing.text(x, y + 20, f"{i * tick:g} s", fill="#555", anchor="middle")
        top += SENDERS * row + foot
    drawing.save(output / "bottleneck.svg")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=root / "build/release/bin/sluice", help="the command sluice")
    parser.add_argument("--output", type=pathlib.Path, default=root / "docs", help="folder of the pictures")
    parser.add_argument("--lab", action="store_true", help="draw bottleneck.svg, from runs in the lab")
    options = parser.parse_args()
    try:
        if options.lab:
            draw_bottleneck(root, str(options.command), options.output)
        else:
            draw_redistribution(str(options.command), options.output)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
