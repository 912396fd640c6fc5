# SPDX-License-Identifier: Apache-2.0
"""What the tests of pykindred share."""
import ctypes
import importlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np

import pykindred
from watchdog import LIMIT

METRICS = ("cosine", "ip", "l2")
SIZES = (0, 1, 2, 3, 31, 32, 33, 100)
# For PYTHONWARNINGS: from Python 3.12 on, fork warns where there are threads.
QUIET_FORK = "ignore::DeprecationWarning"

LATIN = os.fsdecode(b"caf\xe9")  # a name of a folder that is not UTF-8


def modules(*names):
    """These modules; where one is missing, the program exits with 77, which ctest counts as skipped."""
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError as error:
        print(f"skipped: {error}; install tests/outside/requirements.txt and bindings/python/requirements.txt")
        sys.exit(77)


def generator(name):
    """Random numbers that depend on the name of a test alone."""
    return np.random.default_rng(list(name.encode()))


def vectors(name, *shape):
    return generator(name).standard_normal(shape).astype(np.float32)


def same(a, b):
    """Whether results are equal to the last bit; what a file or a run tells of objects, too."""
    if isinstance(a, np.ndarray):
        with_nan = a.dtype.kind == "f"
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=with_nan)
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a.values(), b.values()))
    if hasattr(a, "from_bytes") and not isinstance(a, int):
        return a.to_bytes() == b.to_bytes()
    if hasattr(a, "run"):
        return same(a.run(), b.run())
    if hasattr(a, "__slots__") and type(a).__module__ == "pykindred._results":
        slots = [name for kind in type(a).__mro__ for name in getattr(kind, "__slots__", ())]
        return all(same(getattr(a, name), getattr(b, name)) for name in slots if name[0] != "_")
    return a == b


def context(**options):
    """A context of one thread, unless another number is given, that reads no profile."""
    return pykindred.Context(**{"threads": 1, "load_profile": False, **options})


def folder_of(test, name="."):
    """An empty folder, with this name, until the end of the test."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    path = Path(folder.name, name)
    path.mkdir(exist_ok=True)
    return path


def work_in_folder(test):
    """Changes to an empty folder until the end of the test."""
    folder = folder_of(test)
    test.addCleanup(os.chdir, os.getcwd())
    os.chdir(folder)


def check_refusals(test, *rows):
    """``(call, error, words)``: each call raises that error of pykindred, with these words."""
    for call, error, words in rows:
        with test.subTest(words), test.assertRaisesRegex(error, words) as raised:
            call()
        test.assertIsInstance(raised.exception, pykindred.Error)


def run(program, timeout=400, stack=None, **environment):
    """Runs a program in a new interpreter, which must end by itself and without messages. If it does not end, it and its children are aborted,
    with the stacks of their threads. One with threads has as long as a test that is watched, but not the same watchdog: a child that is forked
    while `faulthandler` watches waits at its end for a thread that it does not have. With `stack`, each of its threads reserves as many bytes,
    which no stack of a thread that has ended can give."""
    program = textwrap.dedent(program)
    set_stack = None if stack is None else lambda: resource.setrlimit(resource.RLIMIT_STACK, (stack, resource.getrlimit(resource.RLIMIT_STACK)[1]))
    limit = min(timeout, LIMIT) if "threading." in program else timeout
    late = ""
    with subprocess.Popen([sys.executable, "-X", "faulthandler", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True, preexec_fn=set_stack, env={**os.environ, **environment}) as process:
        try:
            out, messages = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            late = f", not ended after {limit:.0f} s"
            process.send_signal(signal.SIGABRT)
            time.sleep(1)  # so that the stacks of its children follow its own
            os.killpg(process.pid, signal.SIGABRT)
            out, messages = process.communicate()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0 or messages or late:
        raise AssertionError(f"status {process.returncode}{late}\n{out}\n{messages}")
    return out


class Exported:
    """An array of another library: it has __dlpack__ and nothing else. With a device, it claims to lie on that GPU."""

    def __init__(self, array, device=None):
        self.array = array
        self.device = device
        self.streams = []

    def __dlpack__(self, *, stream=None, max_version=None):
        self.streams.append(stream)
        if max_version is not None:
            return self.array.__dlpack__(max_version=max_version)
        capsule = self.array.__dlpack__()
        if self.device is not None:
            pointer = ctypes.pythonapi.PyCapsule_GetPointer
            pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
            place = (ctypes.c_int32 * 2).from_address(pointer(capsule, b"dltensor") + ctypes.sizeof(ctypes.c_void_p))
            place[0], place[1] = 2, self.device
        return capsule

    def __dlpack_device__(self):
        return (1, 0) if self.device is None else (2, self.device)


def torch_device(test):
    """PyTorch and its GPU, if the default context can use it; otherwise the test is skipped."""
    try:
        import torch
    except ImportError:
        test.skipTest("torch is missing")
    if not torch.cuda.is_available() or not pykindred.default_context().spaces()["cuda"]["usable"]:
        test.skipTest("there is no GPU")
    return torch, torch.device("cuda")
