# SPDX-License-Identifier: Apache-2.0
"""Arbitrary arguments of every class: a result, or an exception that names the argument, and never a crash.

Hypothesis draws them; the seed is fixed, and printed. The functions of what is described, and their arguments, are those of the descriptions.
"""
import inspect
import os
import re
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import pykindred
from pykindred import PreparedBulk, _types
from support import QUIET_FORK, run, vectors
from watchdog import watch

try:
    from hypothesis import HealthCheck, given, seed, settings
    from hypothesis import strategies as st
except ImportError:
    print("skipped: hypothesis is not installed: pip install -r bindings/python/requirements.txt")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/interface"))
import generate  # noqa: E402

SEED = int(os.environ.get("KINDRED_TEST_SEED", "20261125"))
print(f"KINDRED_TEST_SEED={SEED}", file=sys.stderr)

TYPES = ["float32", "float64", "float16", "int64", "int32", "uint32", "int8", "uint8", "uint64", "bool", "complex64", ">f4", "<U3", "S2", "O", "M8[s]",
         [("a", "f4")]]


@st.composite
def arrays(draw):
    """Arrays of any type, shape and layout."""
    kind = np.dtype(draw(st.sampled_from(TYPES)))
    shape = tuple(draw(st.lists(st.integers(0, 6), max_size=5)))
    size = int(np.prod(shape))
    if kind.kind in "fiub":
        numbers = draw(st.lists(st.sampled_from([0, 1, 2, 7, 255, -1, 0.5, np.nan, np.inf, 2**40]), min_size=1, max_size=4))
        with np.errstate(all="ignore"):
            array = np.resize(np.array(numbers, float), size).astype(kind, casting="unsafe").reshape(shape)
    else:
        array = np.zeros(shape, kind)
    layout = draw(st.sampled_from(["dense", "dense", "transposed", "reversed", "apart", "repeated", "read-only", "unaligned"]))
    if layout == "transposed":
        array = array.T
    elif layout == "reversed" and array.ndim > 0:
        array = array[::-1]
    elif layout == "apart" and array.ndim > 0:
        array = np.repeat(array, 2, 0)[::2]
    elif layout == "repeated":
        array = np.broadcast_to(array, (3, *array.shape))
    elif layout == "read-only":
        array.flags.writeable = False
    elif layout == "unaligned" and kind.kind in "fiu" and size > 0:
        array = np.frombuffer(b"." + np.ascontiguousarray(array).tobytes(), kind, offset=1).reshape(shape)
    return array


ANYTHING = st.one_of(
    arrays(), arrays(),
    st.none(), st.booleans(), st.integers(-3, 70), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=4), st.binary(max_size=4),
    st.lists(st.one_of(st.integers(-2, 40), st.text(max_size=2), st.floats(), st.none()), max_size=4), st.lists(st.lists(st.text(max_size=2), max_size=2), max_size=3),
    st.dictionaries(st.integers(-1, 40), st.floats(), max_size=2), st.tuples(st.text(max_size=3), st.floats()), st.just(object()), st.just(np.float32),
    st.sampled_from([memoryview(b"abcd"), bytearray(8), np.float32(1), np.int64(3), range(3), iter([1, 2])]))


FOLDER = tempfile.TemporaryDirectory()  # for files that calls write
ROWS, QUERIES = vectors("rows", 40, 6), vectors("queries", 3, 6)
# An object of every class that is described.
MAKE = {
    "Context": lambda: pykindred.Context(threads=1, load_profile=False, profile=f"{FOLDER.name}/profile"),
    "VectorIndex": lambda: pykindred.VectorIndex(ROWS),
    "PreparedScore": lambda: pykindred.PreparedScore(SHARED["VectorIndex"], 9, 2),
    "HnswIndex": lambda: pykindred.HnswIndex(ROWS, m=4, ef_construction=10),
}
SHARED = {}
SHARED.update((name, make()) for name, make in MAKE.items())  # a scorer is made of the index before it
for _name in ("VectorIndex", "HnswIndex"):
    SHARED[_name].save(f"{FOLDER.name}/{_name}")
SHARED["HnswIndex"].export_hnswlib(f"{FOLDER.name}/hnswlib")
# Valid arguments: of one function, of a class, or of every function in which they have no default.
VALID = {
    "queries": QUERIES, "query": QUERIES[0], "rows": ROWS, "row": ROWS[4], "ids": [3], "id": 3, "score": 0.5, "top": 2, "path": f"{FOLDER.name}/file",
    "candidates": np.int64([[1, 2], [3, -1], [4, 4]]), "dimension": 6, "metric": "ip", "longest": 9,
    "Context.threads": 1, "Context.load_profile": False,
    "VectorIndex.rows": ROWS, "VectorIndex.data": SHARED["VectorIndex"].to_bytes(), "VectorIndex.load.path": f"{FOLDER.name}/VectorIndex",
    "PreparedScore.index": SHARED["VectorIndex"], "PreparedScore.candidates": np.array([1, 2]),
    "HnswIndex.data": SHARED["HnswIndex"].to_bytes(), "HnswIndex.load.path": f"{FOLDER.name}/HnswIndex",
    "HnswIndex.import_hnswlib.path": f"{FOLDER.name}/hnswlib",
}


class Described:
    """A function of the package that is described, with valid arguments."""

    def __init__(self, handle, name, changes=False):
        self.handle, self.attribute, self.changes = handle.name, name, changes
        self.owner = pykindred if isinstance(handle, generate.python.Functions) else getattr(pykindred, handle.name)
        self.name = name if self.owner is pykindred else f"{handle.name}.{name}".removesuffix(".__init__")
        function = self.owner if name == "__init__" else getattr(self.owner, name)
        self.is_of_object = name != "__init__" and self.owner is not pykindred and not inspect.ismethod(function)
        if self.is_of_object and handle.name not in MAKE:
            raise AssertionError(f"MAKE has no {handle.name}")
        self.function, self.parameters = function, inspect.signature(function).parameters
        self.arguments = {one: self.valid(one, of) for one, of in self.parameters.items() if one != "self"}

    def valid(self, argument, of):
        for name in (f"{self.name}.{argument}", f"{self.handle}.{argument}"):
            if name in VALID:
                return VALID[name]
        if of.default is of.empty and argument not in VALID:
            raise AssertionError(f"VALID has no value for the argument {argument} of {self.name}")
        return VALID[argument] if of.default is of.empty else of.default

    def __call__(self, **given):
        if self.is_of_object:
            return getattr(MAKE[self.handle]() if self.changes else SHARED[self.handle], self.attribute)(**given)
        return self.function(**given)


def described():
    """All functions of what is described, by their names."""
    interfaces, found = generate.interfaces(), []
    for handle in [one for name in generate.IN_PYTHON for one in generate.python.native_handles(interfaces[name])]:
        for function in generate.python.public_functions(handle):
            if function.is_constructor() or function.python is None:
                found.append(Described(handle, "__init__" if function.is_constructor() else function.name, function.changes))
        found += [Described(handle, name) for source in handle.methods for name in re.findall(r"^ {4}def ([a-z]\w*)", source, re.M) if name != "close"]
    return {one.name: one for one in found}


DESCRIBED = described()
# What an argument must not be, by its type.
WRONG = {inspect.formatannotation(of): values for of, values in {
    int: ["1", 1.5, -1, 2**70], float: ["1", [1.0]], str: [3, "no such"], bool: [3, "True"], pykindred.Context: [3, "context"],
    _types.Array: ["array", np.zeros((2,) * 5, np.float32), np.zeros((2, 6), complex)], _types.Ids: ["ids", [1.5], [-7], np.zeros((2,) * 3, np.int64)],
    _types.StrPath: [3, ["path"]], _types.Bytes: ["text", 3]}.items()}


def wrong(annotation):
    """Wrong values of an argument of a type."""
    name = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return [] if "Callable" in name else [object(), *WRONG.get(name.removesuffix(" | None"), ())]


def objects():
    """Every call as ``name: (function, arguments)``. What a call changes has no effect on the others."""
    rows = ROWS
    matcher = pykindred.SequenceMatcher(["abc", "abd", "xyz", ""])
    memory = pykindred.PatternMemory()
    memory.learn_all([[["a", "b"], ["c"]], [["a"], ["d"]]], names=["one", None])
    edges = np.arange(39), np.arange(1, 40), np.full(39, 0.5, np.float32)
    engine, csr = pykindred.SpreadingEngine(40, *edges), (np.int64([0, 1, 2]), np.uint32([1, 0]), np.float32([0.5, 0.25]))
    lattice, bulk, vocabulary = pykindred.Lattice(2, 4), pykindred.Bulk(), pykindred.Vocabulary()
    vocabulary.add_all(["a", "b"])
    prepared = pykindred.PreparedQuery("abcab", measure="levenshtein")
    x, out = vectors("x", 3, 6), np.zeros((3, 2), np.float32)
    return {
        **{name: (one, one.arguments) for name, one in DESCRIBED.items() if one.arguments},
        "KeyedVectorIndex.from_bytes": (pykindred.KeyedVectorIndex.from_bytes, dict(data=pykindred.KeyedVectorIndex(list(range(40)), rows).to_bytes(),
                                                                                    residency="automatic", quantized_copy=True)),
        "row_scores": (pykindred.row_scores, dict(queries=QUERIES, rows=rows, metric="ip", space=None, out=np.zeros((3, 40), np.float32))),
        "top_rows": (pykindred.top_rows, dict(queries=QUERIES, rows=rows, top=2, metric="ip", space=None)),
        "Vocabulary.add": (vocabulary.add, dict(text="a")),
        "Vocabulary.add_all": (vocabulary.add_all, dict(texts=["a", "b"], sorted=False)),
        "Vocabulary.text": (vocabulary.text, dict(symbol=1)),
        "Vocabulary.decode": (vocabulary.decode, dict(symbols=np.uint32([0, 1]))),
        "SequenceMatcher": (pykindred.SequenceMatcher, dict(patterns=["abc", "b"], residency="automatic")),
        "SequenceMatcher.match": (matcher.match, dict(queries=["abd"], measure="lcs", threshold=0.1, top=2, blocks=True, autojunk=False, postings="automatic",
                                                      filter=[0, 1], space=None)),
        "SequenceMatcher.score_all": (matcher.score_all, dict(queries=["abd"], measure="lcs", value="similarity", dtype=None, score_cutoff=None,
                                                        out=np.zeros((1, 4), np.float32))),
        "SequenceMatcher.match_self": (matcher.match_self, dict(measure="lcs", threshold=0.5, top=2)),
        "SequenceMatcher.cluster": (matcher.cluster, dict(threshold=0.5, linkage="complete", measure="lcs")),
        "similarity": (pykindred.similarity, dict(pattern="abc", query="abd", measure="lcs", score_cutoff=0.1)),
        "PreparedQuery": (pykindred.PreparedQuery, dict(query="abc", measure="lcs", autojunk=False)),
        "PreparedQuery.similarity": (prepared.similarity, dict(pattern="abc", score_cutoff=0.1)),
        "PatternMemory.learn": (lambda **given: pykindred.PatternMemory().learn(**given), dict(events=[["a"], ["b"]], name="n", times=1)),
        "PatternMemory.learn_all": (lambda **given: pykindred.PatternMemory().learn_all(**given), dict(patterns=[[["a"]], [["b"]]], names=["n", None], times=[1, 2])),
        "PatternMemory.match": (memory.match, dict(queries=[[["a", "b"]]], level=None, measure="lcs", threshold=0.0, top=3, blocks=False, filter=None)),
        "PatternMemory.predict": (memory.predict, dict(query=[["a", "b"]], threshold=0.1, top=2, rank_by="potential", weights=None)),
        "PatternMemory.names": (memory.names, dict(indices=[0, 1])),
        "PatternMemory.pattern": (memory.pattern, dict(index=0)),
        "PatternMemory.from_bytes": (pykindred.PatternMemory.from_bytes, dict(data=memory.to_bytes(), level="token")),
        "SpreadingEngine": (pykindred.SpreadingEngine, dict(nodes=40, sources=edges[0], targets=edges[1], weights=edges[2], edge_kinds=None, node_kinds=None)),
        "SpreadingEngine.from_csr": (pykindred.SpreadingEngine.from_csr, dict(indptr=csr[0], indices=csr[1], data=csr[2])),
        "SpreadingEngine.spread": (engine.spread, dict(sources=[{1: 1.0}], mode="linear", decay=("exponential", 0.7), threshold=None, top=3, damping=0.5,
                                                       tolerance=0.1, per_query=None, kinds=None, modifiers=None, activations="float32", trace_paths=0)),
        "SpreadingEngine.hop": (engine.hop, dict(x=np.ones(40, np.float32), direction="along", kinds=None, modifiers=None, out=np.zeros(40, np.float32))),
        "SpreadingEngine.from_bytes": (pykindred.SpreadingEngine.from_bytes, dict(data=engine.to_bytes(), residency="automatic", merge_share=0.1)),
        "SpreadingEngine.add_edges": (lambda **given: pykindred.SpreadingEngine(3, [0], [1]).add_edges(**given), dict(sources=[1], targets=[2], weights=np.float32([0.5]))),
        "SpreadingEngine.remove_nodes": (lambda **given: pykindred.SpreadingEngine(3, [0], [1]).remove_nodes(**given), dict(nodes=[1])),
        "Lattice": (pykindred.Lattice, dict(dimensions=2, size=3, blocked_nodes=[1], blocked_edges=[(0, 3)])),
        "Lattice.path": (lattice.path, dict(source=0, target=5, space=None)),
        "Lattice.paths": (lattice.paths, dict(pairs=[(0, 5)])),
        "Lattice.distances": (lattice.distances, dict(sources=[0], targets=[5])),
        "Lattice.coordinates": (lattice.coordinates, dict(node=3)),
        "Lattice.index": (lattice.index, dict(coordinates=[1, 1])),
        "Bulk.element_wise": (bulk.element_wise, dict(operation="add", arrays=x, other=x, out=np.zeros((3, 6), np.float32))),
        "Bulk.xor": (bulk.xor, dict(arrays=np.uint8([1, 2]), keys=np.uint8([3, 4]))),
        "Bulk.normalise": (bulk.normalise, dict(arrays=[x, x], out=[np.zeros((3, 6), np.float32), np.zeros((3, 6), np.float32)])),
        "Bulk.random_fill": (bulk.random_fill, dict(out=np.zeros(3), seed=1, offset=0)),
        "Bulk.reduce": (bulk.reduce, dict(reduction="sum", arrays=x, out=np.zeros(3, np.float32))),
        "Bulk.multiply": (bulk.multiply, dict(a=x, b=np.ones((6, 2), np.float32), reproducible=False, out=out)),
        "layer_norm_act": (pykindred.layer_norm_act, dict(x=x, weight=np.ones(6, np.float32), bias=None, eps=1e-5, activation="relu", out=np.zeros((3, 6), np.float32))),
        "linear_act": (pykindred.linear_act, dict(x=x, weight=np.ones((2, 6), np.float32), bias=None, activation="gelu", out=out)),
        "PreparedBulk.element_wise": (PreparedBulk.element_wise, dict(operation="add", arrays=[x], other=[x], out=[np.zeros((3, 6), np.float32)], space=None)),
        "PreparedBulk.xor": (PreparedBulk.xor, dict(arrays=np.uint8([1, 2]), keys=np.uint8([3, 4]))),
        "PreparedBulk.reduce": (PreparedBulk.reduce, dict(reduction="sum", arrays=x, out=np.zeros(3))),
        "PreparedBulk.random_fill": (PreparedBulk.random_fill, dict(out=np.zeros(3), seed=1, offset=0)),
        "PreparedBulk.multiply": (PreparedBulk.multiply, dict(a=x, b=np.ones((6, 2), np.float32), reproducible=False, out=out)),
        "PreparedLayer.norm": (pykindred.PreparedLayer.norm, dict(x=x, weight=np.ones(6, np.float32), eps=1e-5, out=np.zeros((3, 6), np.float32))),
        "PreparedLayer.linear": (pykindred.PreparedLayer.linear, dict(x=x, weight=np.ones((2, 6), np.float32), bias=None, activation="gelu", out=out)),
        "SeedSequence.add": (lambda **given: pykindred.SeedSequence().add(**given), dict(layer=pykindred.SeedLayer(6, 2), x=x, out=np.zeros((3, 6), np.float32), telemetry=True)),
    }


CALLS = objects()
# What messages call an argument that they do not name.
ALSO = {"out": ("scores", "ids", "result"), "id": ("ids",), "data": ("bytes", "buffer", "file", "head"), "filter": ("indices",), "score_cutoff": ("cutoff",), "indptr": ("offsets",),
        "sources": ("edge", "node"), "targets": ("edge", "node"), "nodes": ("edge",), "blocked_nodes": ("node",), "blocked_edges": ("edge",),
        "dimensions": ("lattice", "edge"), "size": ("lattice", "edge"), "source": ("path",), "target": ("path",), "array": ("result",), "rows": ("queries",),
        "other": ("number", "array"), "arrays": ("out", "other", "keys", "result"), "query": ("queries",), "candidates": ("id",), "longest": ("longest list",),
        "layer": ("x",), "queries": ("out",), "a": ("b",), "x": ("out", "w"), "w": ("out",)}


def names_argument(message, name):
    return any(word in message for word in (name, name.rstrip("s"), *ALSO.get(name, ())))


class BadInput(unittest.TestCase):
    @seed(SEED)
    @settings(max_examples=700, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=True)
    @given(st.sampled_from(sorted(CALLS)), st.data())
    def test_any_argument_gives_a_result_or_an_exception_that_names_it(self, call, data):
        function, arguments = CALLS[call]
        name = data.draw(st.sampled_from(sorted(arguments)))
        value = data.draw(ANYTHING)
        if name == "path" and isinstance(value, (str, bytes)):
            return  # it might name a file of somebody
        try:
            function(**{**arguments, name: value})
        except (pykindred.InvalidArgument, pykindred.InvalidType) as error:
            self.assertTrue(names_argument(str(error), name), f"{call}({name}={value!r}): {error}")
        except (pykindred.Error, UnicodeError) as error:
            self.assertTrue(str(error))

    def test_wrong_types_and_numbers_of_what_is_described_are_refused(self):
        for name, one in DESCRIBED.items():
            for argument in one.arguments:
                for value in wrong(one.parameters[argument].annotation):
                    with self.subTest(name, argument=argument, value=repr(value)[:40]):
                        with self.assertRaises((pykindred.InvalidArgument, pykindred.InvalidType)) as raised:
                            one(**{**one.arguments, argument: value})
                        self.assertTrue(names_argument(str(raised.exception), argument), raised.exception)

    def test_closed_objects_of_what_is_described_raise(self):
        for name, make in MAKE.items():
            closed = make()
            closed.close()
            closed.close()
            self.assertIn("closed", repr(closed))
            calls = {one.name: (lambda one=one: getattr(closed, one.attribute)(**one.arguments)) for one in DESCRIBED.values() if one.handle == name and one.is_of_object}
            calls |= {member: (lambda member=member: getattr(closed, member)) for member, of in vars(type(closed)).items() if isinstance(of, property)}
            for called, call in calls.items():
                with self.subTest(name, call=called), self.assertRaisesRegex(pykindred.Error, "is closed"):
                    call()

    def test_a_closed_object_raises(self):
        closed = [pykindred.SequenceMatcher(["a"]), pykindred.PatternMemory(), pykindred.SpreadingEngine(2, [0], [1]), pykindred.Lattice(1, 3), pykindred.Bulk()]
        arguments = {"match": [["a"]], "spread": [[0]], "path": [0, 1], "reduce": ["sum", np.ones(3)]}
        for one in closed:
            one.close()
            one.close()
            self.assertIn("closed", repr(one))
            for name in ("statistics", "to_bytes", "metrics", "__len__"):
                if hasattr(one, name):
                    with self.assertRaisesRegex(pykindred.Error, "is closed", msg=(one, name)):
                        getattr(one, name)()
            for name, given_arguments in arguments.items():
                if hasattr(one, name):
                    with self.assertRaisesRegex(pykindred.Error, "is closed", msg=(one, name)):
                        getattr(one, name)(*given_arguments)

    def test_huge_numbers_of_results_raise_or_pad(self):
        index = pykindred.VectorIndex(vectors("rows", 5, 3))
        for k in (2**40, 2**62, 2**63 - 1):
            for call in (index.search, pykindred.HnswIndex(vectors("rows", 5, 3)).search):
                with self.assertRaises(pykindred.OutOfMemory):
                    call(vectors("queries", 2, 3), k)
            with self.assertRaises(pykindred.OutOfMemory):
                pykindred.top_rows(vectors("queries", 2, 3), vectors("rows", 5, 3), k)
        for k in (2**63, 2**80, -1, 0):
            with self.assertRaisesRegex(pykindred.InvalidArgument, "top is"):
                index.search(vectors("queries", 2, 3), k)

    def test_arrays_cannot_be_resized_during_a_call(self):
        """An array that another thread resizes, frees or drops meanwhile."""
        run("""
            import threading, numpy as np, pykindred
            rows = np.random.default_rng(1).standard_normal((20_000, 32)).astype(np.float32)
            index = pykindred.VectorIndex(rows)
            data = bytearray(rows[:2000].tobytes())
            refused = 0
            for _ in range(3):
                queries = np.frombuffer(data, np.float32).reshape(-1, 32)
                thread = threading.Thread(target=index.search, args=(queries, 1), kwargs={"space": "serial", "path": "brute_force"})
                thread.start()
                del queries  # the call keeps it
                while thread.is_alive():
                    try:
                        data.extend(b"....")
                        del data[-4:]
                    except BufferError:
                        refused += 1
                own = rows[:2000].copy()
                thread = threading.Thread(target=index.search, args=(own, 1), kwargs={"space": "serial", "path": "brute_force"})
                thread.start()
                while thread.is_alive():
                    try:
                        own.resize((4000, 32))
                    except ValueError:  # it is referenced
                        refused += 1
                thread.join()
            assert refused > 0
        """)

    def test_objects_are_closed_while_many_threads_use_them(self):
        watch(self)
        rows, texts = vectors("rows", 400, 8), [f"text {i}" for i in range(200)]
        graph = np.arange(399), np.arange(1, 400)
        kinds = [
            (lambda: pykindred.VectorIndex(rows), lambda one: one.search(rows[:20], 3)),
            (lambda: pykindred.HnswIndex(rows, m=4, ef_construction=10), lambda one: one.search(rows[:20], 3)),
            (lambda: pykindred.SequenceMatcher(texts), lambda one: one.match(texts[:5], top=2)),
            (lambda: pykindred.SpreadingEngine(400, *graph), lambda one: one.spread([0, 3])),
            (lambda: pykindred.Lattice(2, 20), lambda one: one.distances([0])),
            (pykindred.Bulk, lambda one: one.reduce("sum", rows)),
        ]
        for make, use in kinds:
            for _ in range(3):
                one, unexpected, started = make(), [], threading.Semaphore(0)

                def work(one=one, use=use, unexpected=unexpected, started=started):
                    try:
                        for i in range(1000):
                            use(one)
                            if i == 0:
                                started.release()
                    except pykindred.Error as error:
                        if "is closed" not in str(error):
                            unexpected.append(error)
                    except BaseException as error:
                        unexpected.append(error)

                threads = [threading.Thread(target=work) for _ in range(4)]
                for thread in threads:
                    thread.start()
                started.acquire()
                one.close()
                for thread in threads:
                    thread.join()
                self.assertEqual(unexpected, [])

    def test_use_after_fork_raises(self):
        run("""
            import os, numpy as np, pykindred
            rows = np.ones((9, 4), np.float32)
            used = [pykindred.VectorIndex(rows), pykindred.Bulk(), pykindred.SequenceMatcher(["a"]), pykindred.SpreadingEngine(2, [0], [1]),
                    pykindred.Lattice(1, 3), pykindred.HnswIndex(rows)]
            calls = [lambda one: one.search(rows, 1), lambda one: one.reduce("sum", rows), lambda one: one.match(["a"]), lambda one: one.spread([0]),
                     lambda one: one.distances([0]), lambda one: one.search(rows, 1)]
            for call, one in zip(calls, used):
                call(one)
            child = os.fork()
            if child == 0:
                for call, one in zip(calls, used):
                    try:
                        call(one)
                    except pykindred.SpaceUnavailable:
                        continue
                    except BaseException as error:
                        os.write(2, repr((one, error)).encode())
                    os.write(2, repr(one).encode())
                    os._exit(1)
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        """, PYTHONWARNINGS=QUIET_FORK)


if __name__ == "__main__":
    unittest.main()
