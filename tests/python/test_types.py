# SPDX-License-Identifier: Apache-2.0
"""The types of the package and of the examples are right by mypy and basedpyright, and the stub of the extension names all that it has."""
import ast
import importlib.util
import inspect
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import pykindred
from pykindred import _kindred
from support import folder_of

PACKAGE = Path(pykindred.__file__).parent
EXAMPLES = Path(__file__).resolve().parents[2] / "examples/python"
BASEDPYRIGHT = shutil.which("basedpyright", path=os.pathsep.join([os.environ.get("PATH", ""), str(Path(sys.executable).parent)]))


def run(*command, folder):
    # The environment of this interpreter, which has NumPy and perhaps the package.
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "MYPYPATH": "", "VIRTUAL_ENV": sys.prefix,
                   "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=300)


class Types(unittest.TestCase):
    def setUp(self):
        self.folder = folder_of(self)

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is missing")
    def test_mypy_is_strictly_content(self):
        for checked in (["-p", "pykindred"], sorted(EXAMPLES.glob("*.py"))):
            ran = run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", self.folder, *checked, folder=PACKAGE.parent)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    @unittest.skipIf(BASEDPYRIGHT is None, "basedpyright is missing")
    def test_basedpyright_is_content(self):
        shared = {"reportMissingModuleSource": False, "pythonVersion": "3.13"}  # NumPy's stubs are written for new versions
        # Modules of the package use private members of each other, and check arguments of callers who check no types. Not all of PyTorch has types.
        within = {"reportPrivateUsage": False, "reportUnnecessaryIsInstance": False, "ignore": [str(PACKAGE / "torch.py")]}
        for settings in ({"include": [str(PACKAGE), str(EXAMPLES)], "strict": [str(EXAMPLES)], "typeCheckingMode": "standard"},
                         {"include": [str(PACKAGE)], "typeCheckingMode": "strict", **within}):
            Path(self.folder, "pyrightconfig.json").write_text(json.dumps({**settings, **shared}), encoding="utf-8")
            ran = run(BASEDPYRIGHT, "-p", self.folder, "--pythonpath", sys.executable, folder=self.folder)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    @unittest.skipIf(BASEDPYRIGHT is None or importlib.util.find_spec("torch") is None, "basedpyright is missing, or PyTorch, whose types are public ones")
    def test_the_types_of_all_that_is_public_are_known(self):
        ran = run(BASEDPYRIGHT, "--verifytypes", "pykindred", "--ignoreexternal", folder=self.folder)
        self.assertIn("Type completeness score: 100%", ran.stdout, ran.stderr)

    def test_the_stub_names_all_that_the_extension_has(self):
        stub = ast.parse((PACKAGE / "_kindred.pyi").read_text(encoding="utf-8"))
        named = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
        self.assertEqual({name for name in vars(_kindred) if name[0] != "_"} - {"version"}, set(named))
        for name, node in named.items():
            if inspect.isclass(getattr(_kindred, name)):
                members = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
                self.assertEqual({member for member in vars(getattr(_kindred, name)) if member[0] != "_"}, members - {"__init__"}, name)


if __name__ == "__main__":
    unittest.main()
