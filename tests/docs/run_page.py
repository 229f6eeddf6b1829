#!/usr/bin/env python3
"""Runs the commands of a page of documentation and compares their output with what the page shows.

    tests/docs/run_page.py [--write] BUILD_DIR PAGE.md

Every block ```sh is run by bash, one after the other, in a folder that looks like the source tree: variables and the
working folder pass from one block to the next, files that a block writes are there for the next, and all are gone in the
end. The command that fails first ends its block. A block ```text right behind one shows its standard output:

- a line `...` stands for any lines, `...` within a line for any text; spaces at the end of a line do not count;
- `<!-- output: times vary -->` before the block: times and rates may be any (`12.3 ms` = `4 us`), and so may the number
  of spaces in a row;
- `<!-- output: numbers vary -->`: the same for every number, with its unit and a `~` before it.

A block ```python runs in the same folder, behind all such blocks before it, like the cell of a notebook: what it prints
is shown, and the value of an expression at its end.

Before a block ```sh or ```python:

- `<!-- exit status: N -->`: what it has to end with; 0 unless that is said;
- `<!-- not run: REASON -->`: it is only shown.

--write puts the output of today into the page where it differs, but for blocks that contain `...`, which are only named.
Exit status 0: all as shown, 1: not, 2: the page cannot be understood.
"""
import dataclasses
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SECONDS_PER_BLOCK = 300
UNIT = r"(?:\s?(?:ns|us|ms|s|min|h|[kMG]?i?B|%)(?:/s)?(?![\w/]))"
DIGITS = r"(?<![\w.~])~?-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
TIME = re.compile(DIGITS + r"\s?(?:(?:ns|us|ms|s|min|h)(?![\w/])|[kMG]?i?B/s)")
NUMBER = re.compile(DIGITS + UNIT + "?")


class PageError(Exception):
    pass


@dataclasses.dataclass
class Block:
    line: int  # of the opening fence, from 1
    language: str
    text: str  # without the fences, each line with its end
    notes: list  # comments right before it


def blocks_of(page):
    """All fenced blocks in order; None stands between two that prose separates."""
    result, notes, lines = [], [], page.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            end = next((i for i in range(at + 1, len(lines)) if lines[i] == "```"), None)
            if end is None:
                raise PageError(f"{at + 1}: a block that does not end")
            result.append(Block(at + 1, line[3:].strip(), "".join(each + "\n" for each in lines[at + 1:end]), notes))
            notes, at = [], end
        elif comment := re.fullmatch(r"<!--\s*(.*?)\s*-->", line.strip()):
            notes.append((at + 1, comment.group(1)))
        elif line.strip():
            notes = []
            if result and result[-1] is not None:
                result.append(None)
        at += 1
    return result


def settings_of(block, known):
    """{name: value} of the comments before a block; each has to be known."""
    found = {}
    for line, note in block.notes:
        name, colon, value = note.partition(":")
        if not colon or name not in known:
            raise PageError(f"{line}: comment `{note}`, expected one of {', '.join(known)}, a colon and a value")
        found[name] = value.strip()
    return found


@dataclasses.dataclass
class Step:
    block: Block
    status: int
    shown: Block = None
    varies: str = ""


def steps_of(page):
    steps, before = [], None
    for block in blocks_of(page):
        if block is not None and block.language in ("sh", "python"):
            settings = settings_of(block, ("exit status", "not run"))
            if "not run" not in settings:
                before = Step(block, int(settings.get("exit status", 0)))
                steps.append(before)
                continue
        elif block is not None and block.language == "text" and before is not None:
            settings = settings_of(block, ("output",))
            before.shown, before.varies = block, settings.get("output", "")
            if before.varies not in ("", "times vary", "numbers vary"):
                raise PageError(f"{block.line}: output: {before.varies}, expected times vary or numbers vary")
        before = None
    if not steps:
        raise PageError("1: nothing to run, expected blocks ```sh or ```python")
    return steps


def masked(text, varies):
    if varies:
        text = (TIME if varies == "times vary" else NUMBER).sub("#", text)
        text = re.sub(r"(?m)^ +", "", re.sub(r" +", " ", text))
    return re.sub(r"(?m)[ \t]+$", "", text)


def matches(shown, output, varies):
    pattern = ""
    for line in masked(shown, varies).rstrip("\n").split("\n"):
        pattern += r"(?:[^\n]*\n)*?" if line == "..." else r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n"
    return re.fullmatch(pattern, masked(output, varies).rstrip("\n") + "\n") is not None


def make_tree(source, build, folder):
    """What a user has who built in the source tree; scripts are copied, as they look for the build beside themselves."""
    for entry in source.iterdir():
        if entry.name == "scripts":
            shutil.copytree(entry, folder / "scripts")
        elif entry.name not in ("build", ".git"):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").mkdir()
    (folder / "build" / "release").symlink_to(build)


# Runs the files it is given in one namespace, all but the last one in silence, and prints the value of the last one's last
# expression.
CELLS = """
import ast, contextlib, io, sys
names = {"__name__": "__main__"}
for path in sys.argv[1:]:
    tree = ast.parse(open(path).read(), path)
    last = tree.body.pop() if path == sys.argv[-1] and tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.nullcontext() if path == sys.argv[-1] else contextlib.redirect_stdout(io.StringIO()):
        exec(compile(tree, path, "exec"), names)
        value = eval(compile(ast.Expression(last.value), path, "eval"), names) if last else None
        if value is not None:
            print(repr(value))
"""


def script_of(block, state):
    """What bash runs for a block."""
    if block.language == "sh":
        return block.text
    folder = pathlib.Path(state, "cells")
    folder.mkdir(exist_ok=True)
    (folder / "run.py").write_text(CELLS)
    (folder / f"{block.line:06}.py").write_text(block.text)
    return f'{shlex.quote(sys.executable)} "{folder}/run.py" "{folder}"/0*.py\n'


def run(step, state):
    """(exit status, output, errors) of a block, which starts with what the one before left in the folder `state`."""
    script = (f'[[ -e "{state}/variables" ]] && . "{state}/variables" 2>/dev/null; cd "$(cat "{state}/folder")"\n'
              f'trap \'declare -px >"{state}/variables"; pwd >"{state}/folder"\' EXIT\n'
              "set -euo pipefail\n" + script_of(step.block, state))
    environment = os.environ | {"LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "120"}
    done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, env=environment,
                          timeout=SECONDS_PER_BLOCK)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def main(arguments):
    write = "--write" in arguments
    names = [each for each in arguments if each != "--write"]
    if len(names) != 2:
        print("usage: tests/docs/run_page.py [--write] BUILD_DIR PAGE.md", file=sys.stderr)
        return 2
    build, path = pathlib.Path(names[0]).resolve(), pathlib.Path(names[1])
    source = pathlib.Path(__file__).resolve().parents[2]
    page = path.read_text(encoding="utf-8")
    failures, replaced = 0, {}
    with tempfile.TemporaryDirectory(prefix="sluice-docs-") as folder, tempfile.TemporaryDirectory() as state:
        make_tree(source, build, pathlib.Path(folder))
        (pathlib.Path(state) / "folder").write_text(folder)
        try:
            steps = steps_of(page)
        except PageError as error:
            print(f"{path}:{error}")
            return 2
        for step in steps:
            place = f"{path}:{step.block.line}"
            try:
                status, output, errors = run(step, state)
            except subprocess.TimeoutExpired:
                print(f"{place}: still running after {SECONDS_PER_BLOCK} s")
                return 1
            if status != step.status:
                print(f"{place}: exit status {status}, expected {step.status}; output:\n{output}{errors}")
                failures += 1
            elif step.shown is not None and not matches(step.shown.text, output, step.varies):
                if write and "..." not in step.shown.text:
                    replaced[step.shown.line] = output
                    continue
                failures += 1
                print(f"{path}:{step.shown.line}: other output than shown"
                      + (f" ({step.varies}, so # stands for them)" if step.varies else ""))
                pair = [masked(text, step.varies).rstrip("\n").split("\n") for text in (step.shown.text, output)]
                print("\n".join(difflib.unified_diff(*pair, "shown", "output", lineterm="", n=1)))
                if errors:
                    print(f"and on standard error:\n{errors}")
    if replaced:
        lines = page.split("\n")
        for line, output in sorted(replaced.items(), reverse=True):
            end = lines.index("```", line)
            lines[line:end] = [each.rstrip() for each in output.rstrip("\n").split("\n")]
        path.write_text("\n".join(lines), encoding="utf-8")
        print(f"{path}: {len(replaced)} outputs renewed")
    print(f"{path}: {len(steps)} blocks run, {failures} not as shown")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
