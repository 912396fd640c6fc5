# SPDX-License-Identifier: Apache-2.0
"""Reads and writes .npy files with the standard library only, so that tests control every byte."""
import array
import ast
import struct

MAGIC = b"\x93NUMPY"


def header(descr, shape, fortran_order=False, version=(1, 0)):
    text = repr({"descr": descr, "fortran_order": fortran_order, "shape": tuple(shape)}).encode()
    width = 2 if version[0] == 1 else 4
    start = len(MAGIC) + 2 + width
    text += b" " * (-(start + len(text) + 1) % 64) + b"\n"
    return MAGIC + bytes(version) + struct.pack("<H" if width == 2 else "<I", len(text)) + text


def encode(values, shape, descr="<f4", **options):
    code = {"<f2": "H", "<f4": "f", "<f8": "d", "<i8": "q", "<u8": "Q", "|u1": "B", "|b1": "B"}[descr]
    return header(descr, shape, **options) + array.array(code, values).tobytes()


def write(path, values, shape, descr="<f4", **options):
    path.write_bytes(encode(values, shape, descr, **options))
    return path


def read(path):
    """(flat values, shape, descr) of a file with version 1.0."""
    data = path.read_bytes()
    assert data[:8] == MAGIC + b"\x01\x00", data[:8]
    length = struct.unpack("<H", data[8:10])[0]
    info = ast.literal_eval(data[10:10 + length].decode())
    assert not info["fortran_order"]
    values = array.array({"<f4": "f", "<f8": "d", "<i8": "q", "|u1": "B"}[info["descr"]])
    values.frombytes(data[10 + length:])
    return values.tolist(), info["shape"], info["descr"]
