#!/usr/bin/env python3
"""Puts source files together for clang-tidy, which spends most of its time on the headers that each of them includes.

    scripts/tidy_together.py BUILD REGEX DIRECTORY

Reads BUILD/compile_commands.json and writes DIRECTORY/compile_commands.json for files NUMBER.cpp there, each of which
includes up to 60 source files whose path matches REGEX and that are compiled alike, but for macros and for where headers
are looked for: they get those of all. Files that define a name twice outside of classes are kept apart as far as a look
at their lines tells; where it does not, the compiler says so, and scripts/tidy.sh looks at those files one by one.
"""
import json
import pathlib
import re
import shlex
import sys

MOST_FILES = 60
CODE_ONLY = ("-fPIC", "-fPIE")  # options that change no warning
ALONE = "#include <simgrid/"  # files with this stay alone: it declares names that classes in sluice::mpi have, too
ANY = "any"  # in place of the types of a function: a name that nothing else may have
DEFINITION = re.compile(
    r"^(?:(?:struct|class|enum class|enum|union) (\w+)|using (\w+) =|"
    r"(?:template <[^>]*> )?(?:[\w:<>,&*\[\]]+ )+[&*]?(\w+)(?:\(|\{| = |;))",
    re.MULTILINE,
)


def types_of(parameters):
    """The types in a list of parameters, without the names of the parameters and their defaults."""
    listed, depth = [""], 0
    for character in parameters:
        depth += (character in "<({[") - (character in ">)}]")
        if character == "," and depth == 0:
            listed.append("")
        else:
            listed[-1] += character
    # A type alone ends in no second word: `int`, `const Plan&`.
    return tuple(re.sub(r"(?<=[\w&*>]) *\b\w+$|\s", "", one.partition("=")[0].strip()) for one in listed)


def names_of(path):
    """What is defined at the start of a line: for each name the types of its functions, or ANY for what is none."""
    names = {}
    text = path.read_text(encoding="utf-8")
    for match in DEFINITION.finditer(text):
        types = ANY
        if match.group().endswith("("):
            end, depth = match.end(), 1
            while depth > 0 and end < len(text):
                depth += (text[end] == "(") - (text[end] == ")")
                end += 1
            types = types_of(text[match.end() : end - 1])
        names.setdefault(next(name for name in match.groups() if name), set()).add(types)
    return names


def clash(some, others):
    """Whether a name is defined twice: functions may have one, with other types."""
    return any(ANY in some[name] | others[name] or some[name] & others[name] for name in some.keys() & others.keys())


def options_of(command):
    """What tells where headers are, the macros by name, and the rest of a command without its files."""
    places, macros, rest = {}, {}, []
    words = iter(shlex.split(command))
    for word in words:
        if word in ("-o", "-c"):
            next(words)
        elif word == "-isystem":
            places[f"-isystem{next(words)}"] = None
        elif word.startswith("-I"):
            places[word] = None
        elif word.startswith("-D"):
            macros[word.partition("=")[0]] = word
        elif word not in CODE_ONLY:
            rest.append(word)
    return places, macros, rest


def main():
    build, wanted, directory = pathlib.Path(sys.argv[1]), re.compile(sys.argv[2]), pathlib.Path(sys.argv[3])
    batches = []  # of the compiler's options, the files and the names in them
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = pathlib.Path(entry["directory"], entry["file"])
        if path.suffix != ".cpp" or not wanted.search(str(path)):
            continue
        places, macros, rest = options_of(entry["command"])
        names = names_of(path)
        alone = ALONE in path.read_text(encoding="utf-8")
        for batch in batches:
            if (
                batch["rest"] == rest
                and not (alone or batch["alone"])
                and len(batch["files"]) < MOST_FILES
                and not clash(batch["names"], names)
                and all(batch["macros"].get(name, value) == value for name, value in macros.items())
            ):
                break
        else:
            batch = {"rest": rest, "alone": alone, "places": {}, "macros": {}, "files": [], "names": {}, "in": entry["directory"]}
            batches.append(batch)
        batch["places"].update(places)
        batch["macros"].update(macros)
        batch["files"].append(path)
        for name, types in names.items():
            batch["names"].setdefault(name, set()).update(types)
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.cpp"):
        old.unlink()
    commands = []
    for number, batch in enumerate(batches):
        file = directory / f"{number:03}.cpp"
        file.write_text("".join(f'#include "{path}"\n' for path in batch["files"]), encoding="utf-8")
        command = [batch["rest"][0], *batch["places"], *batch["macros"].values(), *batch["rest"][1:], "-c", str(file)]
        commands.append({"directory": batch["in"], "arguments": command, "file": str(file)})
    (directory / "compile_commands.json").write_text(json.dumps(commands, indent=1), encoding="utf-8")
    print(f"{sum(len(batch['files']) for batch in batches)} files in {len(batches)}")


if __name__ == "__main__":
    main()
