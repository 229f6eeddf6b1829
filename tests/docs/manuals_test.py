#!/usr/bin/env python3
"""Manual pages and completions say what --help says, for every verb and problem.

    manuals_test.py BUILD

The pages of the site that are made of the manual pages have the same options, and links that lead somewhere.
Completions are really run in bash, fish and zsh, where the shells are installed. mandoc and groff must find nothing to
warn of in a page.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
SLUICE = BUILD / "bin/sluice"
MANUALS = BUILD / "manuals"
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import manual_pages  # noqa: E402

GRID5000 = str(ROOT / "studies/grid5000/grid5000-88.json")


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **more)


def help_of(words):
    done = run([SLUICE, *words, "--help"])
    assert done.returncode == 0, done.stderr
    return done.stdout


def names_below(text, title):
    """The first words of the lines below a title of --help."""
    found = re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  ([a-z-]+) ", found.group(1), re.M) if found else []


def find_parts():
    """Every verb and problem, with its --help: () for the command itself."""
    parts = {(): help_of([])}
    for verb in names_below(parts[()], "Verbs"):
        parts[(verb,)] = help_of([verb])
        for problem in names_below(parts[(verb,)], "Problems"):
            parts[(verb, problem)] = help_of([verb, problem])
    return parts


def options_in(text):
    """The names of the options of --help."""
    groups = re.findall(r"^(?:Options|Network and hardware|Search|Output):\n((?:  .*\n)+)", text, re.M)
    return {name for names in re.findall(r"^  (-\S+)", "".join(groups), re.M) for name in names.split(",")}


PARTS = find_parts()

BASH = r"""
. "$1"
complete_words() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _sluice
  printf '%s\n' "${COMPREPLY[@]}"
}
while IFS= read -r line; do
  IFS='|' read -ra words <<<"$line|"
  complete_words "${words[@]}"
  echo '<end>'
done
"""


def bash_completions(lines, folder=None):
    """What bash completes the last word of each line to; words are separated by bars."""
    done = run(["bash", "--norc", "-c", BASH, "bash", str(MANUALS / "bash/sluice")], input="".join(f"{line}\n" for line in lines),
               cwd=folder)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return [[word for word in each.split("\n") if word] for each in done.stdout.split("<end>\n")[:-1]]


def fish_completions(lines, folder=None):
    """Each is followed by a tab and its description, if it has one."""
    with tempfile.TemporaryDirectory() as home:
        script = f"source {MANUALS}/fish/sluice.fish\nwhile read -l line\ncomplete -C $line\necho '<end>'\nend\n"
        done = run(["fish", "--no-config", "-c", script], input="".join(f"{line}\n" for line in lines), cwd=folder,
                   env={"HOME": home, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0 and not done.stderr, done.stderr
    return [[line for line in each.split("\n") if line] for each in done.stdout.split("<end>\n")[:-1]]


# zsh completes in an interactive shell only: this one starts it on a terminal of its own and types. With -O, -A or -D
# compadd is only asked what would match.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
until_line() { zpty -r shell text "*$1"$'*\n' }
zpty -w shell 'PROMPT=; stty -echo'
zpty -w shell "fpath=(${(q)1} \$fpath); autoload -Uz compinit && compinit -D -u"
zpty -w shell 'compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    local -a __found
    builtin compadd -A __found "$@"
    (( $#__found )) && print -rl -- $__found
  fi
  builtin compadd "$@"
}'
zpty -w shell 'show() { print "<""begin>"; _main_complete; print "<""end>"; compstate[insert]= compstate[list]= }'
zpty -w shell 'zle -C show complete-word show; bindkey "^I" show; print "<""ready>"'
until_line '<ready>' || exit 1
while IFS= read -r line; do
  zpty -n -w shell $'\C-u'"$line"$'\t'
  until_line '<end>' || exit 1
  print -r -- "${text##*<begin>}"
done
"""


def zsh_completions(lines, folder=None):
    done = run(["zsh", "-f", "-c", ZSH, "zsh", str(MANUALS / "zsh")], input="".join(f"{line}\n" for line in lines), cwd=folder)
    assert done.returncode == 0 and not done.stderr, done.stderr
    answers = done.stdout.replace("\r", "").split("<end>\n")[:-1]
    return [[line for line in each.split("\n") if line] for each in answers]


class ManualPages(unittest.TestCase):
    def page(self, words):
        return MANUALS / "man1" / ("-".join(("sluice", *words)) + ".1")

    def test_there_is_one_for_every_verb_and_problem_and_no_other(self):
        self.assertGreater(len(PARTS), 40)
        self.assertEqual({self.page(words) for words in PARTS}, set((MANUALS / "man1").iterdir()))

    def test_each_has_every_option_and_every_verb_or_problem_of_its_help(self):
        for words, text in PARTS.items():
            page = self.page(words).read_text().replace("\\-", "-")
            entries = "\n".join(re.findall(r"^\.TP\n(.*)", page, re.M))
            names = set(re.findall(r"\\fB(-[^\\]*)\\fR", entries))
            self.assertEqual(names, options_in(text), words)
            for name in names_below(text, "Problems" if words else "Verbs"):
                self.assertIn(f"\\fB{name}\\fR", entries)
                self.assertIn("-".join(("sluice", *words, name)) + " (1)", page)

    def test_each_tells_of_every_algorithm_and_example_of_its_help(self):
        for words, text in PARTS.items():
            page = self.page(words).read_text().replace("\\-", "-")
            table = re.search(r"^Algorithm  .*\n((?:\S.*\n)+)", text, re.M)
            for name in re.findall(r"^\S+", table.group(1), re.M) if table else []:
                self.assertIn(f".TP\n\\fB{name}\\fR\nGuarantee: ", page, words)
            for line in re.findall(r"^  ((?:mpirun .* )?sluice .*[^\\])$", text.partition("\nExample")[2], re.M):
                self.assertIn(line, page, words)

    def test_the_first_one_has_every_variable_of_the_documents(self):
        page = self.page(()).read_text().replace("\\-", "-")
        variables = set()
        for document in ("docs/how-to/drop-in-mpi.md", "docs/how-to/record.md", "docs/explanation/run.md"):
            variables |= set(re.findall(r"^\| `(SLUICE_\w+)=", (ROOT / document).read_text(), re.M))
        self.assertGreaterEqual(len(variables), 10)
        self.assertLessEqual(variables, set(re.findall(r"^\.TP\n\\fB(SLUICE_\w+)=", page, re.M)))

    def test_files_of_examples_are_installed(self):
        install = (ROOT / "cmake/SluiceInstall.cmake").read_text()
        folders = re.search(r"foreach\(_sluice_folder (.*)\)", install).group(1).split()
        named = set(re.findall(r"studies/\S+", "".join(PARTS.values())))
        self.assertGreater(len(named), 1)
        for file in named:
            self.assertTrue((ROOT / file).is_file(), file)
            self.assertIn(file.split("/")[1], folders)

    def test_mandoc_warns_of_nothing(self):
        if not shutil.which("mandoc"):
            self.skipTest("no mandoc")
        done = run(["mandoc", "-T", "lint", "-W", "warning", *sorted((MANUALS / "man1").iterdir())])
        self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 0))

    def test_groff_warns_of_nothing(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        done = run(["groff", "-ww", "-b", "-man", "-z", "-Tutf8", *sorted((MANUALS / "man1").iterdir())])
        self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 0))


class Bash(unittest.TestCase):
    def test_every_option_of_the_help_and_no_other(self):
        found = bash_completions(["|".join(("sluice", *words, "-")) for words in PARTS])
        for (words, text), names in zip(PARTS.items(), found):
            self.assertEqual(set(names), options_in(text), words)

    def test_verbs_and_problems(self):
        verbs = names_below(PARTS[()], "Verbs")
        found = bash_completions(["sluice|", "sluice|pl", "sluice|plan|", "sluice|help|", "sluice|help|run|ex",
                                  "sluice|check|", "sluice|plan|exchange|re"], "/")
        self.assertEqual(found[0], [*verbs, "help"])
        self.assertEqual(found[1], ["plan", "platform", "platform-to-simgrid"])
        self.assertEqual(found[2], names_below(PARTS[("plan",)], "Problems"))
        self.assertEqual(found[3], verbs)
        self.assertEqual(found[4], ["exchange"])
        self.assertNotIn("exchange", found[5])
        self.assertEqual(found[6], [])

    def test_values(self):
        found = bash_completions([
            "sluice|plan|exchange|traffic.mtx|--algorithm|ogg", "sluice|plan|exchange|--algorithm|=|ogg",
            "sluice|run|exchange|--methods|sluice,allto", "sluice|plan|exchange|--setup|",
            "sluice|plan|exchange|--export|p", "sluice|study|redistribute-t", "sluice|plan|reduce|--root|"])
        self.assertEqual(found, [["oggp"], ["oggp"], ["sluice,alltoallv"], [], ["ppermute", "p2p"], ["redistribute-tables"], ["any"]])
        names = bash_completions(["sluice|run|exchange|--methods|alltoallv,"])[0]
        self.assertIn("alltoallv,sluice-chain", names)
        self.assertNotIn("alltoallv,alltoallv", names)
        self.assertNotIn("alltoallv,all", names)

    def test_files_where_files_are_expected(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "some traffic.mtx").touch()
            (pathlib.Path(folder) / "some").mkdir()
            found = bash_completions([
                "sluice|plan|exchange|so", "sluice|check|so", "sluice|simulate|so", "sluice|plan|exchange|x|--json|so",
                "sluice|plan|exchange|x|--export|p2p|so", "sluice|study|reduce-figure-2|-o|so",
                "sluice|plan|redistribute|so"], folder)
        self.assertEqual([sorted(each) for each in found], [["some", "some traffic.mtx"]] * 5 + [["some"], []])

    def test_names_are_those_that_the_command_accepts(self):
        """It lists them where it refuses one."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "t.csv").write_text("1,2\n3,4\n")
            layouts = "--from 4:2 --to 4:3"
            network = f"--platform {GRID5000} --size 1Mi"
            compared = 0
            for line in ["plan exchange t.csv --algorithm", f"plan redistribute {layouts} --algorithm",
                         "plan reduce --machines 4 --transfer 1 --compute 1 --algorithm", f"plan broadcast {network} --algorithm",
                         f"plan broadcast {network} --inside", f"plan broadcast {network} --lookahead",
                         f"simulate redistribute {layouts} --order", f"simulate redistribute {layouts} --algorithm",
                         "simulate exchange t.csv --engine", f"simulate redistribute {layouts} --part",
                         "compare exchange t.csv --algorithms", f"compare broadcast {network} --algorithms",
                         "compare reduce --machines 4 --transfer 1 --compute 1 --algorithms",
                         f"compare allgather {network} --algorithms", "study", "study broadcast-grid5000 -o x --order",
                         "cluster t.csv --algorithm", "probe -o x --algorithm", "run exchange t.csv --mode",
                         "run reduce --count 1 --operation", f"run redistribute {layouts} --shape 12 --mode",
                         *(f"plan {problem} {network} --algorithm"
                           for problem in ("scatter", "gather", "allgather", "reduce-scatter", "allreduce", "alltoall"))]:
                words = line.split()
                if words[0] in ("run", "probe") and "needs MPI:" not in PARTS[()]:
                    continue
                done = run([SLUICE, *words, "nosuch"], cwd=folder)
                self.assertEqual(done.returncode, 2, line)
                self.assertIn("'nosuch', expected ", done.stderr, line)
                expected = done.stderr.partition("expected ")[2].strip().replace("; did you mean", "").replace("MILLISECONDS", "")
                names = set(re.split(r", or of exchange: |, | or ", expected.removeprefix("one of ")))
                offered = set(bash_completions(["|".join(["sluice", *words, ""])], folder)[0])
                self.assertEqual(offered - {"all"}, names, line)
                compared += 1
        self.assertGreater(compared, 15)


class Browser(unittest.TestCase):
    """The pages that scripts/docs.sh puts into the site."""

    def setUp(self):
        if not shutil.which("mandoc"):
            self.skipTest("no mandoc")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def test_every_page_with_every_option_and_links_that_lead_somewhere(self):
        self.assertEqual(manual_pages.make(MANUALS / "man1", self.path), [])
        index = (self.path / "index.html").read_text()
        for words, text in PARTS.items():
            name = "-".join(("sluice", *words))
            with self.subTest(name):
                page = (self.path / f"{name}.html").read_text()
                self.assertIn(f'<a href="{name}.html">', index)
                for option in options_in(text):
                    self.assertIn(f"<b>{option}</b>", page)
                targets = [target for target in re.findall(r'href="([^"#]*)"', page) if not target.startswith("../")]
                self.assertGreater(len(targets), 1)
                for target in targets:
                    self.assertTrue((self.path / target).is_file(), target)
        self.assertIn('<a href="sluice-plan.html">', (self.path / "sluice-plan-exchange.html").read_text())

    def test_faults_are_named(self):
        man1 = self.path / "man1"
        man1.mkdir()
        (man1 / "sluice.1").write_text(".TH SLUICE 1 2026-11-26 a b\n.SH NAME\nsluice \\- a page\n.SH SEE ALSO\n"
                                       ".BR sluice\\-none (1)\n.nosuch\n")
        faults = manual_pages.make(man1, self.path / "site")
        self.assertEqual(len(faults), 2, faults)
        self.assertTrue(any("nosuch" in fault for fault in faults), faults)
        self.assertIn("sluice.1: sluice-none(1): no such page", faults)


class Fish(unittest.TestCase):
    def setUp(self):
        if not shutil.which("fish"):
            self.skipTest("no fish")

    def test_every_option_of_the_help_and_no_other(self):
        found = fish_completions([" ".join(("sluice", *words, "--")) for words in PARTS])
        for (words, text), lines in zip(PARTS.items(), found):
            names = {name for name, described in (line.split("\t") for line in lines) if described}
            self.assertEqual(names, {name for name in options_in(text) if name.startswith("--")}, words)

    def test_verbs_problems_values_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "traffic.mtx").touch()
            found = fish_completions([
                "sluice ", "sluice pl", "sluice help run ex", "sluice plan exchange traffic.mtx --algorithm ogg",
                "sluice run exchange --methods sluice,allto", "sluice plan exchange --export p",
                "sluice plan exchange --export p2p tr", "sluice check tr", "sluice simulate tr", "sluice plan redistribute tr",
                "sluice study redistribute-t"], folder)
        self.assertIn("oggp", found[3])  # without the description of --algorithm
        self.assertIn("sluice", fish_completions(["sluice run exchange --methods "])[0])
        found = [[line.split("\t")[0] for line in each] for each in found]
        self.assertEqual(set(found[0]), {*names_below(PARTS[()], "Verbs"), "help"})
        self.assertEqual([sorted(each) for each in found[1:]],
                         [["plan", "platform", "platform-to-simgrid"], ["exchange"], ["oggp"], ["sluice,alltoallv"], ["p2p", "ppermute"],
                          ["traffic.mtx"], ["traffic.mtx"], ["traffic.mtx"], [], ["redistribute-tables"]])


class Zsh(unittest.TestCase):
    TEXT = (MANUALS / "zsh/_sluice").read_text()

    def test_every_option_of_the_help_and_no_other(self):
        for words, text in PARTS.items():
            branches = self.TEXT[self.TEXT.rindex("case $part in"):]
            found = re.search(rf"^    '{' '.join(words)}'\)\n(.*?)^      ;;\n", branches, re.M | re.S)
            self.assertIsNotNone(found, words)
            names = set(re.findall(r"^        '\([^)]*\)(-[a-zA-Z-]+)", found.group(1), re.M))
            self.assertEqual(names, options_in(text), words)

    def test_zsh_can_read_it(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh")
        done = run(["zsh", "-n", str(MANUALS / "zsh/_sluice")])
        self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 0))

    def test_verbs_problems_options_values_and_files(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "traffic.mtx").touch()
            found = zsh_completions([
                "sluice ", "sluice pl", "sluice help run ex", "sluice plan exchange --algor",
                "sluice plan exchange traffic.mtx --algorithm ogg", "sluice run exchange --methods sluice,allto",
                "sluice plan exchange --export p", "sluice plan exchange --export p2p tr", "sluice check tr",
                "sluice simulate tr", "sluice plan redistribute tr", "sluice study redistribute-t"], folder)
        self.assertEqual(set(found[0]), {*names_below(PARTS[()], "Verbs"), "help"})
        self.assertEqual([sorted(each) for each in found[1:]],
                         [["plan", "platform", "platform-to-simgrid"], ["exchange"], ["--algorithm"], ["oggp"], ["alltoallv"],
                          ["p2p", "ppermute"], ["traffic.mtx"], ["traffic.mtx"], ["traffic.mtx"], [], ["redistribute-tables"]])


if __name__ == "__main__":
    unittest.main()
