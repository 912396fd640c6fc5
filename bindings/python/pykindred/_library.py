# SPDX-License-Identifier: Apache-2.0
"""Chooses the library that the extension is bound to.

``_kindred`` needs ``libkindred.so.0``, and finds the one for hosts in ``pykindred/lib``, there the one for the processor
(``glibc-hwcaps``). If a library of the same name is already loaded, the system takes that one. So a package with libraries for GPUs,
``pykindred_cu13``, only has to be installed: ``_loader`` opens the one that suits the driver and the device, before ``_kindred`` is imported.
"""
import importlib.util
import os
from pathlib import Path
from typing import NamedTuple

from pykindred import _loader

# Packages with libraries for GPUs, the preferred one first. They have folders lib/kindred/cuda-*.
GPU_PACKAGES = ("pykindred_cu13",)


class Library(NamedTuple):
    """The build of libkindred.so that is in use."""

    name: str  #: ``host``, or that of a library for GPUs, such as ``cuda-90``
    path: str  #: of the file; empty for ``host``
    why: str  #: why it was chosen


def _folder() -> str:
    for package in GPU_PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.submodule_search_locations:
            return str(Path(next(iter(spec.submodule_search_locations))) / "lib" / "kindred")
    return ""


def load() -> Library:
    """Opens the library for GPUs that suits this machine, if there is one.

    The environment variable ``KINDRED_LIBRARY`` requests one by its name or path; ``host`` uses none.
    """
    requested = os.environ.get("KINDRED_LIBRARY") or None
    if requested == "host":
        return Library("host", "", "requested by KINDRED_LIBRARY")
    folder = _folder()
    if not folder and requested is None:
        return Library("host", "", "no package with libraries for GPUs is installed")
    return Library(*_loader.open_library(folder, requested))


def loaded_file() -> str:
    """The file of the library that this process has loaded; empty if the system does not say."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            files = [line.split(maxsplit=5)[5].strip() for line in maps if "libkindred" in line]
    except OSError:
        return ""
    return next((file for file in files if Path(file).name.startswith("libkindred")), "")
