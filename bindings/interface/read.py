# SPDX-License-Identifier: Apache-2.0
"""Reads descriptions. They have the syntax of Python and are not imported: a class is an enumeration, a struct, a handle, or a list of functions
that belong to no handle; a function without a body is one of the interface, and one with a body is copied into the package of Python, as are
classes of named tuples and of enumerations of numbers; comments behind fields, and docstrings, are the documentation. Kinds that one description alone uses are classes in it,
which are run.
"""
import ast
import inspect
import io
import re
import tokenize
from pathlib import Path

import kinds


def snake(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Doc:
    """A docstring: its summary, further paragraphs and the sections. A paragraph or a section that begins with `C` or `Python` is of that language."""

    def __init__(self, text):
        self.paragraphs, self.described, self.sections, self.examples = [], [], {}, ""
        for block in re.split(r"\n\s*\n", inspect.cleandoc(text or "")):
            title = re.match(r"(?:(C|Python) )?(Args|Returns|Raises):\n", block)
            if block.startswith(">>>"):
                self.examples += ("\n\n" if self.examples else "") + block
            elif title and title[2] == "Args":
                for line in re.split(r"\n {4}(?=\S)", block[title.end() - 1:])[1:]:
                    name, _, what = line.partition(": ")
                    self.described.append((title[1], name, " ".join(what.split())))
            elif title:
                self.sections[title[2]] = inspect.cleandoc(block[title.end():])
            elif block:
                language, _, rest = block.partition(": ")
                self.paragraphs.append((language, " ".join(rest.split())) if language in ("C", "Python") else (None, " ".join(block.split())))

    def text(self, language):
        return "\n\n".join(text for of, text in self.paragraphs if of in (None, language))

    def arguments(self, language):
        """The texts of arguments by their names: those of the language replace those of both."""
        return {name: what for of in (None, language) for by, name, what in self.described if by == of}

    def raised(self):
        """(exception, when) of the section Raises."""
        return re.findall(r"^(\w+): (.*(?:\n +.*)*)", self.sections.get("Raises", ""), re.M)


class Enum:
    """`values`: as Python spells them, except those that `python` names; `cpp`: the enumeration of C++; empty: it has none; `default`: of arguments
    of Python; `bits`: its values are those of bits, and exist in C alone; `only`: the language that has it."""

    def __init__(self, name, doc, c, values, cpp=None, any=None, default=None, python=None, bits=False, comments=(), only=None):
        self.name, self.doc, self.prefix, self.values, self.any, self.default, self.bits = name, doc, c, values.split(), any, default, bits
        self.cpp, self.names = name if cpp is None else cpp, {one: (python or {}).get(one, one) for one in self.values}
        self.table, self.comments, self.only = snake(name) + "_names", comments or [""] * len(self.values), only

    def constant(self, value):
        return self.prefix + value.upper().replace("-", "_")

    def value(self, value):
        """That of C++."""
        return f"{self.cpp}::{value.replace('-', '_')}"


class Parameter:
    def __init__(self, name, kind, default=None, comment=""):
        self.name, self.kind, self.default = name, kind, default
        found = re.fullmatch(r"(.*?)(?:;? ?\bC:(.*))?", comment)  # of a field
        self.doc, self.c_doc = found[1], (found[1] if found[2] is None else found[2].strip())

    def of(self, attribute):
        """The templates of the kind, filled."""
        found = getattr(self.kind, attribute, ())
        return self.kind.filled(found, self.name) if isinstance(found, str) else [self.kind.filled(one, self.name) for one in found or ()]


class Struct:
    """A struct with its size."""

    def __init__(self, name, doc, fields, c, cpp=None):
        self.name, self.doc, self.fields, self.c, self.cpp = name, doc, fields, "kindred_" + c, cpp or name

    def function(self):
        """The function of C that converts it."""
        return self.c.removeprefix("kindred_")

    def of_python(self):
        """The fields that arguments of Python set."""
        return [one for one in self.fields if one.kind.python and not isinstance(one.kind, kinds.StreamField)]


class Options(Struct):
    """`alone`: nothing of it is generated but the struct of C; `required`: a call needs them."""

    def __init__(self, *given, noun="options", hand=None, alone=False, required=False, **named):
        super().__init__(*given, **named)
        self.noun, self.hand, self.alone, self.required = noun, hand, alone, required


class Input(Options):
    """A struct that calls read, without a function that sets its defaults. What reads it takes the name of the parameter, for messages."""


class Statistics(Struct):
    """`function`: a function converts it, which code by hand calls, too."""

    def __init__(self, *given, noun="statistics", function=False, **named):
        super().__init__(*given, **named)
        self.noun, self.has_function = noun, function


class Plain(Struct):
    """A struct without a size, of exactly these members: an element of arrays."""


class Callback(Struct):
    """The type of a function of the caller; its struct has no fields."""

    def __init__(self, *given, parameters, **named):
        super().__init__(*given, **named)
        self.parameters = parameters


STRUCTS = {one.__name__: one for one in (Struct, Plain, Options, Input, Statistics, Callback)}


class Handle:
    """`shared`: other handles of C may use it; `kept`: C has none, the context of a call keeps the object; `noun`: what messages of Python call it;
    `closes`: the class of Python does; `alone`: its object is the one of C++ with its context, and nothing by hand; `pointer`: bindings have
    pointers to it; `shows`: what its text in Python has, of an f-string; `only`: the language that has it."""

    def __init__(self, name, doc, c, header, namespace=None, shared=False, kept=False, noun=None, closes=True, alone=False, pointer=False,
                 shows=None, only=None):
        self.name, self.doc, self.c, self.header, self.namespace, self.shared, self.kept, self.alone = name, doc, c, header, namespace, shared, kept, alone
        self.noun, self.closes, self.object, self.shows, self.only = noun or c, closes, "*" if pointer else "", shows, only
        self.functions, self.methods, self.siblings = [], [], {}  # the handles of the interface, by name

    def function(self, name):
        return next((one for one in self.functions if one.name == name), None)


class Functions(Handle):
    """Functions that belong to no handle: all are static, and their names in C have no prefix but `kindred_`."""

    def __init__(self, name, doc, header, namespace=None, only=None):
        super().__init__(name, doc, "", header, namespace, kept=True, only=only)


class Function:
    def __init__(self, handle, name, doc):
        self.handle, self.name, self.doc = handle, name, doc
        self.parameters, self.results = [], []
        self.hand, self.only, self.without, self.by_name, self.python_types, self.kept = set(), handle.only, set(), set(), {}, False
        self.c_name, self.cpp_name, self.gil, self.python, self.order, self.changes, self.is_static = name, name, None, None, None, False, False

    def options(self):
        return next((one for one in self.parameters if isinstance(one.kind, Options)), None)

    def fields(self):
        """The fields of the options that Python has."""
        found = self.options()
        return [one for one in found.kind.of_python() if one.name not in self.without] if found else []

    def is_constructor(self):
        """Whether it is the constructor of the class of Python."""
        return self.results == ["New"] and (self.python == "__init__" or (self.name == "create" and self.only != "c"))

    def lines(self):
        return [line for one in self.parameters if isinstance(one.kind, kinds.Kind) for line in one.of("lines")]

    def has_stream(self):
        found = self.options()
        has = found and any(isinstance(one.kind, kinds.StreamField) for one in found.kind.fields) and "stream" not in self.without
        return bool(has and any(isinstance(one.kind, (kinds.Queries, kinds.Candidates)) for one in self.parameters))

    def calls_arguments(self, value):
        """The arguments of C++ in its order. `value` gives that of a parameter."""
        named = {one.name: value(one) for one in self.parameters}
        order = [name.strip() for name in self.order.split(",")] if self.order else list(named)
        return [named[name] for name in order]


class Interface:
    """`structs`: in their order; `copied`: classes and functions of the package of Python; `settings`: what the description assigns, such as the
    files that its glue includes."""

    def __init__(self, title):
        self.title, self.enums, self.structs, self.handles, self.copied, self.settings = title, {}, [], {}, [], {}

    def options(self):
        return [one for one in self.structs if isinstance(one, Options) and not one.alone]


class Reader:
    """Reads the files in their order; each may use what the ones before it define."""

    def __init__(self, paths):
        self.known, self.interfaces, self.vocabulary = {}, [], dict(vars(kinds))
        for path in paths:
            self.interfaces.append(self.read(Path(path)))

    def fail(self, node, message):
        raise SystemExit(f"{self.path}:{node.lineno}: {message}")

    def read(self, path):
        self.path, self.text = path, path.read_text(encoding="utf-8")
        self.comments = {token.start[0]: token.string[1:].strip() for token in tokenize.generate_tokens(io.StringIO(self.text).readline)
                         if token.type == tokenize.COMMENT}
        tree = ast.parse(self.text)
        interface = Interface(ast.get_docstring(tree))
        for node in tree.body:
            if isinstance(node, ast.Assign):
                interface.settings[node.targets[0].id] = ast.literal_eval(node.value)
            if isinstance(node, ast.FunctionDef):
                interface.copied.append(self.source(node))
            if not isinstance(node, ast.ClassDef):
                continue
            base = node.bases[0].id
            if base == "NamedTuple":
                interface.copied.append(self.source(node))
                self.known[node.name] = [Parameter(one.target.id, ast.unparse(one.annotation), one.value and ast.unparse(one.value), self.comment(one))
                                         for one in node.body if isinstance(one, ast.AnnAssign)]
                continue
            if base in self.vocabulary:  # a kind
                exec(compile(ast.Module([node], []), path, "exec"), self.vocabulary)
                continue
            settings = {one.arg: one.value.id if isinstance(one.value, ast.Name) else ast.literal_eval(one.value) for one in node.keywords}
            doc = Doc(ast.get_docstring(node, clean=False))
            if base == "IntEnum":
                interface.copied.append(re.sub(r"\(.*\):", "(enum.IntEnum):", self.source(node), count=1))
                values = [one for one in node.body if isinstance(one, ast.Assign)]
                settings |= {"values": " ".join(one.targets[0].id for one in values), "comments": [*map(self.comment, values)]}
            if base in ("Enum", "IntEnum"):
                made = interface.enums[node.name] = Enum(node.name, doc, **settings)
            elif base in STRUCTS:
                made = STRUCTS[base](node.name, doc, self.fields(node), **settings)
                interface.structs.append(made)
            elif base in ("Handle", "Functions"):
                made = interface.handles[node.name] = (Handle if base == "Handle" else Functions)(node.name, doc, **settings)
                made.siblings = interface.handles
                self.known[node.name] = made
                for function in node.body:
                    if isinstance(function, ast.FunctionDef):
                        self.read_function(made, function)
            else:
                self.fail(node, f"{base} is neither a kind nor one of Enum, {', '.join(STRUCTS)}, Handle, Functions and NamedTuple")
            self.known[node.name] = made
        return interface

    def comment(self, node):
        """The comment behind a line of a class that is copied."""
        return self.comments.get(node.end_lineno, "").lstrip(": ")

    def source(self, node):
        first = min([node.lineno] + [one.lineno for one in node.decorator_list])
        return "\n".join(self.text.split("\n")[first - 1:node.end_lineno])

    def fields(self, node):
        found = []
        for one in node.body:
            if isinstance(one, ast.AnnAssign):
                default = ast.literal_eval(one.value) if one.value else None
                found.append(Parameter(one.target.id.rstrip("_"), self.field_kind(one.annotation), default, self.comments.get(one.end_lineno, "")))
        return found

    def field_kind(self, node):
        name, arguments = self.named(node)
        if isinstance(self.known.get(name), Enum):
            return kinds.EnumField(self.known[name])
        found = self.vocabulary.get(f"{name}Field") or (kinds.U64 if name == "U64" else None)
        if found is None:
            self.fail(node, f"{name} is no kind of a field")
        return found(*arguments)

    def named(self, node):
        if isinstance(node, ast.Name):
            return node.id, ()
        if isinstance(node, ast.Call):
            return node.func.id, tuple(self.known.get(one.id, one.id) if isinstance(one, ast.Name) else ast.literal_eval(one) for one in node.args)
        self.fail(node, f"{ast.unparse(node)} is no kind")

    def kind(self, node):
        name, arguments = self.named(node)
        known = self.known.get(name)
        if isinstance(known, Options):
            return known
        if isinstance(known, Enum):
            return kinds.EnumArgument(known)
        if name == "Of":
            return arguments[0]
        found = self.vocabulary.get(name)
        if found is None:
            self.fail(node, f"{name} is neither a kind nor a struct")
        return found(*arguments)

    def result(self, node):
        name, arguments = self.named(node)
        known = self.known.get(name)
        if isinstance(known, Enum):
            return kinds.EnumName()
        if isinstance(known, Struct) or name == "New":
            return known or name
        return self.vocabulary[name](*arguments)

    def read_function(self, handle, node):
        body = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
        if body:  # a method of Python
            handle.methods.append(self.source(node))
            return
        made = Function(handle, node.name, Doc(ast.get_docstring(node, clean=False)))
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
            named = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
            if call.func.id == "of":  # several in one
                for name, given in named.items():
                    self.decorate(made, decorator, name, given.split() if isinstance(given, str) else [], {})
            else:
                self.decorate(made, decorator, call.func.id, [ast.literal_eval(one) for one in call.args], named)
        given = node.args.args
        made.is_static = not given or given[0].arg != "self"
        for one in given if made.is_static else given[1:]:
            if one.annotation is None:
                self.fail(one, f"{one.arg} has no kind")
            made.parameters.append(Parameter(one.arg, self.kind(one.annotation)))
        returned = node.returns
        while isinstance(returned, ast.BinOp):
            made.results.insert(0, self.result(returned.right))
            returned = returned.left
        if returned is not None:
            made.results.insert(0, self.result(returned))
        if made.name == "statistics":
            made.c_name = "get_" + made.c_name
        handle.functions.append(made)

    def decorate(self, made, node, name, given, named):
        if name in ("hand", "without", "by_name"):
            getattr(made, name).update(given)
        elif name in ("only", "gil", "changes", "kept"):
            setattr(made, name, given[0] if given else True)
        elif name == "c":
            made.c_name = given[0]
        elif name == "cpp":
            made.order, made.cpp_name = named.get("order"), named.get("name", *(given or [made.cpp_name]))
        elif name == "property":
            made.python = "property"
        elif name == "getter":  # a property of Python alone, which keeps the GIL
            made.gil, made.only, made.python = given[0], "python", "property"
        elif name == "python":
            made.python = given[0] if given else None
            made.python_types = named
        else:
            self.fail(node, f"{name} is no decorator")
