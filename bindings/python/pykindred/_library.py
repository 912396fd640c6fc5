# SPDX-License-Identifier: Apache-2.0
"""Chooses the library that the extension is bound to.

``_kindred`` needs ``libkindred.so.0``, and finds the one for hosts in ``pykindred/lib``, there the one for the processor
(``glibc-hwcaps``). If a library of the same name is already loaded, the system takes that one. So a package with libraries for GPUs,
``pykindred_cu13``, only has to be installed: ``_loader`` opens the one that suits the driver and the device, before ``_kindred`` is imported.
It needs libraries of CUDA, which are taken from NVIDIA's packages, and otherwise from the system.
"""
import importlib.util
import os
from typing import NamedTuple

from pykindred import _loader

# Packages with libraries for GPUs, in folders lib/kindred/cuda-*, the preferred one first, and what they need of NVIDIA's packages, which
# share the folder nvidia.
GPU_PACKAGES = {"pykindred_cu13": ("cu13/lib/libcublasLt.so.13",)}


class Library(NamedTuple):
    """The build of libkindred.so that is in use."""

    name: str  #: ``host``, or that of a library for GPUs, such as ``cuda-90``
    path: str  #: of the file; empty for ``host``
    why: str  #: why it was chosen


def _places(package: str) -> list[str]:
    """The folders of an installed package; of several where it is a namespace."""
    spec = importlib.util.find_spec(package)
    return [] if spec is None else list(spec.submodule_search_locations or ())


def _installed() -> tuple[str, list[str]]:
    """The folder of the libraries for GPUs, empty if there is none, and the files that they need."""
    for package, needed in GPU_PACKAGES.items():
        for place in _places(package):
            found = (os.path.join(folder, name) for name in needed for folder in _places("nvidia"))
            return os.path.join(place, "lib", "kindred"), [file for file in found if os.path.exists(file)]
    return "", []


def load() -> Library:
    """Opens the library for GPUs that suits this machine, if there is one.

    The environment variable ``KINDRED_LIBRARY`` requests one by its name or path; ``host`` uses none.
    """
    requested = os.environ.get("KINDRED_LIBRARY") or None
    if requested == "host":
        return Library("host", "", "requested by KINDRED_LIBRARY")
    folder, needed = _installed()
    if not folder and requested is None:
        return Library("host", "", "no package with libraries for GPUs is installed")
    return Library(*_loader.open_library(folder, requested, needed))


def loaded_file() -> str:
    """The file of the library that this process has loaded, or of the extension, if that contains the library; empty if the system does not say."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            files = [line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "kindred" in line]
    except OSError:
        return ""
    return next((file for prefix in ("libkindred", "_kindred.") for file in files if os.path.basename(file).startswith(prefix)), "")
