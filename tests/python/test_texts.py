# SPDX-License-Identifier: Apache-2.0
"""Messages and texts of the library may quote any bytes, and are str all the same."""
import os
import sys
import unittest
import uuid
from pathlib import Path

import numpy as np

import pykindred
from support import context, folder_of, run, vectors
from test_copies import LATIN


class Texts(unittest.TestCase):
    def test_a_missing_key_of_any_bytes_is_not_found(self):
        keys, missing = (np.array([list(uuid.UUID(int=(first << 120) + i).bytes) for i in range(3)],
                                  np.uint8) for first in (0xFF, 0xFE))
        for present, others in ((keys, missing[:1]), ([b"\xff\xfe", "é", "x"], [b"\xfa\xfb"])):
            index = pykindred.KeyedVectorIndex(present, vectors("rows", 3, 4))
            with self.assertRaises(pykindred.NotFound):
                index.remove(others)

    def test_paths_and_messages_of_a_context(self):
        path, messages = folder_of(self, LATIN) / "profile.json", []
        with context(profile=path) as saving:
            self.assertEqual(saving.profile_path, str(path))
            self.assertEqual(saving.describe()["profile"]["path"], str(path))
            saving.save_profile()
        self.assertTrue(path.exists())
        path.write_bytes(b"{ damaged")
        context(profile=path, load_profile=True, log=lambda _, text: messages.append(text)).close()
        self.assertTrue([message for message in messages if LATIN in message], messages)

    def test_options_of_any_characters_are_refused_by_name(self):
        index = pykindred.VectorIndex(vectors("rows", 3, 4))
        for given in ("\udce9", "\ud800", "é\0"):
            with self.assertRaisesRegex(pykindred.InvalidArgument, "space"):
                index.search(np.ones(4, np.float32), 1, space=given)

    # From 3.12 on, CPython keeps the paths of extensions as UTF-8.
    @unittest.skipIf(sys.version_info >= (3, 12), "it loads no extension from such a folder")
    def test_the_package_may_lie_in_a_folder_of_any_name(self):
        folder = folder_of(self, LATIN)
        os.symlink(Path(pykindred.__file__).parent, folder / "pykindred")
        out = run("""
            import numpy, pykindred
            print(len(pykindred.VectorIndex(numpy.ones((2, 3), "float32"))))
        """, PYTHONPATH=str(folder))
        self.assertEqual(out.strip(), "2")


if __name__ == "__main__":
    unittest.main()
