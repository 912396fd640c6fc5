# SPDX-License-Identifier: Apache-2.0
"""The OpenMP runtime of the command: only one is loaded, and its idle threads sleep."""
import os
import re
import subprocess
import unittest

import harness


class OpenMPRuntime(harness.CommandTest):
    def test_the_command_loads_one_runtime(self):
        libraries = subprocess.run(["ldd", harness.COMMAND], capture_output=True, text=True, check=True).stdout
        runtimes = set(re.findall(r"\b(lib(?:gomp|omp|iomp5)[^ ]*\.so[^ ]*) ", libraries))
        self.assertEqual(len(runtimes), 1, libraries)

    def displayed(self, **settings):
        """The settings that libgomp prints when the program starts."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "KMP_"))}
        environment |= {"OMP_DISPLAY_ENV": "verbose", "KINDRED_PROFILE": "/nonexistent/profile.json"} | settings
        completed = subprocess.run([harness.COMMAND, "info"], capture_output=True, text=True, check=True, env=environment)
        shown = dict(re.findall(r"(\w+) = '([^']*)'", completed.stderr))
        if "GOMP_SPINCOUNT" not in shown:
            self.skipTest("the runtime is not libgomp")
        return shown

    def test_idle_threads_sleep_soon(self):
        shown = self.displayed()
        self.assertEqual((shown["OMP_WAIT_POLICY"], shown["GOMP_SPINCOUNT"]), ("PASSIVE", "1000"))

    def test_a_users_own_setting_is_kept(self):
        self.assertEqual(self.displayed(OMP_WAIT_POLICY="active")["OMP_WAIT_POLICY"], "ACTIVE")
        self.assertEqual(self.displayed(GOMP_SPINCOUNT="77")["GOMP_SPINCOUNT"], "77")


if __name__ == "__main__":
    unittest.main()
