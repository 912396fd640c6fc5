# SPDX-License-Identifier: Apache-2.0
"""Uses one or more copies of libkindred_c.so in one process, without any header, and prints what each computes as JSON.
Usage: use_library.py LIBRARY..."""
import ctypes
import json
import random
import sys
import threading
import time


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


def texts_of(*words):
    return (Text * len(words))(*(Text(word, len(word)) for word in words))


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL)
        for name in ("kindred_last_error", "kindred_version_string"):
            getattr(self.c, name).restype = ctypes.c_char_p
        self.c.kindred_results_ids.restype = ctypes.POINTER(ctypes.c_int64)
        self.c.kindred_results_scores.restype = ctypes.POINTER(ctypes.c_double)
        self.c.kindred_results_offsets.restype = ctypes.POINTER(ctypes.c_uint64)
        self.answers = {"version": self.c.kindred_version_string().decode()}

    def call(self, name, *arguments):
        status = getattr(self.c, f"kindred_{name}")(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: {status}: {self.c.kindred_last_error().decode()}")

    def start(self):
        """A context and a matcher."""
        self.context, self.matcher = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("context_create", None, ctypes.byref(self.context))
        words = texts_of(b"kindred", b"kindrid", b"other")
        self.call("matcher_create_texts", self.context, words, ctypes.c_size_t(3), 0, ctypes.byref(self.matcher))

    def work(self):
        similarity, results = ctypes.c_double(), ctypes.c_void_p()
        self.call("similarity_text", 2, b"kitten", ctypes.c_size_t(6), b"sitting", ctypes.c_size_t(7), ctypes.c_double(0), 0,
                  ctypes.byref(similarity))
        self.answers["similarity"] = similarity.value
        self.call("matcher_match_texts", self.matcher, texts_of(b"kindrad"), ctypes.c_size_t(1), None, ctypes.byref(results))
        count = self.c.kindred_results_offsets(results)[1]
        self.answers["ids"] = self.c.kindred_results_ids(results)[:count]
        self.answers["scores"] = self.c.kindred_results_scores(results)[:count]
        # A failed call of the library that serves the handle.
        self.answers["status"] = self.c.kindred_matcher_match_texts(self.matcher, None, ctypes.c_size_t(1), None, ctypes.byref(results))
        self.answers["error"] = self.c.kindred_last_error().decode()
        described, text = ctypes.c_void_p(), Text()
        self.call("context_describe", self.context, ctypes.byref(described))
        self.call("string_get", described, ctypes.byref(text))
        library = json.loads(text.data)["library"]
        self.answers["library"], self.answers["why"] = library["name"], library["why"]
        self.call("string_destroy", described)
        self.call("results_destroy", results)

    def cancel(self):
        """Calls that take seconds, by the library that serves the matcher and by this one, which another thread cancels."""
        letters = random.Random(1)
        long = bytes(letters.choices(b"abcdefghijklmnopqrstuvwxyz", k=300_000))
        matcher, results, similarity, cancellation = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_double(), ctypes.c_void_p()
        stored = texts_of(*(long[begin:begin + 2000] for begin in range(0, 290_000, 100)))
        queries = texts_of(*(long[begin:begin + 2000] for begin in range(50, 290_000, 1000)))
        self.call("matcher_create_texts", self.context, stored, ctypes.c_size_t(len(stored)), 0, ctypes.byref(matcher))
        self.call("cancellation_create", ctypes.byref(cancellation))
        self.call("set_cancellation", cancellation, None)
        calls = {
            "matcher": lambda: self.c.kindred_matcher_match_texts(matcher, queries, ctypes.c_size_t(len(queries)), None,
                                                                  ctypes.byref(results)),
            "similarity": lambda: self.c.kindred_similarity_text(0, long, ctypes.c_size_t(len(long)), long[::-1], ctypes.c_size_t(len(long)),
                                                                 ctypes.c_double(0), 0, ctypes.byref(similarity))}
        self.answers["cancelled"], self.answers["took"] = {}, {}
        for name, call in calls.items():
            took = []
            while len(took) < 5 and min(took, default=1) > 0.1:  # other programs use this machine, too
                requested = []

                def request(requested=requested):
                    requested.append(time.monotonic())
                    self.call("cancellation_cancel", cancellation)

                timer = threading.Timer(0.05, request)
                timer.start()
                while (status := call()) == 0:
                    self.call("results_destroy", results)
                    results.value = None
                took.append(time.monotonic() - requested[0])
                timer.join()
                self.call("cancellation_reset", cancellation)
            self.answers["cancelled"][name], self.answers["took"][name] = status, min(took)
        self.call("cancellation_destroy", cancellation)
        self.call("matcher_destroy", matcher)
        self.call("set_cancellation", None, None)

    def end(self):
        self.call("context_destroy", self.context)
        self.call("matcher_destroy", self.matcher)


def main(*paths):
    libraries = [Library(path) for path in paths]
    for step in (Library.start, Library.cancel, Library.work, Library.end):
        for library in libraries:
            step(library)
    print(json.dumps([library.answers for library in libraries]))


if __name__ == "__main__":
    main(*sys.argv[1:])
