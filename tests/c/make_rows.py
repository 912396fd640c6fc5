#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes rows for tests of what is described. Usage: make_rows.py FOLDER

BadInput.inc: what Test_BadInput.cpp gives to functions and they must refuse: enumerators out of range, numbers beyond their limits, sizes without an
array, reserved members that are not 0. Options.inc: what Test_OptionsOfC.cpp sets in structs of options, and what must arrive in C++: each member,
beside those BY_HAND, as the member of its name or of PATHS. Members.inc: the numbers, texts and tensors of structs, which Members.hpp compares.
Given.inc: structs of Given.hpp, whose members have the defaults of the initialisers."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/interface"))

import c  # noqa: E402
import generate  # noqa: E402
import kinds  # noqa: E402
from read import Callback  # noqa: E402


INTERFACES = generate.interfaces().values()
FUNCTIONS = [function for one in INTERFACES for handle in one.handles.values() for function in c.functions_of(handle)]
STRUCTS = {one.c: one for interface in INTERFACES for one in interface.structs if not isinstance(one, Callback)}


# BadInput.inc

def beyond(enum):
    """Numbers that are no enumerators."""
    return [-2 if enum.any else -1, len(enum.values), 1 << 30]


# What checks an int32_t in the code of a call, and numbers that it excludes.
CHECKS = {r"enum_of<[\w:]+>\(NAME, (\d+)": [-2, None, 1 << 30], r"space_option\(NAME\)": [-2, 3], r"space_argument\(NAME\)": [-1, 3], r"level_of\(NAME, ": [-2, 2],
          r"threads_argument\(NAME\)": [-1], r"cluster_options\(NAME, ": [-1, 2], r'state_of\(NAME, "NAME"\)': [-1, 1 << 30], r"device_of\(NAME\)": [-2]}
# What other functions check.
LOWEST = {"id": 0, "blueprint": 0, "threads": 0, "workers": 0, "errors_max": 1, "embargo_epochs": 0, "pause_epochs": 0, "stability_window": 1}
# Of single parameters; a space that is read after other arguments, which do not fit, and a blueprint that need not exist.
ALONE = {"kindred_modifiers_engram(fan)": [-2, 0, 3], "kindred_cosine_sigmoids(space)": [], "kindred_weighted_average(space)": [], "kindred_seeds_germinate(blueprint)": []}


def excluded(text, name):
    """Numbers that the code `text` refuses as an int32_t."""
    for check, numbers in CHECKS.items():
        if found := re.search(check.replace("NAME", rf"(?:given\.)?{name}"), text):
            return [int(found[1]) if number is None else number for number in numbers]
    return [LOWEST[name] - 1] if name in LOWEST else []


def text_of(one, *attributes):
    return " ".join(filter(None, (" ".join([found] if isinstance(found, str) else found) for found in map(one.of, attributes))))


def is_below_limit(one):
    """Whether 0 is below the least number of a size, by the check in Python."""
    return re.search(rf'(?:integer_of|narrow_of<[\w:]+>)\({one.name}, "{one.name}", [1-9]', text_of(one, "lines", "value")) is not None


def bad_arguments(function, one):
    """(name, value) of a parameter of C, or of several that are one in C++."""
    if isinstance(one.kind, kinds.EnumArgument):
        return [(one.name, value) for value in beyond(one.kind.enum)]
    text, found = text_of(one, "c_lines", "c_value"), []
    for declared in one.of("c"):
        type, name = declared.rstrip("?!").rsplit(" ", 1)
        if type == "int32_t":
            found += [(name, value) for value in ALONE.get(f"{c.name_of(function)}({name})", excluded(text, name))]
        elif name == one.name and is_below_limit(one):
            found.append((name, 0))
    return found


def bad_members(function, field):
    """(member, value) of a field of options."""
    kind, name = field.kind, field.name
    if isinstance(kind, kinds.EnumField):
        return [(name, value) for value in beyond(kind.enum)]
    if isinstance(kind, kinds.FilterField):
        return [(f"{name}_size", 1), (f"{name}_bits_size", "UINT64_MAX")] if name not in function.without else []
    if isinstance(kind, kinds.ListOfField):
        return [(f"{name}_size", 1)]
    if isinstance(kind, kinds.StreamField):
        return [(f"has_{name}", 2)]
    if isinstance(kind, kinds.DoubleField):
        return [(name, "std::numeric_limits<double>::quiet_NaN()")]
    members = [tuple(member.rsplit(" ", 1)) for member in field.of("members")] if isinstance(kind, kinds.Field) else []
    found = [(member, value) for type, member in members if type == "int32_t" for value in excluded(text_of(field, "c_value", "c_lines"), member)]
    return found + [(name, 0)] * (("uint64_t", name) in members and is_below_limit(field) and name not in function.without)


def bad_input_of(function):
    name, found = c.name_of(function), []
    for one in function.parameters:
        struct = STRUCTS.get(f"kindred_{one.kind.arguments[0]}") if type(one.kind).__name__ == "LayerList" else one.kind
        if hasattr(struct, "fields"):
            members = [row for field in struct.fields for row in bad_members(function, field)]
            if any(member == "int32_t reserved" for member, _, _ in c.members_of(struct)):
                members.append(("reserved", 1))
            found += [f"KINDRED_BAD_MEMBER({name}, {one.name}, {struct.c}, {struct.c.upper()}_INIT, {member}, {value})" for member, value in members]
        elif isinstance(one.kind, kinds.Kind):
            found += [f"KINDRED_BAD_ARGUMENT({name}, {argument}, {value})" for argument, value in bad_arguments(function, one)]
    return found


# Options.inc

# Where a member of C arrives in C++, unless there under its name.
PATHS = {
    "decay": "decay.parameter", "decay_kind": "decay.kind", "bfloat16": "activations", "probe_interval_ms": "dispatcher.probe_interval",
    "breaker_interval_ms": "dispatcher.breaker_interval",
    **{name: f"dispatcher.{name}" for name in ("window", "probe_loss_max", "device_items_min", "device_items_from")},
    **{name: f"rules.{name}" for name in ("reconstruction_loss_max", "stability_min", "total_improvement_min", "final_stability_min", "performance_loss",
                                          "error_rate_max", "errors_max", "embargo_epochs")},
    **{name: f"schedules.{name}" for name in ("ramp_epochs", "drift_threshold", "momentum", "alpha_min", "alpha_max", "abort_error_rate", "pause_epochs",
                                              "stability_window")}}
# Their effects are tested with the calls; the pointers of callbacks, too.
BY_HAND = {"struct_size", "reserved", "given", "kinds", "modifiers", "per_query", "per_query_size", "workspace_bytes", "stream"}
STRUCTS_BY_HAND = {"kindred_modifiers", "kindred_candidates", "kindred_patterns", "kindred_lattice_task", "kindred_seed_arrays", "kindred_seed_sums"}


def setting_of(field, type, name, default):
    """What sets a member to another value than its default, and what must arrive, as a number."""
    kind = field.kind if field else None
    if isinstance(kind, kinds.FlagField):
        value = 0 if default == "1" else 1
        return f"given.{name} = {value}", f"as_number({kind.arguments[1 - value]})"
    if name == "bfloat16":
        return "given.bfloat16 = 1", "as_number(ActivationPrecision::bfloat16)"
    if name == "has_stream":
        return "given.has_stream = 1; given.stream = pointed", "3"
    if type.endswith("_callback"):
        return f"given.{name} = &Stub<{type}>::call", "3"
    if type == "const char*":
        return f'given.{name} = "abc"', "3"
    if type == "DLTensor*":
        return f"given.{name} = tensor()", "3"
    if type.endswith("*"):
        return f"given.{name} = two<{type.removeprefix('const ').removesuffix('*')}>; given.{name}_size = 2", "3"
    if isinstance(kind, kinds.EnumField):
        value = len(kind.enum.values) - 1
    elif name in ("space", "residency", "element", "format", "level", "weights"):
        value = 1
    else:
        value = 0.25 if type in ("double", "float") and not name.endswith("_ms") else 3
    return f"given.{name} = {value}", str(value)


def options_of(options):
    fields = {member.split()[-1].lstrip("*"): field for field in options.fields if isinstance(field.kind, kinds.Field) for member in field.of("members")}
    for member, default, _ in c.members_of(options):
        type, name = re.fullmatch(r"(.*?)(\w+)(?:\[\d+\])?", member).groups()
        if name in BY_HAND or type == "void* " or f"{name[:-5]}" in fields and name.endswith("_size"):
            continue
        set_member, arrives = setting_of(fields.get(name), type.replace(" ", "") if "const" not in type else type.strip(), name, default)
        if "given" in [field.name for field in options.fields]:
            set_member = f"given.given = 511; {set_member}"
        to = PATHS.get(name, "stream" if name == "has_stream" else name)
        yield f"KINDRED_OPTION({options.c}, {options.cpp}, {options.function()}, {name}, {set_member}, {to}, {arrives})"


# Members.inc

def members_of(struct):
    """The numbers, texts and tensors of a struct."""
    for member, _, _ in c.members_of(struct):
        name = re.search(r"(\w+)(\[\w+\])*$", member)[1]
        is_pointer = "*" in member and "DLTensor" not in member and not member.startswith("const char*")
        if name not in ("struct_size", "reserved") and not is_pointer and not re.match(r"(const )?kindred_", member):
            yield name


# Given.inc

def given_of(struct):
    members = " ".join(f"{member} = {default};" for member, default, _ in c.members_of(struct))
    return f"struct {struct.c.removeprefix('kindred_')} {{ {members} operator {struct.c}() const {{ return std::bit_cast<{struct.c}>(*this); }} }};"


def main(folder):
    options = [one for interface in INTERFACES for one in interface.options() if one.c not in STRUCTS_BY_HAND]
    files = {"BadInput": [row for function in FUNCTIONS for row in bad_input_of(function)],
             "Options": [f"KINDRED_OPTIONS({one.c}, {one.cpp}, {one.function()})" for one in options] + [row for one in options for row in options_of(one)],
             "Members": [f"KINDRED_MEMBERS({name}, {' '.join(f'KINDRED_MEMBER({member})' for member in members_of(one))})" for name, one in STRUCTS.items()],
             "Given": [given_of(one) for one in STRUCTS.values() if c.members_of(one)[0][0] == "size_t struct_size"]}
    for name, rows in files.items():
        lines = ["// SPDX-License-Identifier: Apache-2.0", "// Generated by tests/c/make_rows.py: do not edit.", *rows]
        Path(folder, f"{name}.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
