#!/usr/bin/env python3
"""Tests the checkers of the documents on small pages: right as they stand, and one fault of each kind."""
import contextlib
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import check_links  # noqa: E402
import run_page  # noqa: E402

SOURCE = HERE.parents[1]
sys.path.insert(0, str(SOURCE / "scripts"))
import undocumented  # noqa: E402

RIGHT = {
    "README.md": "# Top\n\n[page](docs/page.md#two-words), [itself](#top), [away](https://example.org/x)\n",
    "docs/page.md": "# Page\n\n## Two words\n\n[back](../README.md) and `[no](link.md)`\n\n    [no](link.md)\n\n"
                    "```sh\ncat [no](link.md)\n```\n\n[terms](glossary.md)\n",
    "docs/glossary.md": "- **alpha**: one.\n- **Beta**: two.\n",
    "src/code.cpp": "// docs/page.md says why\n",
}


class Links(unittest.TestCase):
    def faults(self, **changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (RIGHT | {name.replace("__", "/"): text for name, text in changes.items()}).items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_links.check(pathlib.Path(folder).resolve())[0]

    def expect(self, fault, **changes):
        found = self.faults(**changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(fault, found[0])

    def test_right_ones(self):
        self.assertEqual(self.faults(), [])

    def test_a_file_that_is_not_there(self):
        self.expect("README.md:3: other.md: no such file", **{"README.md": RIGHT["README.md"].replace("#top", "other.md")})

    def test_a_heading_that_is_not_there(self):
        self.expect("docs/page.md#three: no such heading",
                    **{"README.md": "[page](docs/page.md) [page](docs/page.md#three)\n"})

    def test_a_link_whose_text_is_a_picture(self):
        self.expect("none.md: no such file", **{"README.md": "[![a](src/code.cpp)](none.md) [page](docs/page.md)\n"})

    def test_a_page_that_a_source_names(self):
        self.expect("src/code.cpp:1: docs/gone.md: no such file", **{"src/code.cpp": "// see docs/gone.md.\n"})

    def test_a_source_that_a_page_or_a_source_names(self):
        self.assertEqual(self.faults(**{"src/more.cpp": "// as src/code.cpp does\n"}), [])
        self.expect("src/more.cpp:1: src/gone.cpp: no such file", **{"src/more.cpp": "// as src/gone.cpp does\n"})
        self.expect("docs/page.md", **{"docs/page.md": RIGHT["docs/page.md"] + "\nSee `src/gone.hpp`.\n"})
        self.assertEqual(self.faults(**{"scripts/make.sh": "touch src/gone.cpp\n"}), [])

    def test_a_page_that_no_link_leads_to(self):
        self.expect("docs/lost.md: no link", **{"docs/lost.md": "# Lost\n"})

    def test_terms_out_of_order_and_twice(self):
        self.expect("alpha behind Beta", **{"docs/glossary.md": "- **Beta**: two.\n- **alpha**: one.\n"})
        self.expect("alpha behind alpha", **{"docs/glossary.md": "- **alpha**: one.\n- **alpha**: two.\n"})

    def test_a_readme_that_is_too_long(self):
        words = check_links.README_WORDS - len(RIGHT["README.md"].split())
        self.assertEqual(self.faults(**{"README.md": RIGHT["README.md"] + "word " * words}), [])
        self.expect("901 words", **{"README.md": RIGHT["README.md"] + "word " * (words + 1)})


class Pages(unittest.TestCase):
    def run_page(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "page.md")
            path.write_text(text)
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                status = run_page.main([*options, folder, str(path)])
            return status, output.getvalue(), path.read_text()

    def passes(self, text):
        status, output, _ = self.run_page(text)
        self.assertEqual(status, 0, output)

    def fails(self, text, message, status=1):
        found, output, _ = self.run_page(text)
        self.assertEqual(found, status, output)
        self.assertIn(message, output)

    def test_output_is_compared(self):
        self.passes("```sh\necho 1; echo 2; echo 3 >&2\n```\n\n```text\n1\n2\n```\n")
        self.fails("```sh\necho 1\n```\n\n```text\n2\n```\n", "other output than shown")
        self.fails("```sh\necho 1; echo 2\n```\n\n```text\n1\n```\n", "other output than shown")
        self.fails("```sh\ntrue\n```\n\n```text\n1\n```\n", "other output than shown")

    def test_output_behind_prose_is_none_of_it(self):
        self.passes("```sh\necho 1\n```\n\nA file of another kind:\n\n```text\n2\n```\n")

    def test_variables_folder_and_files_pass_on(self):
        self.passes("```sh\nexport A=5; mkdir new; cd new; echo x >file\n```\n\n```sh\ncat file; echo $A\n```\n\n```text\nx\n5\n```\n")

    def test_cells_of_python_share_names_and_show_values(self):
        self.passes("```sh\necho 5 >file\n```\n\n```python\nprint(1)\nx = int(open('file').read())\n```\n\n```text\n1\n```\n\n"
                    "```python\nx += 1\nx\n```\n\n```text\n6\n```\n\n```python\nNone\n```\n")
        self.fails("```python\n1 + 1\n```\n\n```text\n3\n```\n", "other output than shown")
        self.fails("```python\nraise ValueError\n```\n", "exit status 1, expected 0")

    def test_exit_status(self):
        self.fails("```sh\nfalse; true\n```\n", "exit status 1, expected 0")
        self.passes("<!-- exit status: 3 -->\n```sh\nexit 3\n```\n")
        self.fails("<!-- exit status: 3 -->\n```sh\ntrue\n```\n", "exit status 0, expected 3")

    def test_not_run(self):
        self.passes("<!-- not run: as it fails -->\n```sh\nfalse\n```\n\n```sh\ntrue\n```\n")

    def test_dots(self):
        self.passes("```sh\nseq 5; echo ab12cd\n```\n\n```text\n1\n...\n5\nab...cd\n```\n")
        self.fails("```sh\nseq 5\n```\n\n```text\n1\n...\n6\n```\n", "other output")

    def test_what_varies(self):
        shown = "```sh\necho 'a   17.6 ms  5 MB/s  3 x'\n```\n\n<!-- output: {} -->\n```text\na 1 us  77.1 kB/s  {} x\n```\n"
        self.passes(shown.format("times vary", 3))
        self.fails(shown.format("times vary", 4), "other output")
        self.passes(shown.format("numbers vary", 4))
        self.fails(shown.format("numbers vary", "y"), "other output")

    def test_pages_that_cannot_be_understood(self):
        self.fails("# Page\n", "nothing to run", 2)
        self.fails("```sh\ntrue\n", "does not end", 2)
        self.fails("<!-- exit: 3 -->\n```sh\ntrue\n```\n", "comment `exit: 3`", 2)
        self.fails("```sh\ntrue\n```\n<!-- output: all vary -->\n```text\n```\n", "all vary", 2)

    def test_write_renews_output_without_dots(self):
        status, _, page = self.run_page("```sh\necho 1\n```\n\n```text\n2\n```\n", "--write")
        self.assertEqual((status, page), (0, "```sh\necho 1\n```\n\n```text\n1\n```\n"))
        self.assertEqual(self.run_page("```sh\necho 1\n```\n\n```text\n2...\n```\n", "--write")[0], 1)

    def test_numbers(self):
        self.assertEqual(run_page.masked("k0 1.5e-3 s 12 % 3.000... ~1.0", "numbers vary"), "k0 # # #... #")


HEADER = """#pragma once
/// One.
namespace sluice {
/// Two sides: a left one.
struct Pair {
  int left = 0;
  int right = 0;  ///< the other
  friend bool operator==(const Pair&, const Pair&) = default;
};
/// A job.
class Job {
 public:
  /// Makes one.
  explicit Job(int value);
  Job(Job&&) noexcept;
  Job& operator=(Job&&) noexcept;
  Job(const Job&) = delete;
  ~Job();
  /// Runs.
  void run();

 protected:
  void prepare();

 private:
  int value_;
};
/// kFirst or not.
enum class Order { kFirst, kLast /**< not */ };
namespace detail {
void inner();
}
}  // namespace sluice
"""


@unittest.skipUnless(shutil.which("doxygen"), "Doxygen is not installed")
class PublicNames(unittest.TestCase):
    def lacking(self, header):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.hpp")
            path.write_text(header)
            settings = (SOURCE / "docs" / "site" / "Doxyfile").read_text()
            settings += f"INPUT = {path}\nOUTPUT_DIRECTORY = {folder}\nGENERATE_HTML = NO\n"
            subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=SOURCE, check=True)
            lacking, names = undocumented.in_xml(pathlib.Path(folder))
            self.assertGreater(names, 5)
            return sorted(what for _, what in lacking)

    def test_all_have_a_comment(self):
        self.assertEqual(self.lacking(HEADER), [])

    def test_one_of_each_kind_without(self):
        for comment, what in (("/// Two sides: a left one.\n", ["struct sluice::Pair", "variable sluice::Pair::left"]),
                              ("  ///< the other", ["variable sluice::Pair::right"]),
                              ("  /// Makes one.\n", ["function sluice::Job::Job(int value)"]),
                              ("  /// Runs.\n", ["function sluice::Job::run()"]),
                              (" /**< not */", ["value kLast of sluice::Order"]),
                              ("/// kFirst or not.\n", ["enum sluice::Order", "value kFirst of sluice::Order"])):
            self.assertEqual(self.lacking(HEADER.replace(comment, "")), what, comment)

    def test_what_is_added(self):
        added = "template <class T> T f(T x);\nusing Number = int;\ninline constexpr int kMost = 3;\n#define SLUICE_X 1\n"
        found = " ".join(self.lacking(HEADER.replace("namespace detail", added + "namespace detail")))
        for name in ("f(T x)", "Number", "kMost", "SLUICE_X"):
            self.assertIn(name, found)


class PublicNamesOfPython(unittest.TestCase):
    def lacking(self, **changes):
        files = {name: '"""A module."""\n' for name in undocumented.PYTHON_MODULES} | changes
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                pathlib.Path(folder, name).write_text(text)
            return [what for _, what in undocumented.in_python(pathlib.Path(folder))[0]]

    def test_names(self):
        self.assertEqual(self.lacking(), [])
        self.assertEqual(self.lacking(**{"mpi.py": "x = 1\n"}), ["module"])
        text = '"""A module."""\ndef f(): pass\ndef _g(): pass\nclass C:\n    """About a."""\n    a: int\n    b: int\n    def h(self): pass\n'
        self.assertEqual(self.lacking(**{"__init__.py": text}), ["function f", "field C.b", "function C.h"])
        stub = "def wrapped() -> int: ...\nclass C:\n    @property\n    def a(self) -> int: ...\n"
        self.assertEqual(self.lacking(**{"_core.pyi": stub}), ["class C", "function C.a"])


if __name__ == "__main__":
    unittest.main()
