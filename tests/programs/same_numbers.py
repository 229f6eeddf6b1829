#!/usr/bin/env python3
"""Compares two texts: the same words, and numbers that are the same but for rounding.

    tests/programs/same_numbers.py TOLERANCE EXPECTED FOUND

Two numbers agree if they differ by at most TOLERANCE times the larger of their sizes, or by one unit of the last digit
that is printed. Prints the first line that differs, and exits with 1 if there is one.
"""
import re
import sys

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?$")


def last_digit(text):
    """One unit of the last digit that is printed."""
    mantissa, _, exponent = re.sub("[dD]", "e", text).replace("E", "e").partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def agree(a, b, tolerance):
    if a == b:
        return True
    if not (NUMBER.match(a) and NUMBER.match(b)):
        return False
    x, y = (float(re.sub("[dD]", "e", each)) for each in (a, b))
    return abs(x - y) <= max(tolerance * max(abs(x), abs(y)), 1.001 * max(last_digit(a), last_digit(b)))


def main():
    tolerance = float(sys.argv[1])
    expected, found = (open(name, encoding="utf-8", errors="replace").read().splitlines() for name in sys.argv[2:4])
    if not expected:
        sys.exit(f"{sys.argv[2]}: nothing to compare with")
    for number in range(max(len(expected), len(found))):
        a = expected[number] if number < len(expected) else "(no line)"
        b = found[number] if number < len(found) else "(no line)"
        words = a.split(), b.split()
        if len(words[0]) != len(words[1]) or not all(agree(x, y, tolerance) for x, y in zip(*words)):
            sys.exit(f"line {number + 1}: expected '{a.strip()}', found '{b.strip()}'")


main()
