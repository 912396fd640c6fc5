#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the records of kindred-perf, one file per machine, and writes the tables of docs/performance from them.

usage: records.py add MACHINE RECORD...   adds what `--out` of rows, peers, special, dispatch-quality, sweep and bandwidth wrote to MACHINE.jsonl
       records.py tables [--check]        writes the tables, or says which differ
       records.py ratios RECORD           says which rows of `peers` are slower beside their peers than on a recorded machine of the same kind of
                                          processor: their ratio is less than half of that; exit status 1 if there are any

The first line of a file describes the machine. Every other line is the newest measurement of one row on one space, with its date and
commit. Numbers have four significant digits.

A table stands in a page between `<!-- table KIND MACHINE TAG -->` and `<!-- end -->`. KIND is a function below; the rows are those that
have TAG among their tags, in the order of their names in the file.
"""
import json
import re
import statistics
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PAGES = sorted((FOLDER.parents[1] / "docs/performance").glob("*.md"))
TABLE = re.compile(r"(<!-- table ([\w-]+) ([\w-]+) ([\w,-]+) -->\n).*?(<!-- end -->)", re.S)
KEPT = ("row", "tags", "work", "space", "threads", "unit", "seconds", "kernel_seconds", "queued_seconds", "target_seconds", "p99_seconds",
        "p999_seconds", "longest_seconds", "beside", "beside_seconds", "times_beside", "wanted_times_beside", "ratio", "fastest_peer",
        "wanted_ratio_per_core", "percent_of_limit", "arguments", "remarks", "versions")


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def kept(row):
    """What is kept of a row of `rows` or `peers`."""
    out = {name: row[name] for name in KEPT if row.get(name) not in (None, [], {})}
    if "percent_of_read_limit" in row:
        out["percent_of_limit"] = max(row["percent_of_read_limit"], row["percent_of_arithmetic_limit"])
    if row.get("peers"):
        out["peers"] = {name: peer["ratio"] for name, peer in row["peers"].items()}
        out["beside"] = {name: other["ratio"] for name, other in row["beside"].items()} or None
    return {name: value for name, value in out.items() if value is not None}


def curves(record):
    """The time of every size on every space, with the fastest number of threads, from a record of dispatch-quality."""
    found = {}
    for process in record.get("processes", ()):
        for point in process["points"]:
            for space, seconds in point["seconds"].items():
                fastest = min(seconds.values()) if isinstance(seconds, dict) else seconds
                found.setdefault((point["op"], space), {}).setdefault(point["size"], []).append(fastest)
    for (operation, space), sizes in found.items():
        yield {"tags": ["curve"], "row": "curve/" + operation, "space": space,
               "points": [[size, statistics.median(times)] for size, times in sorted(sizes.items())]}


def rows_of(record):
    """The rows of a record of any command."""
    yield from map(kept, record.get("rows", ()))
    for form in record.get("forms", ()):
        if "gain" in form:
            yield {"tags": ["special"], "row": "special/" + form["form"], **{key: form[key] for key in ("machine", "gain", "gain_interval")},
                   "of": form["row"]}
    for name, quality in {**record.get("operations", {}), **({"all": record["all"]} if "operations" in record else {})}.items():
        row = {"tags": ["dispatch"], "row": "dispatch/" + name}
        for when, found in quality.items():
            row[when] = [found["sizes"], found["share"], found["worst_ratio"]]
        yield row
    yield from curves(record)
    for limits in record["context"].get("limits", ()):
        yield {"tags": ["limits"], "row": "limits", "space": limits["space"],
               **{key: value for key, value in limits.items() if key.endswith("second") or key.endswith("seconds")}}


def read(machine):
    """The description of the machine, and its rows by name and space."""
    path = FOLDER / f"{machine}.jsonl"
    if not path.exists():
        return {}, {}
    first, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return first, {(row["row"], row.get("space", "")): row for row in lines}


def add_measured(rows, record):
    """Adds the times of perf/peers/gpu_*.py, replayed from a CUDA graph where they were, to the rows of the same name."""
    for one in record["measured"]:
        row = rows.get((one["row"], "cuda"))
        milliseconds = one.get("graph_microseconds", 0) / 1e3 or one.get("graph_milliseconds") or one["milliseconds"]
        if row:
            row.setdefault("others", {})[one["peer"]] = rounded(1e-3 * milliseconds / one.get("columns", 1))


def add(machine, paths):
    about, rows = read(machine)
    about = about.get("machine", {})
    for path in paths:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
        if "measured" in record:
            add_measured(rows, record)
            continue
        context, kindred = record["context"], record["context"]["kindred"]
        about = {"devices": {one["space"]: one["device"] for one in context["spaces"] if one["usable"]}, "threads": context["threads"],
                 "compiler": kindred["compiler"], "arch": kindred["arch"], "kokkos": context["kokkos"]["version"]}
        when = f"{context['date'][:10]} {kindred['commit'][:8]}" + (" with changes" if kindred.get("dirty") else "")
        for row in rows_of(record):
            scale = record.get("scale", 1)
            rows[row["row"], row.get("space", "")] = {**rounded(row), "when": when, **({"scale": scale} if scale != 1 else {})}
    lines = [{"machine": about}] + list(rows.values())
    text = "\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
    (FOLDER / f"{machine}.jsonl").write_text(text + "\n", encoding="utf-8")


def of_time(seconds):
    if not seconds:
        return ""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= 0.9995 * size or unit == "ns":
            return f"{number(seconds / size)} {unit}"
    return ""


def number(value):
    """Three digits, without exponents."""
    if not value:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{float(f'{value:.3g}'):g}"


def grid(head, rows):
    """A table in Markdown; columns whose name ends with ">" are aligned to the right, and empty columns are left out."""
    used = [i for i in range(len(head)) if any(row[i] for row in rows)]
    lines = ["| " + " | ".join(head[i].rstrip(">") for i in used) + " |",
             "|" + "|".join("---:" if head[i].endswith(">") else "---" for i in used) + "|"]
    return lines + ["| " + " | ".join(row[i] for i in used) + " |" for row in rows]


def fastest_other(row):
    """The fastest of the others that do the whole work, and its time."""
    whole = {name: seconds for name, seconds in row.get("others", {}).items() if not re.search(r"copy|alone|features", name)}
    if not whole:
        return row.get("beside", ""), of_time(row.get("beside_seconds"))
    name = min(whole, key=whole.get)
    return name, of_time(whole[name])


def times(rows):
    """Seconds of rows, and what they are judged by."""
    return grid(("row", "work", "time>", "in kernels>", "in a queue>", "target>", "% of limit>", "beside", "its time>"),
                [(f"`{row['row']}`", row["work"], of_time(row["seconds"]), of_time(row.get("kernel_seconds")), of_time(row.get("queued_seconds")),
                  of_time(row.get("target_seconds")), number(row.get("percent_of_limit")), *fastest_other(row)) for row in rows])


def peers(rows):
    """Ratios to the fastest peer, with one thread and all, or on a GPU."""
    together = {}
    for row in rows:
        if "peers" in row:
            together.setdefault(row["row"], {})[row["space"]] = row
    lines = []
    for name, spaces in together.items():
        one = spaces.get("serial") or spaces.get("cuda")
        more = spaces.get("openmp", {})
        beside = ", ".join(f"{other}: {number(ratio)} ×" for other, ratio in one.get("beside", {}).items())
        limits = [number(row.get("percent_of_limit")) or "–" for row in (one, more) if row]
        lines.append((f"`{name}`", one["work"] + (f"; {beside}" if beside else ""), number(one.get("wanted_ratio_per_core") if one["space"] == "serial" else 0), number(one["ratio"]),
                      number(more.get("ratio")), one["fastest_peer"], " / ".join(limits) if any(limit != "–" for limit in limits) else "",
                      "; ".join(one.get("remarks", ())).partition(": = ")[2]))
    return grid(("row", "work", "wanted>", "ratio>", "all threads>", "fastest peer", "% of limit>", "remark"), lines)


def dispatch(rows):
    """Share of sizes within 5 % of the best choice, and the worst ratio."""
    def cells(row, when):
        sizes, share, worst = row.get(when, (0, 0, 0))
        return (f"{100 * share:.1f} %", f"{worst:.2f} ×") if sizes else ("", "")

    return grid(("operation", "sizes>", "space>", "worst>", "before a calibration>", "worst>", "threads>", "worst>"),
                [(row["row"].partition("/")[2], str(row["calibrated"][0]), *cells(row, "calibrated"), *cells(row, "priors"), *cells(row, "teams"))
                 for row in rows])


def crossovers(rows):
    """The sizes from which a space is faster than those before it, by 5 % and at all larger sizes."""
    order = ("serial", "openmp", "cuda")
    found = {}
    for row in rows:
        found.setdefault(row["row"].partition("/")[2], {})[row["space"]] = dict(row["points"])
    spaces = [space for space in order[1:] if any(space in of for of in found.values())]

    def first(of, space):
        before = [of[other] for other in order[:order.index(space)] if other in of]
        begin = ""
        for size, seconds in sorted(of.get(space, {}).items(), reverse=True):
            if not all(1.05 * seconds < times[size] for times in before if size in times):
                break
            begin = f"{size:,}"
        return begin or "never"

    return grid(("operation", *(f"{space} is fastest from>" for space in spaces)),
                [(f"`{operation}`", *(first(of, space) for space in spaces)) for operation, of in found.items()])


def limits(rows):
    """What the machine can do at most."""
    names = [key for key in rows[0] if key.endswith("second") or key.endswith("seconds")] if rows else []
    return grid(("limit", *(row["space"] + ">" for row in rows)),
                [(name.replace("_per_second", " a second").replace("_", " "),
                  *((of_time(row[name]) if name.endswith("_seconds") else f"{row[name]:.3g}") for row in rows)) for name in names])


def special(rows):
    return grid(("form", "for", "row", "gain>", "95 % interval>"),
                [(f"`{row['row'].partition('/')[2]}`", row["machine"], f"`{row['of']}`", f"{row['gain']:.2f} ×",
                  f"{row['gain_interval'][0]:.2f} … {row['gain_interval'][1]:.2f}") for row in rows])


KINDS = {function.__name__: function for function in (times, peers, dispatch, crossovers, limits, special)}


def table(match):
    begin, kind, machine, tags, end = match.groups()
    _, rows = read(machine)
    chosen = [row for row in rows.values() if set(tags.split(",")) <= set(row.get("tags", ()))]
    if kind == "times":
        chosen = [row for row in chosen if "peers" not in row]
    if not chosen:
        raise SystemExit(f"{begin.strip()}: {machine}.jsonl has no such rows")
    scales = {row["scale"] for row in chosen if "scale" in row}
    when = sorted({row["when"] for row in chosen})
    told = f"Measured {' and '.join(when)}" + (f", sizes scaled by {', '.join(f'{scale:g}' for scale in sorted(scales))}" if scales else "") + ":"
    return begin + "\n" + told + "\n\n" + "\n".join(KINDS[kind](chosen)) + "\n\n" + end


def tables(check):
    differ = 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        made = TABLE.sub(table, text)
        if made == text:
            continue
        differ += 1
        if check:
            print(f"{page.name}: a table is not what perf/results/records.py writes")
        else:
            page.write_text(made, encoding="utf-8")
    print(f"{len(PAGES)} pages, {differ} {'differ' if check else 'written'}")
    return 1 if check and differ else 0


def ratios(path, least=0.5):
    """Compares the ratios of a run of `peers` with those of recorded machines of the same kind."""
    record = json.loads(Path(path).read_text(encoding="utf-8"))
    arch = record["context"]["kindred"]["arch"]
    known = {}
    for file in sorted(FOLDER.glob("[a-z]*.jsonl")):
        about, rows = read(file.stem)
        if about.get("machine", {}).get("arch") == arch:
            known.update({key: row["ratio"] for key, row in rows.items() if "peers" in row})
    compared = {key: row for row in record["rows"] if (key := (row["row"], row["space"])) in known}
    slower = {key: row["ratio"] for key, row in compared.items() if row["ratio"] < least * known[key]}
    for (name, space), ratio in slower.items():
        print(f"{name} on {space}: {ratio:.3g} times the speed of the fastest peer; recorded: {known[name, space]:.3g}")
    print(f"{len(compared)} rows compared with records for {arch}, {len(slower)} below {least:g} of their ratio")
    return 1 if slower else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["add"] and len(sys.argv) > 3:
        add(sys.argv[2], sys.argv[3:])
    elif sys.argv[1:2] == ["tables"]:
        sys.exit(tables("--check" in sys.argv))
    elif sys.argv[1:2] == ["ratios"] and len(sys.argv) == 3:
        sys.exit(ratios(sys.argv[2]))
    else:
        sys.exit(__doc__)
