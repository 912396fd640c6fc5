# SPDX-License-Identifier: Apache-2.0
"""The number of threads and the memory budget follow what the process may use, and the answers do not depend on it."""
import os
import resource
import subprocess
import unittest

import harness

MIB = 1 << 20


def info(settings=None, processors=None):
    """The output of `kindred info --json`, as (JSON, stderr), without any setting of OpenMP but the given ones."""
    environment = {name: value for name, value in harness.environment("/nonexistent/profile.json").items()
                   if not name.startswith(("OMP_", "GOMP_", "KMP_", "KOKKOS_"))}
    completed = subprocess.run([harness.COMMAND, "info", "--json"], capture_output=True, text=True, check=True,
                               env=environment | (settings or {}), timeout=300,
                               preexec_fn=(lambda: os.sched_setaffinity(0, processors)) if processors else None)
    return harness.strict(completed.stdout), completed.stderr


class HostLimits(harness.CommandTest):
    @classmethod
    def setUpClass(cls):
        if "openmp" not in harness.usable_spaces():
            raise unittest.SkipTest("this build has no OpenMP")

    def threads(self, settings=None, processors=None):
        result, errors = info(settings, processors)
        self.assertEqual(errors, "")
        openmp = next(space for space in result["spaces"] if space["space"] == "openmp")
        self.assertEqual(openmp["concurrency"], result["cpu"]["threads"])
        return result["cpu"]["threads"], result["cpu"]["threads_why"]

    def test_affinity(self):
        one = {min(os.sched_getaffinity(0))}
        why = "all processors" if os.cpu_count() == 1 else "the processors that this process may use"
        self.assertEqual(self.threads(processors=one), (1, why))

    def test_binding_keeps_all_processors(self):
        for settings in ({"OMP_PROC_BIND": "spread"}, {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}, {"OMP_PLACES": "threads"}):
            self.assertEqual(self.threads(settings)[0], self.threads()[0], settings)

    def test_variables_of_other_programs_change_nothing(self):
        other = {"GPU_CUDA_DEVICE_ID": "7", "GPU_THRESHOLD_ELEMENTS": "-1", "GPU_PREFERRED_BACKEND": "metal",
                 "LATTICE_MAX_DIMENSIONS": "2", "LATTICE_DEFAULT_LATTICE_SIZE": "wrong", "KATO_GPU_SYNC_THRESHOLD": "x",
                 "KINDRED_LATTICE_MAX_DIMENSIONS": "2", "KINDRED_GPU_CUDA_DEVICE_ID": "7"}
        patterns = self.file("p.jsonl", [{"tokens": ["a", "b"]}])
        for command in (("lattice", "analyze"), ("match", "--patterns", patterns, "--queries", patterns),
                        ("patterns", "build", "--patterns", patterns, "--out", self.folder / "s.knd", "--quiet")):
            plain = self.succeeds(*command)
            result = self.succeeds(*command, settings=other)
            self.assertEqual(result.out, plain.out)
            self.assertNotIn("warning", result.err)

    def test_text_has_the_reason_and_the_right_number(self):
        text = self.succeeds("info", settings={"OMP_NUM_THREADS": "1"}).out.decode()
        self.assertIn("1 thread (OMP_NUM_THREADS)", text)
        self.assertNotIn("1 threads", text)
        self.assertIn("3 threads (as requested)", self.succeeds("info", "--threads", 3).out.decode())

    def test_address_space(self):
        if "cuda" in harness.usable_spaces():
            self.skipTest("CUDA reserves address space for all memory of the machine")
        limit = 2000 * MIB
        result = self.succeeds("info", "--json", address_space=limit, settings={"OMP_NUM_THREADS": "2"}).json()
        for space in result["spaces"][:2]:
            self.assertLessEqual(space["memory"]["total"], limit)
            self.assertLess(space["memory"]["budget"], space["memory"]["free"])


class ThreadsThatCannotBeStarted(harness.OtherUserTest):
    @classmethod
    def setUpClass(cls):
        if "cuda" in harness.usable_spaces():
            raise unittest.SkipTest("CUDA reserves address space for all memory of the machine, and starts threads of its own")
        if "openmp" not in harness.usable_spaces():
            raise unittest.SkipTest("this build has no OpenMP")

    def setUp(self):
        super().setUp()
        patterns = self.file("patterns.jsonl", [{"tokens": [f"s{i * j % 17}" for j in range(1, 30)]} for i in range(3000)])
        queries = self.file("queries.jsonl", [{"tokens": [f"s{(3 * j + i) % 17}" for j in range(1, 40)]} for i in range(20)])
        self.match = ("match", "--patterns", patterns, "--queries", queries)
        self.expected = self.succeeds(*self.match).out

    def test_processes(self):
        if not self.other_user:
            self.skipTest("the limit counts all processes of this user; root can run the command as a user who has none")
        spaces = set()
        for limit in range(1, 41):
            def restrict(limit=limit):
                resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
                os.setgid(harness.OTHER_USER)
                os.setuid(harness.OTHER_USER)

            with self.subTest(limit):
                options = {"settings": {"OMP_NUM_THREADS": "8", "OPENBLAS_NUM_THREADS": "1", "KINDRED_PROFILE": "/nonexistent/profile.json"},
                           "preexec_fn": restrict}
                result = self.start("info", "--json", **options)
                self.assertEqual(result.status, 0, result.err)
                spaces.add(next(space for space in harness.strict(result.out)["spaces"] if space["space"] == "openmp")["usable"])
                matched = self.start(*self.match, **options)
                self.assertEqual((matched.status, matched.out), (0, self.expected), matched.err)
        self.assertEqual(spaces, {False, True}, "the limits are on both sides of what openmp needs")


class FailedProof(harness.CommandTest):
    def test_info_has_the_reason(self):
        space = harness.usable_spaces()[-1]
        if space == "serial":
            self.skipTest("this build has only one space")
        settings = {"KINDRED_TEST_FAULT": f"{space}:lost-store"}
        result = self.succeeds("info", "--json", settings=settings).json()
        failed = next(entry for entry in result["spaces"] if entry["space"] == space)
        self.assertFalse(failed["usable"])
        self.assertIn("it computes wrong results (a store through a View was lost", failed["why_not"])
        self.assertIn("not usable: it computes wrong results", self.succeeds("info", settings=settings).out.decode())
        self.refuses(1, ["it computes wrong results"], "info", "--space", space, settings=settings)
        self.succeeds("info", "--space", space)
