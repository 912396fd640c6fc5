# SPDX-License-Identifier: Apache-2.0
"""What CMake is given of the environment's instruction set."""

ARGUMENTS = ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS", "SKBUILD_CMAKE_DEFINE")  # variables of the environment that scikit-build-core reads


def definitions(settings, environment):
    """KINDRED_ARCH and KINDRED_LEVELS of the environment, unless the settings of pip, or those of scikit-build-core in the environment,
    name them."""
    said = [f"{key}={value}" for key, value in settings.items()] + [environment.get(name, "") for name in ARGUMENTS]
    return {name: environment[name] for name in ("KINDRED_ARCH", "KINDRED_LEVELS") if name in environment and not any(name in text for text in said)}
