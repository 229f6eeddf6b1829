"""`pip install` without a network makes a package that plans, checks and starts the command.

    pip_test.py SOURCE BUILD     the project, and a build of it that the package is taken from
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
FILES = ["CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "setup.py"]  # pip leaves its own beside them
USE = """
import numpy, pathlib, sluice
plan = sluice.plan_exchange(numpy.array([[7, 2], [4, 5]]), max_transfers=2, setup=3)
assert sluice.check(plan) == []
print(pathlib.Path(sluice.__file__).parent)
"""


class Pip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for name in FILES:
            shutil.copy2(SOURCE / name, cls.folder)
        shutil.copytree(SOURCE / "python", cls.folder / "python")
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", cls.folder / "venv"],
                       check=True)
        cls.programs = cls.folder / "venv" / "bin"

    def run_there(self, *words, build=BUILD):
        environment = {**os.environ, "SLUICE_BUILD": str(build)}
        environment.pop("PYTHONPATH", None)
        environment.pop("SLUICE_COMMAND", None)
        return subprocess.run([self.programs / words[0], *words[1:]], capture_output=True, text=True, env=environment,
                              cwd=self.folder / "venv")

    def install(self, **options):
        return self.run_there("python", "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index",
                              self.folder, **options)

    def test_package_and_command_are_there(self):
        installed = self.install()
        self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)
        used = self.run_there("python", "-c", USE)
        self.assertEqual(used.returncode, 0, used.stderr)
        self.assertTrue(used.stdout.startswith(str(self.folder / "venv")), used.stdout)
        for words in [("sluice",), ("python", "-m", "sluice")]:
            planned = self.run_there(*words, "plan", "redistribute", "--from", "2:1", "--to", "2:3")
            self.assertEqual(planned.returncode, 0, planned.stderr)
            self.assertIn("steps", planned.stdout)

    def test_folder_without_a_build_is_refused(self):
        installed = self.install(build=self.folder / "nowhere")
        self.assertNotEqual(installed.returncode, 0)
        self.assertIn("expected a folder with a build of sluice", installed.stdout + installed.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
