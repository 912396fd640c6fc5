# SPDX-License-Identifier: Apache-2.0
"""Arbitrary arguments of every class: a result, or an exception that names the argument, and never a crash.

Hypothesis draws them; the seed is fixed, and printed. The functions of what is described, and their arguments, are those of the descriptions.
"""
import inspect
import os
import re
import signal
import sys
import tempfile
import typing
import unittest
import warnings
from collections import abc
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pykindred
from pykindred import _types
from support import modules, vectors

hypothesis, st = modules("hypothesis", "hypothesis.strategies")
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


def file(name):
    return f"{FOLDER.name}/{name}"


ROWS, QUERIES, X = vectors("rows", 40, 6), vectors("queries", 3, 6), vectors("x", 3, 6)
PATTERNS = [[["a", "b"], ["c"]], [["a"], ["d"]]]
NAMES = [f"node {i}" for i in range(40)]


def pattern_memory():
    """One with a file, to which it can append."""
    memory = pykindred.PatternMemory()
    memory.learn_all(PATTERNS, names=["one", "two"])
    memory.save(file("PatternMemory"))
    return memory


def seed_layer():
    """One with a grafting seed and telemetry."""
    layer = pykindred.SeedLayer(6, 2)
    for name in ("used", "unused"):
        layer.add_blueprint(name, np.ones(6, np.float32))
    layer.update(0, lifecycle="grafting", blueprint=0, schedule="momentum")
    layer.forward(X)
    return layer


# An object of every class that is described.
MAKE = {
    "Context": lambda: pykindred.Context(threads=1, load_profile=False, profile=file("profile")),
    "VectorIndex": lambda: pykindred.VectorIndex(ROWS),
    "PreparedScore": lambda: pykindred.PreparedScore(SHARED["VectorIndex"], 9, 2),
    "HnswIndex": lambda: pykindred.HnswIndex(ROWS, m=4, ef_construction=10),
    "KeyedVectorIndex": lambda: pykindred.KeyedVectorIndex(list(range(40)), ROWS),
    "Vocabulary": lambda: pykindred.Vocabulary(["a", "b"]),
    "PreparedQuery": lambda: pykindred.PreparedQuery("abcab"),
    "SequenceMatcher": lambda: pykindred.SequenceMatcher(["abc", "abd", "xyz", ""]),
    "PatternMemory": pattern_memory,
    "SpreadingEngine": lambda: pykindred.SpreadingEngine(40, np.arange(39), np.arange(1, 40), np.full(39, 0.5, np.float32), names=NAMES),
    "Lattice": lambda: pykindred.Lattice(2, 4),
    "Prepared": lambda: pykindred.PreparedBulk.reduce("sum", X),
    "Bulk": pykindred.Bulk,
    "SeedLayer": seed_layer,
    "SeedSequence": pykindred.SeedSequence,
}
SHARED = {}
SHARED.update((name, make()) for name, make in MAKE.items())  # a scorer is made of the index before it
SHARED["HnswIndex"].export_hnswlib(file("hnswlib"))
SHARED["SeedLayer"].save_blueprints(file("blueprints"))
# Valid arguments: of one function, of a class, or of every function in which they have no default.
VALID = {
    "queries": QUERIES, "query": QUERIES[0], "rows": ROWS, "row": ROWS[4], "ids": [3], "id": 3, "score": 0.5, "top": 2, "path": file("file"),
    "candidates": np.int64([[1, 2], [3, -1], [4, 4]]), "dimension": 6, "metric": "ip", "longest": 9, "text": "a", "texts": ["a", "b"],
    "x": X, "gradient": X, "weight": np.ones((6, 6), np.float32), "operation": "add", "reduction": "sum", "arrays": X, "out": np.zeros(3), "seed": 0,
    "a": X, "b": np.ones((6, 2), np.float32),
    "Context.threads": 1, "Context.load_profile": False,
    "VectorIndex.rows": ROWS, "PreparedScore.index": SHARED["VectorIndex"], "PreparedScore.candidates": np.array([1, 2]),
    "HnswIndex.import_hnswlib.path": file("hnswlib"), "KeyedVectorIndex.keys": list(range(40)), "KeyedVectorIndex.candidates": [[1, 2], [3], [4, 4]],
    "row_scores.out": np.zeros((3, 40), np.float32), "Vocabulary.symbol": 1, "Vocabulary.symbols": np.uint32([0, 1]), "Vocabulary.sequences": [["a", "b"], ["c"]],
    "PreparedQuery.query": "abc", "PreparedQuery.pattern": "abd", "similarity.query": "abc", "similarity.pattern": "abd", "similarity.score_cutoff": 0.1,
    "SequenceMatcher.patterns": ["abc", "b"], "SequenceMatcher.queries": ["abd"], "SequenceMatcher.blocks": True, "SequenceMatcher.filter": [0, 1],
    "SequenceMatcher.score_all.out": np.zeros((1, 4), np.float32),
    "PatternMemory.events": [["a"], ["b"]], "PatternMemory.patterns": PATTERNS, "PatternMemory.names": ["one", "two"], "PatternMemory.times": [1, 2],
    "PatternMemory.learn.times": 2, "PatternMemory.index": 0, "PatternMemory.indices": [0, 1], "PatternMemory.frequency": 3, "PatternMemory.pattern": "one",
    "PatternMemory.queries": [[["a", "b"]]], "PatternMemory.query": [["a", "b"]],
    "SpreadingEngine.nodes": 40, "SpreadingEngine.sources": [1], "SpreadingEngine.targets": [2], "SpreadingEngine.weights": np.float32([0.5]),
    "SpreadingEngine.names": NAMES, "SpreadingEngine.indptr": np.int64([0, 1, 2]), "SpreadingEngine.indices": np.uint32([1, 0]),
    "SpreadingEngine.from_csr.data": np.float32([0.5, 0.25]), "SpreadingEngine.name": NAMES[3], "SpreadingEngine.node": 3,
    "SpreadingEngine.add_nodes.nodes": ["new"], "SpreadingEngine.remove_nodes.nodes": [1], "SpreadingEngine.offsets": np.array([0, 1]),
    "SpreadingEngine.spread_arrays.nodes": np.int32([1]), "SpreadingEngine.values": np.ones(1, np.float32), "SpreadingEngine.hop.x": np.ones(40, np.float32),
    "SpreadingEngine.hop.out": np.zeros(40, np.float32),
    "Lattice.dimensions": 2, "Lattice.size": 4, "Lattice.blocked_nodes": [1], "Lattice.blocked_edges": [(0, 4)], "Lattice.node": 3, "Lattice.coordinates": [1, 1],
    "Lattice.source": 0, "Lattice.target": 5, "Lattice.edges_max": 4, "Lattice.pairs": [(0, 5)], "Lattice.sources": [0], "Lattice.targets": [5],
    "Bulk.xor.arrays": np.uint8([1, 2]), "Bulk.xor.keys": np.uint8([3, 4]), "PreparedBulk.xor.arrays": np.uint8([1, 2]), "PreparedBulk.xor.keys": np.uint8([3, 4]),
    "Bulk.other": X, "PreparedBulk.other": X, "SpreadingEngine.modifiers": pykindred.SpreadModifiers.engram(),
    "SeedLayer.hidden": 6, "SeedLayer.seeds": 2, "SeedLayer.name": "new", "SeedLayer.weights": np.ones(6, np.float32), "SeedLayer.blueprint": 1,
    "SeedLayer.restore_blueprints.path": file("blueprints"), "SeedLayer.state": SHARED["SeedLayer"].state(), "SeedLayer.to": "culled",
    "SeedLayer.numbers": SHARED["SeedLayer"].schedule_state(0), "SeedLayer.epochs": 1, "SeedLayer.update.seeds": [0, 1], "SeedSequence.layer": SHARED["SeedLayer"],
    "SeedFunctions.lifecycle": np.int32([3, 0]), "SeedFunctions.blueprint": np.int32([0, -1]), "SeedFunctions.mode": np.int32([0, 0]),
    "SeedFunctions.alpha": np.float32([0.5, 0]), "SeedFunctions.weights": np.ones((1, 6), np.float32),
}
for _name, _one in SHARED.items():
    if hasattr(_one, "save"):
        _one.save(file(_name))
        VALID |= {f"{_name}.{call}.path": file(_name) for call in ("load", "inspect", "append", "restore")}
    if hasattr(_one, "to_bytes"):
        VALID[f"{_name}.from_bytes.data"] = _one.to_bytes()


class Described:
    """A function of the package, with valid arguments. Those of `Functions` belong to no class."""

    def __init__(self, handle, name, changes=False):
        self.handle, self.attribute, self.changes = handle, name, changes
        self.owner = getattr(pykindred, handle, pykindred)
        self.name = name if self.owner is pykindred else f"{handle}.{name}".removesuffix(".__init__")
        self.function = self.owner if name == "__init__" else getattr(self.owner, name)
        self.is_of_object = name != "__init__" and self.owner is not pykindred and not isinstance(vars(self.owner)[name], (classmethod, staticmethod))
        if self.is_of_object and handle not in MAKE:
            raise AssertionError(f"MAKE has no {handle}")
        self.parameters = {} if isinstance(self.function, property) else inspect.signature(self.function).parameters
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
    """All functions of what is described and of the classes by hand, by their names."""
    found = [Described(handle, name) for handle in ("PreparedBulk", "PreparedLayer") for name in vars(getattr(pykindred, handle)) if name[0] != "_"]
    interfaces = generate.interfaces()
    for handle in [one for name in generate.IN_PYTHON for one in interfaces[name].handles.values()]:
        for function in generate.python.public_functions(handle):
            if function.is_constructor() or function.python in (None, "__len__"):
                name = "__init__" if function.is_constructor() else function.python or function.name
                found.append(Described(handle.name, name, function.changes))
        names = re.findall(r"^ {4}def ([a-z]\w*|__len__)", "\n".join(handle.methods), re.M)
        found += [Described(handle.name, name, changes=True) for name in names if name not in ("close", "native", "training")]
    return {one.name: one for one in found}


def calls_of(name, of):
    """The functions of an object with valid arguments, and its properties."""
    for one in DESCRIBED.values():
        if one.handle == name and one.is_of_object and not isinstance(one.function, property):
            yield one.name, partial(getattr(of, one.attribute), **one.arguments)
    for member, kind in vars(type(of)).items():
        if isinstance(kind, property):
            yield f"{name}.{member}", partial(getattr, of, member)


DESCRIBED = described()
CALLS = {name: one for name, one in DESCRIBED.items() if one.arguments}
# What an argument must not be, by its type, or by its name if its type is not here.
TEXTS, EVENTS = abc.Iterable[str | bytes], _types.Events
MATRIX, CUBE, COMPLEX = np.zeros((2, 2)), np.zeros((2,) * 3, np.int64), np.zeros((2, 6), complex)
WRONG = {inspect.formatannotation(of): values for of, values in {
    int: ["1", 1.5, -1, 2**70], float: ["1", [1.0]], str: [3, ""], bool: [3, "True", np.ones(2)], pykindred.Context: [3, "context"], list[Any]: [3, [3]],
    _types.Array: ["array", np.zeros((2,) * 5, np.float32), COMPLEX], _types.Ids: ["ids", [1.5], [-7], [[], [1]], CUBE], _types.StrPath: [3, ["path"]],
    _types.Bytes: ["text", 3], _types.Arrays: ["array", [], [X, "array"], COMPLEX, [COMPLEX]], _types.Arrays | float: ["array", [X, "array"], COMPLEX],
    tuple[_types.Array, _types.Array]: [X, (X,), ("a", "b"), (X, X, X)], tuple[(_types.Array | None,) * 3]: [X, (X,), ("a", "b", "c")],
    NDArray[np.uint32]: ["array", [0.5], np.int64([0]), MATRIX], NDArray[np.float64]: ["array", MATRIX, np.complex64([1])],
    NDArray[np.int64] | abc.Iterable[tuple[int, int]]: [3, [3], [(0, 1, 2)], [(0, -1)], [("a", "b")], MATRIX],
    str | bytes: [3, ["a"]], TEXTS: [3, [3]], abc.Iterable[str | bytes | None]: [3, [3, 4]], int | TEXTS: [1.5, [3], -1, 2**70], int | str | bytes: [1.5, [1], -1],
    EVENTS: [3, [3], [[3]]], str | bytes | EVENTS: [3, [[3]]], abc.Iterable[EVENTS] | pykindred.EventLists: [3, [[3]], [[[3]]]],
    abc.Iterable[EVENTS] | pykindred.Sequences: [3, [[3]], [[[3]]], pykindred.Sequences(np.array([0, 5]), np.uint32([1]))],
    _types.Sequence: [3, [[1]], MATRIX, np.float32([1])], tuple[str, float]: [3, ("constant",), ("none", 0.5), ("constant", "1")],
    abc.Sequence[pykindred.SpreadQuery]: [3, [3], [(1, 2)]], pykindred.Lifecycle | str: [3.5, 99, "none"], pykindred.ApplyMode | str: [3.5, 99, "none"],
    pykindred.AlphaSchedule | str: [3.5, 99, "none"], pykindred.SeedMetrics | abc.Sequence[pykindred.SeedMetrics]: [3, [3], np.array(3)],
    tuple[str, ...]: [3, np.array(3), ["none"] * 8], tuple[float, ...]: [3, np.array(3), ["1"] * 8, dict.fromkeys(range(8), 1.0)]}.items()}
WRONG |= {
    "Array | Ragged": [3, CUBE], "Arrays | float": WRONG[inspect.formatannotation(_types.Arrays | float)], "stream": ["stream", 1.5, -1, 2**70],
    "dtype": ["none", "int64", 3.5, {0: "a"}], "keys": [3, [1.5], [-1], [np.ones(2)], MATRIX], "patterns": [3, [3], [MATRIX]], "queries": [3, [3], [MATRIX]],
    "sources": [[99], [-1], [1.5], [{1: "a"}], np.array(3)], **dict.fromkeys(("lifecycle", "mode", "schedule"), [99, 1.5, "none", 1j]),
    **dict.fromkeys(("blueprint", "epochs", "checkpoint", "errors"), [2**70, 1.5, "1", 1j]), **dict.fromkeys(("alpha", "evaluation"), ["1", [[1]], np.complex64(1)])}


def wrong(of, argument, valid):
    """Wrong values of an argument of a type, each with the name of what is wrong: the argument, or a field of it."""
    name = (of if isinstance(of, str) else inspect.formatannotation(of)).removesuffix(" | None")
    if "Callable" not in name:
        yield from ((value, argument) for value in [object(), *WRONG.get(name, WRONG.get(argument, ()))])
    for kind in typing.get_args(of) or [of]:
        if hasattr(kind, "_fields"):
            whole = kind() if valid is None else valid
            for field, of_field in typing.get_type_hints(kind).items():
                yield from ((whole._replace(**{field: value}), field) for value, _ in wrong(of_field, field, None))


def not_finite(number, of, argument, valid):
    """Values of an argument of a type that have a number that is not finite, each with the name of what has it."""
    for kind in typing.get_args(of) or [of]:
        if kind in (float, "float"):
            yield number, argument
        elif kind == tuple[str, float]:
            yield ("constant", number), argument
        elif hasattr(kind, "_fields"):
            whole = kind() if valid is None else valid
            for field, of_field in typing.get_type_hints(kind).items():
                yield from ((whole._replace(**{field: value}), field) for value, _ in not_finite(number, of_field, field, getattr(whole, field)))
        for item in typing.get_args(kind):
            if hasattr(item, "_fields"):
                yield from (([value], field) for value, field in not_finite(number, item, argument, None))
    if isinstance(valid, np.ndarray) and valid.dtype.kind == "f":
        value = valid.copy()
        value.flat[-1] = number
        yield value, argument


# What messages call an argument that they do not name.
ALSO = {"out": ("scores", "ids", "result", "dx"), "id": ("ids",), "data": ("bytes", "buffer", "file", "head", "weights"), "filter": ("indices",),
        "score_cutoff": ("cutoff",), "indptr": ("offsets",), "indices": ("ends", "weights"), "sources": ("edge", "node"), "targets": ("edge", "node"), "nodes": ("edge", "values"),
        "blocked_nodes": ("node",), "blocked_edges": ("edge",), "dimensions": ("lattice", "edge"), "size": ("lattice", "edge"), "source": ("path",), "target": ("path",),
        "pairs": ("path",), "array": ("result",), "rows": ("queries", "dimension", "out"), "other": ("number", "array", "operand"), "operation": ("operand",),
        "arrays": ("out", "other", "keys", "result"), "query": ("queries",), "candidates": ("id", "keys"), "longest": ("longest list",), "layer": ("x",),
        "queries": ("out", "candidates", "offsets"), "a": ("b",), "x": ("out", "w", "gradient"), "w": ("out",), "weight": ("gradient",),
        "lifecycle": ("blueprint", "mode"), "mode": ("blueprint",), "alpha": ("blueprint",), "first": ("range",), "count": ("range",), "numbers": ("state",),
        "offsets": ("sources", "values")}


# What may work in a forked child: what computes on the calling thread without a context, reads numbers without a lock, or only maps or validates a file.
IN_CHILDREN = [
    *"Bulk Lattice PreparedQuery PreparedQuery.* SeedSequence Vocabulary Vocabulary.* default_context last_record similarity".split(),
    *(f"Lattice.{name}" for name in "all_paths coordinates dense dimensions index is_blocked neighbours nodes path size statistics".split()),
    *(f"Context.{name}" for name in "profile_path spaces threads".split()), *(f"*Index.{name}" for name in "__len__ dimension element end_id key_kind metric".split()),
    *"PatternMemory.level PatternMemory.symbols PreparedScore.space PreparedScore.top SeedSequence.__len__".split(),
    *(f"SeedLayer.{name}" for name in "__len__ epoch features hidden on_device seeds".split()), *(f"SequenceMatcher.{name}" for name in "__len__ patterns statistics".split()),
    *"VectorIndex.load VectorIndex.from_bytes HnswIndex.load HnswIndex.from_bytes PatternMemory.inspect SpreadingEngine.inspect".split()]


def names_argument(message, name):
    return any(word in message for word in (name, name.rstrip("s"), *ALSO.get(name, ())))


def fault(call, argument, value, field=None):
    """What is wrong with the outcome of a call: an exception, or None. A `field` says that the value is wrong, and which name of the argument or its fields a
    message may have instead; without it, the value may be valid."""
    one, error = CALLS[call], None
    try:
        one(**{**one.arguments, argument: value})
        error = field and AssertionError("the value is accepted")
    except (pykindred.InvalidArgument, pykindred.InvalidType) as raised:
        error = None if names_argument(str(raised), argument) or field and names_argument(str(raised), field) else raised
    except (pykindred.Error, UnicodeError) as raised:
        error = raised if field or not str(raised) else None
    except Exception as raised:
        error = raised
    return error


class BadInput(unittest.TestCase):
    maxDiff = None

    @hypothesis.seed(SEED)
    @hypothesis.settings(max_examples=2000, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck), print_blob=True)
    @hypothesis.given(st.sampled_from(sorted(CALLS)), st.data())
    def test_any_argument_gives_a_result_or_an_exception_that_names_it(self, call, data):
        name = data.draw(st.sampled_from(sorted(CALLS[call].arguments)))
        value = data.draw(ANYTHING)
        if name == "path" and isinstance(value, (str, bytes)):
            return  # it might name a file of somebody
        error = fault(call, name, value)
        if error:
            raise AssertionError(f"{call}({name}={value!r})") from error

    def test_valid_arguments_are_valid(self):
        for name, one in CALLS.items():
            with self.subTest(name):
                one(**one.arguments)

    def refused(self, values_of, may_be_accepted=False):
        """How many values of all arguments are refused; the others fail."""
        refused = 0
        for name, one in CALLS.items():
            for argument, valid in one.arguments.items():
                for value, field in values_of(one.parameters[argument].annotation, argument, valid):
                    with self.subTest(name, argument=argument, value=repr(value)[:200]):
                        error = fault(name, argument, value, field)
                        refused += error is None
                        if error and not (may_be_accepted and "is accepted" in str(error)):
                            raise error
        return refused

    def test_wrong_types_and_numbers_are_refused(self):
        self.assertGreater(self.refused(wrong), 1000)

    def test_numbers_that_are_not_finite_give_a_result_or_are_refused(self):
        for number in (np.nan, np.inf, -np.inf):
            self.assertGreater(self.refused(partial(not_finite, number), may_be_accepted=True), 50)

    def test_closed_objects_of_what_is_described_raise(self):
        for name, make in MAKE.items():
            closed = make()
            if not hasattr(closed, "close"):
                continue
            closed.close()
            closed.close()
            self.assertIn("closed", repr(closed))
            for called, call in calls_of(name, closed):
                with self.subTest(called), self.assertRaisesRegex(pykindred.Error, "is closed"):
                    call()

    def test_calls_of_a_forked_child_raise(self):
        calls = [(name, partial(one.function, **one.arguments)) for name, one in DESCRIBED.items() if not one.is_of_object]
        calls += [call for name, of in SHARED.items() for call in calls_of(name, of)]
        with open(file("forked"), "w+") as outcomes, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # there are threads
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                for name, call in calls:
                    try:
                        call()
                        outcome = "returned"
                    except pykindred.SpaceUnavailable:
                        outcome = "raised"
                    except BaseException as error:
                        outcome = repr(error)
                    print(name, outcome, sep=": ", file=outcomes, flush=True)
                os._exit(0)
            status = os.waitpid(child, 0)[1]
            outcomes.seek(0)
            found = dict(line.rstrip().split(": ", 1) for line in outcomes)
        self.assertEqual(status, 0, f"{len(found)} calls ended; the next one was {[*calls, ('none',)][len(found)][0]}")
        unlisted = {name: outcome for name, outcome in found.items() if outcome != "raised" and not (outcome == "returned" and any(fnmatch(name, one) for one in IN_CHILDREN))}
        self.assertEqual(unlisted, {})
        self.assertGreater(len([name for name, outcome in found.items() if outcome == "raised"]), 120)

    def test_huge_numbers_of_results_raise(self):
        queries, rows = vectors("queries", 2, 3), vectors("rows", 5, 3)
        index, keyed = pykindred.VectorIndex(rows), pykindred.KeyedVectorIndex(list(range(5)), rows)
        for top in (2**40, 2**62, 2**63 - 1, 2**63, 2**80):
            error, message = pykindred.OutOfMemory, "results"
            if top >= 2**63:
                error, message = pykindred.InvalidArgument, "top is"
            for call in (index.search, keyed.search, pykindred.HnswIndex(rows).search,
                         lambda *given: pykindred.top_rows(given[0], rows, given[1])):
                with self.assertRaisesRegex(error, message):
                    call(queries, top)
        engine = pykindred.SpreadingEngine(3, [0], [1])
        with self.assertRaises(pykindred.OutOfMemory):
            engine.spread_arrays(np.int64([0, 1]), np.int32([0]), np.ones(1, np.float32), 2**50,
                                 mode="linear")
        for call in (lambda: pykindred.Bulk().multiply(np.ones((2**40, 0)), np.ones((0, 2**40))),
                     lambda: pykindred.Lattice(4, 1000).dense()):
            with self.assertRaises(pykindred.OutOfMemory):
                call()


if __name__ == "__main__":
    unittest.main()
