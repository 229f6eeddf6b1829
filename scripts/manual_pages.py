#!/usr/bin/env python3
"""Makes pages for browsers of the manual pages that the build writes, with links between them.

    scripts/manual_pages.py MAN1 FOLDER

MAN1: build/PRESET/manuals/man1. FOLDER gets index.html, a page for each, and the style. Needs mandoc. Exit status 1 for
a warning of mandoc and for a page that is named and not there.
"""
import html
import pathlib
import re
import shutil
import subprocess
import sys

STYLE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "site" / "manual.css"
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="manual.css">
<nav><a href="../../README.html">All documents</a> · <a href="../command.html">The command</a> ·
<a href="index.html">All manual pages</a></nav>
<main>
{body}
</main>
</html>
"""
SEE_ALSO = re.compile(r"<b>(sluice[a-z-]*)</b>\((1)\)")


def body_of(page, names, faults):
    done = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", "-W", "warning", page], capture_output=True, text=True)
    faults += [f"{page.name}: {line}" for line in done.stderr.splitlines() if "see above the output" not in line]

    def link(found):
        if found[1] not in names:
            faults.append(f"{page.name}: {found[1]}(1): no such page")
            return found[0]
        return f'<a href="{found[1]}.html">{found[0]}</a>'

    return SEE_ALSO.sub(link, done.stdout)


def purpose_of(page):
    """What stands behind the name of the page."""
    return re.search(r"(?m)^\.SH NAME\n.*? \\- (.*)$", page.read_text(encoding="utf-8"))[1].replace("\\-", "-")


def make(man1, folder):
    """Writes the pages; returns the faults."""
    pages = sorted(man1.glob("*.1"))
    names = {page.stem for page in pages}
    faults = [] if pages else [f"{man1}: no manual page"]
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(STYLE, folder)
    for page in pages:
        text = PAGE.format(title=page.stem.replace("-", " ", 2), body=body_of(page, names, faults))
        (folder / f"{page.stem}.html").write_text(text, encoding="utf-8")
    rows = "".join(f'<dt><a href="{page.stem}.html"><b>{page.stem}</b>(1)</a></dt><dd>{html.escape(purpose_of(page))}</dd>\n'
                   for page in pages)
    index = PAGE.format(title="Manual pages", body=f"<h1>Manual pages</h1>\n<dl>\n{rows}</dl>")
    (folder / "index.html").write_text(index, encoding="utf-8")
    return faults


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found = make(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    for each in found:
        print(each, file=sys.stderr)
    sys.exit(1 if found else 0)
