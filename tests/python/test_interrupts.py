# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C stops every long call within a tenth of a second, and the objects can be used afterwards."""
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

import pykindred
from long_calls import KINDS
from support import QUIET_FORK, run, vectors
from watchdog import SANITIZED

# What a shell starts in the background ignores Ctrl-C, and so would the programs below.
signal.signal(signal.SIGINT, signal.default_int_handler)

LIMIT = 0.1  # seconds from the signal to the exception
BUSY = 4 if SANITIZED else 0.4  # on a machine that other programs keep busy, even at the third attempt


class Interrupts(unittest.TestCase):
    def interrupt(self, kind):
        """Interrupts every long call of a kind; at most three times, for the sake of busy machines."""
        program = Path(__file__).with_name("long_calls.py")
        latencies, pipes = {}, dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
        with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(
                [sys.executable, "-X", "faulthandler", program, kind], **pipes, stderr=errors,
                text=True) as process:
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
            errors.seek(0)
            self.assertEqual((process.returncode, errors.read()), (0, ""))
        shown = "\n".join(f"{1e3 * latency:6.1f} ms  {name}" if latency is not None else f"  ended  {name}" for name, latency in latencies.items())
        print(shown, file=sys.stderr)
        self.assertTrue(all(latency is None or latency < BUSY for latency in latencies.values()), shown)
        # A fast machine may end some calls earlier.
        self.assertGreaterEqual(sum(latency is not None for latency in latencies.values()), len(latencies) / 2, shown)


for _kind in KINDS:
    setattr(Interrupts, f"test_calls_of_{_kind}_end_soon", lambda self, kind=_kind: self.interrupt(kind))


class Signals(unittest.TestCase):
    def setUp(self):
        self.rows = vectors("rows", 40_000, 64)
        self.index = pykindred.VectorIndex(self.rows)

    def search(self):
        return self.index.search(self.rows[:300], 1, space="serial", path="brute_force")[1][:, 0]

    def handle(self, handler, seconds=0.05):
        """Until the end of the test, a signal every so many seconds."""
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, handler))
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)

    def test_a_handler_that_does_not_raise_does_not_end_a_call(self):
        handled, most = [], 0
        self.handle(lambda *_: handled.append(None), 0.005)
        for _ in range(9):
            before = len(handled)
            np.testing.assert_array_equal(self.search(), np.arange(300))
            most = max(most, len(handled) - before)
        self.assertGreater(most, 1, "handlers run during a long call")

    def test_a_handler_may_raise_any_exception(self):
        class Late(Exception):
            pass

        def late(*_):
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Late
        prepared = pykindred.PreparedBulk.element_wise("exp", np.ones(10_000_000), space="serial")
        for call in (self.search, prepared.run):
            expected = call().copy()
            with self.assertRaises(Late):
                self.handle(late)
                while True:
                    call()
            np.testing.assert_array_equal(call(), expected)

    def test_a_handler_in_the_midst_of_a_call_cannot_make_another_one(self):
        other, found = pykindred.VectorIndex(self.rows[:50]), []

        def search(*_):
            try:
                found.append(other.search(self.rows[3], 1)[1][0])
            except pykindred.Busy:
                found.append(None)
        self.handle(search)
        while None not in found:
            np.testing.assert_array_equal(self.search(), np.arange(300))
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
