# SPDX-License-Identifier: Apache-2.0
"""MkDocs: the reference of the package pykindred, from the docstrings and signatures of its sources, which need not be built."""
import ast
import html
import re
import sys
from pathlib import Path

BINDINGS = Path(__file__).resolve().parents[2] / "bindings"
PACKAGE = BINDINGS / "python/pykindred"
sys.path.insert(0, str(BINDINGS / "interface"))

import generate  # noqa: E402

# Pages, and what each describes: names of pykindred, or modules of it. A module of the package alone stands for its public names that no page lists.
PAGES = {
    "vectors": ("Vectors", ["_vector", "_hnsw", "_keyed", "_rows", "Ragged", "KeyedRagged"]),
    "sequences": ("Sequences", ["_sequence", "Matches", "Clusters", "_vocabulary", "Sequences"]),
    "patterns": ("Patterns", ["_patterns", "_pattern_types"]),
    "graphs": ("Graphs", ["_spreading", "Spread", "SpreadPath", "SpreadStep", "_lattice", "LatticePaths"]),
    "arrays": ("Arrays and layers", ["_bulk", "_prepared", "_layers", "torch"]),
    "seeds": ("Seeds", ["_seeds", "_seed_passes", "_seed_types"]),
    "doors": ("process, fuzz, distance, difflib", ["process", "fuzz", "distance", "difflib"]),
    "contexts": ("Contexts and errors", ["_context", "_results", "errors"]),
}
SECTION = re.compile(r"^(Args|Returns|Raises):$")
ROLE = re.compile(r":(?:class|meth|func|mod|attr):`([\w.]+)`")


class Source:
    """What the package defines: names, with the modules and the syntax trees that define them."""

    def __init__(self, package=PACKAGE):
        self.texts, self.trees, self.found = {}, {}, {}
        modules = {path.stem: path.read_text(encoding="utf-8") for path in package.glob("*.py")}
        if package == PACKAGE:  # those that the build writes
            modules |= {Path(name).stem: text for name, text in generate.files(generate.interfaces()).items() if name.startswith("pykindred/") and name.endswith(".py")}
        for name, text in sorted(modules.items()):
            self.texts[name], self.trees[name] = text.splitlines(), ast.parse(text)
        for module, tree in self.trees.items():
            for node in tree.body:
                names = [node.name] if isinstance(node, ast.ClassDef | ast.FunctionDef) else [
                    target.id for target in (node.targets if isinstance(node, ast.Assign) else [node.target]) if isinstance(target, ast.Name)
                ] if isinstance(node, ast.Assign | ast.AnnAssign) else []
                for name in names:
                    self.found[module, name] = node
        self.exported = {}
        for node in ast.walk(self.trees["__init__"]):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("pykindred."):
                self.exported |= {alias.name: node.module.partition(".")[2] for alias in node.names}

    def public(self, module):
        """The public names of a module: its ``__all__``, or its classes."""
        listed = self.found.get((module, "__all__"))
        return ast.literal_eval(listed.value) if listed else [name for of, name in self.found if of == module and name[0] != "_"]

    def pages(self):
        """The pages with names instead of modules: classes, functions, and then the types of values."""
        listed = {name for _, names in PAGES.values() for name in names}

        def place(node):
            bases = {ast.unparse(base) for base in getattr(node, "bases", ())}
            return 2 if bases & {"NamedTuple", "enum.IntEnum"} else isinstance(node, ast.FunctionDef)

        def public(module):
            found = [name for of, name in self.found if of == module and self.exported.get(name) == module and name not in listed]
            return sorted(found, key=lambda name: place(self.found[module, name]))
        return {page: (title, [name for one in names for name in (public(one) if one[0] == "_" else [one])]) for page, (title, names) in PAGES.items()}

    def comment(self, module, line):
        """The comment of an attribute in a line."""
        return self.texts[module][line - 1].partition("#: ")[2].strip()


def signature_of(node, name, skip_first):
    """A call with its arguments, without their types, broken after 92 characters."""
    given = node.args
    parts = [argument.arg for argument in given.posonlyargs + given.args]
    for index, default in enumerate(given.defaults, len(parts) - len(given.defaults)):
        parts[index] += f"={ast.unparse(default)}"
    parts = parts[1:] if skip_first else parts
    if given.vararg or given.kwonlyargs:
        parts.append("*" + (given.vararg.arg if given.vararg else ""))
    parts += [argument.arg + ("" if default is None else f"={ast.unparse(default)}") for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    if given.kwarg:
        parts.append("**" + given.kwarg.arg)
    lines, indent = [f"{name}("], " " * 4
    whole = f"{name}({', '.join(parts)})".replace("'", '"')
    if len(whole) <= 92:
        return whole
    line = indent
    for part in parts:
        if len(line) + len(part) > 90:
            lines.append(line.rstrip())
            line = indent
        line += part + ", "
    return "\n".join([*lines, line.rstrip(", "), ")"]).replace("'", '"')


class Writer:
    """Writes the pages.

    Args:
        anchors: the page of every name, for links
    """

    def __init__(self, source, anchors):
        self.source, self.anchors = source, anchors

    def inline(self, text, of=None):
        """Text of a docstring as Markdown, with links instead of roles."""
        def link(match):
            name = match[1].removeprefix("pykindred.")
            # Of the class or the module at hand, or of the package; an attribute is described with its class.
            for candidate in (f"{of}.{name}", f"{of and of.rpartition('.')[0]}.{name}", name, name.rpartition(".")[0]):
                if candidate in self.anchors:
                    return f"[`{name}`]({self.anchors[candidate]}.md#{anchor_of(candidate)})"
            raise ValueError(f"{match[0]} in the docstrings of {of} leads nowhere")
        parts = re.split(r"(``.+?``)", ROLE.sub(link, text))
        return "".join(f"`{part[2:-2]}`" if part.startswith("``") else part for part in parts)

    def doc(self, text, of):
        """A docstring as Markdown."""
        if not text:
            return []
        out, example, section = [], [], None
        def end_example():
            if example:
                out.extend(["", "```pycon", *example, "```", ""])
                example.clear()
        for line in text.splitlines():
            stripped = line.strip()
            if example and stripped or stripped.startswith(">>>"):
                if not example:
                    section = None
                example.append(stripped if not example or not line.startswith("    ") else line)
            elif SECTION.match(stripped):
                end_example()
                section = SECTION.match(stripped)[1]
                out += ["", f"**{dict(Args='Arguments', Returns='Returns', Raises='Raises')[section]}**", ""]
            elif section in ("Args", "Raises") and line.startswith("    "):
                head = re.match(r"^ {4}([\w, ]+): (.*)", line)
                out.append(f"- {', '.join(f'`{name}`' for name in head[1].split(', '))}: {self.inline(head[2], of)}" if head
                           else "  " + self.inline(stripped, of))
            else:
                end_example()
                if section in ("Args", "Raises") and stripped:
                    section = None
                out.append(self.inline(stripped, of))
        end_example()
        return out

    def fields(self, module, nodes, is_enum=False):
        """The attributes of a class, or the members of an enumeration, as a table."""
        rows = []
        for node in nodes:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id[0] != "_":
                name, kind, default = node.target.id, ast.unparse(node.annotation), "" if node.value is None else f" = {ast.unparse(node.value)}"
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute) and self.source.comment(module, node.lineno):
                name, kind, default = node.target.attr, ast.unparse(node.annotation), ""
            elif isinstance(node, ast.Assign) and is_enum:
                name, kind, default = node.targets[0].id, ast.unparse(node.value), ""
            else:
                continue
            kind = (kind + default).replace("|", "\\|").replace("'", '"')
            rows.append(f"| `{name}` | {f'`{kind}`' if kind else ''} | {self.inline(self.source.comment(module, node.lineno)).replace('|', chr(92) + '|')} |")
        return ["", "| member | value | |" if is_enum else "| attribute | | |", "|---|---|---|", *rows, ""] if rows else []

    def class_of(self, module, name, node, full):
        made = next((member for member in node.body if isinstance(member, ast.FunctionDef) and member.name == "__init__"), None)
        bases = [ast.unparse(base) for base in node.bases]
        is_tuple, is_enum, is_error = "NamedTuple" in bases, "enum.IntEnum" in bases, module == "errors"
        out = [f"### {full} {{#{anchor_of(full)}}}", ""]
        if is_error:
            out += [f"*exception, a subclass of* {' *and* '.join(f'`{base}`' for base in bases)}", ""]
        elif made and not any(isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and "super" in ast.unparse(statement)
                              for statement in made.body if bases == ["Ragged"]):
            out += ["```python", signature_of(made, full, True), "```", ""]
        out += self.doc(ast.get_docstring(node), full)
        own = [statement for statement in made.body if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Attribute)] if made else []
        out += self.fields(module, [*(node.body if is_tuple or is_enum else ()), *own], is_enum)
        if "Closing" in bases:
            out += ["", "Has `close()`, and may be used in a `with` block, which closes it.", ""]
        for member in node.body:
            if not isinstance(member, ast.FunctionDef) or member.name[0] == "_" and member.name not in ("__len__", "__contains__", "__iter__", "__getitem__"):
                continue
            text = ast.get_docstring(member)
            if not text:
                continue
            decorators = [ast.unparse(decorator) for decorator in member.decorator_list]
            path = f"{full}.{member.name}"
            title = {"__len__": "len()", "__contains__": "in", "__iter__": "iter()", "__getitem__": "[]"}.get(member.name, member.name)
            out += ["", f"#### {title} {{#{anchor_of(path)}}}", ""]
            if "property" in decorators:
                out += ["*property*", ""]
            elif member.name[0] != "_":
                owner = f"{full}." if {"classmethod", "staticmethod"} & set(decorators) else ""
                out += ["```python", signature_of(member, owner + member.name, "staticmethod" not in decorators), "```", ""]
            out += self.doc(text, full)
        return out

    def entry(self, module, name, full):
        node = self.source.found[module, name]
        if isinstance(node, ast.ClassDef):
            return self.class_of(module, name, node, full)
        if isinstance(node, ast.FunctionDef):
            return [f"### {full} {{#{anchor_of(full)}}}", "", "```python", signature_of(node, full, False), "```", "", *self.doc(ast.get_docstring(node), full)]
        # A scorer: its docstring is an argument.
        text = next(value.value for value in ast.walk(node.value) if isinstance(value, ast.Constant) and isinstance(value.value, str) and " " in value.value
                    or isinstance(value, ast.Constant) and str(value.value).endswith("."))
        methods = ["distance", "similarity", "normalized_distance", "normalized_similarity"] if module == "distance" else []
        calls = [f"{full}{method and '.'}{method}(s1, s2, *, processor=None, score_cutoff=None)" for method in methods or [""]]
        return [f"### {full} {{#{anchor_of(full)}}}", "", "```python", *calls, "```", "", text]

    def page(self, title, names):
        out = [f"# {title}", ""]
        for name in names:
            if (name, "__all__") in self.source.found or name == "errors":
                out += [f"## pykindred.{name} {{#{anchor_of(name)}}}", "", *self.doc(ast.get_docstring(self.source.trees[name]), name), ""]
                own = [item for item in self.source.public(name) if (name, item) in self.source.found]
                for item in own:
                    out += ["", *self.entry(name, item, item if name == "errors" else f"{name}.{item}")]
            else:
                # One level higher than in a module.
                out += ["", *(re.sub("^##(#+ )", r"#\1", line) for line in self.entry(self.source.exported[name], name, name))]
        return "\n".join(out).replace("\n\n\n", "\n\n") + "\n"


def anchor_of(name):
    return html.escape(name.replace("__", "").lower().replace(".", "-"))


def anchors_of(source):
    """The page of every name that is described."""
    found = {}
    for page, (_, names) in source.pages().items():
        for name in names:
            found[name] = page
            is_module = name not in source.exported or name in source.trees
            for item in source.public(name) if is_module else [name]:
                module, full = (name, item if name == "errors" else f"{name}.{item}") if is_module else (source.exported[name], name)
                found[full] = page
                node = source.found.get((module, item))
                for member in node.body if isinstance(node, ast.ClassDef) else ():
                    if isinstance(member, ast.FunctionDef):
                        found[f"{full}.{member.name}"] = page
    return found


def pages(package=PACKAGE):
    """The pages of the reference: their names and Markdown."""
    source = Source(package)
    writer = Writer(source, anchors_of(source))
    described = {name for _, names in source.pages().values() for name in names} | set(source.public("errors"))
    missing = [name for name in source.public("__init__") if name not in described | {"__version__", "library"}]
    if missing:
        raise ValueError(f"docs/site/python_reference.py describes no {', '.join(missing)}: add it to PAGES")
    return {name: writer.page(title, names) for name, (title, names) in source.pages().items()}


def on_files(files, config):
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, f"python/{name}.md", content=text))
    return files
