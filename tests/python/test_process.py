# SPDX-License-Identifier: Apache-2.0
"""Import, contexts, threads, fork and the end of the interpreter."""
import ast
import gc
import importlib.util
import inspect
import json
import os
import pickle
import textwrap
import threading
import unittest
import weakref

import numpy as np

import pykindred
from support import QUIET_FORK, run, vectors
from watchdog import watch


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

    def test_names_are_where_type_checkers_see_them(self):
        statements = [node for node in ast.walk(ast.parse(inspect.getsource(pykindred))) if isinstance(node, ast.ImportFrom)]
        names = {alias.name: node.module.partition(".")[2] for node in statements for alias in node.names}
        for name in ("TYPE_CHECKING", "_library", "__version__"):  # imported at once
            del names[name]
        self.assertEqual(pykindred._homes | dict.fromkeys(pykindred._submodules, ""), names)
        self.assertEqual(set(pykindred.__all__) - {"__version__", "library"} | {"errors"}, set(names))
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
        self.assertEqual(run("import pykindred; print(pykindred.library.why)", KINDRED_LIBRARY="host").strip(), "requested by KINDRED_LIBRARY")


class Contexts(unittest.TestCase):
    def test_default_and_others(self):
        rows = vectors("rows", 30, 5)
        self.assertIn("serial", pykindred.default_context().spaces())
        with pykindred.Context(threads=1, space="serial", load_profile=False) as context:
            index = pykindred.VectorIndex(rows, context=context)
            self.assertEqual(context.threads, 1)
            self.assertIn("<pykindred.Context: serial", repr(context))
            self.assertGreater(context.memory()["in_use"], 0)
            found = context.describe()
            self.assertEqual(found, json.loads(json.dumps(found)))
            self.assertEqual((found["threads"], found["library"]["name"], found["profile"]["path"]), (1, pykindred.library.name, context.profile_path))
            self.assertEqual(found["dispatcher"]["decisions"], 0)
            for name, space in context.spaces().items():
                self.assertEqual(found["spaces"][name], {**found["spaces"][name], **space})
            index.search(rows)
            found = context.describe()
            self.assertEqual(found["dispatcher"]["decisions"], 1)
            self.assertEqual(found["operations"]["search"]["spaces"]["serial"], {"breaker_open": False, "crossover": 1.0})
        self.assertEqual(repr(context), "<pykindred.Context: closed>")
        self.assertEqual(index.search(rows[3])[1][0], 3)  # keeps it alive
        self.assertEqual(pykindred.last_record().space, "serial")
        for call in (lambda: context.threads, lambda: pykindred.VectorIndex(rows, context=context)):
            with self.assertRaisesRegex(pykindred.Error, "closed"):
                call()

    def test_wrong_options_are_named(self):
        for options, error, message in (({"threads": -1}, ValueError, "threads"), ({"threads": 1000}, ValueError, "threads"),
                                        ({"space": "gpu"}, ValueError, "space"), ({"device": "a"}, TypeError, "device"),
                                        ({"budget_fraction": 2}, ValueError, "budget_fraction"), ({"host_budget": -1}, ValueError, "host_budget"),
                                        ({"budget_fraction": "x"}, TypeError, "budget_fraction"), ({"profile": 3}, TypeError, "profile")):
            with self.subTest(options), self.assertRaisesRegex(error, message) as raised:
                pykindred.Context(**options)
            self.assertIsInstance(raised.exception, pykindred.Error)

    def test_a_budget_is_kept(self):
        context = pykindred.Context(host_budget=10_000)
        with self.assertRaises(pykindred.OutOfMemory) as raised:
            pykindred.VectorIndex(vectors("rows", 1000, 100), context=context)
        self.assertEqual(raised.exception.space, "host")
        self.assertGreater(raised.exception.bytes, 0)
        self.assertEqual(pickle.loads(pickle.dumps(raised.exception)).bytes, raised.exception.bytes)

    def test_callbacks(self):
        records = []
        context = pykindred.Context(on_dispatch=records.append)
        rows = vectors("rows", 30, 5)
        pykindred.VectorIndex(rows, context=context).search(rows)
        self.assertEqual((records[-1].operation, records[-1].items), ("search", 900))

    def test_objects_are_released(self):
        context = pykindred.Context(load_profile=False)
        index = pykindred.VectorIndex(vectors("rows", 30, 5), context=context)
        used, gone = context.memory()["in_use"], weakref.ref(index)
        del index
        gc.collect()
        self.assertIsNone(gone())
        self.assertLess(context.memory()["in_use"], used)


class Threads(unittest.TestCase):
    def test_calls_of_many_threads_agree(self):
        watch(self)
        rows = vectors("rows", 500, 20)
        index = pykindred.VectorIndex(rows)
        expected, failures = index.search(rows[:50], 5)[1], []

        def work(number):
            try:
                for _ in range(20):
                    np.testing.assert_array_equal(index.search(rows[:50], 5)[1], expected)
                    pykindred.top_rows(rows[number], rows, 3)
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_changes_during_searches(self):
        watch(self)
        rows = vectors("rows", 300, 20)
        index, failures, done = pykindred.VectorIndex(rows), [], threading.Event()

        def read():
            try:
                while not done.is_set():
                    self.assertEqual(index.search(rows[:10], 1)[1][3, 0], 3)
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            index.remove(index.add(rows[:5] * 2 + 1))
        done.set()
        for thread in threads:
            thread.join()
        self.assertEqual((failures, len(index)), ([], 300))

    def test_all_scores_during_changes(self):
        rows = vectors("rows", 300, 8)
        index, failures, done = pykindred.VectorIndex(rows), [], threading.Event()

        def change():
            try:
                while not done.is_set():
                    index.remove(index.add(rows[:3]))
            except Exception as error:
                failures.append(error)
        changing = threading.Thread(target=change)
        changing.start()
        try:
            for _ in range(3000):
                self.assertIn(index.score_all(rows[:2], space="serial").shape, [(2, 300), (2, 303)])
        finally:
            done.set()
            changing.join()
        self.assertEqual(failures, [])
        with self.assertRaisesRegex(ValueError, "out"):
            index.score_all(rows[:2], out=np.empty((2, 299), np.float32))

    def test_the_gil_is_released(self):
        watch(self)
        rows = vectors("rows", 100_000, 16)
        index, ticks = pykindred.VectorIndex(rows), []
        searching = threading.Thread(target=lambda: index.search(rows[:200], 5, space="serial", path="brute_force"))
        searching.start()
        while searching.is_alive():
            ticks.append(None)
            threading.Event().wait(0.001)
        self.assertGreater(len(ticks), 20)

    def test_arrays_cannot_be_resized_during_a_call(self):
        watch(self)
        rows = vectors("rows", 100_000, 16)
        index, queries, refused = pykindred.VectorIndex(rows), vectors("queries", 300, 16), 0
        searching = threading.Thread(target=index.search, args=(queries,), kwargs={"space": "serial", "path": "brute_force"})
        searching.start()
        while searching.is_alive():
            try:
                queries.resize((300, 16), refcheck=False)
            except (BufferError, ValueError):
                refused += 1
            threading.Event().wait(0.001)
        self.assertEqual(queries.shape, (300, 16))


class Limits(unittest.TestCase):
    PRELUDE = """
        import resource, tempfile
        import numpy, pykindred

        def limit_address_space(more):
            used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + more if more else resource.RLIM_INFINITY, resource.RLIM_INFINITY))

        def message(error, call):
            try:
                call()
            except error as raised:
                assert type(raised) is error, type(raised)
                return str(raised)
    """

    def setUp(self):
        spaces = pykindred.default_context().spaces()
        if spaces["cuda"]["usable"]:
            self.skipTest("CUDA reserves address space for all memory of the machine")
        if not spaces["openmp"]["usable"]:
            self.skipTest("this build has no OpenMP")

    def test_without_threads_calls_run_on_serial(self):
        # The stack of a thread is larger than what the limit leaves.
        out = run(textwrap.dedent(self.PRELUDE) + textwrap.dedent("""
            rows = numpy.random.default_rng(1).standard_normal((20_000, 64)).astype(numpy.float32)
            context = pykindred.Context(threads=8, load_profile=False)
            index = pykindred.VectorIndex(rows, context=context)
            expected = index.search(rows[:64], 5, space="serial")
            limit_address_space(200 << 20)
            print(message(pykindred.SpaceUnavailable, lambda: index.search(rows[:64], 5, space="openmp")))
            for found, known in zip(index.search(rows[:64], 5), expected):
                numpy.testing.assert_array_equal(found, known)
            print(pykindred.last_record().space)
            later = pykindred.Context(threads=8, load_profile=False)
            print(later.spaces()["openmp"]["why_not"])
            limit_address_space(None)
            for found, known in zip(index.search(rows[:64], 5, space="openmp"), expected):
                numpy.testing.assert_array_equal(found, known)
        """), OMP_STACKSIZE="256M")
        later, space, earlier = out.splitlines()
        self.assertRegex(later, r"^\d+ threads? cannot be started: Resource temporarily unavailable; allow the process more threads")
        self.assertEqual(space, "serial")
        self.assertRegex(earlier, r"^8 threads cannot be started: Resource temporarily unavailable")

    def test_a_background_thread_that_cannot_be_started_is_an_error(self):
        out = run(textwrap.dedent(self.PRELUDE) + textwrap.dedent("""
            context = pykindred.Context(threads=1, load_profile=False)
            memory = pykindred.PatternMemory(context=context)
            memory.learn([["a", "b"], ["c"]], name="x")
            with tempfile.TemporaryDirectory() as folder:
                memory.save(folder + "/memory.knd")
                limit_address_space(6 << 20)  # less than a stack
                print(message(pykindred.Error, lambda: pykindred.PatternMemory.load(folder + "/memory.knd", context=context)))
                print(message(pykindred.Error, lambda: pykindred.PatternMemory(context=context)))
                limit_address_space(None)
                print(len(pykindred.PatternMemory.load(folder + "/memory.knd", context=context)))
        """))
        loaded, made, count = out.splitlines()
        self.assertRegex(loaded, "^the thread that synchronises patterns cannot be started: Resource temporarily unavailable; allow the process")
        self.assertEqual((made, count), (loaded, "1"))


class Fork(unittest.TestCase):
    def test_calls_in_the_child_are_errors(self):
        self.assertEqual(run("""
            import os, sys, numpy, pykindred
            rows = numpy.ones((3, 4), numpy.float32)
            index = pykindred.VectorIndex(rows)
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    index.search(rows)
                except pykindred.SpaceUnavailable as error:
                    status = 0
                del index
                sys.exit(status)  # with all of the interpreter's end
            print(os.waitpid(child, 0)[1], len(index.search(rows)[1]))
        """, PYTHONWARNINGS=QUIET_FORK).split(), ["0", "3"])

    def test_a_child_that_is_forked_during_calls_raises(self):
        self.assertEqual(run("""
            import os, signal, sys, threading, time, numpy, pykindred
            rows, numbers = numpy.ones((200, 16), numpy.float32), numpy.arange(200)
            context = pykindred.Context(space="serial", load_profile=False)
            index = pykindred.VectorIndex(rows, context=context)
            keyed = pykindred.KeyedVectorIndex(numbers, rows, context=context)
            memory = pykindred.PatternMemory(context=context)
            done = threading.Event()
            def repeat(call):
                def work():
                    while not done.is_set():
                        call()
                thread = threading.Thread(target=work)
                thread.start()
                return thread
            names = iter(range(10**9))
            threads = [repeat(lambda: index.remove(index.add(rows))), repeat(lambda: keyed.upsert(numbers, rows)),
                       repeat(lambda: memory.learn([[str(next(names))]])), repeat(memory.to_bytes)]
            calls = [lambda: index.add(rows), lambda: keyed.upsert(numbers, rows), lambda: memory.save("/dev/null/memory"),
                     memory.to_bytes, lambda: repr(memory), lambda: index.search(rows)]
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
    PROGRAM = """
        import atexit, threading, time, numpy
        atexit.register(lambda: print(index.search(rows[:3], 1)[1][2]))
        import pykindred
        rows = numpy.random.default_rng(1).standard_normal((20_000, 64)).astype(numpy.float32)
        index = pykindred.VectorIndex(rows)
        def work():
            while True:
                index.search(rows[:64], 5)
                pykindred.top_rows(rows[0], rows[:10])
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
    """

    def test_with_threads_that_compute(self):
        # A handler that was registered before the import still computes.
        for _ in range(3):
            self.assertEqual(run(self.PROGRAM).strip(), "[2]")

    def test_with_threads_that_are_waited_for(self):
        self.assertEqual(run("""
            import threading, numpy, pykindred
            rows = numpy.random.default_rng(1).standard_normal((20_000, 64)).astype(numpy.float32)
            index, done = pykindred.VectorIndex(rows), []
            def work():
                for _ in range(5):
                    done.append(index.search(rows[:64], 5)[1][3, 0])
                if len(done) == 20:
                    print(set(map(int, done)))
            for _ in range(4):
                threading.Thread(target=work).start()
            # The main thread ends, and the interpreter waits for the others.
        """).strip(), "{3}")

    def test_with_a_pool_and_an_exit_within_a_call(self):
        self.assertEqual(run("""
            import concurrent.futures, sys, numpy, pykindred
            rows = numpy.random.default_rng(1).standard_normal((20_000, 64)).astype(numpy.float32)
            index, pool = pykindred.VectorIndex(rows), concurrent.futures.ThreadPoolExecutor(3)
            running = [pool.submit(index.search, rows[:64], 5) for _ in range(12)]
            class Ending:
                def __fspath__(self):
                    sys.exit(0)
            print(running[0].result()[1][2, 0])
            index.save(Ending())
            print("not reached")
        """).strip(), "2")

    def test_with_a_daemon_thread_in_code_of_python_that_a_call_runs(self):
        for call in ("index.search(Slow())", "pykindred.HnswIndex(rows, progress=slow)"):
            with self.subTest(call):
                run(f"""
                    import threading, time, numpy, pykindred
                    rows, entered = numpy.ones((300, 8), numpy.float32), threading.Event()
                    index = pykindred.VectorIndex(rows)
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
                    threading.Thread(target=work, daemon=True).start()
                    assert entered.wait(60)
                """)

    def test_with_threads_of_the_library(self):
        # Merges of a graph, synchronisation of patterns and a construction that reports its progress.
        for _ in range(3):
            run("""
                import threading, time, numpy, pykindred
                random = numpy.random.default_rng(1)
                ends = random.integers(0, 20_000, (2, 200_000))
                graph = pykindred.SpreadingEngine(20_000, *ends, merge_share=0.001)
                memory = pykindred.PatternMemory(settings=pykindred.PatternSettings(sync_threshold=1, background_sync=True))
                rows = random.standard_normal((3_000, 32)).astype(numpy.float32)
                def change():
                    generator = numpy.random.default_rng(2)
                    while True:
                        graph.add_edges(*generator.integers(0, 20_000, (2, 500)))
                        memory.learn([[str(generator.integers(10**6))], ["x"]])
                def build():
                    pykindred.HnswIndex(rows, progress=lambda done: None)
                for work in (change, build):
                    threading.Thread(target=work, daemon=True).start()
                time.sleep(0.3)
            """)

    def test_after_a_fork_while_threads_compute(self):
        self.assertEqual(run("""
            import os, sys, threading, time, numpy, pykindred
            rows = numpy.random.default_rng(1).standard_normal((20_000, 64)).astype(numpy.float32)
            index = pykindred.VectorIndex(rows)
            def work():
                while True:
                    index.search(rows[:64], 5)
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.1)
            statuses = []
            for end in (sys.exit, os._exit):
                child = os.fork()
                if child == 0:
                    end(0)
                statuses.append(os.waitpid(child, 0)[1])
            print(statuses)
        """, PYTHONWARNINGS=QUIET_FORK).strip(), "[0, 0]")

    def test_with_objects_that_live_until_the_end(self):
        run("""
            import sys, numpy, pykindred
            rows = numpy.ones((3, 4), numpy.float32)
            sys.kept = [pykindred.VectorIndex(rows), pykindred.Context(), pykindred.default_context()]
            sys.cycle = [pykindred.VectorIndex(rows, context=sys.kept[1])]
            sys.cycle.append(sys.cycle)
            sys.logged = pykindred.Context(log=print, on_dispatch=print)
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
