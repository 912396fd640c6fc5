# SPDX-License-Identifier: Apache-2.0
"""Protocol between kindred-perf and a peer: kindred-perf starts one of these scripts with a folder that contains `job.json` and
raw arrays, and sends one JSON line per request; the answer is one JSON line. The peer measures the time of its call alone."""
import importlib
import json
import os
import sys
import time


class Job:
    """The data of one piece of work, as kindred-perf wrote it."""

    def __init__(self, folder):
        with open(os.path.join(folder, "job.json"), encoding="utf-8") as file:
            self.parameters = json.load(file)
        self.folder = folder

    def __getitem__(self, name):
        return self.parameters[name]

    def array(self, name):
        import numpy as np

        description = self.parameters["arrays"][name]
        return np.fromfile(os.path.join(self.folder, description["file"]), dtype=description["dtype"]).reshape(
            description["shape"]
        )


class Peer:
    """One algorithm for the work. `run()` runs it once; `answer(result)` returns (ids or None, scores) for the comparison."""

    def __init__(self, name, run, answer, seconds=None):
        self.name = name
        self.run = run
        self.answer = answer
        self.seconds = seconds or self.wall_seconds
        self.result = None

    def wall_seconds(self):
        start = time.perf_counter()
        self.result = self.run()
        return time.perf_counter() - start


def missing_modules(names):
    missing = []
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            missing.append(name)
    return missing


def serve(works):
    """`works`: kind of work → (required modules, function that returns the peers of a job)."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output of libraries must not get into the answers

    def send(message):
        out.write(json.dumps(message) + "\n")
        out.flush()

    job = Job(sys.argv[1])
    modules, make = works[job["kind"]]
    missing = missing_modules(["numpy", *modules])
    if missing:
        send({"missing": missing})
        return
    import numpy as np

    peers = {peer.name: peer for peer in make(job)}
    versions = {name: getattr(sys.modules[name], "__version__", "") for name in modules if name in sys.modules}
    send({"peers": list(peers), "versions": versions})
    for line in sys.stdin:
        request = json.loads(line)
        peer = peers[request["peer"]]
        seconds = peer.seconds()
        reply = {"seconds": seconds}
        if request.get("answer"):
            ids, scores = peer.answer(peer.result)
            np.asarray([] if ids is None else ids, dtype=np.int64).tofile(os.path.join(job.folder, "ids"))
            np.asarray(scores, dtype=np.float64).ravel().tofile(os.path.join(job.folder, "scores"))
        send(reply)
