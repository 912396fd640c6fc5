#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes capitals.npy and queries.npy beside this file: a place on the globe as a point of the unit sphere, (x, y, z) in float32.
Row i is record i of capitals.csv; the queries are Vienna and Lisbon. Needs the standard library only."""
import csv
import math
import struct
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def write_npy(path, rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (117 - len(header)) + "\n"  # the numbers begin at byte 128
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows))


def point(record):
    latitude, longitude = (math.radians(float(record[name])) for name in ("latitude", "longitude"))
    return math.cos(latitude) * math.cos(longitude), math.cos(latitude) * math.sin(longitude), math.sin(latitude)


with open(FOLDER / "capitals.csv", encoding="utf-8", newline="") as table:
    places = {record["capital"]: point(record) for record in csv.DictReader(table)}
write_npy(FOLDER / "capitals.npy", list(places.values()))
write_npy(FOLDER / "queries.npy", [places["Vienna"], places["Lisbon"]])
