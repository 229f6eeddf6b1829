#!/usr/bin/env python3
"""The table of docs/reference/newcomer.md names every test of the review's faults: each fault has a row, and the tests of a
row are those whose comment in the source has its number."""
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
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
        for line in (SOURCE / "docs/reference/newcomer.md").read_text().splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if cells[0].strip("| ").isdigit():
                self.assertEqual(len(cells), 6, line)
                self.assertTrue(all(cells), line)
                rows[int(cells[0].strip("| "))] = set(re.findall(r"`(\w+\.\w+)`", cells[-1]))
        self.assertEqual(rows, tests)
        self.assertTrue(all(rows.values()))

    def test_each_fault_of_later_hours_has_a_test(self):
        text = (SOURCE / "docs/reference/newcomer.md").read_text()
        rows = []
        for hour, least in ("third", 13), ("fourth", 12), ("fifth", 8):
            table = text.split(f"## The {hour} hour", 1)[1].split("\n## ", 1)[0]
            found = [line for line in table.splitlines() if line.startswith("| ") and not line.startswith("| what ")]
            self.assertGreaterEqual(len(found), least, hour)
            rows += found
        for row in rows:
            self.assertEqual(len(row.strip("| ").split(" | ")), 5, row)
            files = re.findall(r"`(tests/[\w./-]+)`", row.strip("| ").rsplit(" | ", 1)[-1])
            self.assertTrue(files, row)
            for file in files:
                self.assertTrue((SOURCE / file).is_file(), row)


if __name__ == "__main__":
    unittest.main()
