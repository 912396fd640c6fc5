# SPDX-License-Identifier: Apache-2.0
"""Tests of threads end: in time, or with the stacks of all threads."""
import faulthandler
import threading
import unittest

LIMIT = 20  # seconds that a test with threads may take; a hang is a failure, not a timeout of the whole run


class ThreadedTest(unittest.TestCase):
    """Its tests may hang: one that takes longer than `LIMIT` ends the process with the stacks of all threads. A thread that waits with the GIL
    held keeps no other from that, since the watchdog is a thread of C."""

    limit = LIMIT

    def setUp(self):
        faulthandler.dump_traceback_later(self.limit, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)


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
