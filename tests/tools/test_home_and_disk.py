# SPDX-License-Identifier: Apache-2.0
"""The command without a home, with one that it cannot read, and where files cannot be written any more."""
import os
import resource
import signal
import subprocess

import golden_cases
import harness
import inputs


class Home(harness.OtherUserTest):
    def homes(self):
        """Settings and the variables that are not set, with what `info` says about the calibration."""
        closed = self.folder / "closed"
        (closed / ".cache/kindred").mkdir(parents=True)
        (closed / ".cache/kindred/profile.json").write_text("{}")
        closed.chmod(0)
        self.addCleanup(closed.chmod, 0o700)
        (self.folder / "text").write_text("no folder")
        (self.folder / "loop").symlink_to(self.folder / "loop")
        path = "{}/.cache/kindred/profile.json: {}"
        yield "no home", {}, ["HOME"], "no path: set KINDRED_PROFILE or HOME"
        yield "an empty home", {"HOME": "", "XDG_CACHE_HOME": ""}, [], "no path: set KINDRED_PROFILE or HOME"
        for name, why in (("closed", "cannot be read: Permission denied"), ("text", "not made yet"), ("missing", "not made yet"),
                          ("loop", "cannot be read: Too many levels of symbolic links")):
            yield name, {"HOME": str(self.folder / name)}, [], path.format(self.folder / name, why)
        yield "a closed cache", {"XDG_CACHE_HOME": str(closed)}, [], f"{closed}/kindred/profile.json: cannot be read: Permission denied"

    def test_every_home_is_one_that_the_command_runs_with(self):
        data = self.folder / "data"
        data.mkdir()
        inputs.sequences(data)
        data.chmod(0o755)
        expected = self.succeeds(*golden_cases.MATCH, cwd=data).out
        for name, settings, without, calibration in self.homes():
            options = {"settings": settings, "without": without, **self.other_user}
            with self.subTest(name):
                text = self.start("info", "--quiet", **options)
                self.assertEqual((text.status, text.err), (0, ""))
                self.assertIn(f"\n  {calibration}\n", text.out.decode())
                found = harness.strict(self.start("info", "--json", **options).out)["calibration"]
                self.assertEqual((found["present"], found["in_use"]), (False, False))
                matched = self.start(*golden_cases.MATCH, "--quiet", cwd=data, **options)
                self.assertEqual((matched.status, matched.err, matched.out), (0, "", expected))

    def test_a_calibration_that_cannot_be_saved_is_an_error(self):
        for name, settings, without, _ in self.homes():
            if name == "missing":
                continue  # it may be created where the parent is the user's own
            with self.subTest(name):
                refused = self.start("calibrate", "--seconds", "0.1", settings=settings, without=without, **self.other_user)
                self.assertEqual((refused.status, refused.out), (1, b""), refused.err)
                self.assertIn("set KINDRED_PROFILE or HOME" if "home" in name else "profile.json: cannot be written: ", refused.err)

    def test_a_folder_of_pages_that_cannot_be_made_is_an_error(self):
        closed = self.folder / "closed"
        closed.mkdir()
        closed.chmod(0)
        self.addCleanup(closed.chmod, 0o700)
        refused = self.start("man", "--out", closed / "pages", **self.other_user)
        self.assertEqual((refused.status, refused.out), (2, b""), refused.err)
        self.assertIn("closed/pages: cannot be created: Permission denied", refused.err)


class Disk(harness.OtherUserTest):
    def outputs(self):
        """Commands that write more than 1 KiB to the file `out`, run in the folder of the inputs."""
        return {
            "patterns": ["patterns", "build", "--patterns", "patterns.jsonl", "--out"],
            "vectors": ["vectors", "build", "--vectors", "vectors.npy", "--out"],
            "index": ["index", "build", "--vectors", "wide.npy", "--out"],
            "graph": ["graph", "build", "--edges", "graph.tsv", "--out"],
            "ids": golden_cases.SEARCH + ["--top", "1200", "--out-ids"],
            "trace": golden_cases.MATCH + ["--trace"],
            "report": golden_cases.MATCH + ["--report"],
        }

    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.mkdir()
        inputs.all_inputs(self.data)
        self.disk = self.folder / "disk"
        self.disk.mkdir()

    def check(self, reason, **options):
        for name, command in self.outputs().items():
            for old in (None, b"what was there"):
                with self.subTest(name, old=old):
                    out = self.disk / "out"
                    if old is None:
                        out.unlink(missing_ok=True)
                    else:
                        out.write_bytes(old)
                    refused = self.start(*command, out, cwd=self.data, **options)
                    self.assertEqual(refused.status, 1, refused.err)
                    self.assertRegex(refused.err, rf"kindred: error: {out}: writing failed: {reason}; the file was left as it was")
                    self.assertEqual([file.name for file in self.disk.iterdir()], [] if old is None else ["out"])
                    if old is not None:
                        self.assertEqual(out.read_bytes(), old)

    def test_files_that_may_not_grow(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

        self.check("File too large", restore_signals=False, preexec_fn=limit)

    def test_a_full_disk(self):
        def with_disk(script, *arguments):
            """Runs a script for the shell whose $0 is the folder of a file system of 4 KiB, which only the script sees."""
            user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
            mount = 'mount -t tmpfs -o size=4k kindred-test "$0" && '
            return subprocess.run(["unshare", *user, "--mount", "sh", "-c", mount + script, self.disk, *arguments], cwd=self.data,
                                  capture_output=True, text=True, timeout=300)

        try:
            possible = with_disk("true")
        except FileNotFoundError:
            self.skipTest("unshare is missing")
        if possible.returncode != 0:
            self.skipTest(f"no file system of a fixed size can be mounted here: {possible.stderr.strip()}")
        for name, command in self.outputs().items():
            with self.subTest(name):
                full = with_disk('printf old > "$0/out"; "$@" >&2; echo $?; cat "$0/out"; ls -A "$0"', self.command, *command, self.disk / "out")
                self.assertEqual(full.stdout, "1\noldout\n", full.stderr)
                self.assertIn(f"{self.disk}/out: writing failed: No space left on device", full.stderr)

    def test_standard_output_that_is_full(self):
        for command in (["--help"], ["--version"], ["match", "--help"], ["info"], ["info", "--json"], ["man"], ["completion", "bash"],
                        golden_cases.MATCH, golden_cases.SEARCH, golden_cases.SPREAD, ["patterns", "info", "--help"]):
            with self.subTest(" ".join(command)), open("/dev/full", "wb") as full:
                refused = self.start(*command, cwd=self.data, stdout=full)
                self.assertEqual(refused.status, 1, refused.err)
                self.assertIn("standard output cannot be written: No space left on device", refused.err)
