#!/usr/bin/env python3
"""Wraps the prose of Markdown files at 120 columns: paragraphs and items of lists. Tables, code, headings and HTML stay.

    scripts/wrap_documents.py [--check] FILE...

With --check nothing is written; exit status 1 if a file would change, which is named.
"""

import re
import sys

WIDTH = 120
ITEM = re.compile(r"(\s*)([-*+]|\d+[.)]) +")
# What must not begin a line within a paragraph, as it would begin something else there.
BEGINS_A_BLOCK = re.compile(r"([-*+>|=#]+|\d+[.)])$|<")
# Lines that are as they are.
AS_IT_IS = re.compile(r"\s*$|#|\s*\||\s*<|\[[^]]+\]: |---+$|\s*>")


def wrapped(words, first, rest):
    """`words` in lines: the first one begins with `first`, the others with `rest`."""
    lines = []
    line = first + words[0]
    for word, following in zip(words[1:], words[2:] + [""]):
        glued = BEGINS_A_BLOCK.match(word)
        needed = len(line) + 1 + len(word)
        # A word that must not begin a line takes the place of the one before it.
        before = needed + 1 + len(following) if BEGINS_A_BLOCK.match(following) else needed
        if before > WIDTH and not glued:
            lines.append(line)
            line = rest + word
        else:
            line += " " + word
    return lines + [line]


def wrap(text):
    result, words, first, rest = [], [], "", ""

    def end():
        nonlocal words
        if words:
            result.extend(wrapped(words, first, rest))
        words = []

    fence = None
    for line in text.split("\n"):
        opened = re.match(r"\s*(```+|~~~+)", line)
        if fence or opened:
            end()
            result.append(line)
            if not fence:
                fence = opened.group(1)
            elif line.strip() == fence:
                fence = None
            continue
        item = ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        if AS_IT_IS.match(line) or (indent >= 4 and not words and not item):
            end()
            result.append(line)
        elif item:
            end()
            first, rest = item.group(0), " " * len(item.group(0))
            words = line[item.end():].split()
        else:
            if not words:
                first = rest = " " * indent
            words += line.split()
        if line.endswith("  "):  # a line that ends here
            end()
    end()
    return "\n".join(result)


def main(arguments):
    check = arguments[:1] == ["--check"]
    changed = []
    for name in arguments[1:] if check else arguments:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        new = wrap(text)
        if new == text:
            continue
        changed.append(name)
        if not check:
            with open(name, "w", encoding="utf-8") as file:
                file.write(new)
    if check and changed:
        print(f"not wrapped at {WIDTH} columns: {', '.join(changed)}; run scripts/format.sh", file=sys.stderr)
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
