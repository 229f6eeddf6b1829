#!/usr/bin/env python3
"""Writes 36 platforms drawn at random into a folder, p00.json to p35.json: 6 to 3278 ranks, two to four levels.

    bench/random_platforms.py FOLDER

They are the same every time. bench/results/collective_planning-large.csv has plans over two of them.
"""

import json
import pathlib
import random
import sys

MEBIBYTE = 1 << 20


def gap(bytes_per_second, overhead_s):
    return [[1, overhead_s], [MEBIBYTE, overhead_s + MEBIBYTE / bytes_per_second]]


def part(draw, depth, name, few):
    """A cluster, or a part of two to six parts, alike or not."""
    rate = draw.choice([12.5e6, 60e6, 118e6, 125e6, 1e9])
    link = {"latency_s": draw.choice([3e-5, 5e-5, 1e-4]), "gap": gap(rate, draw.choice([1e-6, 2e-6, 1e-5]))}
    result = {"name": name, "link": link}
    if depth == 0:
        result["ranks"] = draw.choice([2, 3, 4, 8, 13, 20, 32, 50, 100] if few else [8, 50, 100, 120])
        return result
    link["latency_s"] = 10 ** draw.uniform(-4, -2)
    link["gap"] = gap(draw.choice([5e6, 20e6, 50e6, 118e6]), 2e-6)
    link["connections"] = draw.choice([1, 2, 4, 10])
    count = draw.choice([2, 3, 4, 6])
    if draw.random() < 0.5:
        result["parts"] = [{**part(draw, depth - 1, "x", few), "count": count}]
    else:
        result["parts"] = [part(draw, depth - 1, f"x{i}", few) for i in range(count)]
    return result


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(7)
    for number in range(36):
        depth = draw.choice([1, 2, 2, 2, 3])
        platform = part(draw, depth, "top", number % 3 != 0)
        del platform["name"]
        platform["schema"] = "sluice.platform/2"
        (folder / f"p{number:02}.json").write_text(json.dumps(platform) + "\n")


if __name__ == "__main__":
    main()
