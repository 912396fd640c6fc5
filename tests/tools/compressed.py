# SPDX-License-Identifier: Apache-2.0
"""Data in the formats that the command decompresses, with the standard library only."""
import gzip


def gzipped(data):
    return gzip.compress(data, mtime=0)


def zstd(data):
    """Frames of blocks that are not compressed (RFC 8878)."""
    frames = b""
    for begin in range(0, len(data), 255):
        text = data[begin:begin + 255]
        frames += b"\x28\xb5\x2f\xfd\x20" + bytes([len(text)]) + (len(text) << 3 | 1).to_bytes(3, "little") + text
    return frames


FORMS = {"gz": gzipped, "zst": zstd}
