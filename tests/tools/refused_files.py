# SPDX-License-Identifier: Apache-2.0
"""Files that are refused: the commands, the name of the file, and its contents, each with what stderr
must contain besides the name. The other files are those of `test_refusals`."""
import gzip
import struct

import npy

MTX = "%%MatrixMarket matrix coordinate real general\n"
ROW = b"\x02\0\0\0" + struct.pack("<2f", 1, 0.5)  # of a .fvecs file
VECTORS = npy.encode([1, 0, 0, 1, 1, 1, -1, 0], (4, 2))
DEEP = "[" * 200000 + "]" * 200000
PATTERNS = ("match --patterns bad.jsonl --queries q.jsonl",)
QUERIES = ("match --patterns p.jsonl --queries bad.jsonl",)
PREDICTED = ("match --patterns bad.jsonl --queries q.jsonl --predict",)
AFFINITY = ("match --patterns p.jsonl --queries q.jsonl --predict --affinity bad.jsonl",)
BUILT = ("patterns build --patterns bad.jsonl --out n.knd",
         "patterns build --patterns bad.jsonl --out p.knd --append")
ROWS_OF = ("search --vectors bad.npy --queries q.npy", "search --vectors v.npy --queries bad.npy",
           "score --vectors bad.npy --queries q.npy --candidates c.jsonl")
CANDIDATES = ("score --vectors v.npy --queries one.npy --candidates bad.jsonl",)
SPREAD = ("spread --graph {} --sources s.jsonl",)
SOURCES = "spread --graph e.tsv --sources bad.jsonl"
COLUMN = ("match --patterns bad.csv --queries q.csv --column company",
          "match --patterns q.csv --queries bad.csv --column company")
STATE = ("seeds forward --input x.npy --state bad.json --weights w.npy --out y.npy",)
STEPS = ("seeds step --state grafting.json --steps bad.jsonl --out y.json",)
TASKS = ("lattice batch --tasks bad.jsonl",)
BLOCKED = ("lattice path --dimensions 4 --size 10 --from 0 --to 9 --blocked bad.txt",)
GOOD = '{"name": "x", "tokens": ["a"]}\n'


def second(lines, *words):
    """A good line before each of `lines`, and its place."""
    return [(GOOD + line + "\n" + GOOD, "bad.jsonl:2:", *words) for line in lines]


def field(text, values, *words):
    return [(text % value + "\n", "bad.jsonl:1:", *words) for value in values]


def header(text):
    """A .npy file whose header is `text`."""
    padded = text + b" " * (117 - len(text)) + b"\n"
    return VECTORS[:8] + struct.pack("<H", len(padded)) + padded + VECTORS[128:]


def state(*words, **changes):
    good = {"lifecycle": ["dormant", "grafting", 7], "blueprint": [-1, 0, 1],
            "mode": ["linear", "additive", "multiplicative"], "alpha": [0, 0.5, 0.25]}
    return ({**good, **changes}, *words)


def task(*words, **fields):
    return ([{"do": "build", "out": "kept"}, fields], "bad.jsonl:2:", *words)


def path(*words, **fields):
    return task(*words, **{"do": "path", "from": 0, "to": 9, **fields})


NO_FREQUENCY = ("0", "-1", "1.5", '"3"', "null", "true", "[1]", "4294967296", "99999999999999999999")
ROWS = (
    # Records of `match` and `patterns build`
    (PATTERNS + QUERIES + BUILT, "bad.jsonl", *second(("nonsense", "", '{"tokens": 5}')),
     *second(['{"tokens": ["a", 17]}'], '"tokens" must be an array of strings, but has 17')),
    (("match --lines bad.txt --queries names.txt", "match --lines bad.txt --queries names.txt "
      "--skip-bad"), "bad.txt", (b"good\nbad \xc3\n", "bad.txt:2:", "UTF-8")),
    (("match --patterns bad.jsonl --self --threshold 0.5",), "bad.jsonl",
     ("nonsense\n", "bad.jsonl:1:")),
    (PREDICTED + BUILT, "bad.jsonl",
     *second(['{"tokens": ["a"], "frequency": %s}' % value for value in NO_FREQUENCY],
             "frequency", "4294967295"),
     *second(['{"tokens": ["a"], "frequency": 1, "frequency": 2}'], "frequency", "twice"),
     *second(['{"tokens": ["a"], "frequency": {"a": 1}}'], "object")),
    (BUILT[1:], "bad.jsonl", ('{"name": "first", "tokens": ["x"]}\n', ":1:", "other events")),
    (AFFINITY, "bad.jsonl",
     *[('{"symbol": "a", "affinity": 1}\n' + line + "\n", "bad.jsonl:2:", word) for line, word in (
         ('{"symbol": "a"}', "affinity"), ('{"affinity": 1}', "symbol"), ('["a", 1]', "object"),
         ('{"symbol": 1, "affinity": 1}', "symbol"), ('{"symbol": ["a"], "affinity": 1}', "symbol"),
         ('{"symbol": "a", "affinity": "1"}', "affinity"), ("", "empty"), ("nonsense", "JSON"),
         ('{"symbol": "a", "affinity": null}', "affinity"),
         ('{"symbol": "a", "affinity": 1e100}', "affinity"),
         ('{"symbol": "a", "affinity": 1, "affinity": 1}', "twice"),
         ('{"symbol": "a", "symbol": "a", "affinity": 1}', "twice"))]),
    # Tables
    (COLUMN, "bad.csv", ("id,company\n1,a\n2\n", ":3:", "1 fields", "has 2"),
     ("id,firm,note\n1,a,b\n", "no column 'company'; the columns are 'id', 'firm', 'note'")),
    # Arrays
    (ROWS_OF, "bad.npy", (b"",), (b"name,x,y\n1,2,3\n" * 20,), (b"PK\x03\x04" + bytes(200),),
     *[(VECTORS[:cut],) for cut in (1, 9, 127, 128, 159)], (VECTORS + b"\0\0\0\0",),
     *[(npy.header("<f4", shape) + bytes(32),) for shape in ((5, 2), (2**63, 2), (10**12, 768), (-4, 2))],
     (VECTORS[:6] + b"\x02\x00\xff\xff\xff\x7f" + VECTORS[12:],),  # a header longer than the file
     (npy.encode(range(8), (2, 2, 2)),), (npy.encode([], (4, 0)),),
     (npy.encode(range(8), (4, 2), "<f8"), "byte 10: dtype '<f8'", "x.astype('<f4')"),
     (npy.encode(range(8), (4, 2), fortran_order=True), "ortran")),
    (ROWS_OF[1:2] + ("score --vectors v.npy --queries bad.npy --candidates c.jsonl",
                     "index search --index i.knd --queries bad.npy"), "bad.npy",
     (npy.encode([1, 2, 3], (1, 3)), "queries of dimension 3", "dimension 2")),
    (("search --vectors v.npy --queries q.npy --filter bad.npy",
      "score --vectors v.npy --queries q.npy --candidates c.jsonl --filter bad.npy",
      "index search --index i.knd --queries q.npy --filter bad.npy"), "bad.npy",
     (npy.encode([1, 0, 1], (3,), "|b1"), "3", "6"), (npy.encode([1] * 7, (7,), "|u1"), "7", "6"),
     (npy.encode([1] * 6, (6,), "<f4"), "bool or uint8"), (npy.encode([1] * 6, (2, 3), "|b1"),), (b"",)),
    (("vectors build --vectors bad.npy --out n.knd",), "bad.npy",
     (npy.encode([1], (1, 1), "<f8"), "f8", "astype")),
    (("vectors build --vectors bad.npy --out n.knd --element int8",), "bad.npy",
     (npy.encode([1, float("nan"), 2, 3], (2, 2)), "row 0, place 1", "nan")),
    (("vectors build --vectors bad.npy --out n.knd --element float16",), "bad.npy",
     (npy.encode([1, 2, 3, 65536], (2, 2)), "row 1, place 1", "65504")),
    (("index search --index i.knd --queries bad.npy", "index build --vectors bad.npy --out n.knd"),
     "bad.npy", *[(npy.encode([0, 0, 0, number], (2, 2)), "number 1 of row 1")
                  for number in (float("nan"), float("inf"))]),
    (("index search --index i.knd --queries q.npy --top 2 --truth bad.npy",), "bad.npy",
     (npy.encode([1, 2], (2, 1), "<i8"), "2 × 1 neighbours; 2 queries need 2"),
     *[(npy.encode([1, 2, 5, bad], (2, 2), "<i8"), f"neighbour 1 of query 1 is {bad}", "6 rows")
       for bad in (6, -2, 2**40)]),
    (("search --vectors {} --queries q.npy", "search --vectors v.npy --queries {}"), "x.fvecs",
     (b"", "0 bytes"), (ROW[:-1], "cut"),
     (ROW + struct.pack("<i3f", 3, 1, 2, 3), "byte 12:", "dimension 3", "dimension 2")),
    (("search --vectors {} --queries q.npy",), "x.vectors", (ROW, ".fvecs")),
    (("vectors build --vectors x.fvecs --out v.knd",), "x.fvecs",
     (ROW + struct.pack("<i1f", 1, 5), "byte 12:", "dimension 1")),
    (("index import --hnswlib bad.bin --metric l2 --dimensions 2 --out n.knd",), "bad.bin",
     (b"",), (b"\xff" * 200,)),
    # Candidates
    (CANDIDATES, "bad.jsonl",
     ('{"ids": [0, 99]}\n', '"ids" has 99', "6 rows"),
     ("", "0 lines", "has 1"), ('{"ids": [0]}\n' * 2, "2 lines", "has 1")),
    # Bulk
    (("bulk xor --input b.npy --key bad.npy --out n.npy",), "bad.npy",
     (npy.encode([1, 2, 3], (3,), "|u1"), "(3,)", "(2, 2)")),
    (("bulk xor --input bad.npy --out n.npy",), "bad.npy", (VECTORS, "uint8")),
    (("bulk matmul --a bad.npy --b v.npy --out n.npy",), "bad.npy",
     (npy.encode([1, 2], (2, 1), "|u1"), "float32 or float64"), (b"",), (b"\x93NUMPY\x01",),
     (npy.encode([1, 2], (1, 2)), "(1, 2)", "do not multiply"), (VECTORS + b"x",), (VECTORS[:-1],),
     (npy.encode([1, 2], (2,)), "1 dimensions"), (npy.encode([1] * 6, (1, 6), "<f8"), "float64")),
    (("bulk reduce --op min --input bad.npy",), "bad.npy", (npy.encode([], (0, 3)), "no min"),
     (npy.encode([1, 2], (2,), "<f2"), "<f2"), (VECTORS[:-1],), (VECTORS + b"x",),
     (npy.encode([1, 2, 3, 4], (2, 2), fortran_order=True), "Fortran")),
    (("bulk reduce --op deviation --input bad.npy",), "bad.npy",
     (npy.encode([1, 2], (2,), "|u1"), "uint8", "float32 or float64")),
    # Graphs
    (SPREAD + ("graph build --edges {} --out n.knd",), "bad.tsv", ("a b 1\na b 1 2\n", "bad.tsv:2:"),
     ("a b 1\nb c nan\n", "bad.tsv:2: the weight 'nan' is not a finite number"),
     ("source\ttarget\na\tb\n", ":1: 'source' and 'target' may be a header or an edge; give "
      "--header to skip the line, or --no-header to read it")),
    (("spread --graph {} --sources s.jsonl", "spread --graph {} --sources s.jsonl --mode pagerank"),
     "bad.tsv", ("a\tb\t1\nb\tc\t-0.5\n", "bad.tsv:2:", "-0.5")),
    (SPREAD, "bad.tsv", ("a\tb\t1\nb\tc\t1.5\n", "bad.tsv:2:", "1.5", "[0, 1]")),
    (("graph build --edges {} --edge-kinds --out n.knd",), "bad.tsv", ("a b 1\n", ":1:", "four"),
     ("a b 1 256\n", ":1:", "'256'"), ("a b 1 -1\n", "'-1'"), ("a b 1 x\n", "'x'"),
     ("a b 1 1 1\n", "5 fields")),
    (("spread --graph {} --sources s.jsonl --kinds all",), "bad.tsv", ("a b 1\n", ":1:", "four")),
    (("graph build --edges e.tsv --nodes {} --out n.knd",), "bad.tsv", ("a\na\n", ":2:", "twice"),
     ("a 256\n", "'256'"), ("a 1 1\n", "3 fields"), (b"\xff\n", ":1:")),
    (SPREAD, "bad.csv", ('a,"b, ""c""",1\n"b, ""c""",,0.5\n', "bad.csv:2:", "empty name"),
     ('a,"b\n', ":1:", "not closed")),
    (("spread --graph {} --sources numbered.jsonl",), "bad.mtx",
     (MTX + "2 2 1\n1 2 2.5\n", "outside [0, 1]"),
     (MTX + "% a comment\n2 2 1\n1 3 0.5\n", "bad.mtx:4: the index '3' is not in 1 … 2")),
    # Sources
    ((SOURCES,), "bad.jsonl",
     ('{"sources": [["a", 1]]}\n{"sources": [["z", 1]]}\n', ":2: the node 'z' is not in the graph, "
      "which has 3 nodes"), ('{"sources": [["a" 1]]}\n', ":1: not JSON: column "),
     *field('{"sources": %s}', ('[["a", 1.5]]',)), *field('{"sources": [], "decay": %s}', ('"odd:1"',)),
     *field('{"sources": [["a", 1]], "kinds": %s}',
            ("3", '"0"', "[256]", "[-1]", "[0.5]", "[[0]]", '["0"]', "null"), "kinds")),
    ((SOURCES + " --mode linear",), "bad.jsonl", *field('{"sources": [["a", %s]]}', ("1e39",))),
    ((SOURCES + " --mode pagerank",), "bad.jsonl", *field('{"sources": [["a", %s]]}', ("-2",), "-2"),
     *field('{"sources": [["a", 2]], "hops": %s}', ("3",), "hops")),
    (("spread --graph m.mtx --sources bad.jsonl", "spread --graph m.knd --sources bad.jsonl"),
     "bad.jsonl", *field('{"sources": [["%s", 1]]}', ("0", "3", "-1", "01", "1.0", "a"))),
    # Lattices
    (BLOCKED, "bad.txt", ("0\n10000\n", ":2:", "10000"), ("0 2\n", ":1:", "not neighbours"),
     ("1 2 3\n", "3 fields"), ("1 x\n", "'x'"), ("-1\n", "'-1'"), ("5 5\n", "not neighbours"),
     (b"\xff\n", ":1:")),
    (TASKS, "bad.jsonl", task("'sort'", "analyze", do="sort"), task('"do" is missing', name="x"),
     task("'depth'", "dimensions", do="analyze", depth=3), task("21", do="analyze", dimensions=21),
     task("size", do="analyze", size=1), task("2.5", do="analyze", dimensions=2.5),
     task('"from"', "does not go with", do="analyze", **{"from": 0}), task("boolean", do=True),
     task('"to" is missing', do="path", **{"from": 0}), path("10000", "9999", to=10000),
     path("'0,0'", to="0,0"), path("1.5", to=1.5), path('"to"', "array", to=[1]),
     path("blocked", "array", blocked=5), path("not neighbours", blocked=[[0, 2]]),
     path("3 nodes", blocked=[[0, 1, 2]]), path("blocked", blocked=[[[0]]]),
     path("node 9, which is blocked", blocked=[9]), task('"out" is missing', do="build"),
     task("empty", do="build", out=""), task("missing", do="build", out="missing/x"),
     task("which line 1 writes", do="build", out="kept"),
     task("a graph has at most", do="build", out="x", dimensions=10), ("[]\n", ":1:", "object"),
     ('{"do": "analyze", "do": "path"}\n', ":1:", "twice"),
     ('{"do": "analyze"}\n\n', ":2:", "empty line")),
    # Seeds
    (STATE, "bad.json", state('"alpha" has 2 entries', '"lifecycle" has 3', alpha=[0, 1]),
     state('"mode" has 4 entries', mode=["linear"] * 4),
     state('"alpha" of seed 1 is 1.5', "[0, 1]", alpha=[0, 1.5, 0]),
     state('"alpha" of seed 2 is null', alpha=[0, 1, None]),
     state('"alpha" of seed 0 is -0.1', alpha=[-0.1, 1, 1]),
     state('"lifecycle" of seed 0 is 11', "0 to 10", lifecycle=[11, 0, 0]),
     state('"lifecycle" of seed 1 is -1', lifecycle=[0, -1, 0]),
     state('"lifecycle" of seed 2 is "asleep"', lifecycle=[0, 0, "asleep"]),
     state('"mode" of seed 0 is "gradual"', mode=["gradual", "linear", "linear"]),
     state('"mode" of seed 0 is 4', mode=[4, 0, 0]), state('"mode" of seed 1 is 1.5', mode=[0, 1.5, 0]),
     state('"blueprint" of seed 2 is -2', blueprint=[-1, 0, -2]),
     state('"blueprint" of seed 2 is 1e+20', blueprint=[-1, 0, 99999999999999999999]),
     state("seed 1 is grafting", "no blueprint 2", blueprint=[-1, 2, 1]),
     state("seed 1 is grafting", "the seed has no blueprint", blueprint=[-1, -1, 1]),
     state('"lifecycle" must be an array', lifecycle="dormant"),
     state('there is no "alhpa"', "alpha", alhpa=[0, 0, 0]),
     state('"epochs" of seed 0 is 40000', epochs=[40000, 0, 0]),
     state('"history" of seed 0', history=[[["dormant"]], [], []]),
     state('"history" of seed 1', history=[[], [["dormant", "germinated"]] * 11, []]),
     *[(text, "not JSON") for text in ("", "{", '{"lifecycle": [NaN]}', b'{"lifecycle": ["\xff"]}')],
     ("[1]", "a JSON object"), ("{}", '"lifecycle" is missing'),
     (f'{{"lifecycle": [0], "alpha": [{DEEP}]}}', '"alpha" of seed 0 is a list of 1')),
    (("seeds forward --input x.npy --state seeds.json --weights bad.npy --out y.npy",), "bad.npy",
     (npy.encode([1.0] * 12, (2, 6)), "blueprints of 6 weights; the rows have 7 features"),
     (VECTORS[:-1],)),
    (("seeds forward --input bad.npy --state seeds.json --weights w.npy --out y.npy",), "bad.npy",
     (npy.encode([1.0] * 7, (1, 7), "<f8"), "doubles are not converted"), (VECTORS[:-1],),
     (npy.encode([1] * 7, (1, 7), "<i8"), "int64")),
    (("seeds forward --input bad.npy --state seeds.json --weights w.npy --out y.npy "
      "--element float16",), "bad.npy", (npy.encode([1.0] * 7, (1, 7)), "float16 cannot represent")),
    (("seeds backward --input x.npy --gradient bad.npy --state seeds.json --weights w.npy --out y.npy "
      "--out-weights dw.npy",), "bad.npy", (npy.encode([1.0] * 7, (1, 7)), "1 rows of 7")),
    (STEPS, "bad.jsonl", ([{"epochs": 1}, {"seed": 0}], ":2:", "one of"),
     *[([step], ":1:", *words) for step, *words in (
         ({"epochs": 1, "to": "dormant", "seed": 0}, "one of"),
         ({"seed": 2, "to": "dormant"}, '"seed" is 2', "0 to 1"),
         ({"seed": 0, "to": "asleep"}, '"to" is "asleep"'), ({"seed": 0, "to": 3}, '"to" is 3'),
         ({"epochs": 0}, '"epochs" is 0'), ({"epochs": -1}, '"epochs" is -1'),
         ({"seed": 1, "to": "germinated", "blueprint": 0, "mode": "safe"}, '"mode" is "safe"'),
         ({"epochs": 1, "error_rate": [1]}, '"error_rate"', "a list of 2"),
         ({"epochs": 1, "error_rate": "high"}, '"error_rate" is "high"'),
         ({"epochs": 1, "weights": 3}, '"weights"'), ({"seed": 0, "error": False}, '"error" is false'),
         ({"seed": 0, "to": "stabilization", "error_rate": [1, 2]}, "not a list"))],
     ([{"epochs": 1, "weights": [1, 2]}, {"epochs": 1, "weights": [1]}], ":2:",
      "1 weights; the epochs before had 2"), ("{", "not JSON"),
     ('{"seed": 0, "error": ' + DEEP + "}", '"error" is a list of 1')),
    (("seeds step --state bad.json --steps empty.jsonl --out y.json",), "bad.json",
     ({"lifecycle": ["grafting"], "blueprint": [0], "schedule_state": [[7]]}, "linear")),
    (("seeds report --state seeds.json --state bad.json --out y.html",), "bad.json",
     ({"lifecycle": [0, 0]}, "2 seeds")),
    (("seeds report --state seeds.json --telemetry bad.json --out y.html",), "bad.json",
     ({"count": [1, 2, 3]}, '"mean" is missing')),
    # Files of other programs
    (("match --lines {} --queries q.jsonl", "match --patterns p.jsonl --queries {}",
      "patterns build --patterns {} --out n.knd"), "x.parquet",
     (b"PAR1\x15\x04\x15\x20" + bytes(40) + b"PAR1", "is a Parquet file, not UTF-8 text; convert it: "
      "duckdb -c \"COPY 'x.parquet' TO 'x.parquet.csv'\"")),
    (("patterns info {}",), "x.parquet", (b"PAR1\x15\x04" + bytes(40), "not a store of patterns")),
    (("search --vectors {} --queries q.npy",), "x.parquet",
     (b"PAR1\x15\x04" + bytes(40), "is a Parquet file, not an array of rows",
      "numpy.save('x.parquet.npy', pandas.read_parquet('x.parquet').to_numpy('float32'))")),
    (("match --patterns {} --column a --queries v.csv",), "x.arrow",
     (b"ARROW1\0\0\xff\xff\xff\xff" + bytes(40), "is an Arrow IPC file",
      "pandas.read_feather('x.arrow').to_csv('x.arrow.csv'")),
    (("graph build --edges {} --out n.knd",), "x.arrow",
     (b"ARROW1\0\0\xff\xff\xff\xff" + bytes(40), "is an Arrow IPC file, not an edge list")),
    (("match --lines {} --queries q.jsonl",), "names.utf16",
     ("name\n".encode("utf-16"), "is UTF-16 text, not UTF-8 text; convert it: iconv -f UTF-16 -t "
      "UTF-8 names.utf16")),
    (("match --lines {} --queries q.jsonl",), "x.gz", (gzip.compress(b"PAR1\x15\x04" + bytes(40)),
                                                      "x.gz is a Parquet file")),
)
# Files of another kind: what is typed and the message.
KINDS = (
    ("match --patterns names.txt --self --threshold 0.9",
     "names.txt:1: a line must be a JSON object"),
    ("search --store v.npy --queries q.npy",
     "v.npy is an array of rows, not a store of vectors; use --vectors v.npy"),
    ("search --vectors v.knd --queries q.npy",
     "v.knd is a store of vectors, not an array of rows; use --store v.knd"),
    ("search --vectors i.knd --queries q.npy",
     "i.knd is an index (HNSW), not an array of rows; it is for kindred index search --index i.knd"),
    ("search --vectors v.npy --queries v.knd", "write the queries to a .npy file"),
    ("index search --index v.knd --queries q.npy",
     "build one: kindred index build --store v.knd --out INDEX"),
    ("index search --index v.npy --queries q.npy",
     "build one: kindred index build --vectors v.npy --out INDEX"),
    ("index build --store v.npy --out n.knd", "use --vectors v.npy"),
    ("index build --vectors v.knd --out n.knd", "use --store v.knd"),
    ("index info v.knd", "v.knd is a store of vectors, not an index"),
    ("vectors info v.npy", "build one: kindred vectors build --vectors v.npy --out STORE"),
    ("vectors build --vectors v.knd --out n.knd",
     "v.knd is a store of vectors, not an array of rows"),
    ("graph info e.tsv", "e.tsv is text, not a graph; build one: kindred graph build --edges e.tsv"),
    ("graph build --edges g.knd --out n.knd",
     "g.knd is a graph, not an edge list; it is for kindred spread --graph g.knd"),
    ("spread --graph p.knd --sources s.jsonl", "p.knd is a store of patterns, not a graph"),
    ("spread --graph v.npy --sources s.jsonl", "v.npy is an array of rows, not an edge list"),
    ("patterns info p.jsonl", "p.jsonl is text, not a store of patterns; build one: kindred patterns "
     "build --patterns p.jsonl --out STORE"),
    ("match --patterns v.npy --queries p.jsonl",
     "v.npy is an array of NumPy, not UTF-8 text; it is for kindred search --vectors v.npy"),
    ("match --patterns v.knd --queries p.jsonl",
     "v.knd is a store of vectors, not UTF-8 text; it is for kindred search --store v.knd"),
    ("match --lines names.xlsx --queries p.jsonl",
     "names.xlsx is an Office document (.xlsx), not UTF-8 text; save the sheet as CSV (UTF-8)"),
    ("search --vectors v.npy --queries rows.npz", "rows.npz is an archive of arrays (.npz)"),
    ("search --vectors v.csv --queries q.npy", "v.csv: unknown format of vectors"),
    ("graph build --edges huge.tsv --weights bfloat16 --out n.knd", "the bfloat16 limit of 3.39e38"),
    ("spread --graph heavy.knd --sources s.jsonl", "[0, 1]"),
    ("spread --graph heavy.knd --sources s.jsonl --mode pagerank", "-1"),
    ("spread --graph kinds.tsv --sources s.jsonl", "kinds.tsv:1: 4 fields"),
    ("spread --graph empty.tsv --sources s.jsonl", "the node 'a' is not in the graph"),
    ("index import --hnswlib h.bin --metric l2 --dimensions 3 --out n.knd", "dimension 3"),
    ("graph build --wordnet . --out n.knd", "data.noun"),
    ("patterns {} missing", "No such file"), ("patterns {} .", "regular file"),
    ("patterns {} /dev/null", "regular file"), ("patterns {} empty.tsv", "empty.tsv"),
    *[(command, "0 rows; there must be at least 1") for command in (
        "search --vectors none.npy --queries q.npy", "search --store none.knd --queries q.npy",
        "search --vectors none.npy --queries q.npy --at-least 0",
        "search --store none.knd --queries q.npy --at-least 0",
        "score --vectors none.npy --queries q.npy --candidates c.jsonl",
        "score --store none.knd --queries q.npy --candidates c.jsonl",
        "index search --index none.index --queries q.npy")],
    *[(command, "missing: No such file") for command in (
        "match --patterns missing --queries q.jsonl", "match --patterns p.jsonl --queries missing",
        "match --patterns p.jsonl --queries q.jsonl --predict --affinity missing",
        "score --vectors v.npy --queries q.npy --candidates missing", "spread --graph missing "
        "--sources s.jsonl", "spread --graph e.tsv --sources missing", "graph build --edges missing "
        "--out n.knd", "lattice batch --tasks missing", "lattice path --from 0 --to 9 --blocked missing",
        "patterns build --patterns missing --out n.knd")],
    *[(command, "missing") for command in (
        "search --vectors missing.npy --queries q.npy", "search --vectors v.npy --queries missing.npy",
        "index search --index missing --queries q.npy", "index info missing", "vectors verify missing",
        "graph info missing", "graph verify missing", "bulk reduce --op sum --input missing.npy",
        "patterns build --append --patterns p.jsonl --out missing",
        "seeds forward --input missing.npy --state seeds.json --out y.npy",
        "seeds forward --input x.npy --state missing.json --out y.npy")],
    *[(command, ".") for command in (
        "match --patterns . --queries q.jsonl", "search --vectors . --queries q.npy", "vectors info .",
        "spread --graph . --sources s.jsonl", "seeds forward --input x.npy --state . --out y.npy")],
)
