#!/usr/bin/env python3
"""Checks that nothing in the documents leads nowhere.

    tests/docs/check_links.py [SOURCE_TREE]

- every relative link of every *.md names a file or folder that is there, and an anchor behind it a heading of that page;
- every `docs/NAME.md` that any file of the tree names is there, and every source that a page or another source names
  from the root, as in `src/base/NAME.hpp`;
- every page under docs/ can be reached from README.md by links;
- a term stands once in docs/glossary.md, in alphabetical order;
- README.md has at most 900 words.

Exit status 1 and a line each for what is not so. Links to the network are not followed.
"""
import os
import pathlib
import re
import sys

README_WORDS = 900
IGNORED = {"build", ".git", "__pycache__"}
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\]|!\[[^\]]*\]\([^)]*\))*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
NAMED_PAGE = re.compile(r"(?<![\w/.-])docs/[\w/-]+\.(?:md|svg|json)")
NAMED_SOURCE = re.compile(r"(?<![\w/.-])(?:src|include|tests|apps|bench|scripts|studies|lab|drop-in)"
                          r"/[a-z0-9_/-]+\.(?:hpp|cpp|h|c|f90|py|sh)\b")
NAMES_SOURCES = {".md", ".hpp", ".cpp", ".h"}
TEXT = {".md", ".hpp", ".cpp", ".h", ".c", ".f90", ".py", ".sh", ".txt", ".cmake", ".cff", ".yml", ".json", ".in", ""}


def files_of(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in IGNORED)
        for name in sorted(names):
            yield pathlib.Path(folder, name)


def without_code(text):
    """The same lines, code blanked out: what looks like a link there is none."""
    text = re.sub(r"(?ms)^```.*?^```$", lambda block: "\n" * block.group(0).count("\n"), text)
    text = re.sub(r"(?m)^    .*$", "", text)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors_of(text):
    """The names that headings get: lower case, without punctuation, spaces as hyphens; those met again are numbered."""
    anchors = set()
    for heading in re.findall(r"(?m)^#{1,6} +(.*?) *$", re.sub(r"(?ms)^```.*?^```$", "", text)):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 0
        while (name if number == 0 else f"{name}-{number}") in anchors:
            number += 1
        anchors.add(name if number == 0 else f"{name}-{number}")
    return anchors


def check(root):
    faults, linked, pages = [], {}, {}
    for path in files_of(root):
        if path.suffix not in TEXT:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        place = path.relative_to(root)
        for number, line in enumerate(text.split("\n"), 1):
            sources = NAMED_SOURCE.findall(line) if path.suffix in NAMES_SOURCES else []
            for name in NAMED_PAGE.findall(line) + sources:
                # Installed pages and examples of names live elsewhere; what is named from the root is ours.
                if not (root / name).exists() and place.parts[:2] != ("tests", "docs"):
                    faults.append(f"{place}:{number}: {name}: no such file")
        if path.suffix == ".md":
            pages[path.resolve()] = text
    for path, text in pages.items():
        place, linked[path] = path.relative_to(root), set()
        for number, line in enumerate(without_code(text).split("\n"), 1):
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                other = (path.parent / name).resolve() if name else path
                if not other.exists():
                    faults.append(f"{place}:{number}: {target}: no such file")
                    continue
                linked[path].add(other)
                if anchor and anchor not in anchors_of(pages.get(other, "")):
                    faults.append(f"{place}:{number}: {target}: no such heading")

    reached, waiting = set(), [root / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page in pages:
            reached.add(page)
            waiting.extend(linked[page])
    for path in pages:
        if path.relative_to(root).parts[0] == "docs" and path not in reached:
            faults.append(f"{path.relative_to(root)}: no link from README.md leads to it")

    terms = re.findall(r"(?m)^- \*\*(.+?)\*\*", pages.get(root / "docs" / "glossary.md", ""))
    for before, after in zip(terms, terms[1:]):
        if before.lower() >= after.lower():
            faults.append(f"docs/glossary.md: {after} behind {before}, expected each term once, in alphabetical order")
    words = len(pages.get(root / "README.md", "").split())
    if words > README_WORDS:
        faults.append(f"README.md: {words} words, expected at most {README_WORDS}")
    return faults, len(pages), sum(map(len, linked.values()))


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[2]).resolve()
    faults, pages, links = check(root)
    for fault in faults:
        print(fault)
    print(f"{pages} pages, {links} links, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
