#!/usr/bin/env python3
"""Finds public names without a comment.

    scripts/undocumented.py XML_DIR PYTHON_DIR     XML that Doxygen made (in any depth), the folder of the package

C++, C and Fortran: every class, function, enumeration, type, macro and constant has a comment of its own. A field or a
value of an enumeration may be named by the comment of what it belongs to instead. Needs none: what is private or
protected, copying, moving, destruction, comparison, and what is defaulted or deleted.

Python: the same for the package's modules, classes, functions, methods and properties whose name has no leading
underscore; fields stand in the comment of their class.

Exit status 1 and a line each for what has none.
"""
import ast
import pathlib
import re
import sys
import xml.etree.ElementTree

COMPOUNDS = {"class", "struct", "union", "type", "interface", "namespace", "file"}
COMPARISONS = {"operator==", "operator!=", "operator<=>", "operator<"}
ROOTS = ["", "include/", "drop-in/fortran/"]  # which Doxygen was told to leave out
PYTHON_MODULES = ["__init__.py", "mpi.py", "_errors.py", "_results.py", "_core.pyi"]


def words(*elements):
    """The text of elements, as one."""
    return " ".join(" ".join(element.itertext()) for element in elements if element is not None).strip()


def comment(element):
    return words(*(element.find(kind) for kind in ("briefdescription", "detaileddescription", "inbodydescription")))


def is_named(name, text):
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def place(element):
    """FILE:LINE, from the root of the repository where the file is found there."""
    location = element.find("location")
    file = location.get("file")
    return f"{next((root + file for root in ROOTS if pathlib.Path(root + file).exists()), file)}:{location.get('line')}"


def needs_none(member, of):
    """Whether what a member does follows from the language."""
    name, arguments = member.findtext("name"), member.findtext("argsstring") or ""
    own = of.rpartition("::")[2].partition("<")[0].strip()
    if member.get("kind") == "friend" or name in COMPARISONS or name.startswith("~"):
        return True
    if re.search(r"=\s*(default|delete)$", arguments):
        return True
    first = [words(parameter.find("type")) for parameter in member.findall("param")]
    moved = len(first) == 1 and re.sub(r"\s|const|&", "", first[0]) == own and "&" in first[0]
    return moved and name in (own, "operator=")


def in_xml(folder):
    """(place, what) of names without a comment; and how many names there are."""
    lacking, seen = [], set()
    for path in sorted(folder.rglob("*.xml")):
        for compound in xml.etree.ElementTree.parse(path).getroot().iter("compounddef"):
            kind, name = compound.get("kind"), compound.findtext("compoundname")
            if kind not in COMPOUNDS or compound.get("prot", "public") != "public" or "@" in name:
                continue
            about = comment(compound)
            if kind not in ("file", "namespace"):
                seen.add((kind, name, place(compound)))
                if not about:
                    lacking.append((place(compound), f"{kind} {name}"))
            for member in compound.iter("memberdef"):
                if member.get("prot") != "public" or needs_none(member, name):
                    continue
                spelled = (member.findtext("qualifiedname") or member.findtext("name")) + (member.findtext("argsstring") or "")
                member_kind = member.get("kind")
                key = (member_kind, spelled, place(member))
                if key in seen:
                    continue
                seen.add(key)
                text = comment(member)
                is_field = kind in ("class", "struct", "union", "type") and member_kind == "variable"
                if not text and not (is_field and is_named(member.findtext("name"), about)):
                    lacking.append((place(member), f"{member_kind} {spelled}"))
                for value in member.findall("enumvalue"):
                    seen.add(("value", value.findtext("name"), place(member)))
                    if not comment(value) and not is_named(value.findtext("name"), text):
                        lacking.append((place(member), f"value {value.findtext('name')} of {spelled}"))
    return lacking, len(seen)


def has_comment_line(lines, node):
    """Whether a comment for Sphinx stands before, or on the line of, a field."""
    return "#:" in lines[node.lineno - 1] or lines[node.lineno - 2].strip().startswith("#:")


def in_python(folder):
    lacking, count = [], 0
    for name in PYTHON_MODULES:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        lines, module = text.split("\n"), ast.parse(text)

        def look(body, inside, about, is_stub):
            nonlocal count
            overloaded = set()
            for node in body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    if node.name.startswith("_") and not (isinstance(node, ast.ClassDef) and node.name == "_Job"):
                        continue
                    count += 1
                    what = inside + node.name
                    if what in overloaded or is_stub and not inside and isinstance(node, ast.FunctionDef):
                        continue  # which the package wraps
                    if ast.get_docstring(node) is None:
                        lacking.append((f"{path}:{node.lineno}", f"{'class' if isinstance(node, ast.ClassDef) else 'function'} {what}"))
                    elif any(getattr(each, "id", "") == "overload" for each in node.decorator_list):
                        overloaded.add(what)
                    if isinstance(node, ast.ClassDef):
                        look(node.body, node.name + ".", ast.get_docstring(node) or "", is_stub)
                elif isinstance(node, ast.AnnAssign) and inside and not node.target.id.startswith("_"):
                    count += 1
                    if not is_named(node.target.id, about) and not has_comment_line(lines, node):
                        lacking.append((f"{path}:{node.lineno}", f"field {inside}{node.target.id}"))

        if not name.startswith("_core"):
            count += 1
            if ast.get_docstring(module) is None:
                lacking.append((f"{path}:1", "module"))
        look(module.body, "", "", path.suffix == ".pyi")
    return lacking, count


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    lacking, names = in_xml(pathlib.Path(arguments[0]))
    lacking_python, names_python = in_python(pathlib.Path(arguments[1]))
    lacking += lacking_python
    for where, what in lacking:
        print(f"{where}: {what}: no comment")
    print(f"{names + names_python} public names, {len(lacking)} without a comment")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
