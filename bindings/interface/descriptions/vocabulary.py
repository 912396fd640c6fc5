# SPDX-License-Identifier: Apache-2.0
"""Vocabulary: numbers texts in first-seen order, from 0"""
C_INCLUDES = ("Vocabulary.hpp",)
PYTHON_INCLUDES = ("Sequences.hpp",)
IMPORTS = """
from collections.abc import Iterable, Iterator
from pykindred._results import Sequences"""


class NewTexts(Kind):
    """Texts that are all different in C."""
    c = ("const kindred_text* {n}", "size_t count")
    c_value = 'vocabulary_of(texts_of({n}, count, "{n}"))'
    python = ("{n}: Iterable[str | bytes] = ()",)


class OneText(Kind):
    """One in Python, several in C."""
    c = ("const kindred_text* texts", "size_t count")
    python = ("{n}: str | bytes",)


class Symbols(Span):
    python = ("{n}: NDArray[np.uint32]",)
    lines = ('const Input {n}_given({n}, "{n}", nullptr, Copying::if_needed, Layout::dense);', "{n}_given.require_rank(1, 1);")
    value = "{n}_given.host_values<Symbol>()"


class SymbolArgument(Kind):
    python = ("{n}: int",)
    value = "symbol_of({n})"


class AddedSymbols(Result):
    c = ("uint32_t* symbols?",)


class FoundSymbols(Result):
    c = ("uint32_t* symbols",)
    python = "int | None"


class DecodedTexts(Result):
    c = ("kindred_text* texts",)
    c_before = 'const std::span<kindred_text> out = span_of(texts, count, "texts");'
    c_write = "write_texts({found}, out);"
    python = "list[str]"
    value = "texts_of(found)"


class TextOf(Result):
    python = "str"
    value = "text_of_bytes(found)"


class Encoded(Result):
    python = "Sequences"
    wrap = "Sequences(*{call})"


class TextSequences(Kind):
    python = ("{n}: Iterable[Iterable[str | bytes]]", "* add: bool = False")


class VocabularyStatistics(Statistics, c="vocabulary_statistics"):
    """Size of a vocabulary."""
    symbols: U64
    text_bytes: U64
    held_bytes: U64  # of memory


class Vocabulary(Handle, c="vocabulary", namespace="Vocabularies", header="kindred/matcher/Vocabulary.hpp", closes=False):
    """Numbers for texts, in the order in which they were first seen, from 0. Thread-safe.

    Python: A text is a str, in which surrogates stand for bytes as in ``os.fsdecode``, or bytes.

    >>> words = Vocabulary(["a", "b"])
    >>> words.encode([["b", "c"], ["a"]], add=True).symbols
    array([1, 2, 0], dtype=uint32)
    >>> words.decode(np.uint32([2, 0]))
    ['c', 'a']
    """

    @hand("python")
    def create(texts: NewTexts) -> New:
        """C: Creates a vocabulary in which text i has the number i. KINDRED_INVALID for a text that occurs twice.

        Python Args:
            texts: added in their order
        """

    def load(path: Path) -> New:
        """The vocabulary of a file that `save` has written.

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged; nothing of it is used
        """

    @cpp("load")
    def from_bytes(bytes: Bytes) -> New:
        """The vocabulary of the bytes of `to_bytes`, or of a file of `save`, which are copied.

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used

        >>> list(Vocabulary.from_bytes(Vocabulary(["a", "b"]).to_bytes()))
        ['a', 'b']
        """

    @of(only="python", hand="python", gil="known_text")
    def add(self, text: OneText) -> Size:
        """The number of a text, which is added if it is new.

        >>> Vocabulary(["a", "b"]).add("b")
        1
        """

    @of(c="add", hand="c python", changes=True)
    def add_all(self, texts: Texts, sorted: Flag) -> AddedSymbols:
        """Adds the new ones of `texts`, in their order or, `sorted`, in that of their bytes, so that their numbers do not depend on their order; none on a failure.

        C Args:
            sorted: nonzero: in bytewise lexicographic order
            symbols: [count] their numbers; NULL: not returned
        """

    @of(hand="c python", gil="lock_free")
    def find(self, text: OneText) -> FoundSymbols:
        """Python: The number of a text; None if it is not there.

        C: The numbers of some texts; KINDRED_UNKNOWN_SYMBOL for those that are not in the vocabulary.

        C Args:
            symbols: [count]

        >>> Vocabulary(["a", "b"]).find("c") is None
        True
        """

    @of(only="python", gil="lock_free")
    def text(self, symbol: SymbolArgument) -> TextOf:
        """The text of the number `symbol`. Raises NotFound.

        >>> Vocabulary(["a", "b"]).text(1)
        'b'
        """

    @gil("lock_free")
    def decode(self, symbols: Symbols("uint32_t")) -> DecodedTexts:
        """The texts of `symbols`, uint32 [n].

        C: They are valid while the vocabulary lives.

        C Args:
            texts: [count]

        Raises:
            NotFound: a number was never assigned; the message has its position

        >>> Vocabulary(["a", "b"]).decode(np.uint32([1, 0]))
        ['b', 'a']
        """

    @of(only="python", hand="python")
    def encode(self, sequences: TextSequences) -> Encoded:
        """Sequences of texts as symbols. A new text is added, or without ``add`` gets the number 2³² − 1, which matches nothing.

        >>> encoded = Vocabulary(["a", "b"]).encode([["b", "a"], [], ["c"]])
        >>> encoded.offsets, encoded.symbols
        (array([0, 2, 2, 3]), array([         1,          0, 4294967295], dtype=uint32))
        """

    @of(only="python", python="__len__", gil="atomic")
    def size(self) -> Size:
        """The number of texts."""

    @gil("atomic")
    def statistics(self) -> VocabularyStatistics:
        """The number of symbols and bytes."""

    def save(self, path: Path):
        """Writes the vocabulary to a file, atomically: the file at `path` is the old or the new one.

        C: KINDRED_BUSY while another process writes it.
        """

    def to_bytes(self) -> ByteText:
        """The bytes of the file that `save` writes."""

    def __contains__(self, text: object) -> bool:
        """Whether a text has a number."""
        return isinstance(text, str | bytes) and self._native.find(text) is not None

    def __iter__(self) -> Iterator[str]:
        """The texts, by their numbers."""
        return (self.text(symbol) for symbol in range(len(self)))

    def __repr__(self) -> str:
        return f"<pykindred.Vocabulary: {len(self)} symbols>"
