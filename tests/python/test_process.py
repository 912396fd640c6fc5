# SPDX-License-Identifier: Apache-2.0
"""Import, contexts, threads, fork and the end of the interpreter."""
import gc
import importlib.util
import json
import os
import pickle
import resource
import sys
import textwrap
import unittest
import weakref
from pathlib import Path

import pykindred
from support import LATIN, QUIET_FORK, folder_of, run, vectors
from support import context as new_context
from watchdog import without_sanitizer


class Import(unittest.TestCase):
    def test_makes_no_context_and_starts_no_thread(self):
        out = run("""
            import os, sys
            before = len(os.listdir("/proc/self/task"))
            import pykindred
            from pykindred import _kindred
            started = len(os.listdir("/proc/self/task")) - before
            assert "numpy" not in sys.modules
            import numpy
            # OpenBLAS of the system, where the library is linked with it, starts its own; so does the driver of a GPU that was asked.
            others = [file for file in ("/libopenblas", "/libcuda.") if file in open("/proc/self/maps").read()]
            print(_kindred.has_default_context(), bool(others) or started == 0, pykindred.last_record())
            pykindred.VectorIndex(numpy.ones((2, 3), numpy.float32))
            print(_kindred.has_default_context())
        """)
        self.assertEqual(out.split(), ["False", "True", "None", "True"])

    def test_all_names_exist(self):
        for name in pykindred.__all__:
            self.assertIn(name, dir(pykindred))
            self.assertIsNotNone(getattr(pykindred, name))
        with self.assertRaisesRegex(AttributeError, "module 'pykindred' has no attribute 'VectorIndx'"):
            pykindred.VectorIndx

    def test_a_requested_library_that_does_not_exist_is_named(self):
        out = run("""
            try:
                import pykindred
            except ImportError as error:
                print(error)
        """, KINDRED_LIBRARY="/nonexistent/libkindred.so.0")
        self.assertIn("/nonexistent/libkindred.so.0", out)
        program = "import pykindred; print(pykindred.library.why)"
        self.assertEqual(run(program, KINDRED_LIBRARY="host"), "requested by KINDRED_LIBRARY\n")

    # From 3.12 on, CPython keeps the paths of extensions as UTF-8.
    @unittest.skipIf(sys.version_info >= (3, 12), "it loads no extension from such a folder")
    def test_the_package_may_lie_in_a_folder_of_any_name(self):
        folder = folder_of(self, LATIN)
        os.symlink(Path(pykindred.__file__).parent, folder / "pykindred")
        out = run("""
            import numpy, pykindred
            print(len(pykindred.VectorIndex(numpy.ones((2, 3), "float32"))))
        """, PYTHONPATH=str(folder))
        self.assertEqual(out.strip(), "2")


class Contexts(unittest.TestCase):
    def test_default_and_others(self):
        rows = vectors("rows", 30, 5)
        self.assertIn("serial", pykindred.default_context().spaces())
        with new_context(space="serial") as context:
            index = pykindred.VectorIndex(rows, context=context)
            self.assertIn("<pykindred.Context: serial", repr(context))
            self.assertGreater(context.memory()["in_use"], 0)
            told = context.describe()
            self.assertEqual(told, json.loads(json.dumps(told)))
            self.assertEqual((told["threads"], told["library"]["name"], told["profile"]["path"]),
                             (context.threads, pykindred.library.name, context.profile_path))
            for name, space in context.spaces().items():
                self.assertLessEqual(space.items(), told["spaces"][name].items())
            index.search(rows)
            again = context.describe()
            self.assertEqual([one["dispatcher"]["decisions"] for one in (told, again)], [0, 1])
            self.assertEqual(again["operations"]["search"]["spaces"]["serial"],
                             {"breaker_open": False, "crossover": 1.0})
        self.assertEqual(repr(context), "<pykindred.Context: closed>")
        self.assertEqual(index.search(rows[3])[1][0], 3)  # keeps it alive
        self.assertEqual(pykindred.last_record().space, "serial")
        for call in (lambda: context.threads, lambda: pykindred.VectorIndex(rows, context=context)):
            with self.assertRaisesRegex(pykindred.Error, "closed"):
                call()

    def test_a_budget_is_kept(self):
        context = pykindred.Context(host_budget=10_000)
        with self.assertRaises(pykindred.OutOfMemory) as raised:
            pykindred.VectorIndex(vectors("rows", 1000, 100), context=context)
        self.assertEqual(raised.exception.space, "host")
        self.assertGreater(raised.exception.bytes, 0)
        self.assertEqual(pickle.loads(pickle.dumps(raised.exception)).bytes, raised.exception.bytes)

    def test_paths_and_messages_of_a_context(self):
        path, messages = folder_of(self, LATIN) / "profile.json", []
        with new_context(profile=path) as saving:
            self.assertEqual(saving.profile_path, str(path))
            self.assertEqual(saving.describe()["profile"]["path"], str(path))
            saving.save_profile()
        self.assertTrue(path.exists())
        path.write_bytes(b"{ damaged")
        new_context(profile=path, load_profile=True, log=lambda _, text: messages.append(text)).close()
        self.assertTrue([message for message in messages if LATIN in message], messages)

    def test_objects_are_released(self):
        context = new_context()
        index = pykindred.VectorIndex(vectors("rows", 30, 5), context=context)
        used, gone = context.memory()["in_use"], weakref.ref(index)
        del index
        gc.collect()
        self.assertIsNone(gone())
        self.assertLess(context.memory()["in_use"], used)


class Limits(unittest.TestCase):
    def test_a_background_thread_that_cannot_be_started_is_an_error(self):
        if pykindred.default_context().spaces()["cuda"]["usable"]:
            self.skipTest("CUDA reserves address space for all memory of the machine")
        stack, most = 256 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]
        if stack > most != resource.RLIM_INFINITY:
            self.skipTest("stacks of threads are limited")
        loaded, made, count = run(f"""
            import resource, tempfile, pykindred
            context = pykindred.Context(threads=1, load_profile=False)

            def limit_address_space(more):
                used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
                limit = used + more if more else resource.RLIM_INFINITY
                resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))

            def message(call):
                try:
                    call()
                except pykindred.Error as raised:
                    assert type(raised) is pykindred.Error, type(raised)
                    return str(raised)
            memory = pykindred.PatternMemory(context=context)
            memory.learn([["a", "b"], ["c"]], name="x")
            with tempfile.TemporaryDirectory() as folder:
                memory.save(folder + "/memory.knd")
                def load():
                    return pykindred.PatternMemory.load(folder + "/memory.knd", context=context)
                limit_address_space({stack >> 2})
                print(message(load))
                print(message(lambda: pykindred.PatternMemory(context=context)))
                limit_address_space(None)
                print(len(load()))
        """, stack=stack).splitlines()
        self.assertRegex(loaded, "^the thread that synchronises patterns cannot be started: "
                                 "Resource temporarily unavailable; allow the process")
        self.assertEqual((made, count), (loaded, "1"))


class Fork(unittest.TestCase):
    def test_a_child_ends_as_a_process_does_and_the_parent_goes_on(self):
        """`test_bad_input.py` has the calls of children."""
        self.assertEqual(run("""
            import os, sys, numpy as np, pykindred
            rows = np.ones((9, 4), np.float32)
            index, prepared = pykindred.VectorIndex(rows), pykindred.PreparedBulk.reduce("sum", rows)
            child = os.fork()
            if child == 0:
                try:
                    prepared.run()
                except pykindred.SpaceUnavailable:
                    sys.exit(7)  # with all of the interpreter's end
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), float(prepared.run().sum()), len(index.search(rows)[1]))
        """, PYTHONWARNINGS=QUIET_FORK).split(), ["7", "36.0", "9"])

    @without_sanitizer
    def test_a_child_that_is_forked_during_calls_raises(self):
        self.assertEqual(run("""
            import os, signal, threading, time, numpy, pykindred
            rows, numbers = numpy.ones((200, 16), numpy.float32), numpy.arange(200)
            context = pykindred.Context(space="serial", load_profile=False)
            index = pykindred.VectorIndex(rows, context=context)
            keyed = pykindred.KeyedVectorIndex(numbers, rows, context=context)
            memory = pykindred.PatternMemory(context=context)
            names, done = iter(range(10**9)), threading.Event()
            def repeat(call):
                thread = threading.Thread(target=lambda: [call() for _ in iter(done.is_set, True)])
                thread.start()
                return thread
            threads = [repeat(lambda: index.remove(index.add(rows))), repeat(memory.to_bytes),
                       repeat(lambda: memory.learn([[str(next(names))]])),
                       repeat(lambda: keyed.upsert(numbers, rows))]
            calls = [lambda: index.add(rows), lambda: keyed.upsert(numbers, rows), memory.to_bytes,
                     lambda: memory.save("/dev/null/memory"), lambda: repr(memory),
                     lambda: index.search(rows)]
            failed = 0
            for number in range(12):
                time.sleep(0.003)
                child = os.fork()
                if child == 0:
                    signal.alarm(20)
                    raised = 0
                    for call in calls:
                        try:
                            call()
                        except pykindred.SpaceUnavailable:
                            raised += 1
                    os._exit(len(calls) - raised)
                failed += os.waitpid(child, 0)[1] != 0
                if failed:
                    break
            done.set()
            for thread in threads:
                thread.join()
            print(failed, len(index))
        """, PYTHONWARNINGS=QUIET_FORK).split(), ["0", "200"])

    def test_a_child_of_a_process_without_context_computes(self):
        self.assertEqual(run("""
            import os, sys, numpy, pykindred
            child = os.fork()
            if child == 0:
                rows = numpy.ones((3, 4), numpy.float32)
                sys.exit(0 if len(pykindred.VectorIndex(rows).search(rows)[1]) == 3 else 1)
            print(os.waitpid(child, 0)[1])
        """, PYTHONWARNINGS=QUIET_FORK).split(), ["0"])


class End(unittest.TestCase):
    PRELUDE = """
        import atexit, concurrent.futures, os, sys, threading, time, numpy
        parent = os.getpid()
        atexit.register(lambda: os.getpid() == parent and print(index.search(rows[:3], 1)[1][2]))
        import pykindred
        rows = numpy.random.default_rng(1).standard_normal((20_000, 64)).astype(numpy.float32)
        index = pykindred.VectorIndex(rows)
        def start(work, count=1, daemon=True):
            for _ in range(count):
                threading.Thread(target=work, daemon=daemon).start()
        def search_for_ever():
            while True:
                index.search(rows[:64], 5)
                pykindred.top_rows(rows[0], rows[:10])
    """

    def check(self, program, *printed, times=1):
        """What a program prints; a handler that was registered before the import still computes."""
        program = textwrap.dedent(self.PRELUDE) + textwrap.dedent(program)
        for _ in range(times):
            out = run(program, PYTHONWARNINGS=QUIET_FORK)
            self.assertEqual(out.splitlines(), [*printed, "[2]"])

    def test_with_threads_that_compute(self):
        self.check("""
            start(search_for_ever, 4)
            time.sleep(0.2)
        """, times=3)

    def test_with_threads_that_are_waited_for(self):
        self.check("""
            done = []
            def work():
                for _ in range(5):
                    done.append(index.search(rows[:64], 5)[1][3, 0])
                if len(done) == 20:
                    print(set(map(int, done)))
            start(work, 4, daemon=False)
            # The main thread ends, and the interpreter waits for the others.
        """, "{3}")

    def test_with_a_pool_and_an_exit_within_a_call(self):
        self.check("""
            pool = concurrent.futures.ThreadPoolExecutor(3)
            running = [pool.submit(index.search, rows[:64], 5) for _ in range(12)]
            class Ending:
                def __fspath__(self):
                    sys.exit(0)
            print(running[0].result()[1][2, 0])
            index.save(Ending())
            print("not reached")
        """, "2")

    def test_with_a_daemon_thread_in_code_of_python_that_a_call_runs(self):
        build = "pykindred.HnswIndex(rows[:300, :8].copy(), progress=slow)"
        for call in ("index.search(Slow())", build):
            with self.subTest(call):
                self.check(f"""
                    entered = threading.Event()
                    def slow(*_):
                        entered.set()
                        sum(number for number in range(10**6))
                    class Slow:
                        def __dlpack_device__(self):
                            slow()
                            return 1, 0
                        def __dlpack__(self, **_):
                            return rows.__dlpack__()
                    def work():
                        while True:
                            {call}
                    start(work)
                    assert entered.wait(60)
                """)

    def test_with_threads_of_the_library(self):
        # Merges of a graph, synchronisation of patterns, a construction that reports its progress.
        self.check("""
            ends = numpy.random.default_rng(1).integers(0, 20_000, (2, 200_000))
            graph = pykindred.SpreadingEngine(20_000, *ends, merge_share=0.001)
            settings = pykindred.PatternSettings(sync_threshold=1, background_sync=True)
            memory = pykindred.PatternMemory(settings=settings)
            def change():
                generator = numpy.random.default_rng(2)
                while True:
                    graph.add_edges(*generator.integers(0, 20_000, (2, 500)))
                    memory.learn([[str(generator.integers(10**6))], ["x"]])
            start(change)
            start(lambda: pykindred.HnswIndex(rows[:3000, :32].copy(), progress=lambda done: None))
            time.sleep(0.3)
        """, times=3)

    @without_sanitizer
    def test_after_a_fork_while_threads_compute(self):
        self.check("""
            start(search_for_ever, 3)
            time.sleep(0.1)
            statuses = []
            for end in (sys.exit, os._exit):
                child = os.fork()
                if child == 0:
                    end(0)
                statuses.append(os.waitpid(child, 0)[1])
            print(statuses)
        """, "[0, 0]")

    def test_with_objects_that_live_until_the_end(self):
        self.check("""
            default = pykindred.default_context()
            sys.kept = [pykindred.VectorIndex(rows), pykindred.Context(), default]
            sys.cycle = [pykindred.VectorIndex(rows, context=sys.kept[1])]
            sys.cycle.append(sys.cycle)
            ends = numpy.int64([0, 1, 1]), numpy.int32([1])
            sys.graph = pykindred.SpreadingEngine.from_csr(*ends, copy=False)
            settings = pykindred.PatternSettings(sync_threshold=1)
            sys.memory = pykindred.PatternMemory(settings=settings)  # has a thread
            sys.memory.learn([["a"]])
            sys.logged = pykindred.Context(log=print, on_dispatch=print, load_profile=False)
        """)


class Interpreters(unittest.TestCase):
    PROGRAM = """
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            import _interpreters as interpreters
        if FIRST:
            import pykindred
        other = interpreters.create()
        failed = interpreters.run_string(other, "try:\\n import pykindred\\nexcept ImportError as error:\\n print(error, flush=True)")
        interpreters.destroy(other)
        import numpy, pykindred
        rows = numpy.eye(4, dtype=numpy.float32)
        print(pykindred.VectorIndex(rows).search(rows[2], 1)[1])
    """

    @unittest.skipUnless(importlib.util.find_spec("_xxsubinterpreters") or importlib.util.find_spec("_interpreters"), "this Python has one interpreter")
    def test_others_refuse_the_import_and_the_main_one_computes(self):
        for first in ("True", "False"):
            with self.subTest(first):
                refused, found = run(self.PROGRAM.replace("FIRST", first)).splitlines()
                self.assertIn("interpreter", refused)  # from Python 3.12 on, Python itself refuses
                self.assertEqual(found, "[2]")


if __name__ == "__main__":
    unittest.main()
