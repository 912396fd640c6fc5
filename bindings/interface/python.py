# SPDX-License-Identifier: Apache-2.0
"""Writes the interface of Python: the nanobind functions of the extension, its stub, and the classes of the package."""
import re
import textwrap

import kinds
from c import wrapped
from read import Functions, Handle, Statistics, snake

DOC_WIDTH = 140
COMMON = {"out": "arrays for the results", "stream": "orders a call on arrays on a device; None: the current stream of their library",
          "copy": "False raises where the layout of an array would need a copy", "context": "None: the default context",
          "threads": "maximum number; 0: all of the machine", "path": "of the file", "data": "bytes, or another contiguous buffer of bytes"}


class Argument:
    def __init__(self, name, type, default=None, by_name=False, doc="", passed=None):
        self.name, self.type, self.default, self.by_name, self.doc, self.passed = name, type, default, by_name, doc, passed or name

    def declaration(self):
        return f"{self.name}: {self.type}" + ("" if self.default is None else f" = {self.default}")


def arguments_of(function):
    """The arguments of Python in their order: those by position, options, `out`, `stream`, `copy`, the context."""
    first, named, last = [], [], []
    for one in function.parameters:
        if hasattr(one.kind, "fields"):
            for field in function.fields():
                type_, default = function.python_types.get(field.name, field.of("python")), repr(field.default).replace("'", '"')
                if isinstance(type_, list):
                    type_ = field.kind.python
                if " = " in type_:
                    type_, default = type_.split(" = ")
                by_name = field.name != "top" or "top" in function.by_name
                (named if by_name else first).append(Argument(field.name, type_, default, by_name, field.doc, "".join(field.of("passed"))))
        elif not isinstance(one.kind, kinds.Kind):
            first.append(Argument(one.name, one.kind.name, passed=f"{one.name}._native if isinstance({one.name}, {one.kind.name}) else {one.name}"))
        else:
            for template in one.of("python"):
                declared = template.removeprefix("* ")
                name, _, rest = declared.partition(": ")
                type_, _, default = function.python_types.get(name, rest).partition(" = ")
                by_name = declared != template or name in function.by_name
                by_name_last = by_name and name in ("context", "out", "threads")
                (last if by_name_last else named if by_name else first).append(Argument(name, type_, default or None, by_name))
    for name, rest in function.python_types.items():
        if name not in [one.name for one in first + named + last]:
            type_, _, default = rest.partition(" = ")
            named.insert(1 if function.is_constructor() else 0, Argument(name, type_, default, True))
    last.sort(key=lambda one: one.name == "context")
    if function.has_stream():
        last += [Argument("stream", "Stream", "None", True), Argument("copy", "bool | None", "None", True)]
    found = first + named + last
    options = function.options()
    choices = {one.name: one.kind.enum for one in options.kind.fields if isinstance(one.kind, kinds.EnumField)} if options else {}
    described = function.doc.arguments("Python")
    for one in found:
        one.doc = described.get(one.name) or ", ".join(filter(None, [one.name in choices and choices_text(choices[one.name]), one.doc])) or COMMON.get(one.name, "")
    return found


def choices_text(enum):
    quoted = [f'``"{one}"``' for one in enum.names.values()]
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]


# The extension

def given_struct(options):
    """Options from arguments of Python; one that a function does not have is an invalid handle."""
    fields = options.of_python()
    name = f"Given{options.name}"
    lines = [f"/// {options.doc.text('Python').removesuffix('.')}, from arguments of Python. Those that a function does not have are invalid handles.", f"struct {name} {{",
             *("  " + line for line in wrapped(f"explicit {name}(" if len(fields) == 1 else f"{name}(", [f"nb::handle {one.name}" for one in fields], ") {").split("\n"))]
    for one in fields:
        assign = one.of("assign").replace("{value}", one.of("value"))
        lines.append(f"    if ({one.name}.is_valid()) {assign}" if not assign.startswith("if (") else f"    if ({one.name}.is_valid() && " + assign[4:])
    lines += ["  }", f"  {options.cpp} options;"]
    held = [one.of("holds") for one in fields if hasattr(one.kind, "holds")]
    return "\n".join([*lines, *([" private:"] + ["  " + one for one in held] if held else []), "};"])


def enum_table(enum):
    rows = ", ".join(f'{{"{name}", {enum.value(one)}}}' for one, name in enum.names.items())
    return f"[[maybe_unused]] constexpr std::array<Choice<{enum.cpp}>, {len(enum.values)}> {enum.table}{{{{{rows}}}}};"


def value_of(one):
    if isinstance(one.kind, kinds.Kind):
        return one.of("value")
    return f"{one.name}_given.options" if hasattr(one.kind, "fields") else f"{one.name}_object"


def given_line(function, parameter):
    taken = {"top"} if any(isinstance(one.kind, kinds.Candidates) for one in function.parameters) else set()
    values = ["nb::handle()" if one.name in function.without | taken else one.name for one in parameter.kind.of_python()]
    return wrapped(f"Given{parameter.kind.name} {parameter.name}_given(", values, ");")


def statistics_lines(struct):
    lines = [line.replace("{value}", field.default or f"found.{field.name}") for field in struct.fields for line in field.of("python_out")]
    return ["nb::dict out;", *lines, "return out;"]


def is_free(function):
    return isinstance(function.handle, Functions)


def ran(function, call):
    """A call of C++ without the GIL, unless the function keeps it."""
    return call.removeprefix("return ").removesuffix(";") if function.gil else f"unlocked([&] {{ {call} }})"


def body_of(function):
    handle = function.handle
    lines = []
    if function.gil:
        lines = [f"auto& object = {handle.object}self.open()->{handle.c};"]
    elif not function.is_static:
        lines = ["const std::shared_ptr<Shared> shared = self.open();", f"auto& object = {handle.object}shared->{handle.c};"]
    elif function.results == ["New"] and not any(isinstance(one.kind, kinds.Context) for one in function.parameters):
        lines = ["const SharedContext shared;"]
    found = function.lines()
    if any("copying" in line for line in found):
        lines.append("const Copying copying = copying_of(copy);")
    if function.has_stream():
        lines.append("CallStream order(stream);")
    has_top = any("top_number" in line for line in found)
    for one in function.parameters:
        if hasattr(one.kind, "fields"):
            lines.append(given_line(function, one))
    top = "top_number" if has_top else "static_cast<std::int64_t>(options_given.options.top)"
    # Outputs come last: what they are made like is known then.
    ordered = sorted((one for one in function.parameters if isinstance(one.kind, kinds.Kind)), key=lambda one: hasattr(one.kind, "returns"))
    lines += [line.replace("{top}", top) for one in ordered for line in one.of("lines")]
    if function.has_stream():
        lines.append("options_given.options.stream = order.stream();")
    values = function.calls_arguments(value_of)
    if function.results == ["New"]:
        made = f"{handle.name}{'' if function.cpp_name == 'create' else '::' + function.cpp_name}({', '.join(values)})"
        kept = "".join(f", {one.of('keeps')}" for one in ordered if hasattr(one.kind, "keeps"))
        return [*lines, f'return Handle("{handle.noun}", shared_of<Shared>(shared, [&] {{ return {made}; }}){kept});']
    of = "" if is_free(function) else f"{handle.name}::" if function.is_static else "object."
    call = wrapped(f"{of}{function.cpp_name}(", values, ")")
    records = [one for one in function.results if isinstance(one, kinds.Record)]
    returned = [one for one in function.parameters if hasattr(one.kind, "returns")]
    result = function.results[0] if function.results and not returned and not isinstance(function.results[0], kinds.Record) else kinds.Nothing()
    if isinstance(result, Statistics):
        return [*lines, f"const {result.cpp} found = {ran(function, f'return {call};')};", *statistics_lines(result)]
    if records and isinstance(result, kinds.Nothing):
        record = "" if len(function.results) == 1 and not isinstance(records[0], kinds.RecordOf) else ".record"
        lines.append(f"keep_record({ran(function, f'return {call}{record};')});")
    elif isinstance(result, kinds.Nothing):
        lines.append(f"{ran(function, call + ';')};")
    else:
        lines += [f"const auto found = {ran(function, f'return {call};')};", *getattr(result, "before", ())]
    if isinstance(result, Statistics):
        return lines + statistics_lines(result)
    if returned:
        lines.append(f"return {returned[0].kind.filled(returned[0].kind.returns[1], returned[0].name)};")
    elif result.value:
        lines.append(f"return {result.value};")
    return lines


def native_type(function):
    """What the function of the extension returns, in C++."""
    if function.results == ["New"]:
        return "Handle"
    returns = function.results or any(hasattr(one.kind, "returns") for one in function.parameters)
    return "auto" if returns else "void"


def native_definition(function):
    parameters = ([] if function.is_static else ["const Handle& self"]) + [f"nb::handle {one.name}" for one in arguments_of(function)]
    body = "\n".join(f"  {line}" for text in body_of(function) for line in text.split("\n"))
    return wrapped(f"{native_type(function)} {'create' if function.is_constructor() else function.name}(", parameters, ") {") + f"\n{body}\n}}"


def registration(function):
    names = [f'nb::arg("{one.name}").none()' for one in arguments_of(function)]
    if function.is_constructor():
        handles = [f"nb::handle {one.name}" for one in arguments_of(function)]
        made = ", ".join(one.name for one in arguments_of(function))
        lines = [wrapped("[](Handle* self, ", handles, ") {"), f"  new (self) Handle(create({made}));", "}"]
        return ".def(\n        " + "\n        ".join(['"__init__",', *"\n".join(lines).split("\n")]) + ",\n        " + wrapped("", names, ")", 8).lstrip()
    return wrapped(f".{'def_static' if function.is_static and not is_free(function) else 'def'}(", [f'"{function.name}"', function.name, *names], ")", 8)


def native_functions(handle):
    return [one for one in handle.functions if one.only != "c"]


def native_handles(interface):
    """Those that the extension has."""
    return [one for one in interface.handles.values() if native_functions(one)]


def glue(interface, handle, includes):
    """One part of a file per handle. What is written by hand is included after the options, which it uses."""
    shared = f"struct Shared {{\n  SharedContext context;\n  {handle.name} {handle.c};\n}};\nusing Handle = EngineHandle<Shared>;\n\n" if handle.alone else ""
    parts = ["// SPDX-License-Identifier: Apache-2.0\n// Generated by bindings/interface: do not edit.",
             f"#include <{handle.header}>\n\n" + "\n".join(f'#include "{one}"' for one in includes), "namespace nb = nanobind;",
             f"namespace Kindred::Python {{\n\nnamespace {handle.namespace} {{\n\n{shared}namespace {{"]
    parameters = [one for function in native_functions(handle) for one in function.parameters]
    used = {one.kind.name: one.kind for one in parameters if hasattr(one.kind, "fields")}
    fields = [field for options in used.values() for field in options.of_python()]
    enums = {name: one for name, one in interface.enums.items() if one.cpp and one.only != "c" and not one.bits} | {
        one.kind.enum.name: one.kind.enum for one in [*parameters, *fields] if hasattr(one.kind, "enum")}
    parts += [*map(enum_table, enums.values()), *dict.fromkeys(text for one in [*parameters, *fields] for text in [one.of("native")] if text)]
    parts += [given_struct(one) for one in used.values() if one.hand != "python"]
    parts.append("}  // namespace")
    if any("python" in one.hand for one in handle.functions):
        parts.append(f'}}  // namespace {handle.namespace}\n\n}}  // namespace Kindred::Python\n\n#include "{handle.name}Bodies.hpp"\n\nnamespace Kindred::Python {{\n\nnamespace {handle.namespace} {{')
    parts.append("namespace {")
    parts += [native_definition(one) for one in native_functions(handle) if "python" not in one.hand]
    parts.append(f"}}  // namespace\n\n}}  // namespace {handle.namespace}")
    calls = [*map(registration, native_functions(handle))]
    if isinstance(handle, Functions):
        lines = [f"  module{one};" for one in calls]
    else:
        closing = ['      .def("close", &Handle::close)', '      .def("is_closed", &Handle::is_closed)'] if handle.closes else []
        lines = [f'  Class<Handle>(module, "{handle.name}")', *closing, *(f"      {one}" for one in calls)]
        lines[-1] += ";"
    parts.append("\n".join([f"void register_{snake(handle.name)}(Module& module) {{", f"  using namespace {handle.namespace};", *lines, "}"]))
    return "\n\n".join([*parts, "}  // namespace Kindred::Python\n"])


# The package

def python_type(function):
    returned = [one for one in function.parameters if hasattr(one.kind, "returns")]
    if returned:
        return returned[0].kind.returns[0]
    if not function.results:
        return "None"
    if isinstance(function.results[0], Statistics):
        return "dict[str, Any]"
    return "Any" if function.results == ["New"] else function.results[0].python


def in_python(text, handle, arguments=()):
    """A text of both languages as that of Python: functions are links, shapes and arguments are code."""
    def named(match):
        of, _, name = match[1].rpartition(".")
        found = handle.siblings.get(of, handle)
        function = found.function(name) if found and name not in arguments else None
        if function and function.only != "c" and function.python in (None, "property"):
            return f":{'func' if is_free(function) else 'attr' if function.python else 'meth'}:`{match[1]}`"
        return f"``{match[1]}``"
    text = re.sub(r"(?<![`:\w])`([^`]+)`(?!`)", named, text)
    return re.sub(r"(?<![`\w\[])(\[[a-z_][\w ,*+]*\])(?![`\w])", r"``\1``", text)


def docstring(doc, arguments, indent, handle, sections=None):
    """The docstring of Python: the arguments that have a text follow the paragraphs, and then the sections, of another docstring where given."""
    wide = DOC_WIDTH - indent
    names = [one.name for one in arguments]
    blocks = [textwrap.fill(in_python(one, handle, names), wide) for one in doc.text("Python").split("\n\n")]
    described = [one for one in arguments if one.doc]
    if described:
        blocks.append("Args:\n" + "\n".join(textwrap.fill(f"{one.name}: {in_python(one.doc, handle, names)}", wide, initial_indent="    ", subsequent_indent="        ")
                                            for one in described))
    sections = sections or doc.sections
    for title in ("Returns", "Raises"):
        if title in sections:
            blocks.append(f"{title}:\n" + textwrap.indent(in_python(sections[title], handle, names), "    "))
    if doc.examples:
        blocks.append(doc.examples)
    text = "\n\n".join(blocks)
    quoted = '"""' + text + ("\n" if "\n" in text else "") + '"""'
    return textwrap.indent(quoted, " " * indent)


def signature(name, arguments, result, self_name="self"):
    items, before = [self_name] if self_name else [], False
    for one in arguments:
        if one.by_name and not before:
            items.append("*")
            before = True
        items.append(one.declaration())
    lines = [f"    def {name}("]
    for number, item in enumerate(items):
        item += f") -> {result}:" if number + 1 == len(items) else ","
        if number > 0 and len(lines[-1]) + 1 + len(item) > DOC_WIDTH:
            lines.append(" " * (9 + len(name)) + item)
        else:
            lines[-1] += (" " if number > 0 else "") + item
    return "\n".join(lines)


def passed(arguments):
    return ", ".join("native(context)" if one.name == "context" else one.passed for one in arguments)


def method(function):
    handle, arguments = function.handle, arguments_of(function)
    doc = docstring(function.doc, arguments, 8, handle)
    if function.is_constructor():
        arguments_doc = docstring(handle.doc, arguments, 4, handle, function.doc.sections)
        lines = [signature("__init__", arguments, "None"), f"        self._native = _kindred.{handle.name}({passed(arguments)})"]
        if restored_fields(handle):
            lines.append(f"        self._options = {options_tuple(handle)}")
        return arguments_doc, "\n".join(lines)
    if function.results == ["New"]:
        made = f"        made = cls.__new__(cls)\n        made._native = _kindred.{handle.name}.{function.name}({passed(arguments)})\n"
        options = f"        made._options = {options_tuple(handle)}\n" if restored_fields(handle) else ""
        return None, "    @classmethod\n" + signature(function.name, arguments, f'"{handle.name}"', "cls") + f"\n{doc}\n{made}{options}        return made"
    of = "_kindred" if is_free(function) else f"_kindred.{handle.name}" if function.is_static else "self._native"
    call = f"{of}.{function.name}({passed(arguments)})"
    wrap = getattr(function.results[0], "wrap", None) if function.results else None
    call = wrap.replace("{call}", call) if wrap else call
    kind = "    @property\n" if function.python == "property" else "    @staticmethod\n" if function.is_static and not is_free(function) else ""
    name = function.python if function.python and function.python.startswith("__") else function.name
    result = python_type(function)
    return None, kind + signature(name, arguments, result, "" if function.is_static else "self") + f"\n{doc}\n        " + ("" if result == "None" else "return ") + call


def restored_fields(handle):
    """The options that a copy of the object has, too: those of `from_bytes`, or of a function that says so."""
    function = handle.function("from_bytes")
    if function:
        return [one for one in arguments_of(function) if one.by_name and one.name not in COMMON]
    return next((one.fields() for one in handle.functions if one.kept), [])


def options_tuple(handle):
    names = [one.name for one in restored_fields(handle)]
    return f"({', '.join(names)}{',' if len(names) == 1 else ''})"


def restored(handle):
    """The function that pickles name, with the options one after the other."""
    fields = restored_fields(handle)
    given = ", ".join(["data", *(f"{one.name}={one.name}" for one in fields)])
    named = ", ".join([f"kind: type[{handle.name}]", "data: bytes", *(f"{one.name}: {one.type}" for one in fields)])
    return (f'def _restored({named}) -> {handle.name}:\n    """An unpickled or copied object, in the default context."""\n'
            f"    return kind.from_bytes({given})")


def public_functions(handle):
    """Those that are methods of the class as they are. Others are called by a method in the description."""
    return [one for one in native_functions(handle) if one.python != "called"]


def class_text(handle):
    if isinstance(handle, Functions):
        return "\n\n\n".join([*(textwrap.dedent(method(one)[1]) for one in public_functions(handle)), *map(textwrap.dedent, handle.methods)])
    create = next((one for one in handle.functions if one.is_constructor()), None)
    if create is None:
        return ""  # the package has a class by hand
    doc, first = method(create)
    slots = '("__weakref__", "_native", "_options")' if restored_fields(handle) else '("__weakref__", "_native")'
    parts = [f"class {handle.name}{'(Closing)' if handle.closes else ''}:\n{doc}\n\n    __slots__ = {slots}", first]
    parts += [method(one)[1] for one in public_functions(handle) if one is not create]
    parts += handle.methods
    if handle.shows:
        parts.append(f"    def __repr__(self) -> str:\n        return '<pykindred.{handle.name}: ' + ('closed>' if self._native.is_closed() else f'{handle.shows}>')")
    if handle.function("from_bytes"):
        options = ", *self._options" if restored_fields(handle) else ""
        parts.append(f"    def __reduce_ex__(self, protocol: Any) -> Any:\n        return _restored, (type(self), in_pickle(self.to_bytes(), protocol){options})")
    return "\n\n".join(parts)


def module(interface, imports):
    handles = [one for one in interface.handles.values() if native_functions(one) or one.methods]
    text = "\n\n\n".join([*interface.copied, *filter(None, map(class_text, handles)), *(restored(one) for one in handles if one.function("from_bytes"))])
    return "# SPDX-License-Identifier: Apache-2.0\n# Generated by bindings/interface: do not edit.\n" + imported(text, imports) + "\n\n" + text + "\n"


def imported(text, imports):
    """The imports of which the code of a text uses a name."""
    text, found = re.sub(r'""".*?"""', "", text, flags=re.S), []
    for line in imports.split("\n"):
        before, _, names = line.rpartition("import ")
        used = [name for name in names.split(", ") if name and re.search(rf"\b{name.split()[-1]}\b", text)]
        if used or not line:
            found.append(f"{before}import {', '.join(used)}" if used else "")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(found) + "\n")


def keeping_gil(handle):
    """The functions that keep the GIL: rows of the list in KeepingGil.cpp."""
    prefix = "" if isinstance(handle, Functions) else f"{handle.name}."
    rows = ({} if not prefix or not handle.closes else {"close": "reference", "is_closed": "reference"}) | {
        "__init__" if one.is_constructor() else one.name: one.gil for one in native_functions(handle) if one.gil}
    return "".join(f'{{"{prefix}{name}", {why}}},\n' for name, why in rows.items())


def stub_type(function):
    """What a function of the extension returns: of which the package makes its own types, anything."""
    if function.results == ["New"]:
        return function.handle.name
    return "Any" if any(hasattr(one, "wrap") for one in function.results) else python_type(function)


def stub_class(handle):
    if isinstance(handle, Functions):
        return "\n".join(f"def {one.name}({', '.join(f'{a.name}: Any' for a in arguments_of(one))}) -> {stub_type(one)}: ..." for one in native_functions(handle))
    lines = [f"class {handle.name}:"]
    for function in native_functions(handle):
        names = ", ".join(([] if function.is_static and not function.is_constructor() else ["self"]) + [f"{one.name}: Any" for one in arguments_of(function)])
        result = stub_type(function)
        if function.is_constructor():
            lines.append(f"    def __init__({names}) -> None: ...")
        else:
            lines += (["    @staticmethod"] if function.is_static else []) + [f"    def {function.name}({names}) -> {result}: ..."]
    return "\n".join(lines + (["    def close(self) -> None: ...", "    def is_closed(self) -> bool: ..."] if handle.closes else []))
