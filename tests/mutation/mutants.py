#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes copies of sources in which one of many small faults can be switched on by KINDRED_MUTANT.

Every expression that can be wrong in an interesting way becomes `(KINDRED_MUTANT(n) ? (wrong) : (right))`, so that the sources
are compiled once for all mutants. The generator works on tokens and relies on the layout that clang-format gives: a binary
operator has blanks on both sides, a template's angle brackets have not.
"""

import argparse
import json
import pathlib
import re
import sys
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import plan  # noqa: E402

TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
    |(?P<string>(?:u8|[uUL])?R"(?P<raw>[^(\s]*)\(.*?\)(?P=raw)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<number>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign><=>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

OPPOSITE = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "&": "|", "|": "&", "<<": ">>", ">>": "<<",
}  # fmt: skip
RELATIONS = {"<", "<=", ">", ">=", "==", "!="}
NAMES = {"min": "max", "max": "min", "lower_bound": "upper_bound", "upper_bound": "lower_bound"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="}
OPENING = {"(": ")", "[": "]", "{": "}"}
SEPARATORS = {",", ";", "?", ":"} | ASSIGNMENTS
NO_BLOCK = {"const", "noexcept", "override", "else", "do", "try", "mutable", "final"}
# What no statement of an expression begins with.
KEYWORDS = set(
    """return if for while do switch case default break continue using typedef struct class enum static const constexpr auto
    template throw namespace public private protected friend explicit virtual inline extern mutable goto delete new else try
    catch unsigned signed int bool void double float char long short static_assert union operator typename""".split()
)
# Parentheses of these hold no code that runs.
UNEVALUATED = {"static_assert", "sizeof", "decltype", "noexcept", "alignas", "alignof", "requires", "offsetof"}


@dataclass
class Token:
    kind: str
    text: str
    begin: int
    end: int


@dataclass
class Mutant:
    number: int
    key: str


@dataclass
class Slot:
    """A run of tokens that is an expression of its own, and what it may become."""

    first: int
    last: int  # exclusive
    cast: str = ""  # of a condition or a statement, whatever its type
    variants: list = field(default_factory=list)  # (mutant number, text)


class Source:
    def __init__(self, text):
        self.text = text
        self.tokens = [
            Token(m.lastgroup if m.lastgroup != "raw" else "string", m.group(), m.start(), m.end())
            for m in TOKEN.finditer(text)
            if m.lastgroup not in ("blank", "directive")
        ]
        self.match = {}
        self.angles = set()
        self._match_brackets()
        self.skipped = self._find_skipped()
        self.function = self._find_functions()

    def is_text(self, i, *texts):
        return 0 <= i < len(self.tokens) and self.tokens[i].text in texts

    def is_spaced(self, i):
        """Blanks on both sides: a binary operator."""
        token = self.tokens[i]
        return self.text[token.begin - 1].isspace() and self.text[token.end : token.end + 1].isspace()

    def _match_brackets(self):
        stack = []
        for i, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in OPENING:
                stack.append(i)
            elif token.text == "<" and i > 0 and self.tokens[i - 1].kind == "name" and not self.is_spaced(i):
                stack.append(i)
            elif token.text == "<" and self.is_text(i - 1, "template"):
                stack.append(i)
            elif token.text in (">", ">>") and not self.is_spaced(i):
                for _ in token.text:
                    if stack and self.is_text(stack[-1], "<"):
                        self.angles |= {stack[-1], i}
                        self._pair(stack.pop(), i)
            elif token.text in (")", "]", "}", ";"):
                while stack and self.is_text(stack[-1], "<"):
                    stack.pop()  # was a comparison after all
                if stack and token.text != ";":
                    self._pair(stack.pop(), i)

    def _pair(self, begin, end):
        self.match[begin] = end
        self.match[end] = begin

    def opens(self, i):
        return i in self.match and self.match[i] > i

    def closes(self, i):
        return i in self.match and self.match[i] < i

    def find(self, i, *texts):
        """The first of the texts from i on that is in no bracket that opens there or later."""
        while not self.is_text(i, *texts):
            i = self.match[i] + 1 if self.opens(i) else i + 1
        return i

    def _find_skipped(self):
        """Tokens that only the compiler evaluates."""
        skipped = set()
        for i, token in enumerate(self.tokens):
            if i in self.angles and self.opens(i):
                skipped.update(range(i, self.match[i] + 1))
            elif token.text in UNEVALUATED and self.is_text(i + 1, "(") and i + 1 in self.match:
                skipped.update(range(i, self.match[i + 1] + 1))
            elif token.text == "constexpr":
                if self.is_text(i - 1, "if"):
                    skipped.update(range(i, self.match[i + 1] + 1))
                    continue
                end = self.find(i, ";", "=", "{")
                if not (self.is_text(end, "{") and self.is_text(end - 1, ")", *NO_BLOCK)):  # no function
                    end = self.find(end, ";")
                skipped.update(range(i, end + 1))
            elif token.text == "enum":
                end = self.find(i, ";", "{")
                skipped.update(range(i, self.match.get(end, end) + 1))
            elif token.text == "case":
                skipped.update(range(i, self.find(i, ":") + 1))
        return skipped

    def _is_block(self, i):
        """Whether the brace at i begins statements, not values."""
        before = self.tokens[i - 1] if i else None
        if before is None or before.text in {")", ";", "{", "}", ":"} | NO_BLOCK:
            return True
        # `-> Type {` of a lambda or a function.
        j = i - 1
        while j > 0 and (self.tokens[j].kind == "name" or self.tokens[j].text in ("::", "&", "*") or j in self.angles):
            j = self.match[j] - 1 if j in self.angles and self.closes(j) else j - 1
        return self.is_text(j, "->")

    def _find_functions(self):
        """Per token the name of the function that it is in, or None."""
        names = [None] * len(self.tokens)
        for i in range(len(self.tokens)):
            if names[i] is None and self.is_text(i, "{") and self._is_block(i):
                begin = i
                while begin > 0 and not self.is_text(begin - 1, ";", "{", "}"):
                    begin = self.match[begin - 1] if self.closes(begin - 1) else begin - 1
                names[i : self.match[i]] = [self._declared(begin, i)] * (self.match[i] - i)
        return names

    def _declared(self, begin, end):
        """The function that tokens [begin, end) declare; None for a class or a namespace."""
        i = begin
        while i < end:
            token = self.tokens[i]
            if token.text in ("namespace", "class", "struct", "union", "enum", "extern") and token.kind == "name":
                return None
            if token.text == "operator":
                return "operator" + self.tokens[i + 1].text
            if token.kind == "name" and self.is_text(i + 1, "(") and token.text not in UNEVALUATED:
                return token.text
            i = self.match[i] + 1 if self.opens(i) else i + 1
        return None

    def expression_around(self, i):
        """The tokens [first, last) around i up to the next separators or brackets."""
        first = i
        while not (self.opens(first - 1) or self.is_text(first - 1, *SEPARATORS, "return", "else")):
            if self.is_text(first - 1, "}") and self._is_block(self.match[first - 1]):
                break
            first = self.match[first - 1] if self.closes(first - 1) else first - 1
        last = i + 1
        while not (self.closes(last) or self.is_text(last, *SEPARATORS)):
            last = self.match[last] + 1 if self.opens(last) else last + 1
        return first, last

    def has_lambda(self, first, last):
        return any(
            self.is_text(i, "[") and not (self.closes(i - 1) or self.tokens[i - 1].kind == "name") for i in range(first, last)
        )

    def starts_statement(self, i):
        if self.is_text(i - 1, ";", "{", "}", "else") and not (self.is_text(i - 1, "{") and not self._is_block(i - 1)):
            return not (self.is_text(i - 1, ";") and self._in_for_header(i))
        if not self.is_text(i - 1, ")") or i - 1 not in self.match:
            return False
        return self.is_text(self.match[i - 1] - 1, "if", "for", "while")

    def _in_for_header(self, i):
        while i > 0 and not self.opens(i - 1):
            i = self.match[i - 1] if self.closes(i - 1) else i - 1
        return self.is_text(i - 1, "(")

    def statement_end(self, i):
        while not self.is_text(i, ";"):
            if self.closes(i) or i + 1 >= len(self.tokens):
                return None
            i = self.match[i] + 1 if self.opens(i) else i + 1
        return i

    def raw(self, first, last, changed=None, to=None):
        """The text of tokens [first, last) on one line, without comments, with token `changed` as `to`."""
        out = []
        for i in range(first, last):
            if i > first and self._is_apart(i):
                out.append(" ")
            out.append(to if i == changed else self.tokens[i].text)
        return "".join(out)

    def _is_apart(self, i):
        """Whether a blank stands before the token; a break of the line, which another name may move, counts as clang-format has it."""
        gap = self.text[self.tokens[i - 1].end : self.tokens[i].begin]
        if "\n" not in gap:
            return gap != ""
        return not (self.is_text(i - 1, "(", "[", "{", "::") or i - 1 in self.angles or self.is_text(i, ".", "->", ")", "]", "}"))


class Mutator:
    """Finds what can be mutated in a source, and writes the copy."""

    def __init__(self, path, text, first_number):
        self.path = path
        self.source = Source(text)
        self.next = first_number
        self.slots = {}
        self.mutants = []
        self.seen = {}
        self._find()

    def _slot(self, first, last, cast=None):
        slot = self.slots.setdefault((first, last), Slot(first, last))
        slot.cast = cast or slot.cast
        return slot

    def _add(self, slot, site, what, text):
        s = self.source
        shown = s.raw(max(slot.first, site - 4), min(slot.last, site + 5))
        key = f"{self.path} | {s.function[site]} | {shown} | {what}"
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] > 1:
            key += f" | {self.seen[key]}"
        self.mutants.append(Mutant(self.next, key))
        slot.variants.append((self.next, text))
        self.next += 1

    def _replace(self, site, to):
        s = self.source
        first, last = s.expression_around(site)
        # Two lambdas are of two types; what only has to be true may hold both.
        if self._slot(first, last).cast == "static_cast<bool>" or not s.has_lambda(first, last):
            self._add(self._slot(first, last), site, f"{s.tokens[site].text} → {to}", s.raw(first, last, site, to))

    def _find(self):
        s = self.source
        for i, token in enumerate(s.tokens):
            if s.function[i] is None or i in s.skipped or plan.is_left_out(s.function[i]):
                continue
            if token.text == "if" and s.is_text(i + 1, "("):
                self._condition(i + 2, s.match[i + 1])
            elif token.text == "KINDRED_THROW_IF":
                self._condition(i + 2, s.find(i + 2, ","))
            if token.kind == "name" and s.starts_statement(i):
                self._statement(i)
            if token.kind == "sign" and token.text in OPPOSITE and i not in s.angles and s.is_spaced(i):
                self._operator(i)
            elif token.text == "!" and token.kind == "sign":
                self._replace(i, "")
            elif token.text in NAMES and s.is_text(i - 1, "::") and s.is_text(i - 2, "std") and s.is_text(i + 1, "(", "<"):
                self._replace(i, NAMES[token.text])
            elif token.text in ("true", "false"):
                self._replace(i, "false" if token.text == "true" else "true")
            elif token.kind == "number":
                self._number(i)

    def _condition(self, first, last):
        """A check that is never made."""
        s = self.source
        i = first
        while i < last:
            if s.is_text(i, ";"):
                first = i + 1
            i = s.match[i] + 1 if s.opens(i) else i + 1
        if not any(s.is_text(i, "=") for i in range(first, last)):
            self._add(self._slot(first, last, "static_cast<bool>"), first, "condition → false", "false")

    def _statement(self, first):
        """A call that is left out, such as that of a check."""
        s = self.source
        end = s.statement_end(first)
        if end is None or s.tokens[first].text in KEYWORDS or s.tokens[first].text.isupper():
            return
        i = first
        while i < end and (s.tokens[i].kind == "name" or s.is_text(i, "::", ".", "->") or s.opens(i) and not s.is_text(i, "{")):
            following = s.match[i] + 1 if s.opens(i) else i + 1
            if s.tokens[i].kind == "name" or i in s.angles or s.is_text(i, "["):
                if following < end and s.tokens[following].kind == "name":
                    return  # a declaration
                if s.is_text(following, "&", "*", "&&") and not s.is_spaced(following):
                    return
            i = following
        if i == end and s.is_text(end - 1, ")") and not self._only_throws(first):
            self._add(self._slot(first, end, "void"), first, "call → nothing", "")

    def _only_throws(self, first):
        """Whether a statement is all that an `if` does: without it the condition does nothing, which is a mutant already."""
        s = self.source
        return s.is_text(first - 1, ")") and s.is_text(s.match[first - 1] - 1, "if")

    def _operator(self, i):
        s = self.source
        first, last = s.expression_around(i)
        operator = s.tokens[i].text
        other = OPPOSITE[operator]
        for names, instead in plan.OPERATORS_OF.get(operator, []):
            if any((s.tokens[j].kind if s.tokens[j].kind == "string" else s.tokens[j].text) in names for j in range(first, last)):
                other = instead
        if other:
            self._replace(i, other)

    def _number(self, i):
        s = self.source
        first, last = s.expression_around(i)
        if last == first + 1 and s.is_text(first - 1, "["):
            return
        if not any(s.is_text(j, *RELATIONS) and j not in s.angles for j in range(first, last)):
            return
        text = s.tokens[i].text
        is_real = re.search(r"[.]|[pP]", text) or (not text.startswith("0x") and "e" in text)
        self._replace(i, f"({text} * 2)" if is_real and text not in ("0.0", "0.0F") else f"({text} + 1)")

    def copy(self):
        """The source with every mutant in it."""
        s = self.source
        # The next one is at the end, the outer before the inner.
        slots = sorted((slot for slot in self.slots.values() if slot.variants), key=lambda slot: (-slot.first, slot.last))

        def emit(first, last):
            """Tokens [first, last) with the slots inside."""
            out, at = "", s.tokens[first].begin
            while slots and slots[-1].first < last:
                slot = slots.pop()
                if slot.last > last:
                    raise ValueError(f"{self.path}: {s.raw(slot.first, slot.last)}: slots overlap")
                choices = "".join(f"KINDRED_MUTANT({number}) ? {slot.cast}({wrong}) : " for number, wrong in slot.variants)
                # A comment of the right expression may end in a line of its own.
                right = f"{slot.cast}({emit(slot.first, slot.last)}\n)"
                out += f"{s.text[at : s.tokens[slot.first].begin]}({choices}{right})"
                at = s.tokens[slot.last - 1].end
            return out + s.text[at : s.tokens[last - 1].end]

        body = emit(0, len(s.tokens))
        return '#include "Mutant.hpp"\n' + s.text[: s.tokens[0].begin] + body + s.text[s.tokens[-1].end :]


def generate(root):
    """All mutators of the plan's files, whose numbers depend on their own file alone."""
    return [
        Mutator(name, (root / name).read_text(encoding="utf-8"), 1000 * (i + 1)) for i, name in enumerate(plan.all_mutated())
    ]


def write_if_changed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path, help="the repository")
    parser.add_argument("--out", type=pathlib.Path, help="write the copies and mutants.json into this folder")
    parser.add_argument("--list", action="store_true", help="print the key of every mutant")
    parser.add_argument("--print", choices=["mutated", "compiled", "programs", "tests_of_headers"], help="a list, for CMake")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    if arguments.print:
        names = {
            "mutated": plan.all_mutated(),
            "compiled": plan.COMPILED_TOO,
            "programs": [f"{name}:{target}" for name, target in plan.PROGRAMS.items()],
            "tests_of_headers": plan.TESTS_OF_HEADERS,
        }[arguments.print]
        print(";".join(names), end="")
        return
    mutators = generate(root)
    if arguments.out:
        for mutator in mutators:
            write_if_changed(arguments.out / mutator.path, mutator.copy())
        table = {str(m.number): m.key for mutator in mutators for m in mutator.mutants}
        write_if_changed(arguments.out / "mutants.json", json.dumps(table, indent=1, ensure_ascii=False) + "\n")
    if arguments.list:
        for mutator in mutators:
            for mutant in mutator.mutants:
                print(mutant.key)


if __name__ == "__main__":
    main()
