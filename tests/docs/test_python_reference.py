# SPDX-License-Identifier: Apache-2.0
"""The reference of the Python package has all that is public, and its links lead somewhere."""
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs/site"))
import python_reference

PACKAGE = {
    "__init__": "from pykindred._one import Thing\nfrom pykindred import errors\n__all__ = ['Thing', 'errors']\n",
    "errors": '"""Errors."""\nclass Error(Exception):\n    """Base."""\n',
    "_one": '''class Thing:
    """A thing, see :meth:`go` and :class:`Error`.

    Args:
        size: of it, at
            most 3

    Not an argument.

    >>> Thing(1)
    1
    """

    def __init__(self, size, *, other="x"):
        self.size: int = size  #: how large

    def go(self, *, far=True, **options):
        """Goes."""

    @property
    def end(self):
        """The end."""
''',
}


class Reference(unittest.TestCase):
    def written(self, described, **changes):
        """The pages for a small package."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**PACKAGE, **changes}.items():
                Path(folder, f"{name}.py").write_text(text, encoding="utf-8")
            before, python_reference.PAGES = python_reference.PAGES, {"all": ("All", described)}
            self.addCleanup(setattr, python_reference, "PAGES", before)
            return python_reference.pages(Path(folder))["all"]

    def test_docstrings_become_markdown(self):
        page = self.written(["Thing", "errors"])
        for part in ('Thing(size, *, other="x")', "[`go`](all.md#thing-go) and [`Error`](all.md#error)", "- `size`: of it, at\n  most 3\n", "\nNot an argument.\n",
                     "```pycon\n>>> Thing(1)\n1\n```", "| `size` | `int` | how large |", "go(*, far=True, **options)", "### end {#thing-end}\n\n*property*",
                     "*exception, a subclass of* `Exception`"):
            self.assertIn(part, page)

    def test_what_is_public_must_be_on_a_page_and_a_role_lead_somewhere(self):
        without_go = PACKAGE["_one"].replace(":meth:`go`", ":meth:`gone`")
        for described, changes, words in ((["errors"], {}, "describes no Thing"), (["Thing", "errors"], {"_one": without_go}, "of Thing leads nowhere")):
            with self.assertRaisesRegex(ValueError, words):
                self.written(described, **changes)
        self.assertEqual(self.written(["_one", "errors"]), self.written(["Thing", "errors"]))  # a module stands for its names

    def test_the_links_of_the_pages_lead_somewhere(self):
        pages = python_reference.pages()
        for name, text in pages.items():
            anchors = re.findall(r"\{#(.+)\}$", text, re.M)
            self.assertEqual(sorted(anchors), sorted(set(anchors)), name)
            self.assertGreater(len(anchors), 5, name)
            self.assertEqual(re.findall(r":(?:meth|class|func|attr):|``[^`]", text.replace("```", "")), [], name)
            for page, anchor in re.findall(r"\]\((\w+)\.md#([\w-]+)\)", text):
                self.assertIn(f"{{#{anchor}}}", pages[page], f"{name} to {page}")


if __name__ == "__main__":
    unittest.main()
