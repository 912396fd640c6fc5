# SPDX-License-Identifier: Apache-2.0
from pykindred import _kindred

__version__: str = _kindred.version
