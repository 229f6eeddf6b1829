#!/usr/bin/env python3
"""Puts the tables that the build writes into the pages of docs/reference.

    scripts/reference_pages.py BUILD            compares; exit status 1 if a page is not current
    scripts/reference_pages.py --write BUILD    writes the pages

BUILD/manuals/reference has a file for each table, NAME.md. It replaces what stands in a page between the lines
`<!-- begin NAME: made by scripts/reference_pages.py -->` and `<!-- end NAME -->`.
"""
import pathlib
import re
import sys

PAGES = pathlib.Path(__file__).resolve().parents[1] / "docs" / "reference"
BLOCK = re.compile(r"(<!-- begin ([a-z-]+): [^\n]* -->\n\n)(.*?)(\n<!-- end \2 -->\n)", re.S)


def current(text, tables, used):
    """The text with all tables as the build has them."""
    def replace(found):
        used.add(found[2])
        return found[1] + (tables / f"{found[2]}.md").read_text(encoding="utf-8") + found[4]
    return BLOCK.sub(replace, text)


def main(arguments):
    write = arguments[:1] == ["--write"]
    tables = pathlib.Path(arguments[-1]) / "manuals" / "reference"
    used, stale = set(), []
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        wanted = current(text, tables, used)
        if wanted == text:
            continue
        stale.append(page.name)
        if write:
            page.write_text(wanted, encoding="utf-8")
    unused = {table.stem for table in tables.glob("*.md")} - used
    for name in sorted(unused):
        print(f"{name}: a table that no page shows")
    if stale:
        print(f"{'written' if write else 'not current'}: {', '.join(stale)}" +
              ("" if write else "; scripts/reference_pages.py --write BUILD"))
    return 1 if unused or (stale and not write) or not used else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
