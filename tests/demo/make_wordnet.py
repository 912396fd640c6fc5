#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small WordNet of the tests to the given folder: the real format (wndb(5)) with words
of our own."""
import sys
from pathlib import Path

# name: (type, words, [(pointer, target)], gloss)
SYNSETS = {
    "animal": ("n", "animal creature", [("~", "feline"), ("~", "canine"), ("~", "bird")], "a living being that moves by itself"),
    "feline": ("n", "feline felid", [("@", "animal"), ("~", "big_cat"), ("~", "house_cat"), ("+", "felinely")],
               "a supple hunting animal with claws it can draw in"),
    "big_cat": ("n", "big_cat", [("@", "feline"), ("~", "leopard"), ("~", "tiger"), ("~", "lion"), ("~", "jaguar")],
                "any of the great cats that roar and live in the wild"),
    "house_cat": ("n", "house_cat mouser", [("@", "feline")], "small feline kept in houses to catch mice; \"the mouser slept\""),
    "leopard": ("n", "leopard Panthera_pardus", [("@", "big_cat")], "large feline of warm forests with dark spots"),
    "tiger": ("n", "tiger Panthera_tigris", [("@", "big_cat")], "large feline of forests and reeds with dark stripes"),
    "lion": ("n", "lion king_of_beasts", [("@", "big_cat"), ("%m", "pride")], "large feline of open grassland that lives in groups"),
    "jaguar": ("n", "jaguar", [("@", "big_cat")], "large spotted feline that swims well"),
    "pride": ("n", "pride", [("#m", "lion"), ("@", "group")], "a group of lions that hunt together"),
    "group": ("n", "group", [("~", "pride"), ("~", "flock")], "several things taken as one"),
    "flock": ("n", "flock", [("@", "group"), ("#m", "bird")], "a group of birds that fly together"),
    "canine": ("n", "canine canid", [("@", "animal"), ("~", "wolf")], "an animal of the family of dogs"),
    "wolf": ("n", "wolf", [("@", "canine")], "wild canine that hunts in packs"),
    "bird": ("n", "bird", [("@", "animal"), ("%m", "flock"), ("~", "owl")], "a warm-blooded animal with feathers"),
    "owl": ("n", "owl", [("@", "bird")], "bird of prey of forests that hunts by night"),
    "forest": ("n", "forest wood", [("%p", "tree"), ("#p", "land")], "land under many trees"),
    "tree": ("n", "tree", [("#p", "forest")], "a tall plant with a trunk of wood"),
    "land": ("n", "land ground", [("%p", "forest")], "the part of the earth that is not under water"),
    "boat": ("n", "boat", [("+", "sail")], "a small vessel for travel on water"),
    "sail": ("v", "sail voyage", [("@", "travel"), ("+", "boat")], "travel on water by wind; \"we sailed at dawn\""),
    "travel": ("v", "travel go", [("~", "sail"), ("~", "run")], "change place"),
    "run": ("v", "run", [("@", "travel"), ("^", "hurry")], "travel fast on foot"),
    "hurry": ("v", "hurry rush", [("$", "run")], "move with haste"),
    "fast": ("a", "fast quick(a)", [("!", "slow"), ("&", "swift")], "moving with speed"),
    "swift": ("s", "swift fleet", [("&", "fast")], "moving very fast; \"a swift stream\""),
    "slow": ("a", "slow", [("!", "fast")], "not moving with speed"),
    "felinely": ("r", "felinely", [("+", "feline"), ("\\", "fast")], "in the manner of a feline"),
    "quickly": ("r", "quickly", [("\\", "fast")], "with speed"),
}
FILES = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "s": "data.adj", "r": "data.adv"}
HEADER = "  1 A small WordNet for tests: the format of wndb(5), words of our own.  \n"


def record(name, offsets):
    kind, words, pointers, gloss = SYNSETS[name]
    words = words.split()
    fields = [f"{offsets.get(name, 0):08d}", "00", kind, f"{len(words):02x}"]
    for word in words:
        fields += [word, "0"]
    fields.append(f"{len(pointers):03d}")
    for symbol, target in pointers:
        fields += [symbol, f"{offsets.get(target, 0):08d}", SYNSETS[target][0].replace("s", "a"), "0000"]
    if kind == "v":
        fields += ["01", "+", "02", "00"]
    return " ".join(fields) + f" | {gloss}  \n"


def main(folder):
    ends = {file: len(HEADER) for file in set(FILES.values())}
    offsets = {}
    for name, (kind, *_) in SYNSETS.items():
        offsets[name] = ends[FILES[kind]]
        ends[FILES[kind]] += len(record(name, {}))
    for file in ends:
        text = HEADER + "".join(record(name, offsets) for name in SYNSETS if FILES[SYNSETS[name][0]] == file)
        Path(folder, file).write_text(text, encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1])
