#!/usr/bin/env python3
"""The tables of newcomer.md beside this file name every test of a case of new users: each case has a row, and a row names
the tests whose comment in the source has its number."""
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CASES = pathlib.Path(__file__).with_name("newcomer.md")
FAULTS = 37
TEST = re.compile(r"^TEST\((\w+), (\w+)\) \{(?:  // ([\d, ]+))?", re.MULTILINE)


class Newcomer(unittest.TestCase):
    def test_each_fault_has_its_tests(self):
        tests = {number: set() for number in range(1, FAULTS + 1)}
        for name in ("apps/newcomer_test.cpp", "apps/newcomer_run_test.cpp", "run/network_test.cpp",
                     "drop-in/pmpi/record_test.cpp", "drop-in/pmpi/other_mpi_test.cpp"):
            for suite, test, numbers in TEST.findall((SOURCE / "tests" / name).read_text()):
                for number in re.findall(r"\d+", numbers):
                    tests[int(number)].add(f"{suite}.{test}")
        rows = {}
        for line in CASES.read_text().splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if cells[0].strip("| ").isdigit():
                self.assertEqual(len(cells), 6, line)
                self.assertTrue(all(cells), line)
                rows[int(cells[0].strip("| "))] = set(re.findall(r"`(\w+\.\w+)`", cells[-1]))
        self.assertEqual(rows, tests)
        self.assertTrue(all(rows.values()))

    def test_each_case_without_a_number_has_a_test(self):
        text = CASES.read_text()
        rows = []
        for heading, least in ("C, Fortran", 13), ("Bad input", 12), ("Scripts", 8):
            table = text.split(f"\n## {heading}", 1)[1].split("\n## ", 1)[0]
            found = [line for line in table.splitlines() if line.startswith("| ") and not line.startswith("| what ")]
            self.assertGreaterEqual(len(found), least, heading)
            rows += found
        for row in rows:
            self.assertEqual(len(row.strip("| ").split(" | ")), 5, row)
            files = re.findall(r"`(tests/[\w./-]+)`", row.strip("| ").rsplit(" | ", 1)[-1])
            self.assertTrue(files, row)
            for file in files:
                self.assertTrue((SOURCE / file).is_file(), row)


if __name__ == "__main__":
    unittest.main()
