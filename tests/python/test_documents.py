# SPDX-License-Identifier: Apache-2.0
"""Runs the blocks of Python in the documents.

The blocks of a page run one after the other, in one namespace and in an empty folder. A comment behind an expression is its value, as ``repr``
prints it. A page whose blocks import a module that is not installed is skipped from there on.
"""
import ast
import io
import re
import tokenize
import unittest
from pathlib import Path

from support import work_in_folder

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def pages():
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "bindings/python/README.md"]
    return {page.relative_to(ROOT).as_posix(): BLOCK.findall(page.read_text(encoding="utf-8")) for page in sorted(found) if page.exists()}


def comments_of(block):
    """The comment of every line that has one."""
    tokens = tokenize.generate_tokens(io.StringIO(block).readline)
    return {token.start[0]: token.string[1:].strip() for token in tokens if token.type == tokenize.COMMENT}


def wrong_values(block, name, namespace):
    """Runs a block. Expressions whose value is not the one in the comment."""
    comments = comments_of(block)
    for statement in ast.parse(block).body:
        if isinstance(statement, ast.Expr) and statement.end_lineno in comments:
            shown = ast.get_source_segment(block, statement)
            value = repr(eval(compile(ast.Expression(statement.value), name, "eval"), namespace))
            if value != comments[statement.end_lineno]:
                yield f"{shown} is {value}"
        else:
            exec(compile(ast.Module([statement], []), name, "exec"), namespace)


class Documents(unittest.TestCase):
    def setUp(self):
        work_in_folder(self)

    def test_blocks_of_python_run_and_have_the_values_in_their_comments(self):
        for page, blocks in pages().items():
            namespace = {"__name__": "__main__"}
            for number, block in enumerate(blocks, 1):
                with self.subTest(page=page, block=number):
                    try:
                        self.assertEqual(list(wrong_values(block, f"{page}, block {number}", namespace)), [])
                    except ModuleNotFoundError as error:
                        print(f"{page}: {error.name} is not installed")
                        break

    def test_the_pages_have_blocks(self):
        self.assertGreaterEqual(sum(map(len, pages().values())), 4)

    def test_a_wrong_value_is_found(self):
        self.assertEqual(list(wrong_values("a = 1  # one\na + 1  # 3\na  # 1\n", "", {})), ["a + 1 is 2"])


if __name__ == "__main__":
    unittest.main()
