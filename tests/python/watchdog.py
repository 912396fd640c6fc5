# SPDX-License-Identifier: Apache-2.0
"""Tests of threads end: in time, or with the stacks of all threads."""
import faulthandler
import os
import threading
import unittest
from functools import partial

SANITIZED = "san" in os.environ.get("LD_PRELOAD", "")  # the library is
# A child that is forked while another thread allocates can wait forever for a lock of the sanitizer's allocator.
without_sanitizer = unittest.skipIf(SANITIZED, "AddressSanitizer does not survive such forks")

# Seconds that a test with threads may take: a hang is a failure, not a timeout of the whole run. Sanitizers take longer, and so does a machine
# on which other tests run.
LIMIT = (200 if SANITIZED else 20) * max(1.0, 2 * os.getloadavg()[0] / os.cpu_count())


def watch(test, limit=LIMIT):
    """Ends the process with the stacks of all threads if ``test`` takes longer. The watchdog is a thread of C, which needs no GIL."""
    faulthandler.dump_traceback_later(limit, exit=True)
    test.addCleanup(faulthandler.cancel_dump_traceback_later)


class ThreadedTest(unittest.TestCase):
    """All its tests are watched."""

    limit = LIMIT

    def setUp(self):
        watch(self, self.limit)


def in_threads(*calls):
    """Runs the calls, each in a thread of its own, and returns their results in order, or raises what the first of them raised."""
    results, errors = [None] * len(calls), []

    def run(place, call):
        try:
            results[place] = call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=given, daemon=True) for given in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def while_running(call, *others):
    """The result of a call, and lists of those of other calls, which are repeated until it ends, each in a thread of its own."""
    begin, done = threading.Barrier(1 + len(others)), threading.Event()

    def run():
        begin.wait()
        try:
            return call()
        finally:
            done.set()

    def repeat(other):
        begin.wait()
        return [other() for _ in iter(done.is_set, True)]
    return in_threads(run, *(partial(repeat, other) for other in others))
