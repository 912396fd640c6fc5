# SPDX-License-Identifier: Apache-2.0
"""Writes the interface of C: declarations and structs of kindred.h, and the functions behind them."""
import re
import textwrap

import kinds
from read import Callback, Functions, Input, Options, Plain, Statistics, Struct

WIDTH = 100


# What a call returns where Python raises; statuses without an own meaning, such as KINDRED_INVALID, are in the conventions of the header.
STATUSES = {"NotFound": "KINDRED_NOT_FOUND", "CorruptFile": "KINDRED_CORRUPT", "SpaceUnavailable": "KINDRED_NO_SPACE"}
# Functions of all kinds of handles: their parameters behind the handle, and their comment
GENERIC = {
    "destroy": ([], "Frees a handle of any kind."),
    "save": (["const char* path"], "Writes an object to a file, atomically: the file at `path` is the old or the new one."),
    "to_bytes": (["kindred_string** bytes"], "The bytes of the file that kindred_save writes."),
    "get_statistics": (["void* statistics"], "Sizes and counts, in the struct of the kind, such as a kindred_index_statistics."),
    "size": (["size_t* size"], "The number of rows, patterns, sets of weights, passes or predictions that an object has."),
    "has": (["uint64_t id", "int32_t* has"], "Whether a node or a row exists, or an epoch of a layer, counted back from 0, has telemetry."),
    "run": ([], "Runs a prepared call or a sequence. On a device it does not fence: the stream of its options orders it, or that of the context; on the host, the result is complete on return."),
    "wait": ([], "Waits for the last run."),
}
HANDLE = {"destroy": "KINDRED_OPTIONAL void* handle", "run": "void* handle", "wait": "void* handle"}  # of those that change it
COMMON = {"threads": "maximum number of threads; 0: all of the machine"}


def comment(text, parameters=()):
    lines = textwrap.wrap("/** " + " ".join(text.split()), WIDTH - 3, subsequent_indent=" * ")
    for name, what in parameters:
        lines += textwrap.wrap(f" *  @param {name} {what}", WIDTH - 3, subsequent_indent=" * ")
    return "\n".join(lines) + " */"


def in_c(text, handles, handle=None, parameters=()):
    """A text of both languages as that of C: names of functions, but not those of parameters, are those of the header."""
    def named(match):
        of, _, name = match[1].rpartition(".")
        found = handles.get(of, handle)
        function = found.function(name) if found and name not in parameters else None
        return name_of(function) if function and function.only != "python" else match[0]
    return re.sub(r"`([\w.]+)`", named, text.replace("``", "`").replace("·", "*").replace("−", "-"))


def wrapped(first, items, last, indent=4):
    """`first(items)last`, broken between items where it is too long."""
    line = first + ", ".join(items) + last
    if len(line) <= WIDTH:
        return line
    lines = [first.rstrip()]
    for number, item in enumerate(items):
        item += last if number + 1 == len(items) else ","
        if number > 0 and len(lines[-1]) + 1 + len(item) <= WIDTH:
            lines[-1] += " " + item
        else:
            lines.append(" " * indent + item)
    return "\n".join(lines)


# kindred.h

def enum_text(enum):
    values = [(f"{enum.constant(enum.any)} = -1", "")] if enum.any else []
    values += [(f"{enum.constant(one)} = {1 << i if enum.bits else i}", what) for i, (one, what) in enumerate(zip(enum.values, enum.comments, strict=True))]
    lines = [text + "," * (number < len(values)) + (f" /* {in_c(what, {})} */" if what else "") for number, (text, what) in enumerate(values, 1)]
    return f"/* {enum.doc.text('C')} */\nenum {{\n" + "\n".join(lines) + "\n};"


def members_of(struct):
    """(declaration, default, comment) of every member. Members of 4 bytes are completed to 8 by a reserved one."""
    is_plain, half = isinstance(struct, Plain), False
    found = [] if is_plain else [("size_t struct_size", f"sizeof({struct.c})", "")]
    reserved = ("int32_t reserved", "0", "" if isinstance(struct, Statistics) else "0")
    for field in struct.fields:
        kind = field.kind
        members = field.of("members") if isinstance(kind, kinds.Field) else [f"uint64_t {field.name}"]
        defaults = list(getattr(kind, "defaults", ())) or [default_of(field, struct)] * len(members)
        comments = list(getattr(kind, "comments", ())) or [""] * len(members)
        for number, (member, default, what) in enumerate(zip(members, defaults, comments, strict=True)):
            narrow = not is_plain and re.fullmatch(r"(u?int32_t|float) \w+", member)
            if half and not narrow:
                found.append(reserved)
            half = narrow and not half
            found.append((member, default, what if not field.c_doc else field.c_doc if number == 0 else ""))
    if half:
        found.append(reserved)
    return found


def default_of(field, struct):
    if isinstance(struct, (Plain, Statistics)) or field.default is None and not isinstance(field.kind, kinds.EnumField):
        return "0"
    if isinstance(field.kind, kinds.EnumField):
        enum = field.kind.enum
        return enum.constant(enum.any if field.default is None else field.default)
    return str(int(field.default) if isinstance(field.default, (bool, int)) else field.default).replace("1e-06", "1e-6")


def struct_text(struct, handles):
    lines = [comment(in_c(struct.doc.text("C"), handles))]
    if isinstance(struct, Callback):
        return f"{lines[0]}\ntypedef int (*{struct.c})({struct.parameters});"
    members = members_of(struct)
    lines.append(f"typedef struct {struct.c} {{")
    lines += [f"  {declaration};" + (f" /* {in_c(what, handles)} */" if what else "") for declaration, _, what in members]
    lines.append(f"}} {struct.c};")
    if not isinstance(struct, Plain):
        lines += [f"#define {struct.c.upper()}_INIT \\", wrapped("  { ", [default for _, default, _ in members], " }").replace("\n", " \\\n")]
    return "\n".join(lines)


def parameters_of(function):
    """(declaration, whether it may be NULL) of every parameter."""
    handle, found = function.handle, []
    if not function.is_static:
        found.append(("kindred_context* context" if handle.kept else f"{'' if function.changes else 'const '}kindred_{handle.c}* {handle.c}", False))
    declared = []
    for one in function.parameters:
        if isinstance(one.kind, kinds.Kind):
            declared += one.of("c")
        elif hasattr(one.kind, "fields"):
            declared.append(f"const {one.kind.c}* {one.name}" + "?!"[one.kind.required])
        else:
            declared.append(f"const kindred_{one.kind.c}* {one.kind.c}")
    for one in function.results:
        if one == "New":
            declared.append(f"kindred_{handle.c}** {handle.c}")
        elif isinstance(one, Struct):
            declared.append(f"{one.c}* {one.noun}")
        else:
            declared += [one.filled(template, function.name) for template in one.c]
    return found + [(one.rstrip("?!"), one.endswith("?")) for one in declared]


def name_of(function):
    return f"kindred_{function.c_name}" if is_generic(function) else own_name(function)


def own_name(function):
    return "_".join(filter(None, ("kindred", function.handle.c, function.c_name)))


def declaration(function, handles):
    items = [("KINDRED_OPTIONAL " if optional else "") + one for one, optional in parameters_of(function)]
    names = [one.split()[-1].lstrip("*") for one, _ in parameters_of(function)]
    described = function.doc.arguments("C")
    described |= {name: what for name, what in COMMON.items() if name not in described}
    parameters = [(name, in_c(what, handles, function.handle, names)) for name, what in described.items() if set(name.split(",")) <= set(names)]
    text = " ".join([function.doc.text("C"), *(f"{STATUSES[name]}: {when}." for name, when in function.doc.raised() if name in STATUSES)])
    returned = getattr(next(iter(function.results), None), "c_type", "kindred_status")
    return comment(in_c(text, handles, function.handle, names), parameters) + "\n" + wrapped(
        f"KINDRED_API {returned} {name_of(function)}(", items, ") KINDRED_NOEXCEPT;")


def functions_of(handle):
    return [one for one in handle.functions if one.only != "python"]


def is_generic(function):
    """Whether a function of all kinds of handles calls it."""
    return not function.handle.kept and function.c_name in GENERIC and len(parameters_of(function)) == 1 + len(GENERIC[function.c_name][0])


def having(name, handles):
    """The handles that have a generic function."""
    return [one for one in handles if not one.kept and (name == "destroy" or any(is_generic(of) and of.c_name == name for of in functions_of(one)))]


def generic_header(handles):
    """The section of functions of all kinds of handles."""
    parts = ["/* ---- Functions of all kinds of handles ---- */"]
    for name, (parameters, text) in GENERIC.items():
        kinds_text = "" if name == "destroy" else " Of " + ", ".join(f"kindred_{one.c}" for one in having(name, handles)) + "."
        first = HANDLE.get(name, "const void* handle")
        parts.append(comment(text + kinds_text) + "\n" + wrapped(f"KINDRED_API kindred_status kindred_{name}(", [first, *parameters], ") KINDRED_NOEXCEPT;"))
    parts.append(comment("Sets the defaults of a struct of `struct_size` bytes, for languages without macros. `name` is that of the struct, such as `kindred_search_options`; the struct is "
                         "one of those that have a KINDRED_..._INIT and that calls read.") + "\nKINDRED_API kindred_status kindred_init(const char* name, void* options, size_t struct_size) KINDRED_NOEXCEPT;")
    return "\n\n".join(parts) + "\n\n"


def generic_glue(interfaces):
    """The functions of all kinds of handles, which call those of the kind."""
    handles = [one for interface in interfaces for one in interface.handles.values()]
    declared, defined = [], []
    for name, (parameters, _) in GENERIC.items():
        names, cases = [one.split()[-1].lstrip("*") for one in parameters], []
        for one in having(name, handles):
            function = next((of for of in functions_of(one) if is_generic(of) and of.c_name == name), None)
            own = [of for of, _ in parameters_of(function)] if function else [f"kindred_{one.c}* handle"]
            declared.append(f"kindred_status kindred_{one.c}_{name}({', '.join(own)}) noexcept;")
            given = [f"static_cast<{to.rpartition(' ')[0]}>({of})" if "void*" in as_declared else f"narrowed({of})" if to.startswith("uint32_t") else of
                     for as_declared, of, to in zip(parameters, names, own[1:], strict=True)]
            cases.append(f"    case Kind::{one.c}:\n      return kindred_{one.c}_{name}({', '.join([f'handle_to<kindred_{one.c}>(handle)', *given])});")
        kinds_of = ", ".join(f"Kind::{one.c}" for one in having(name, handles))
        defined.append("\n".join([f"kindred_status kindred_{name}({', '.join([HANDLE.get(name, 'const void* handle').removeprefix('KINDRED_OPTIONAL '), *parameters])}) noexcept {{",
                                  *(["  if (handle == nullptr) return KINDRED_OK;"] if name == "destroy" else []), "  switch (kind_of(handle)) {", *cases,
                                  f"    default:\n      return refuse_kind(handle, {{{kinds_of}}});", "  }", "}"]))
    structs = [one.c for interface in interfaces for one in interface.options() if not isinstance(one, Input)]
    declared += [f"kindred_status {one}_init({one}* options, size_t struct_size) noexcept;" for one in structs]
    defined.append("\n".join(["kindred_status kindred_init(const char* name, void* options, size_t struct_size) noexcept {",
                              *(f'  if (is_named(name, "{one}")) return {one}_init(static_cast<{one}*>(options), struct_size);' for one in structs),
                              "  return refuse_struct(name, options);", "}"]))
    return "\n\n".join(["// SPDX-License-Identifier: Apache-2.0\n// Generated by bindings/interface: do not edit.", '#include "Generic.hpp"',
                         "namespace Kindred::C {", "\n".join(declared), *defined, "}  // namespace Kindred::C\n"])


def title(interface):
    return f"/* ---- {interface.title} ---- */"


def header(interface):
    """A section of kindred.h, which clang-format formats."""
    handles = interface.handles
    parts = [title(interface), "\n".join(map(enum_text, interface.enums.values())), interface.settings.get("C_DECLARATIONS", "")]
    parts += [*(struct_text(one, handles) for one in interface.structs), interface.settings.get("C_TYPES", "")]
    for handle in handles.values():
        declared = [declaration(one, handles) for one in functions_of(handle) if not is_generic(one)]
        parts += [comment(text).replace("/**", "/*", 1) for language, text in handle.doc.paragraphs if language == "C"]
        parts.append("\n".join(declared))
    return "\n\n".join(filter(None, parts)) + "\n\n"


# The functions behind it

def options_function(options):
    name = options.function()
    noun = options.noun
    named = isinstance(options, Input)
    parameter, quoted = (", const char* name", "name") if named else ("", f'"{noun}"')
    lines = [f"{options.cpp} {name}(const {options.c}* {noun}{parameter}) {{",
             f"  const {options.c} given = options_of({noun}, {options.c} {options.c.upper()}_INIT, {quoted});"]
    if any(member == "int32_t reserved" for member, _, _ in members_of(options)):
        lines.append(f"  check_reserved(given.reserved, {quoted});")
    lines.append(f"  {options.cpp} out;")
    for field in options.fields:
        if field.of("members"):
            lines += ["  " + line for line in field.of("c_lines") or ([f"out.{field.name} = {field.of('c_value')};"] if field.kind.c_value else [])]
    return "\n".join([*lines, "  return out;", "}"])


def c_value(one):
    if isinstance(one.kind, kinds.Kind):
        return one.of("c_value")
    return f"{one.name}_given" if hasattr(one.kind, "fields") else f"{one.kind.c}_object"


def converted_lines(struct):
    """Copies `found`, a struct of C++, to that of C: statistics, or the options that an object was made with."""
    lines = [f"{struct.c} out = {struct.c.upper()}_INIT;"]
    for field in struct.fields:
        value = field.default if isinstance(struct, Statistics) and field.default else f"found.{field.name}"
        if hasattr(field.kind, "c_out"):
            lines += [line.replace("{value}", value) for line in field.of("c_out")]
        else:
            lines.append(f"out.{field.name} = {f'static_cast<std::int32_t>({value})' if isinstance(field.kind, kinds.EnumField) else value};")
    return lines


def converter(struct):
    return "\n".join([f"{struct.c} {struct.function()}(const {struct.cpp}& found) {{", *(f"  {line}" for line in converted_lines(struct)), "  return out;", "}"])


def call_lines(function):
    handle, results = function.handle, function.results
    if results == ["New"]:
        made = f"{handle.name}{'' if function.cpp_name == 'create' else '::' + function.cpp_name}({', '.join(function.calls_arguments(c_value))})"
        context = ["shared"] if any(isinstance(one.kind, kinds.Context) for one in function.parameters) else []
        maker = "make_handle_of" if not context else "shared_handle" if handle.shared else "made_handle"
        return [wrapped(f"*{handle.c} = {maker}<kindred_{handle.c}>(", [*context, made], ");")]
    of = "" if isinstance(handle, Functions) else f"{handle.name}::" if function.is_static else "object."
    call = wrapped(f"{of}{function.cpp_name}(", function.calls_arguments(c_value), ")")
    if results and isinstance(results[0], Struct):
        struct = results[0]
        if isinstance(struct, Statistics) and struct.has_function:
            return [f"write_output({struct.noun}, {struct.function()}({call}));"]
        lines = [*converted_lines(struct), f"write_output({struct.noun}, out);"]
        return [f"const {struct.cpp}& found = {call};", *lines] if any(re.search(r"\bfound\b", line) for line in lines) else lines
    if len(results) > 1:  # what the result has of each name
        return [f"const auto found = {call};"] + [one.filled(one.c_write, function.name).replace("{found}", f"found.{type(one).__name__.lower()}")
                                                  for one in results]
    if results and isinstance(results[0], kinds.RecordOf):
        call += ".record"
    one = results[0] if results else kinds.Nothing()
    return [one.filled(one.c_write, function.name).replace("{found}", call)]


def definition(function):
    handle = function.handle
    parameters = [one for one, _ in parameters_of(function)]
    body = []
    if function.is_static:
        body += [line for one in function.parameters if isinstance(one.kind, kinds.Context) for line in one.of("c_lines")]
    else:
        body.append(f"const auto object = {handle.c}_of(context);" if handle.kept else
                    f"{'' if function.changes else 'const '}{handle.name}& object = {handle.object}{handle.c}_of({handle.c});")
    declared = [template for one in function.parameters if isinstance(one.kind, kinds.Kind) for template in one.of("c")]
    declared += [f" {one.name}!" for one in function.parameters if isinstance(one.kind, Options) and one.kind.required]
    for one in function.results:
        if one == "New":
            declared.append(f" {handle.c}!")
        elif isinstance(one, Struct):
            body.append(f'check_output({one.noun}, "{one.noun}");')
        elif hasattr(one, "c_check"):
            body.append(one.c_check)
        else:
            found = [one.filled(template, function.name) for template in one.c]
            declared += [template.rstrip("!") + "!" for template in found if not template.endswith("?")] if len(found) == 1 else found
    required = [one.rstrip("!").split()[-1].lstrip("*") for one in declared if one.endswith("!")]
    if len(required) == 1:
        body.append(f'require({required[0]}, "{required[0]}");')
    elif required:
        body.append("require_all({" + ", ".join(f'{{{one}, "{one}"}}' for one in required) + "});")
    for one in function.parameters:
        if hasattr(one.kind, "fields"):
            body.append(f"const {one.kind.cpp} {one.name}_given = {one.kind.function()}({one.name});")
    body += [one.filled(one.c_before, function.name) for one in function.results if hasattr(one, "c_before")]
    body += [line for one in function.parameters if isinstance(one.kind, kinds.Kind) and not isinstance(one.kind, kinds.Context)
             for line in one.of("c_lines")]
    body += call_lines(function)
    indented = "\n".join(f"    {line}" for text in body for line in text.split("\n"))
    return wrapped(f"kindred_status {own_name(function)}(", parameters, ") noexcept {") + f"\n  return guarded([&] {{\n{indented}\n  }});\n}}"


def glue(interface, includes):
    parts = ["// SPDX-License-Identifier: Apache-2.0\n// Generated by bindings/interface: do not edit."]
    parts.append("\n".join(dict.fromkeys(f"#include <{handle.header}>" for handle in interface.handles.values() if handle.header)) + "\n\n" +
                 "\n".join(f'#include "{one}"' for one in includes))
    parts.append("namespace Kindred::C {")
    parts += ["\n".join(f"static_assert(static_cast<int>({one.value(value)}) == {one.constant(value)});" for value in one.values)
              for one in interface.enums.values() if one.cpp and not one.bits]
    parts += [options_function(one) for one in interface.options() if one.hand != "c"]
    parts += [converter(one) for one in interface.structs if isinstance(one, Statistics) and one.has_function]
    for one in interface.options():
        if not isinstance(one, Input):
            parts.append(f"KINDRED_C_DEFAULTS({one.c}, {one.c.upper()}_INIT)")
    for handle in interface.handles.values():
        parts += [definition(one) for one in functions_of(handle) if "c" not in one.hand]
        if not handle.kept:
            parts.append(f'kindred_status kindred_{handle.c}_destroy(kindred_{handle.c}* {handle.c}) noexcept {{\n'
                         f'  return destroy_handle({handle.c}, "handle");\n}}')
    return "\n\n".join([*parts, "}  // namespace Kindred::C\n"])
