# SPDX-License-Identifier: Apache-2.0
"""Messages and texts of the library may quote any bytes, and are str all the same."""
import contextlib
import os
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

import numpy as np

import pykindred
from support import run, vectors
from test_bytes import engines, keyed

LATIN = os.fsdecode(b"caf\xe9")  # a name of a folder that is not UTF-8


@contextlib.contextmanager
def latin_folder():
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent, LATIN)
        folder.mkdir()
        yield folder


class Texts(unittest.TestCase):
    def test_a_missing_key_of_any_bytes_is_not_found(self):
        keys = [uuid.UUID(int=(0xFF << 120) + i).bytes for i in range(3)]
        index = pykindred.KeyedVectorIndex(np.array([list(key) for key in keys], np.uint8), vectors("rows", 3, 4))
        missing = np.array([list(uuid.UUID(int=0xFE << 120).bytes)], np.uint8)
        with self.assertRaises(pykindred.NotFound):
            index.remove(missing)
        texts = pykindred.KeyedVectorIndex([b"\xff\xfe", "é"], vectors("rows", 2, 4))
        with self.assertRaises(pykindred.NotFound):
            texts.remove([b"\xfa\xfb"])

    def test_files_in_a_folder_of_any_name(self):
        with latin_folder() as folder:
            for number, engine in enumerate([*engines(), keyed()]):
                load = type(engine).load
                with self.subTest(type(engine).__name__):
                    for missing in (folder / "missing", folder / "missing" / "file", os.fsencode(folder / "missing")):
                        with self.assertRaises(pykindred.NotFound) as raised:
                            load(missing)
                        self.assertIn(LATIN, str(raised.exception))
                    path = folder / str(number)
                    engine.save(path)
                    self.assertEqual(load(path).to_bytes(), engine.to_bytes())
                    data = bytearray(path.read_bytes())
                    data[len(data) // 2] ^= 0xFF
                    path.write_bytes(data)
                    with self.assertRaises(pykindred.CorruptFile) as raised:
                        load(path)
                    self.assertEqual(raised.exception.path, str(path))
                    self.assertIn(LATIN, str(raised.exception))

    def test_of_a_seed_layer(self):
        with latin_folder() as folder:
            layer = pykindred.SeedLayer(4, 2)
            name = os.fsdecode(b"weights \xe9")
            layer.add_blueprint(name, np.ones(4, np.float32))
            self.assertEqual([one.name for one in layer.blueprints().values()], [name])
            layer.save_blueprints(folder / "blueprints")
            layer.save(folder / "state")
            other = pykindred.SeedLayer(4, 2)
            other.restore_blueprints(folder / "blueprints")
            other.restore(folder / "state")
            self.assertEqual([one.name for one in other.blueprints().values()], [name])
            for restore in (layer.restore, layer.restore_blueprints):
                with self.assertRaises(pykindred.NotFound):
                    restore(folder / "missing")

    def test_paths_and_messages_of_a_context(self):
        with latin_folder() as folder:
            path, messages = folder / "profile.json", []
            with pykindred.Context(threads=1, profile=path, load_profile=False) as context:
                self.assertEqual(context.profile_path, str(path))
                self.assertEqual(context.describe()["profile"]["path"], str(path))
                context.save_profile()
            self.assertTrue(path.exists())
            path.write_bytes(b"{ damaged")
            with pykindred.Context(threads=1, profile=path, log=lambda level, message: messages.append(message)):
                pass
            self.assertTrue([message for message in messages if LATIN in message], messages)

    def test_options_of_any_characters_are_refused_by_name(self):
        index = pykindred.VectorIndex(vectors("rows", 3, 4))
        for given in ("\udce9", "\ud800", "é\0"):
            with self.assertRaisesRegex(pykindred.InvalidArgument, "space"):
                index.search(np.ones(4, np.float32), 1, space=given)

    @unittest.skipIf(sys.version_info >= (3, 12), "CPython keeps the paths of extensions as UTF-8, and loads none of any package from such a folder")
    def test_the_package_may_lie_in_a_folder_of_any_name(self):
        with latin_folder() as folder:
            os.symlink(Path(pykindred.__file__).parent, folder / "pykindred")
            out = run("import pykindred; import numpy; print(len(pykindred.VectorIndex(numpy.ones((2, 3), 'float32'))))",
                      PYTHONPATH=str(folder))
            self.assertEqual(out.strip(), "2")


if __name__ == "__main__":
    unittest.main()
