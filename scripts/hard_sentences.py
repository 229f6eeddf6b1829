#!/usr/bin/env python3
"""Finds sentences that are hard to read, in documents and in comments.

    scripts/hard_sentences.py            checks all files against the limits
    scripts/hard_sentences.py --list     prints every place, whatever the limits
    scripts/hard_sentences.py FILE...    prints the places of these files

It reads README.md, CONTRIBUTING.md, CHANGELOG.md, docs/**.md, the Fortran module, the Python package (docstrings and
comments), and all C and C++ except tests. Code, names in `quotes` and links do not count. A place is

  - a sentence of more than 28 words, where . ! ? : ; and the end of a paragraph, a list item or a cell end a sentence;
  - "so many", "so much": name the number;
  - "of which", "in which", "by which", ...: make two sentences;
  - "that of", "those of", "the same of": repeat the noun; likewise "the same" as a noun;
  - "but for", "but where": write "except" or "unless";
  - a sentence that begins with "Of", "Nor", "Else" or "Likewise": begin with the subject; likewise "else" for "otherwise";
  - "handed on": forwarded; "in turns": alternating; "by the way of": usual words;
  - "whose .. whose": two relative clauses in one sentence.

scripts/hard_sentences.txt holds the limits and the sentences that must stay:

    limit PATH NUMBER              files at or below PATH have at most NUMBER places together
    allow FILE | WORDS | REASON    a place whose text contains WORDS does not count in FILE, for REASON

The longest PATH that fits a file counts for it; a file without a limit may have no place. An allowance that fits no place
is a fault, so that none outlives its sentence.

Exit status 1 if a limit is exceeded or an allowance is not needed, 2 for a bad option or a bad line of the limits.
"""
import argparse
import ast
import collections
import io
import pathlib
import re
import sys
import tokenize

MOST_WORDS = 28
MOST_SHOWN = 20  # beyond it, files are named instead of places
SCRIPT = "scripts/hard_sentences.py"
LIMITS = "scripts/hard_sentences.txt"
FILES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "include/**/*.hpp", "include/**/*.h",
         "drop-in/fortran/*.f90", "python/sluice/*.py", "python/sluice/*.pyi",
         *(f"{folder}/**/*.{end}" for folder in ("apps", "bench", "drop-in", "examples", "lab", "python", "src")
           for end in ("hpp", "cpp", "h", "c"))]
RULES = [(re.compile(pattern), advice) for pattern, advice in (
    (r"(?i)\bso (?:many|much)\b(?! (?:\w+ )?(?:that|as)\b)", "name the number"),
    (r"(?i)\b(?:of|by|for|from|in|at|on|after|behind|with|over|to|through|under|between) which\b", "make two sentences"),
    (r"(?i)\b(?:that of|those of|the same of|the one of)\b", "repeat the noun"),
    (r"(?i)\bthe same(?=[.;,]|$)", "repeat the noun"),
    (r"(?i)\bbut (?:for|where)\b", "write 'except' or 'unless'"),
    (r"(?:^|[.;:] )(?:Of|Nor|Else|Likewise)\b", "begin with the subject"),
    (r"(?:^|[,;:.(] )else\b(?! if\b)", "write 'otherwise'"),
    (r"(?i)\bhanded on\b", "write 'forwarded'"),
    (r"(?i)\bin turns\b", "write 'alternating'"),
    (r"(?i)\b(?:by the way of|what (?:it|they|that|this|those) (?:has|have) of)\b", "use usual words"),
    (r"(?i)\bwhose\b[^.;:]*\bwhose\b", "make two sentences"),
)]
WORD = re.compile(r"[A-Za-z][\w'-]*")
SENTENCE = re.compile(r"(?:[^.!?:;]|[.!?:;](?!\s|$))+[.!?:;]*")
ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+")


class Paragraph:
    """Text of one or several lines, which knows the line of each of its characters."""

    def __init__(self):
        self.text, self.starts = "", []

    def add(self, number, text):
        self.starts.append((len(self.text), number))
        self.text += text.strip() + " "

    def line(self, offset):
        return max((start, number) for start, number in self.starts if start <= offset)[1]

    def places(self):
        """(line, what is hard, how to write it) of this text."""
        text = self.text.rstrip()
        for pattern, advice in RULES:
            for hit in pattern.finditer(text):
                shown = text[max(0, hit.start() - 20):hit.end() + 25].strip()
                yield self.line(hit.start()), shown, advice
        for sentence in SENTENCE.finditer(text):
            count = len(WORD.findall(sentence[0]))
            if count > MOST_WORDS:
                start = sentence.start() + len(sentence[0]) - len(sentence[0].lstrip())
                yield self.line(start), sentence[0].strip(), f"{count} words: make two sentences"


def paragraphs(lines):
    """Paragraphs of (line, text) as Markdown has them: without code, and with a list item or a cell each by itself. A text
    that is None ends a paragraph and a list."""
    found, current, fenced, in_list = [], None, False, False

    def begin(number, text):
        nonlocal current
        current = Paragraph()
        current.add(number, text)
        found.append(current)

    for number, text in lines:
        if text is None or not text.strip():
            current, in_list = None, in_list and text is not None
            continue
        if re.match(r"\s*(?:```|~~~)", text):
            current, fenced = None, not fenced
            continue
        is_code = text.startswith("    ") and current is None and not in_list
        if fenced or is_code or re.match(r"\s*<!--.*-->\s*$", text):
            continue
        text = re.sub(r"``.*?``|`[^`]*`", "x", re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text))
        if text.lstrip().startswith("|"):
            for cell in text.strip().strip("|").split("|"):
                begin(number, cell)
            current = None
        elif text.startswith("#"):
            begin(number, text.lstrip("# "))
            current = None
        elif ITEM.match(text):
            begin(number, text[ITEM.match(text).end():])
            in_list = True
        elif current is not None:
            current.add(number, text)
        else:
            in_list = in_list and text.startswith(" ")
            begin(number, text)
    return found


def of_markdown(text):
    return list(enumerate(text.split("\n"), 1))


def of_c(text):
    """Comments of C and C++. A comment behind code is a paragraph; None separates."""
    found, inside, behind = [], False, False
    for number, line in enumerate(text.split("\n"), 1):
        if inside:
            body, end, _ = line.partition("*/")
            found.append((number, re.sub(r"^\s*\* ?", "", body)))
            inside = not end
            continue
        whole = re.match(r"\s*//[/!]?(<?)(?: |$)(.*)", line)
        block = re.search(r"/\*[*!]?<?(?: |$)(.*)", line)
        trailing = re.search(r"\S\s+//[/!]?<? (.*)", line)
        if whole:
            if not whole[1] and behind:
                found.append((number, None))
            behind = bool(whole[1])
            found.append((number, whole[2]))
        elif block:
            body, end, _ = block[1].partition("*/")
            found += [(number, None), (number, body)]
            inside, behind = not end, False
        elif trailing:
            found += [(number, None), (number, trailing[1])]
            behind = True
        else:
            found.append((number, None))
            behind = False
    return found


def of_fortran(text):
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        whole = re.match(r"\s*!>?(?: |$)(.*)", line)
        trailing = re.search(r"\S\s+!<? (.*)", line)
        found += [(number, whole[1])] if whole else [(number, None)] + ([(number, trailing[1])] if trailing else [])
    return found


def of_python(text):
    """Docstrings and comments."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            doc = node.body[0]
            lines = ast.get_docstring(node, clean=True).split("\n")
            found += [(doc.lineno + i, line) for i, line in enumerate(lines)] + [(doc.end_lineno, None)]
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1:
                found.append((token.start[0], None))
            last = token.start[0]
            found.append((last, token.string.lstrip("#:! ")))
    return found


READERS = {".md": of_markdown, ".hpp": of_c, ".h": of_c, ".cpp": of_c, ".c": of_c, ".f90": of_fortran, ".py": of_python,
           ".pyi": of_python}


def places(name, text):
    """(line, what is hard, how to write it) of a file, in the order of lines."""
    found = [place for each in paragraphs(READERS[pathlib.Path(name).suffix](text)) for place in each.places()]
    return sorted(found, key=lambda place: place[0])


def read_limits(text):
    """The limits, {path: number}, and what is allowed, [(file, words, reason)]. Raises ValueError for a bad line."""
    limits, allowed = {}, []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        kind, _, rest = line.partition(" ")
        parts = [part.strip() for part in rest.split("|")]
        if kind == "allow" and len(parts) == 3 and all(parts):
            allowed.append(tuple(parts))
        elif kind == "limit" and re.fullmatch(r"\S+\s+\d+", rest.strip()):
            path, most = rest.split()
            limits[path] = int(most)
        else:
            raise ValueError(f"{LIMITS}:{number}: '{line}', expected 'limit PATH NUMBER' or 'allow FILE | WORDS | REASON'")
    return limits, allowed


def limit_of(name, limits):
    """The longest path of `limits` that `name` is at or below; `name` itself if there is none."""
    return max((path for path in limits if name == path or name.startswith(path + "/")), key=len, default=name)


def check(root):
    """(places of paths beyond their limits, faults, counts) of the files below `root`."""
    limits, allowed = read_limits((root / LIMITS).read_text(encoding="utf-8"))
    by_path, used = {path: [] for path in limits}, set()
    for name in files(root):
        for line, words, advice in places(name, (root / name).read_text(encoding="utf-8")):
            fits = [each for each in allowed if each[0] == name and each[1] in words]
            used.update(fits)
            if not fits:
                by_path.setdefault(limit_of(name, limits), []).append((name, line, words, advice))
    faults, shown = [], []
    for path, found in by_path.items():
        if len(found) > limits.get(path, 0):
            shown += found if len(found) <= MOST_SHOWN else []
            if len(found) > MOST_SHOWN:
                names = collections.Counter(name for name, *_ in found).most_common(MOST_SHOWN)
                faults += [f"{name}: {count_text(count)}; {SCRIPT} {name} shows them" for name, count in names]
            faults.append(f"{path}: {count_text(len(found))}, expected at most {limits.get(path, 0)}")
    faults += [f"{LIMITS}: allow {file} | {words}: no such place" for file, words, reason in allowed
               if (file, words, reason) not in used]
    return shown, faults, {path: (len(found), limits.get(path, 0)) for path, found in by_path.items()}


def files(root):
    return sorted({str(path.relative_to(root)) for pattern in FILES for path in root.glob(pattern)})


def count_text(count):
    return f"{count} place{'' if count == 1 else 's'} hard to read"


def text_of(name, line, words, advice):
    shown = words if len(words) <= 70 else words[:67] + "..."
    return f"{name}:{line}: '{shown}': {advice}"


def main(arguments, root=pathlib.Path(__file__).resolve().parents[1]):
    about, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=about, epilog=rest, usage=f"{SCRIPT} [--list | FILE...]",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print every place, whatever the limits")
    parser.add_argument("files", nargs="*", metavar="FILE", help="print the places of these files alone")
    given = parser.parse_args(arguments)
    if given.list or given.files:
        if given.list and given.files:
            parser.error("--list: with FILE, expected one of the two")
        for name in given.files or [str(root / name) for name in files(root)]:
            if pathlib.Path(name).suffix not in READERS:
                parser.error(f"{name}: expected a file that ends in {', '.join(READERS)}")
            text = pathlib.Path(name).read_text(encoding="utf-8")
            for place in places(name, text):
                print(text_of(name.removeprefix(f"{root}/"), *place))
        return 0
    try:
        shown, faults, counts = check(root)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for place in shown:
        print(text_of(*place))
    for fault in faults:
        print(fault)
    total = sum(count for count, _ in counts.values())
    print(f"{count_text(total)}, {'beyond' if faults else 'within'} the limits of {LIMITS}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
