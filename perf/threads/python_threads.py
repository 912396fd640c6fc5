#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares calls of many Python threads with one object and of as many processes with an object each.

Usage: python_threads.py [--threads LIST] [--microseconds LIST] [--only LIST] [--seconds S] [--repeats N] [--space NAME] [--out FILE]

Run with PYTHONPATH=build/release/bindings/python on an idle machine. For each call, the object is made so large that one call takes at
least so many microseconds. The threads of one process and the processes start together and repeat the call for the same interval, in
turn; a rate is the median of the intervals. Every call is compared with the results of one thread before and after the interval.

Threads share the GIL. The microseconds under it per call are reported as upper bounds: "outside", for each object, is the time of a call
of one thread less the time in its record, which is spent without the GIL; and "limit", of the smallest object, is the inverse of the
highest rate of any number of threads, since calls that compute nothing are limited by the GIL alone.
"""
import argparse
import json
import multiprocessing
import os
import platform
import statistics
import sys
import threading
import time

INPUTS = 8
VOCABULARY = 200
LENGTH = 20
DIMENSION = 768


def search_of(size, random, context, space):
    import numpy as np
    import pykindred
    index = pykindred.VectorIndex(random.standard_normal((size, DIMENSION)).astype(np.float32), residency="host", context=context)
    queries = random.standard_normal((INPUTS, DIMENSION)).astype(np.float32)
    return lambda i: index.search(queries[i], 10, space=space)


def score_of(size, random, context, space):
    import numpy as np
    import pykindred
    index = pykindred.VectorIndex(random.standard_normal((2 * size, DIMENSION)).astype(np.float32), residency="host", context=context)
    queries = random.standard_normal((INPUTS, DIMENSION)).astype(np.float32)
    candidates = random.integers(0, 2 * size, (INPUTS, size))
    return lambda i: index.score(queries[i], candidates[i], 10, space=space)


def sequences_of(random, count):
    """Symbols with the probabilities (s + 1)^−0.8."""
    import numpy as np
    weights = np.arange(1, VOCABULARY + 1) ** -0.8
    return list(random.choice(VOCABULARY, (count, LENGTH), p=weights / weights.sum()).astype(np.uint32))


def match_of(size, random, context, space):
    import pykindred
    matcher = pykindred.SequenceMatcher(sequences_of(random, size), residency="host", context=context)
    queries = sequences_of(random, INPUTS)
    return lambda i: matcher.match(queries[i], space=space)


def memory_of(size, random, context, space):
    import pykindred
    memory = pykindred.PatternMemory(context=context)
    memory.learn_all([[[f"symbol {s}" for s in row]] for row in sequences_of(random, size)])
    memory.sync()
    queries = [memory.encode([[[f"symbol {s}" for s in row]]]) for row in sequences_of(random, INPUTS)]
    return lambda i: memory.match(queries[i], space=space)


def spread_of(size, random, context, space):
    import numpy as np
    import pykindred
    nodes = 100 * size
    sources, targets = random.integers(0, nodes, 10 * nodes), random.integers(0, nodes, 10 * nodes)
    engine = pykindred.SpreadingEngine(nodes, sources, targets, random.random(10 * nodes).astype(np.float32), residency="host", context=context)
    queries = [[random.integers(0, nodes, size)] for _ in range(INPUTS)]
    return lambda i: engine.spread(queries[i], hops=1, space=space)


CALLS = {"search": search_of, "score": score_of, "match": match_of, "spread": spread_of, "memory": memory_of}


def bits_of(result):
    """The results of a call as bytes."""
    import numpy as np
    if isinstance(result, tuple):
        return b"".join(np.asarray(part).tobytes() for part in result)
    return b"".join(np.asarray(part).tobytes() for part in (result.offsets, result.ids, result.scores))


class Objects:
    """The objects of one process and what it measures with them."""

    def __init__(self, space, seed):
        import numpy as np
        import pykindred
        self.numpy, self.space, self.seed = np, space, seed
        self.context, self.last_record = pykindred.Context(), pykindred.last_record
        self.prepared = {}

    def prepare(self, name, size):
        key = name, size
        if key not in self.prepared:
            call = CALLS[name](size, self.numpy.random.default_rng(self.seed), self.context, self.space)
            self.prepared[key] = call, [bits_of(call(i)) for i in range(INPUTS)]
        return self.prepared[key]

    def time_of(self, name, size):
        """Microseconds of a call of one thread, and of the part that its record covers: medians of rounds."""
        call, _ = self.prepare(name, size)
        times, inside = [], []
        for _ in range(30):
            begin, count = time.perf_counter(), 0
            while count < INPUTS or time.perf_counter() - begin < 0.002:
                call(count % INPUTS)
                count += 1
            times.append((time.perf_counter() - begin) / count * 1e6)
            inside.append(self.last_record().seconds * 1e6)
        return statistics.median(times), statistics.median(inside)

    def size_for(self, name, microseconds):
        """The least power of two for which a call takes so long."""
        size = 1
        while self.time_of(name, size)[0] < microseconds:
            size *= 2
        return size

    def rate(self, name, size, threads, begin_of, seconds):
        """Calls per second of the threads together, and the number of wrong results. `begin_of` is called once they are warm."""
        call, expected = self.prepare(name, size)
        wrong, rates, begins = [0] * threads, [0.0] * threads, []
        warm, go = threading.Barrier(threads + 1), threading.Event()

        def run(number):
            wrong[number] += sum(bits_of(call(i)) != expected[i] for i in range(INPUTS))
            warm.wait()
            go.wait()
            begin, end = begins[0], begins[0] + seconds
            time.sleep(max(0, begin - time.monotonic()))
            count, last = 0, None
            while time.monotonic() < end:
                last = call(count % INPUTS)
                count += 1
            rates[number] = count / (time.monotonic() - begin)
            if last is not None:
                wrong[number] += bits_of(last) != expected[(count - 1) % INPUTS]

        running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
        for thread in running:
            thread.start()
        warm.wait()
        begins.append(begin_of())
        go.set()
        for thread in running:
            thread.join()
        return sum(rates), sum(wrong)


def serve(pipe, space, seed):
    """Answers the requests of the parent until it closes the pipe."""
    objects = Objects(space, seed)

    def begin_of():
        pipe.send("warm")
        return pipe.recv()

    while True:
        try:
            name, *arguments = pipe.recv()
        except EOFError:
            return
        if name == "rate":
            call, size, threads, seconds = arguments
            pipe.send(objects.rate(call, size, threads, begin_of, seconds))
        else:
            pipe.send(getattr(objects, name)(*arguments))


class Processes:
    def __init__(self, count, space, seed):
        # Not forked, so that nothing of the parent is shared.
        start = multiprocessing.get_context("spawn")
        self.pipes = []
        for _ in range(count):
            mine, others = start.Pipe()
            start.Process(target=serve, args=(others, space, seed), daemon=True).start()
            others.close()
            self.pipes.append(mine)

    def ask(self, *request):
        self.pipes[0].send(request)
        return self.pipes[0].recv()

    def rate(self, processes, threads, name, size, seconds):
        """Calls per second of all together, and the number of wrong results."""
        used = self.pipes[:processes]
        for pipe in used:
            pipe.send(("rate", name, size, threads, seconds))
        for pipe in used:
            pipe.recv()
        begin = time.monotonic() + 0.02
        for pipe in used:
            pipe.send(begin)
        rates, wrong = zip(*(pipe.recv() for pipe in used))
        return sum(rates), sum(wrong)


def versions():
    import pykindred
    return {"pykindred": pykindred.__version__, "python": sys.version, "machine": platform.machine(), "switch_interval": sys.getswitchinterval()}


def measure(processes, arguments, name, size):
    """The median rate of each number of threads and of processes, and the number of wrong results."""
    rates, wrong = {count: ([], []) for count in arguments.threads}, 0
    for _ in range(arguments.repeats):
        for count in arguments.threads:
            for form, (of, threads) in enumerate(((1, count), (count, 1))):
                rate, errors = processes.rate(of, threads, name, size, arguments.seconds)
                rates[count][form].append(rate)
                wrong += errors
    return {count: tuple(map(statistics.median, forms)) for count, forms in rates.items()}, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(number) for number in text.split(",")]
    processors = len(os.sched_getaffinity(0))
    parser.add_argument("--threads", type=numbers, default=[count for count in (1, 2, 4, 8, 16) if count == 1 or count <= processors])
    parser.add_argument("--microseconds", type=numbers, default=[50, 500], help="least time of a call of one thread")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(CALLS))
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--space", default="serial", help='"chosen": by the dispatcher')
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    processes = Processes(max(arguments.threads), None if arguments.space == "chosen" else arguments.space, arguments.seed)
    rows, bounds, all_wrong = [], [], 0
    print(f"{processors} processors, medians of {arguments.repeats} x {arguments.seconds} s, space {arguments.space}")
    print(f"{'call':7} {'size':>6} {'us':>7} {'outside':>7} {'threads':>7} {'calls/s':>9} {'processes':>9} {'of these':>8} {'of fewest':>9}")
    for name in arguments.only:
        for least in arguments.microseconds:
            size = processes.ask("size_for", name, least)
            taken, inside = processes.ask("time_of", name, size)
            rates, wrong = measure(processes, arguments, name, size)
            all_wrong += wrong
            fewest = rates[min(rates)][0]
            for count, (one_object, ceiling) in rates.items():
                print(f"{name:7} {size:6} {taken:7.1f} {taken - inside:7.1f} {count:7} {one_object:9.0f} {ceiling:9.0f} {one_object / ceiling:8.2f} "
                      f"{one_object / fewest:9.2f}", flush=True)
                rows.append({"call": name, "size": size, "microseconds": taken, "outside_microseconds": taken - inside, "threads": count,
                             "calls_per_second": one_object, "calls_per_second_of_processes": ceiling, "share_of_processes": one_object / ceiling, "of_fewest_threads": one_object / fewest})
    print(f"\nMicroseconds under the GIL per call, at most\n{'call':7} {'call alone':>10} {'outside':>8} {'limit':>8}")
    for name in arguments.only:
        taken, inside = processes.ask("time_of", name, 1)
        rates, wrong = measure(processes, arguments, name, 1)
        all_wrong += wrong
        limit = 1e6 / max(one_object for one_object, _ in rates.values())
        print(f"{name:7} {taken:10.2f} {taken - inside:8.2f} {limit:8.2f}", flush=True)
        bounds.append({"call": name, "microseconds": taken, "outside_microseconds": taken - inside, "limit_microseconds": limit})
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            json.dump({"context": {**versions(), "processors": processors, "space": arguments.space, "seconds": arguments.seconds,
                                   "repeats": arguments.repeats, "seed": arguments.seed}, "rows": rows, "under_gil": bounds}, file, indent=2)
    if all_wrong:
        sys.exit(f"{all_wrong} calls had other results than those of one thread")


if __name__ == "__main__":
    main()
