#!/usr/bin/env python3
"""Tests scripts/hard_sentences.py: one text of each kind that is right, and one fault of each rule."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "scripts"))
import hard_sentences  # noqa: E402

LONG = "word " * 29
FITS = "word " * 28


def found(text, name="page.md"):
    return [(line, advice) for line, _, advice in hard_sentences.places(name, text)]


class Rules(unittest.TestCase):
    def test_a_sentence_has_at_most_28_words(self):
        self.assertEqual(found(FITS.strip() + ".\n"), [])
        self.assertEqual(found(LONG.strip() + ".\n"), [(1, "29 words: make two sentences")])
        self.assertEqual(found(f"A short one. {FITS.strip()}. Another one.\n"), [])

    def test_marks_that_end_a_sentence(self):
        half = "word " * 15
        for mark in ".!?:;":
            self.assertEqual(found(f"{half.strip()}{mark} {half}.\n"), [], mark)
        self.assertEqual(len(found(f"{half.strip()}, {half}.\n")), 1)
        self.assertEqual(len(found(f"{half.strip()} 0.5 sluice.hpp {half}.\n")), 1)

    def test_each_phrase(self):
        for text, advice in (("It takes so many bytes.", "name the number"), ("A file of which two are read.", "make two sentences"),
                             ("The cost is that of a step.", "repeat the noun"), ("It is the same.", "repeat the noun"),
                             ("All but for one.", "write 'except' or 'unless'"), ("Of steps: how many.", "begin with the subject"),
                             ("It ends. Else it waits.", "begin with the subject"), ("It ends, else it waits.", "write 'otherwise'"),
                             ("It is handed on.", "write 'forwarded'"), ("Both run in turns.", "write 'alternating'"),
                             ("It sends what it has of it.", "use usual words"),
                             ("A rank whose host has links whose speed is low.", "make two sentences")):
            self.assertIn((1, advice), found(text + "\n"), text)

    def test_phrases_that_are_right(self):
        for text in ("It takes so many bytes that it fails.", "The same host sends.", "Nothing else is sent.", "It is off.",
                     "Say which of them it is.", "The end of the step.", "Ranks take turns."):
            self.assertEqual(found(text + "\n"), [], text)

    def test_a_phrase_across_lines_counts_where_it_begins(self):
        self.assertEqual(found("One line\nand a file of\nwhich two are read.\n"), [(2, "make two sentences")])


class Texts(unittest.TestCase):
    def test_code_names_and_links_of_markdown_do_not_count(self):
        self.assertEqual(found(f"```text\n{LONG}\n```\n\n    {LONG}\n\n`{LONG}` [two](so-many-words.md)\n\n<!-- {LONG} -->\n"), [])

    def test_items_cells_and_headings_are_sentences_of_their_own(self):
        half = "word " * 15
        self.assertEqual(found(f"# {half}\n{half}\n- {half}\n- {half}\n1. {half}\n\n| {half} | {half} |\n|---|---|\n"), [])
        self.assertEqual(found(f"- {half}\n  {half}\n"), [(1, "30 words: make two sentences")])
        self.assertEqual(found(f"Text.\n\n- A.\n\n    {LONG}\n"), [(5, "29 words: make two sentences")])

    def test_comments_of_c(self):
        half = "word " * 15
        for text in (f"/// {LONG}\n", f"int a; // {LONG}\n", f"int a;  ///< {half}\n       ///< {half}\n", f"/** {half}\n * {half} */\n",
                     f"/**\n * {half}\n * {half}\n */\n", f"int a; /**< {LONG} */\n"):
            self.assertEqual(len(found("int before;\n" + text, "x.hpp")), 1, text)
        for text in (f"///     {LONG}\n", f"/// {half}\n///\n/// {half}\n", f"int a;  ///< {half}\nint b;  ///< {half}\n", f"int a;  ///< {half}\n/// {half}\n",
                     f'const char* url = "https://{LONG}";\n', f"/// - {half}\n/// - {half}\n", f"{LONG}\n"):
            self.assertEqual(found(text, "x.hpp"), [], text)

    def test_comments_of_fortran(self):
        half = "word " * 15
        self.assertEqual(len(found(f"  !> {half}\n  !> {half}\n", "x.f90")), 1)
        self.assertEqual(found(f"  !> {half}\n  integer :: a  !< {half}\n  integer :: b  !< {half}\n", "x.f90"), [])

    def test_docstrings_and_comments_of_python(self):
        text = f'"""A file of which two are read."""\n# {LONG}\n\nx = "so many"\n\n\ndef f():\n    """Returns.\n\n    {LONG}\n    """\n'
        self.assertEqual([line for line, _ in found(text, "x.py")], [1, 2, 10])


class Limits(unittest.TestCase):
    def run_it(self, limits, *arguments, **pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"scripts/hard_sentences.txt": limits, **{k.replace("__", "/") + ".md": v for k, v in pages.items()}}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = hard_sentences.main(arguments, pathlib.Path(folder))
            return status, out.getvalue() + err.getvalue()

    def test_a_file_without_a_limit_has_no_place(self):
        self.assertEqual(self.run_it("", README="Right.\n")[0], 0)
        status, text = self.run_it("", README="It is the same.\n")
        self.assertEqual(status, 1)
        self.assertIn("README.md:1: 'It is the same.': repeat the noun\nREADME.md: 1 place hard", text)

    def test_a_folder_has_a_limit_for_all_of_its_files(self):
        pages = {"docs__a": "It is the same.\n", "docs__b__c": "It is the same.\n"}
        self.assertEqual(self.run_it("limit docs 2\n", **pages)[0], 0)
        self.assertEqual(self.run_it("limit docs 1\n", **pages)[0], 1)
        self.assertEqual(self.run_it("limit docs 1\nlimit docs/b 1\n", **pages)[0], 0)
        self.assertEqual(self.run_it("limit docs 2\nlimit docs/b 0\n", **pages)[0], 1)

    def test_many_places_are_counted_by_file(self):
        status, text = self.run_it("limit docs 20\n", docs__a="It is the same.\n\n" * 15, docs__b="It is the same.\n\n" * 6)
        self.assertEqual(status, 1)
        self.assertIn("docs/a.md: 15 places hard to read; scripts/hard_sentences.py docs/a.md shows them\n", text)
        self.assertNotIn("docs/a.md:1:", text)

    def test_what_is_allowed_does_not_count(self):
        allow = "allow README.md | the same | as a test\n"
        self.assertEqual(self.run_it(allow, README="It is the same.\n")[0], 0)
        self.assertEqual(self.run_it(allow, README="A file of which two are read.\n")[0], 1)
        status, text = self.run_it(allow, README="Right.\n")
        self.assertEqual(status, 1)
        self.assertIn("allow README.md | the same: no such place", text)

    def test_bad_lines_and_options(self):
        for line in ("limit docs", "limit docs many", "allow README.md | words", "allow README.md | words |", "most docs 3"):
            status, text = self.run_it(line + "\n")
            self.assertEqual(status, 2, line)
            self.assertIn("hard_sentences.txt:1: ", text)
        for arguments in (["--none"], ["--list", "x.md"], ["x.unknown"]):
            with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()):
                hard_sentences.main(arguments)
            self.assertEqual(ended.exception.code, 2, arguments)

    def test_list_and_help(self):
        status, text = self.run_it("limit README.md 5\n", "--list", README="It is the same.\n")
        self.assertEqual((status, text), (0, "README.md:1: 'It is the same.': repeat the noun\n"))
        with self.assertRaises(SystemExit) as ended, contextlib.redirect_stdout(io.StringIO()) as out:
            hard_sentences.main(["--help"])
        self.assertEqual(ended.exception.code, 0)
        self.assertIn("limit PATH NUMBER", out.getvalue())

    def test_the_limits_of_this_project_can_be_read(self):
        limits, _ = hard_sentences.read_limits((SOURCE / hard_sentences.LIMITS).read_text())
        self.assertEqual(limits["include"], 0)


if __name__ == "__main__":
    unittest.main()
