#!/usr/bin/env python3
"""The recipe for Spack and the container file name what is there: options and packages of CMake, scripts, packages of Debian."""

import ast
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = (ROOT / "packaging/spack/package.py").read_text()
CONTAINER = (ROOT / "packaging/Containerfile").read_text()
CMAKE = "\n".join(path.read_text() for path in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake"), *ROOT.glob("*/**/CMakeLists.txt")]
                  if "build" not in path.relative_to(ROOT).parts)


class Spack(unittest.TestCase):
    def test_it_is_python(self):
        ast.parse(RECIPE)

    def test_options_are_those_of_cmake(self):
        named = set(re.findall(r'"(SLUICE_\w+)"', RECIPE))
        self.assertGreaterEqual(len(named), 5)
        self.assertLessEqual(named, set(re.findall(r"(?:option\(|set\()(SLUICE_\w+)", CMAKE)))

    def test_packages_left_out_are_those_that_cmake_looks_for(self):
        named = set(re.findall(r"CMAKE_DISABLE_FIND_PACKAGE_(\w+)", RECIPE))
        self.assertEqual(named, {"CBC", "ScaLAPACK"})
        self.assertLessEqual(named, set(re.findall(r"find_package\((\w+)", CMAKE)))

    def test_variants_are_all_there(self):
        self.assertLessEqual(set(re.findall(r'when="[+~](\w+)', RECIPE)), set(re.findall(r'variant\("(\w+)"', RECIPE)))


class Container(unittest.TestCase):
    def test_scripts_are_there_and_know_their_options(self):
        lines = re.findall(r"(scripts/[a-z-]+\.sh)(?: (--\w+))?", CONTAINER.partition("\nFROM")[2])
        self.assertGreaterEqual(len(lines), 2)
        for script, option in lines:
            self.assertIn(option, (ROOT / script).read_text(), script)

    def test_settings_for_ranks_are_those_of_the_scripts(self):
        wanted = re.findall(r"^[A-Z]\w+=\S+", (ROOT / "scripts/mpirun.env").read_text(), re.M)
        self.assertEqual(sorted(re.findall(r"\b(?:HWLOC|OMPI|PMIX|PRTE)_\w+=\S+", CONTAINER)), sorted(wanted))


if __name__ == "__main__":
    unittest.main()
