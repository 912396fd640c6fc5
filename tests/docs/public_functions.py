#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The functions that the public C++ headers declare: how many, and whether the verbs of docs/api.md are among them.

Usage: public_functions.py [ROOT] [--commit COMMIT | --check]

Without an option, prints the number of declarations by folder. Public headers are those of the engines and of the context; namespaces Impl and
private members do not count. A function counts once for each declaration: overloads, constructors, operators and `= delete` too. --check
fails if the page names a verb that no header declares, or if a header declares a function with a word that the page says is not used."""
import argparse
import collections
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "layout"))
from count_lines import texts_of

HEADER = re.compile(r"(matcher/\w+/include/kindred/matcher|backends/include/kindred/backends)/\w+\.hpp")
NAME = re.compile(r"(operator\s*(?:\(\)|\[\]|[^\s\w(]+|\w[\w:<>\s]*)|~?\w+)\s*$")
# A verb in the table of verbs of docs/api.md: `name`, `name(arguments)` or `…_ending`.
VERB = re.compile(r"`(…?\w+)(?:\([^`]*\))?`")


def without_comments(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def function_of(statement):
    """The name of the function that a statement declares, or None."""
    statement = re.sub(r"(?<=\w)\[[^\[\]]+\]", "", " ".join(statement.split()))  # bounds of arrays
    statement = re.sub(r"^(template ?<(?:[^<>]|<[^<>]*>)*> ?(?:requires [^;{]*? )?)+", "", statement)
    if not statement or re.match(r"(using|typedef|static_assert|namespace|extern|enum|friend class|friend struct)\b", statement):
        return None
    depth = 0
    for position, letter in enumerate(statement):
        if letter == "<" and not statement[:position].rstrip().endswith("operator"):
            depth += 1
        elif letter == ">" and depth:
            depth -= 1
        elif letter == "=" and not depth and "operator" not in statement[:position]:
            return None  # a variable
        elif letter == "(" and not depth:
            name = NAME.search(statement[:position])
            is_definition = name and re.search(r"\w::$", statement[:name.start()].rstrip())  # of a member, outside of its class
            return name[1] if name and not is_definition and name[1] not in ("decltype", "alignas", "noexcept", "requires") else None
    return None


def functions_of(text):
    """(class or "", name) of every public function."""
    text = without_comments(text)
    scopes = [Scope("", True)]
    statement = ""
    parentheses = 0
    for letter in text:
        scope = scopes[-1]
        if scope.is_body:
            if letter in "{}":
                scopes.pop() if letter == "}" else scopes.append(Scope("", False, is_body=True))
            continue
        parentheses += (letter == "(") - (letter == ")")
        if parentheses or letter not in ":;{}":
            statement += letter
            continue
        words = " ".join(statement.split())
        if letter == ":" and words not in ("public", "private", "protected"):
            statement += letter
            continue
        statement = ""
        if letter == ":":
            scope.is_public = scope.may_be_public and words == "public"
        elif letter == "}":
            scopes.pop()
        else:
            inner = scope_of(words, scope) if letter == "{" else None
            name = function_of(words) if inner is None or inner.is_body else None
            if name and scope.is_public:
                yield scope.owner, name
            if inner:
                scopes.append(inner)


class Scope:
    """What is within a pair of braces: a namespace, a class, or a body, in which nothing is declared."""

    def __init__(self, owner, is_public, may_be_public=False, is_body=False):
        self.owner, self.is_public, self.may_be_public, self.is_body = owner, is_public, may_be_public, is_body


def scope_of(words, outer):
    """The scope that begins with a brace behind these words."""
    words = re.sub(r"\b(KINDRED_\w+|final)\b(\([^)]*\))?", "", words)
    words = " ".join(re.sub(r"^template ?<.*> ?(?=class|struct)", "", words).split())
    if match := re.match(r"(?:inline )?namespace ?([\w:]*)", words):
        return Scope("", outer.is_public and match[1] != "" and "Impl" not in match[1])
    if match := re.match(r"(class|struct|union) (\w+)[^()=]*$", words):
        return Scope(match[2], outer.is_public and match[1] != "class", outer.is_public)
    return Scope("", False, is_body=True)


def breaches(page, found):
    names = {name for _, _, name in found}
    verbs = page[page.index("## Verbs"):page.index("## Options")]
    for row in re.findall(r"^\|[^|]*\|([^|]*)\|", verbs, re.M):
        for verb in VERB.findall(row):
            if not any(name.endswith(verb[1:]) if verb.startswith("…") else name == verb for name in names):
                yield f"no public header declares {verb}, a verb"
    unused = VERB.findall(verbs.partition("No public function is named")[2])
    for path, owner, name in found:
        if any(name == word or name.startswith(word + "_") for word in unused):
            yield f"{path} declares {owner}::{name}, a word that is not used"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", default=Path(__file__).resolve().parents[2])
    parser.add_argument("--commit")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    texts = texts_of(arguments.root, arguments.commit)
    found = [(path, owner, name) for path in filter(HEADER.fullmatch, texts) for owner, name in functions_of(texts[path])]
    if arguments.check:
        wrong = list(breaches((Path(arguments.root) / "docs/api.md").read_text(), found))
        for breach in wrong:
            print(f"docs/api.md: {breach}", file=sys.stderr)
        return bool(wrong)
    by_folder = collections.Counter("/".join(path.split("/")[:2 if path.startswith("matcher") else 1]) for path, _, _ in found)
    for folder, number in [*sorted(by_folder.items()), ("in all", len(found))]:
        print(f"{number:6} {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
