#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel of the libraries for NVIDIA GPUs, pykindred-cu13, of which pykindred opens one when it is imported. It has the same bytes
whenever it is made of the same libraries.

usage: cuda_wheel.py STAGE FOLDER    STAGE has lib/kindred/cuda-*, FOLDER gets the wheel, whose path is printed"""
import base64
import hashlib
import os
import re
import sys
import time
import zipfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
PACKAGE = SOURCES / "bindings/python/gpu"
LIBRARY = "libkindred"
CUDA_MAJOR = 13  # another one has packages of other names


def fail(message):
    sys.exit(f"cuda_wheel.py: {message}")


def described(path):
    """What libkindred.txt says: the versions of Kindred and of CUDA."""
    if not path.exists():
        fail(f"{path} does not exist")
    values = dict(line.split(" ", 1) for line in path.read_text(encoding="utf-8").splitlines() if " " in line)
    if not re.fullmatch(r"\d+\.\d+", values.get("cuda", "")) or "kindred" not in values:
        fail(f"{path} lacks the versions of Kindred and of CUDA")
    return values["kindred"], values["cuda"]


def files_of(stage):
    """The libraries and their descriptions, by their path in the package; and the versions of Kindred and of CUDA."""
    folders = sorted(stage.glob("lib/kindred/cuda-*"))
    if not folders:
        fail(f"there are no folders {stage}/lib/kindred/cuda-*")
    files, versions = {}, set()
    for folder in folders:
        versions.add(described(folder / f"{LIBRARY}.txt"))
        for name in (f"{LIBRARY}.so.0", f"{LIBRARY}.txt"):
            if not (folder / name).exists():
                fail(f"{folder / name} does not exist")
            files[f"lib/kindred/{folder.name}/{name}"] = (folder / name).read_bytes()
    if len(versions) != 1:
        fail(f"the libraries are of different versions: {sorted(versions)}")
    return files, *versions.pop()


def metadata(name, version, cuda):
    major = int(cuda.split(".")[0])
    return f"""Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: Libraries of pykindred for NVIDIA GPUs
License-Expression: Apache-2.0
License-File: LICENSE
License-File: copyright
Requires-Python: >=3.10
Requires-Dist: pykindred=={version}
Requires-Dist: nvidia-cublas>={cuda},<{major + 1}
Description-Content-Type: text/markdown

{(PACKAGE / 'README.md').read_text(encoding='utf-8')}"""


def make_wheel(stage, folder):
    """Returns the path of the wheel."""
    libraries, version, cuda = files_of(stage)
    if cuda.split(".")[0] != str(CUDA_MAJOR):
        fail(f"the libraries are for CUDA {cuda}, and pykindred-cu{CUDA_MAJOR} is for CUDA {CUDA_MAJOR}: build them with its nvcc")
    name, tag = f"pykindred_cu{CUDA_MAJOR}", "py3-none-linux_x86_64"
    information = f"{name}-{version}.dist-info"
    files = {f"{name}/__init__.py": (PACKAGE / "__init__.py").read_bytes(), **{f"{name}/{path}": content for path, content in libraries.items()},
             f"{information}/licenses/LICENSE": (SOURCES / "LICENSE").read_bytes(),
             f"{information}/licenses/copyright": (SOURCES / "cmake/package/copyright").read_bytes(),
             f"{information}/METADATA": metadata(name.replace("_", "-"), version, cuda).encode(),
             f"{information}/WHEEL": f"Wheel-Version: 1.0\nGenerator: kindred {version}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()}
    record = f"{information}/RECORD"
    lines = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')},{len(content)}\n"
             for path, content in files.items()]
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    # Archives of this kind have no times before 1980.
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]
    path = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for file, content in files.items():
            entry = zipfile.ZipInfo(file, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if ".so" in file else 0o100644) << 16
            wheel.writestr(entry, content)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(make_wheel(Path(sys.argv[1]), Path(sys.argv[2])))
