# SPDX-License-Identifier: Apache-2.0
"""What contexts log, where they are given no function for it: to the logger ``pykindred``."""
import logging

from pykindred import _kindred

_logger = logging.getLogger("pykindred")
_logger.addHandler(logging.NullHandler())
_levels = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}


def log_message(level: str, message: str) -> None:
    _logger.log(_levels[level], "%s", message)


_kindred.set_default_log(log_message)
