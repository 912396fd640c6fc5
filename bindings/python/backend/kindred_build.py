# SPDX-License-Identifier: Apache-2.0
"""The build backend of pyproject.toml: scikit-build-core, with a Kokkos and an instruction set.

Kokkos is the one of Kokkos_DIR or Kokkos_ROOT, otherwise the one that ./run builds of pinned sources, in half a minute, and
keeps in .deps. The library is built once, for the best named instruction set that the processor has (cmake/KindredInstructionSet.cmake).
KINDRED_ARCH names another one, and KINDRED_LEVELS further ones besides it (or besides x86-64-v2), of which the system takes the best
when the package is imported. Both are variables of the environment, or `-C cmake.define.KINDRED_ARCH=…`; ./run wheel chooses all levels.
"""
import os
import subprocess
from pathlib import Path

from scikit_build_core import build as _backend
from scikit_build_core.build import (build_sdist, get_requires_for_build_editable, get_requires_for_build_sdist,  # noqa: F401
                                     get_requires_for_build_wheel)

from instruction_set import definitions

# Without these, asking for the metadata would compile everything.
for _hook in ("prepare_metadata_for_build_wheel", "prepare_metadata_for_build_editable"):
    if hasattr(_backend, _hook):
        globals()[_hook] = getattr(_backend, _hook)

ROOT = Path(__file__).resolve().parents[3]
FIND_KOKKOS = """
set -euo pipefail
assume_yes=0 host_only=1
for part in common packages gpu kokkos; do source cmake/run/$part.sh; done
require_writable
find_kokkos >&2
echo "$kokkos_dir"
"""


def _prepared(settings):
    """The settings, with what the environment says."""
    settings = dict(settings or {})
    for name, value in definitions(settings, os.environ).items():
        settings[f"cmake.define.{name}"] = value
    if "Kokkos_DIR" not in os.environ:
        # `run` calls another pip, which would take what this one tells its backend for its own.
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("_PYPROJECT_HOOKS_", "PEP517_")) and name not in ("PIP_BUILD_TRACKER", "PYTHONPATH", "PYTHONNOUSERSITE")}
        found = subprocess.run(["bash", "-c", FIND_KOKKOS], cwd=ROOT, env=kept, stdout=subprocess.PIPE, text=True)
        if found.returncode != 0:
            raise SystemExit("no Kokkos: set Kokkos_ROOT to where one is installed")
        os.environ["Kokkos_DIR"] = found.stdout.strip()
    return settings


def build_wheel(folder, settings=None, metadata=None):
    return _backend.build_wheel(folder, _prepared(settings), metadata)


def build_editable(folder, settings=None, metadata=None):
    return _backend.build_editable(folder, _prepared(settings), metadata)
