# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C stops every long call within a tenth of a second, and the objects can be used afterwards."""
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import pykindred
from long_calls import KINDS
from support import QUIET_FORK, run, vectors

# What a shell starts in the background ignores Ctrl-C, and so would the programs below.
signal.signal(signal.SIGINT, signal.default_int_handler)

LIMIT = 0.1  # seconds from the signal to the exception
BUSY = 0.4 if "ASAN_OPTIONS" not in os.environ else 4  # on a machine that other programs keep busy, even at the third attempt


class Interrupts(unittest.TestCase):
    def interrupt(self, kind):
        """Interrupts every long call of a kind; at most three times, for the sake of busy machines."""
        program = [sys.executable, "-X", "faulthandler", str(Path(__file__).with_name("long_calls.py")), kind]
        latencies = {}
        with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            errors = []
            reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
            reader.start()
            while name := process.stdout.readline().strip():
                time.sleep(0.25)
                sent = time.monotonic()
                process.send_signal(signal.SIGINT)
                answer = process.stdout.readline().strip()
                if answer == "ended":
                    latencies.setdefault(name, None)
                elif answer:
                    latencies[name] = min(latencies.get(name) or np.inf, float(answer) - sent)
                again = answer not in ("", "ended") and latencies[name] > LIMIT
                if not answer:
                    break  # it has failed
                process.stdin.write("again\n" if again else "next\n")
                process.stdin.flush()
            process.wait()
            reader.join()
        self.assertEqual((process.returncode, errors[0]), (0, ""), errors[0])
        shown = "\n".join(f"{1e3 * latency:6.1f} ms  {name}" if latency is not None else f"  ended  {name}" for name, latency in latencies.items())
        print(shown, file=sys.stderr)
        self.assertTrue(all(latency is None or latency < BUSY for latency in latencies.values()), shown)
        # A fast machine may end some calls earlier.
        self.assertGreaterEqual(sum(latency is not None for latency in latencies.values()), len(latencies) / 2, shown)


for _kind in KINDS:
    setattr(Interrupts, f"test_calls_of_{_kind}_end_soon", lambda self, kind=_kind: self.interrupt(kind))


class Signals(unittest.TestCase):
    def test_a_handler_that_does_not_raise_does_not_end_a_call(self):
        rows = vectors("rows", 40_000, 64)
        index = pykindred.VectorIndex(rows)
        expected = index.search(rows[:300], 5, space="serial", path="brute_force")
        handled = []
        before = signal.signal(signal.SIGALRM, lambda *_: handled.append(time.monotonic()))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
            found = index.search(rows[:300], 5, space="serial", path="brute_force")
            ended = time.monotonic()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        np.testing.assert_array_equal(found[1], expected[1])
        if ended - handled[0] > 0.3:
            self.assertGreater(sum(moment < ended for moment in handled), 1, "handlers run during a long call")

    def test_a_handler_may_raise_any_exception(self):
        class Late(Exception):
            pass

        def late(*_):
            raise Late

        rows = vectors("rows", 60_000, 96)
        index = pykindred.VectorIndex(rows)
        before = signal.signal(signal.SIGALRM, late)
        try:
            with self.assertRaises(Late):
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                while True:
                    index.search(rows[:2000], 5)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        np.testing.assert_array_equal(index.search(rows[7], 1)[1], [7])

    def test_a_handler_in_the_midst_of_a_call_cannot_make_another_one(self):
        rows = vectors("rows", 40_000, 64)
        index, other, found = pykindred.VectorIndex(rows), pykindred.VectorIndex(rows[:50]), []

        def search(*_):
            try:
                found.append(other.search(rows[3], 1)[1][0])
            except pykindred.Busy:
                found.append(None)

        before = signal.signal(signal.SIGALRM, search)
        try:
            while None not in found:
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                ids = index.search(rows[:300], 1, space="serial", path="brute_force")[1]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        np.testing.assert_array_equal(ids[:, 0], np.arange(300))
        self.assertLessEqual(set(found), {3, None})

    def test_calls_of_other_threads_are_not_interrupted(self):
        run("""
            import os, signal, threading, time
            import numpy as np, pykindred
            rows = np.random.default_rng(1).standard_normal((40_000, 64)).astype(np.float32)
            index, found = pykindred.VectorIndex(rows), []
            thread = threading.Thread(target=lambda: found.append(index.search(rows[:400], 1, space="serial", path="brute_force")[1]))
            thread.start()
            try:
                time.sleep(0.05)
                os.kill(os.getpid(), signal.SIGINT)
                thread.join()
                time.sleep(1)
                raise SystemExit("no KeyboardInterrupt")
            except KeyboardInterrupt:
                thread.join()
            assert (found[0][:, 0] == np.arange(400)).all()
        """)

    def test_a_child_process_handles_signals_too(self):
        run("""
            import os, signal, threading, time
            import numpy as np, pykindred
            pykindred.similarity("abc", "abd")
            prepared = pykindred.PreparedQuery("ab" * 40, measure="lcs")
            prepared.similarity("ba" * 2000)
            child = os.fork()
            if child == 0:
                rows = np.ones((60_000, 96), np.float32)
                index = pykindred.VectorIndex(rows)
                threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
                try:
                    while True:
                        index.search(rows[:20_000], 5, space="serial", path="brute_force")
                except KeyboardInterrupt:
                    os._exit(7)
                os._exit(8)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        """, PYTHONWARNINGS=QUIET_FORK)


if __name__ == "__main__":
    unittest.main()
