# SPDX-License-Identifier: Apache-2.0
"""The profile that `kindred calibrate` saves, and what the command does with one."""
import unittest

import harness


class Calibrate(harness.CommandTest):
    def test_saves_a_profile_that_is_used(self):
        profile = self.folder / "deep" / "profile.json"
        self.succeeds("calibrate", "--quiet", profile=profile, timeout=600)
        harness.strict(profile.read_text())
        self.assertEqual([path.name for path in profile.parent.iterdir()], ["profile.json"])
        info = harness.run("info", "--json", profile=profile)
        self.assertIn("profile.json", info.out.decode())

    def test_a_broken_profile_is_told_and_left_alone(self):
        profile = self.file("profile.json", "{ broken")
        result = harness.run("info", "--json", profile=profile)
        self.assertEqual(result.status, 0)
        self.assertIn("profile.json", result.err)
        self.assertEqual(profile.read_text(), "{ broken")


if __name__ == "__main__":
    unittest.main()
