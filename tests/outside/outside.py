# SPDX-License-Identifier: Apache-2.0
"""What the tests beside it share: the other programs, the command, and the number of random inputs."""
import os
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "tools"), str(TESTS / "python")]  # for harness.py, and support.py
# The full run takes four times as many random inputs, KINDRED_LONG=1 forty times, of another seed.
LONG = os.environ.get("KINDRED_LONG", "0") not in ("", "0")
TIMES = 40 if LONG else 4 if os.environ.get("KINDRED_FULL", "0") not in ("", "0") else 1
SEED = 100 if LONG else 1

from support import modules as programs  # noqa: E402, F401
