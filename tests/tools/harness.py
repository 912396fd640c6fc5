# SPDX-License-Identifier: Apache-2.0
"""Runs the `kindred` command as a user does. Needs the standard library only.

The executable is KINDRED_COMMAND, else build/release/tools/kindred of this repository."""
import json
import os
import random
import resource
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import inputs

REPOSITORY = Path(__file__).resolve().parents[2]
# A user of its own for each process: limits on the processes of a user count those of all tests.
OTHER_USER = random.SystemRandom().randrange(20000, 60000)
COMMAND = os.environ.get("KINDRED_COMMAND", str(REPOSITORY / "build/release/tools/kindred"))


class Result:
    def __init__(self, completed):
        self.status = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr.decode("utf-8", "backslashreplace")

    def lines(self):
        """The JSON lines of stdout."""
        return [strict(line) for line in self.out.splitlines()]

    def json(self):
        """The JSON text on stdout."""
        return strict(self.out)


def strict(text):
    """Parses strict JSON, without NaN and Infinity."""
    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")
    return json.loads(text, parse_constant=refuse)


def environment(profile):
    """No calibration of this machine, so that tests start from the same state everywhere."""
    return dict(os.environ, KINDRED_PROFILE=str(profile))


def run(*arguments, stdin=b"", cwd=None, timeout=300, profile="/nonexistent/profile.json", address_space=None, settings=None):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    completed = subprocess.run([COMMAND, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd,
                               timeout=timeout, env={**environment(profile), **(settings or {})}, preexec_fn=limit if address_space else None)
    return Result(completed)


def usable_spaces():
    spaces = json.loads(run("info", "--json").out)["spaces"]
    return [space["space"] for space in spaces if space["usable"]]


def write(path, content):
    """Writes text, bytes, JSON (a dictionary) or JSON lines (a list). Returns the path."""
    if isinstance(content, dict):
        content = json.dumps(content)
    if isinstance(content, list):
        content = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


class CommandTest(unittest.TestCase):
    """A test with its own temporary folder, `self.folder`, with these files."""

    maxDiff = 2000
    FILES = {}
    BUILT = ()  # by these commands

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="kindred-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        for name, content in self.FILES.items():
            self.file(name, content)
        for command in self.BUILT:
            self.types(command)

    def types(self, text, **options):
        """The command succeeds with `text` as its arguments, in the folder."""
        return self.succeeds(*text.split(), cwd=self.folder, **options)

    def file(self, name, content):
        return write(self.folder / name, content)

    def succeeds(self, *arguments, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.status, 0, f"{' '.join(map(str, arguments))}\n{result.err}")
        return result

    def explained(self, *arguments, **options):
        """What the command prints on stderr with --explain, a JSON object per line."""
        records = [strict(line) for line in self.succeeds(*arguments, "--explain", "--quiet", **options).err.splitlines()]
        self.assertTrue(records)
        return records

    def refuses(self, status, words, *arguments, **options):
        """The command exits with `status`, prints nothing on stdout, and every one of the words on
        stderr."""
        result = run(*arguments, **options)
        shown = f"{' '.join(map(str, arguments))}\nstdout: {result.out[:300]!r}\nstderr: {result.err}"
        self.assertEqual(result.status, status, shown)
        self.assertEqual(result.out, b"", shown)
        for word in words:
            self.assertIn(str(word), result.err, shown)
        for crash in ("terminate called", "Segmentation", "core dumped", "Sanitizer", "runtime error"):
            self.assertNotIn(crash, result.err, shown)
        self.assertNotRegex(result.err, r"\.[ch]pp:\d+", "a place in the sources tells a user nothing")
        return result


class InputsTest(CommandTest):
    """A test with the generated inputs in `self.inputs`, which are made once for its class."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="kindred-inputs-")
        cls.addClassCleanup(temporary.cleanup)
        cls.inputs = Path(temporary.name)
        inputs.all_inputs(cls.inputs)


class OtherUserTest(CommandTest):
    """Runs the command as a user whose rights files can deny: permissions do not bind root."""

    def setUp(self):
        super().setUp()
        self.other_user = {}
        self.command = COMMAND
        if os.geteuid() == 0:
            self.other_user = {"user": OTHER_USER, "group": OTHER_USER, "extra_groups": []}
            self.folder.chmod(0o755)
            # The folder of the build may be closed to other users.
            self.command = shutil.copy(COMMAND, self.folder / "kindred")
            os.chmod(self.command, 0o755)

    def start(self, *arguments, settings=None, without=(), **options):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("KINDRED_PROFILE", "XDG_CACHE_HOME", *without)} | (settings or {})
        completed = subprocess.run([self.command, *map(str, arguments)], env=environment, timeout=300, **options,
                                   **({} if "stdout" in options else {"stdout": subprocess.PIPE}), stderr=subprocess.PIPE)
        result = Result(completed)
        for crash in ("terminate called", "Segmentation", "filesystem error", "Sanitizer", "what()"):
            self.assertNotIn(crash, result.err, arguments)
        return result
