# SPDX-License-Identifier: Apache-2.0
"""Arrays of PyTorch, CuPy and JAX, by stand-ins for these libraries: which stream orders a call, and
what PyTorch 2.10 describes by functions in C."""
import ctypes
import sys
import types
import unittest
from unittest import mock

import numpy as np

import pykindred
from support import Exported, same
from test_array_arguments import CALLS, HAS_GPU, arrays_of, takes_exports


class Tensor(ctypes.Structure):
    """The struct DLTensor of DLPack."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("offset", ctypes.c_uint64)]


Describe = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))
CurrentStream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32,
                                  ctypes.POINTER(ctypes.c_void_p))


class Functions(ctypes.Structure):
    """The struct DLPackExchangeAPI of DLPack 1.3."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p),
                ("unused", ctypes.c_void_p * 3), ("describe", Describe), ("current_stream", CurrentStream)]


class Library:
    """A stand-in for PyTorch, CuPy or another library, with one stream, which counts how often it was waited for."""

    number = 0x70

    def __init__(self, name, **attributes):
        self.name = name
        self.waits = 0
        self.module = types.ModuleType(name)
        stream = types.SimpleNamespace(synchronize=self.wait, ptr=self.number)
        self.module.cuda = types.SimpleNamespace(current_stream=lambda device: stream,
                                                 get_current_stream=lambda: stream)
        self.type = type("Array", (Exported,), {"__module__": name, **attributes})

    def wait(self):
        self.waits += 1

    def imported(self):
        return mock.patch.dict(sys.modules, {self.name: self.module})


def export_functions(major=1, stream=Library.number, device=1):
    """The capsule of a library that describes its arrays by functions in C, and what must outlive it."""
    keep = []

    def describe(array, out):
        data = array.array
        keep.append((ctypes.c_int64 * data.ndim)(*data.shape))
        tensor = out.contents
        tensor.data, tensor.device_type, tensor.device, tensor.rank = data.ctypes.data, device, 0, data.ndim
        tensor.code, tensor.bits, tensor.lanes = "iuf".index(data.dtype.kind), data.itemsize * 8, 1
        tensor.shape, tensor.strides, tensor.offset = ctypes.addressof(keep[-1]), None, 0
        return 0

    def current_stream(_type, _device, out):
        out[0] = stream
        return 0

    functions = Functions(major, 3, None, (ctypes.c_void_p * 3)(), Describe(describe), CurrentStream(current_stream))
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    name = b"dlpack_exchange_api"
    keep += [functions, name]
    return make(ctypes.addressof(functions), name, None), keep


def tensor_type(functions, **attributes):
    """A type of arrays of a library with these functions. Only types of PyTorch are asked for them."""
    given = {"requires_grad": False, "is_neg": lambda self: False, **attributes}
    return type("Tensor", (Exported,), {"__module__": "torch", "__dlpack_c_exchange_api__": functions, **given})


def exports():
    """Every call that takes an array of another library: its name, itself, the argument and its value."""
    for name, one in CALLS.items():
        for argument, value in arrays_of(one):
            if takes_exports(one, argument):
                yield name, one, argument, value


class OnADevice(unittest.TestCase):
    """The call takes the array, and is then refused: no such device is used, or a stand-in makes no results."""

    device = 99 if HAS_GPU else 0

    def check(self, library, make, expect):
        count = 0
        with library.imported():
            for name, one, argument, value in exports():
                with self.subTest(name, argument=argument):
                    library.waits = 0
                    given = make(value, self.device)
                    with self.assertRaises((pykindred.Error, AttributeError)) as error:
                        one(**{**one.arguments, argument: given})
                    expect("stream" in one.parameters, given.streams, str(error.exception))
                count += 1
        self.assertGreater(count, 40)

    def expect_ordered(self, library):
        """What a call has no stream for is waited for."""
        def expect(has_stream, streams, message):
            self.assertEqual(streams, [library.number if has_stream else -1], message)
            self.assertEqual(library.waits, 0 if has_stream else 1, message)
        return expect

    def test_arrays_are_ordered_by_the_stream_of_their_library(self):
        for library in (Library("torch"), Library("cupy")):
            self.check(library, library.type, self.expect_ordered(library))

    def test_arrays_of_jax_are_waited_for(self):
        library = Library("jaxlib", block_until_ready=lambda array: library.wait())

        def expect(has_stream, streams, message):
            if not has_stream:
                self.assertEqual((streams, library.waits), ([-1], 1), message)
        self.check(library, library.type, expect)

    def test_arrays_of_an_unknown_library_need_a_call_with_a_stream(self):
        def expect(has_stream, streams, message):
            if has_stream:
                self.assertEqual(streams, [1], "the default stream, as DLPack numbers it")
            else:
                self.assertRegex(message, "whose stream is not known here: give an array of PyTorch, CuPy or JAX")
                self.assertEqual(streams, [])
        library = Library("another")
        self.check(library, library.type, expect)

    def test_tensors_are_read_where_the_stream_is_that_of_the_call(self):
        functions, _keep = export_functions(device=2)
        library = Library("torch")

        def expect(has_stream, streams, message):
            self.assertEqual(streams, [] if has_stream else [-1], message)
            self.assertEqual(library.waits, 0 if has_stream else 1, message)
        self.check(library, tensor_type(functions), expect)


class Tensors(unittest.TestCase):
    def calls(self):
        for name, one, argument, value in exports():
            if value.dtype.kind in "if" and value.flags.c_contiguous:
                yield name, one, argument, value

    def test_are_read_by_functions_in_c(self):
        functions, _keep = export_functions()
        tensor = tensor_type(functions)
        count = 0
        for name, one, argument, value in self.calls():
            with self.subTest(name, argument=argument):
                given = tensor(value)
                self.assertTrue(same(one(**{**one.arguments, argument: given}), one(**one.arguments)))
                self.assertEqual(given.streams, [], "it was exported by __dlpack__")
                count += 1
        self.assertGreater(count, 20)

    def test_of_another_version_are_exported(self):
        functions, _keep = export_functions(major=2)
        tensor = tensor_type(functions)
        for name, one, argument, value in self.calls():
            with self.subTest(name, argument=argument):
                given = tensor(value)
                self.assertTrue(same(one(**{**one.arguments, argument: given}), one(**one.arguments)))
                self.assertEqual(len(given.streams), 1)

    def test_that_are_no_plain_memory_are_refused(self):
        functions, _keep = export_functions()
        rows = np.ones((2, 4), np.float32)
        for attributes, message in (({"requires_grad": True}, r"give its detach\(\)"),
                                    ({"is_neg": lambda self: True}, r"give its resolve_neg\(\)")):
            with self.assertRaisesRegex(pykindred.InvalidArgument, message):
                pykindred.VectorIndex(tensor_type(functions, **attributes)(rows))


if __name__ == "__main__":
    unittest.main()
