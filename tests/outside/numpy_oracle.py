# SPDX-License-Identifier: Apache-2.0
"""What the tests beside it need: the definitions in NumPy and the command. Exits with 77, which ctest counts as skipped, where a
module is missing."""
import sys
from pathlib import Path

try:
    import numpy as np
    import rapidfuzz  # noqa: F401
    import scipy  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}; install them with: {sys.executable} -m pip install -r tests/outside/requirements.txt")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import harness  # noqa: E402
from reproducible import equal_bits, pairwise_tree_sum, ranked, reproducible_sum, vector_scores  # noqa: E402, F401
