# SPDX-License-Identifier: Apache-2.0
"""Uses one or more copies of libkindred_c.so in one process, without any header, and prints what each computes as JSON.
Usage: use_library.py LIBRARY..."""
import ctypes
import json
import random
import sys
import threading


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


def texts_of(*words):
    return (Text * len(words))(*(Text(word, len(word)) for word in words))


class Results(ctypes.Structure):
    """The first members of kindred_results_view."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("rows", ctypes.c_uint64), ("offsets", ctypes.POINTER(ctypes.c_uint64)),
                ("ids", ctypes.POINTER(ctypes.c_int64)), ("scores", ctypes.POINTER(ctypes.c_double))]


class Sequences(ctypes.Structure):
    """A kindred_sequences of texts, of which it has the first members."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("count", ctypes.c_uint64), ("texts", ctypes.POINTER(Text))]


def sequences_of(*words):
    return Sequences(ctypes.sizeof(Sequences), len(words), texts_of(*words))


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL)
        for name in ("kindred_last_error", "kindred_version_string"):
            getattr(self.c, name).restype = ctypes.c_char_p
        self.answers = {"version": self.c.kindred_version_string().decode()}

    def call(self, name, *arguments):
        status = getattr(self.c, f"kindred_{name}")(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: {status}: {self.c.kindred_last_error().decode()}")

    def start(self):
        """A context and a matcher."""
        self.context, self.matcher = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("context_create", None, ctypes.byref(self.context))
        words = sequences_of(b"kindred", b"kindrid", b"other")
        self.call("matcher_create", self.context, ctypes.byref(words), 0, ctypes.byref(self.matcher))

    def work(self):
        similarity, results = ctypes.c_double(), ctypes.c_void_p()
        self.call("similarity", 2, ctypes.byref(sequences_of(b"kitten")), ctypes.byref(sequences_of(b"sitting")), ctypes.c_double(0), 0,
                  ctypes.byref(similarity))
        self.answers["similarity"] = similarity.value
        self.call("matcher_match", self.matcher, ctypes.byref(sequences_of(b"kindrad")), None, ctypes.byref(results))
        view = Results(ctypes.sizeof(Results))
        self.call("results_get", results, ctypes.byref(view))
        count = view.offsets[1]
        self.answers["ids"], self.answers["scores"] = view.ids[:count], view.scores[:count]
        # A failed call of the library that serves the handle.
        self.answers["status"] = self.c.kindred_matcher_match(self.matcher, None, None, ctypes.byref(results))
        self.answers["error"] = self.c.kindred_last_error().decode()
        described, text = ctypes.c_void_p(), Text()
        self.call("context_describe", self.context, ctypes.byref(described))
        self.call("string_get", described, ctypes.byref(text))
        library = json.loads(text.data)["library"]
        self.answers["library"], self.answers["why"] = library["name"], library["why"]
        self.call("destroy", described)
        self.call("destroy", results)

    def cancel(self):
        """Calls that take seconds, by the library that serves the matcher and by this one, which another thread cancels."""
        letters = random.Random(1)
        long = bytes(letters.choices(b"abcdefghijklmnopqrstuvwxyz", k=300_000))
        matcher, results, similarity, cancellation = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_double(), ctypes.c_void_p()
        stored = sequences_of(*(long[begin:begin + 2000] for begin in range(0, 290_000, 100)))
        queries = sequences_of(*(long[begin:begin + 2000] for begin in range(50, 290_000, 1000)))
        pair = sequences_of(long), sequences_of(long[::-1])
        self.call("matcher_create", self.context, ctypes.byref(stored), 0, ctypes.byref(matcher))
        self.call("cancellation_create", ctypes.byref(cancellation))
        self.call("set_cancellation", cancellation, None)
        calls = {
            "matcher": lambda: self.c.kindred_matcher_match(matcher, ctypes.byref(queries), None, ctypes.byref(results)),
            "similarity": lambda: self.c.kindred_similarity(0, *map(ctypes.byref, pair), ctypes.c_double(0), 0, ctypes.byref(similarity))}
        self.answers["cancelled"] = {}
        for name, call in calls.items():
            timer = threading.Timer(0.05, self.call, ("cancellation_cancel", cancellation))
            timer.start()
            while (status := call()) == 0:
                self.call("destroy", results)
                results.value = None
            timer.join()
            self.call("cancellation_reset", cancellation)
            self.answers["cancelled"][name] = status
        self.call("destroy", cancellation)
        self.call("destroy", matcher)
        self.call("set_cancellation", None, None)

    def end(self):
        self.call("destroy", self.context)
        self.call("destroy", self.matcher)


def main(*paths):
    libraries = [Library(path) for path in paths]
    for step in (Library.start, Library.cancel, Library.work, Library.end):
        for library in libraries:
            step(library)
    print(json.dumps([library.answers for library in libraries]))


if __name__ == "__main__":
    main(*sys.argv[1:])
