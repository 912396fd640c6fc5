# SPDX-License-Identifier: Apache-2.0
"""The instruction set for which the package is built: by default, one level of x86-64, the highest that this processor has."""
import platform
import re
from pathlib import Path

# What each level adds to the one before, as /proc/cpuinfo names it.
ADDED = {
    "x86-64-v2": "cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3",
    "x86-64-v3": "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave",
    "x86-64-v4": "avx512bw avx512cd avx512dq avx512f avx512vl",
}
ARGUMENTS = ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS", "SKBUILD_CMAKE_DEFINE")  # variables of the environment that scikit-build-core reads


def highest_level(flags):
    """The highest level of a processor that has these flags."""
    best = "x86-64"
    for level, added in ADDED.items():
        if not flags.issuperset(added.split()):
            break
        best = level
    return best


def level_of_processor(cpuinfo="/proc/cpuinfo"):
    """The highest level that this processor has and the system supports; x86-64-v2 if the system does not say."""
    try:
        text = Path(cpuinfo).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "x86-64-v2"
    found = re.search(r"^flags\s*:(.*)$", text, re.M)
    return highest_level(set(found[1].split())) if found else "x86-64-v2"


def definitions(settings, environment, machine=None, level=level_of_processor):
    """What CMake is given beyond the settings: KINDRED_ARCH, and KINDRED_LEVELS, the further levels. What the settings of pip or the
    environment choose wins: for one that they name, nothing is decided here."""
    said = [f"{key}={value}" for key, value in settings.items()] + [environment.get(name, "") for name in ARGUMENTS]
    given = {name for name in ("KINDRED_ARCH", "KINDRED_LEVELS") if any(name in text for text in said)}
    made = {name: environment[name] for name in ("KINDRED_ARCH", "KINDRED_LEVELS") if name in environment and name not in given}
    if (machine or platform.machine()) != "x86_64":
        return made
    if "KINDRED_ARCH" not in given | made.keys():
        # Further levels are further than that of packages.
        made["KINDRED_ARCH"] = "x86-64-v2" if "KINDRED_LEVELS" in given | made.keys() else level()
    if "KINDRED_LEVELS" not in given | made.keys():
        made["KINDRED_LEVELS"] = ""
    return made
