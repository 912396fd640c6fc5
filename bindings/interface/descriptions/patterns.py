# SPDX-License-Identifier: Apache-2.0
"""PatternMemory: named event sequences, learned and forgotten during searches"""
C_INCLUDES = ("Patterns.hpp", "Predictions.hpp", "Sequences.hpp", "Vocabulary.hpp")
PYTHON_INCLUDES = ("MatchArguments.hpp", "PatternArguments.hpp", "VectorArguments.hpp")
IMPORTS = """
import contextlib
from collections.abc import Generator, Iterable
from pykindred._pattern_types import Anomaly, EventLists, Learned, LearnedPatterns, PatternSettings, Prediction, StoredPattern, SyncRecord
from pykindred._results import Matches, Sequences
from pykindred._types import Events"""


class Settings(Kind):
    """The level of a memory, and how it keeps its patterns."""
    c = ("const kindred_memory_options* options?",)
    c_lines = ("const MemoryOptions options_given = memory_options(options);",)
    c_value = "options_given, options_given.level"
    python = ('* level: str = "token"', "* {n}: PatternSettings | None = None")
    lines = ('const Level level_given = value_of(level, "level", level_names);', "const PatternSettings {n}_given = settings_of({n});")
    value = "{n}_given, level_given"


class LevelOfCall(Kind):
    c = ("int32_t {n}",)
    c_value = "level_of({n}, object)"
    python = ("* {n}: str | None = None",)
    lines = ("const Level {n}_given = level_of({n}, object);",)
    value = "{n}_given"


class LevelOfQueries(LevelOfCall):
    lines = ()  # beside the queries


class EncodedQuery(Kind):
    c_lines = ("Ragged<Symbol> {n};",)


class SymbolRows(Kind):
    """Queries of symbols, or in Python of texts, too."""
    c = ("const uint32_t* symbols", "const uint64_t* offsets", "size_t rows")
    c_value = 'ragged_of(symbols, offsets, rows, "symbols")'
    python = ("{n}: Iterable[Events] | Sequences",)
    lines = ("const Level level_given = level_of(level, object);", "const Queries {n}_given({n}, object, level_given);")
    value = "{n}_given.span()"


class Matching(Kind):
    c = ("const kindred_match_options* {n}?",)
    c_lines = ("const MatchOptions {n}_given = match_options({n});",)
    c_value = "{n}_given"
    python = ('* measure: str = "lcs"', "* threshold: float = 0.1", "* top: int | None = 10", "* blocks: bool = False", "* autojunk: bool = False",
              '* postings: str = "automatic"', "* filter: Ids | None = None", "* space: str | None = None")
    lines = ("MatchOptions {n}_given = match_options(measure, threshold, top, autojunk, space);", '{n}_given.blocks = flag_of(blocks, "blocks");',
             '{n}_given.postings = value_of(postings, "postings", postings_uses);', "const AllowedPatterns allowed(filter, {n}_given);")
    value = "{n}_given"


class CandidateMatching(Matching):
    """Of predictions, whose own options have the threshold and the number of results."""
    python = ('* measure: str = "lcs"', "* autojunk: bool = False", "* filter: Ids | None = None", "* space: str | None = None")
    lines = ("MatchOptions {n}_given = match_options(measure, threshold, nb::none(), autojunk, space);", "const AllowedPatterns allowed(filter, {n}_given);")


class Encoded(Result):
    c = ("uint32_t* symbols", "size_t capacity", "size_t* count!")
    c_write = '{found};\nwrite_list(query.values, symbols, capacity, count, "symbols");'
    python = "Sequences"
    wrap = "Sequences(*{call})"


class MatchList(Result):
    c = ("kindred_results** results",)
    c_write = "*results = make_handle_of<kindred_results>(results_of({found}, options_given.blocks));"
    python = "Matches"
    before = ("keep_record(found.record);",)
    value = "matches_of(found, options_given.blocks)"
    wrap = "Matches(*{call})"


class Predicted(Result):
    c = ("kindred_predictions** predictions!", "kindred_record* record?")
    c_before = "check_record(record);"
    c_write = "PredictionResults found = {found};\n*predictions = make_handle_of<kindred_predictions>(std::move(found.predictions));\nwrite_record(record, found.record);"
    python = "list[Prediction]"
    before = ("keep_record(found.record);",)
    value = "list_of(found.predictions)"
    wrap = "[Prediction._make([*one[:10], [Anomaly(*found) for found in one[10]], *one[11:]]) for one in {call}]"


class SyncOutcome(Result):
    c = ("kindred_sync_record* record?",)
    c_check = 'check_output(record, "record", true);'
    c_write = "write_output(record, sync_record_of({found}));"
    python = "SyncRecord"
    value = "tuple_of(found)"
    wrap = "SyncRecord(*{call})"


class LastSync(SyncOutcome):
    c = ("kindred_sync_record* record",)
    c_check = 'check_output(record, "record");'
    c_write = "write_output(record, sync_record_of({found}.last));"


class SyncNumbers(Result):
    python = "dict[str, Any]"
    wrap = '{**(found := {call}), "last": SyncRecord(*found["last"])}'


class LevelName(Result):
    python = "str"


class OneLevelField(Field):
    members = ("int32_t {n}",)
    c_value = 'enum_of<Level>(given.{n}, 2, "{n}")'
    c_out = ("out.{n} = static_cast<std::int32_t>(object.{n}());",)


class LimitField(CountField):
    """A number that may not be set."""
    defaults = ("KINDRED_UNSET",)
    c_lines = ("if (given.{n} != KINDRED_UNSET) out.{n} = given.{n};",)
    c_out = ("out.{n} = {value}.value_or(KINDRED_UNSET);",)


class ReasonField(Field):
    members = ("char {n}[256]",)
    defaults = ("{0}",)


class PerTriggerField(Field):
    members = ("uint64_t {n}[4]",)
    defaults = ("{0, 0, 0, 0}",)
    c_out = ("const SyncStatistics found_syncs = object.sync_statistics();", "std::copy(std::begin(found_syncs.{n}), std::end(found_syncs.{n}), out.{n});")


class Level(Enum, c="KINDRED_LEVEL_", any="OF_MEMORY", values="token character"):
    """The unit that a symbol stands for: a text of an event, or a code point of the texts of all events, joined by spaces. A call at another level
    than that of the memory stores all patterns at that level too."""


class SyncTrigger(Enum, c="KINDRED_SYNC_", values="threshold interval manual training"):
    """The cause of a synchronisation."""


class MemoryOptions(Options, c="memory_options"):
    """How a memory keeps its patterns, and the level. Results depend only on the level."""
    level: OneLevel = "KINDRED_LEVEL_TOKEN"  # KINDRED_LEVEL_TOKEN or KINDRED_LEVEL_CHARACTER
    enabled: Flag("true", "false") = True  # the bulk tier may be on the device
    fallback_to_host: Flag("true", "false") = True  # run on the host without a usable device
    background_sync: Flag("true", "false") = True
    min_compute_capability: Double = 7.0  # devices below it are not used
    max_pattern_length: Count(0) = 0  # longer patterns stay on the host; 0: no limit
    memory_fraction: Double = 0.6  # share of the device's budget for the bulk tier
    growth_fraction: Double = 0.2  # part of that share that is kept free
    max_bulk_patterns: Limit = None  # KINDRED_UNSET: no limit
    sync_threshold: Count(1) = 1000  # recent patterns that trigger a synchronisation
    sync_interval_seconds: Double = 300  # between background synchronisations
    log_memory_usage: Flag("true", "false") = True
    log_kernel_timing: Flag("true", "false") = False


class LearnedIndex(Plain, c="learned"):
    """The outcome of learning a pattern."""
    index: U64
    frequency: U64
    is_new: Has
    reserved: Member("int32_t")


class NewPatterns(Options, c="patterns", noun="patterns", hand="c"):
    """Patterns to learn: of texts, of numbers of texts in a dictionary, each of which is looked up once, or of symbols of the memory."""
    count: Count(0) = 0  # number of patterns
    patterns: Array("uint64_t") = None  # offsets of the events: count + 1 elements; pattern p has the events patterns[p] ... patterns[p + 1]
    offsets: Array("uint64_t") = None  # offsets of the symbols of the events: patterns[count] + 1 elements
    texts: Array("kindred_text") = None  # of all events; those of event e are texts[offsets[e] ... offsets[e + 1]); NULL: `symbols` are given
    symbols: Array("uint32_t") = None  # of all events, instead of texts: number n stands for dictionary[n], whatever its symbol is
    dictionary: ListOf("kindred_text") = None  # NULL: `symbols` are those of the memory; texts that no pattern has are not added
    names: Array("kindred_text") = None  # one per pattern, of new patterns; one without `data`: none; NULL: none for all
    times: Array("uint64_t") = None  # one per pattern: number of occurrences, at least 1; NULL: one each


class SyncDone(Statistics, c="sync_record", noun="record"):
    """The outcome of a synchronisation."""
    moved: U64  # patterns
    left: U64  # patterns that stay in the recent tier, where they are found, too
    seconds: Double
    trigger: SyncTrigger
    why_left: Reason  # empty if nothing was left; longer reasons are cut


class MemoryStatistics(Statistics, c="memory_statistics", cpp="PatternStatistics"):
    """Size of a memory."""
    patterns: U64
    learned: U64  # patterns ever learned; also the next index
    total_frequency: U64
    bulk: U64
    recent: U64
    segments: U64
    queries: U64
    bytes: PerSpace  # in the memory of each space
    syncs: PerTrigger  # synchronisations by their trigger
    patterns_synced: U64 = "found_syncs.patterns_synced"
    incomplete: U64 = "found_syncs.incomplete"  # synchronisations that left patterns behind
    background: Has = "found_syncs.background"  # 1: the background thread runs
    training: Has = "found_syncs.training"


class MemoryFileInfo(Statistics, c="memory_file_info", cpp="PatternFileInfo", noun="info"):
    """The contents of a file of a memory."""
    patterns: U64
    learned: U64
    total_frequency: U64
    symbols: U64
    vocabulary: U64
    segments: U64
    bulk: U64
    commits: U64
    bytes: U64
    uncommitted_bytes: U64


class PatternMemory(Handle, c="memory", namespace="Patterns", header="kindred/matcher/PatternMemory.hpp"):
    """A memory of named event sequences with exact search that can learn and forget during searches.

    A pattern is a sequence of events, and an event a sequence of texts (str, in which surrogates stand for bytes as in ``os.fsdecode``, or
    bytes). Patterns are identified by their events: learning them again increases the frequency of the pattern. An index is the number
    of the learned pattern, and is never reused. What was learned is visible to the next query. Thread-safe.

    >>> memory = PatternMemory()
    >>> memory.learn([["a"], ["b", "c"], ["d"]], name="first")
    Learned(index=0, frequency=1, is_new=True)
    >>> memory.learn([["a"], ["x"]]).index
    1
    >>> [ids.tolist() for scores, ids in memory.match([[["a"], ["b"]]])]
    [[0, 1]]
    >>> memory.predict([["a"], ["b", "c"]])[0].future
    [['d']]
    """

    def create(context: Context, settings: Settings) -> New:
        """Creates an empty memory.

        Python Args:
            level: ``"token"`` compares texts, ``"character"`` the code points of the texts, joined by spaces
            settings: None: those of ``PatternSettings()``
        """

    def load(context: Context, path: Path, settings: Settings) -> New:
        """Maps a file that `save` and `append` have written, and validates every byte.

        Python Args:
            level: as in the constructor; the file does not record it
            settings: as in the constructor; the file does not record them

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged; nothing of it is used

        >>> PatternMemory().save("patterns.kindred")
        >>> PatternMemory.load("patterns.kindred")
        <pykindred.PatternMemory: 0 patterns, level token>
        """

    @cpp(name="load")
    def from_bytes(context: Context, bytes: Bytes, settings: Settings) -> New:
        """A memory of the bytes of `to_bytes`, or of a file of `save`, which are copied.

        Python Args:
            level: as in the constructor
            settings: as in the constructor

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used

        >>> PatternMemory.from_bytes(PatternMemory().to_bytes())
        <pykindred.PatternMemory: 0 patterns, level token>
        """

    def inspect(path: Path, threads: Threads) -> MemoryFileInfo:
        """Validates every byte of a file, and describes its contents.

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged
        """

    @only("c")
    def settings(self) -> MemoryOptions:
        """The level and the settings of a memory."""

    @changes
    def save(self, path: Path):
        """Writes the memory to a file, atomically: the file at `path` is the old or the new one. What other threads learn during the call is written
        by the next `append`.

        C: KINDRED_BUSY while another process writes the file.
        """

    @changes
    def append(self, path: Path):
        """Appends everything learned, repeated and forgotten since the last save, append or load to that file, whose path is `path`.

        C: KINDRED_INVALID if nothing was saved or loaded, or the file has changed since; KINDRED_NOT_FOUND, KINDRED_CORRUPT, KINDRED_BUSY.
        """

    def to_bytes(self) -> ByteText:
        """The bytes of the file that `save` would write now. The next `append` is not affected."""

    @changes
    def learn(self, events: EventTexts, name: OptionalName, times: TimesOrOne) -> LearnedPattern:
        """Learns a pattern, or increases the frequency of a known one, which keeps its first name.

        C: KINDRED_INVALID for a name of a pattern with other events, for a symbol that is not valid UTF-8 if characters are compared, and if the sum of
        all frequencies would exceed 2^63.

        C Args:
            texts: the texts of all events; those of event i are texts[offsets[i] ... offsets[i + 1])
            events: number of events
            name: of a new pattern; NULL: none
            times: number of occurrences, at least 1

        Python Args:
            events: a sequence of events, each a sequence of texts
            name: None: a new pattern has none
            times: the frequency of a new pattern, or what is added to that of a known one

        Raises:
            InvalidArgument: the name belongs to a pattern with other events

        >>> PatternMemory().learn([["a"], ["b", "c"]], name="first", times=3)
        Learned(index=0, frequency=3, is_new=True)
        """

    @changes
    @hand("c")
    @hand("python")
    def learn_all(self, patterns: PatternList) -> LearnedList:
        """Learns many patterns in one call, all or none, with the results of `learn` in their order.

        C: Much faster than single calls. KINDRED_INVALID also for a number that is not below `dictionary_size`, or is no symbol of the memory.

        C Args:
            learned: one per pattern

        Python Args:
            patterns: of texts; or :class:`EventLists` of numbers, which is faster
            dictionary: symbol s of :class:`EventLists` stands for the text ``dictionary[s]``; None: for ``symbols()[s]``
            names: one per pattern
            times: occurrences, one per pattern; None: one each

        Raises:
            InvalidArgument: as :meth:`learn`, of any of them; nothing is learned then

        >>> PatternMemory().learn_all([[["a"], ["b"]], [["c"]]], names=["first", "second"]).indices
        array([0, 1])
        """

    @changes
    def set_frequency(self, index: Id, frequency: Times):
        """Sets the `frequency` of the pattern `index`, at least 1.

        C: KINDRED_INVALID for 0, and if the sum of all frequencies would exceed 2^63.

        Raises:
            NotFound: there is no such pattern
        """

    @changes
    @hand("c")
    @hand("python")
    def forget(self, pattern: PatternKey) -> Existed:
        """Forgets the pattern of an index or a name.

        C Args:
            name: instead of the index; NULL: that of `index`
            existed: 0 if there is no such pattern

        Returns:
            whether it existed

        >>> memory = PatternMemory()
        >>> _ = memory.learn([["a"]], name="first")
        >>> memory.forget("first"), memory.forget("first")
        (True, False)
        """

    @changes
    def clear(self):
        """Forgets all patterns. Their indices are not reused.

        C: The symbols and the settings stay; names may be used again.
        """

    @only("python")
    @hand("python")
    def find(self, pattern: AnyPattern) -> PatternIndex:
        """The index of the pattern with a name, or with these events; None if there is none.

        >>> memory = PatternMemory()
        >>> _ = memory.learn([["a"], ["b"]], name="first")
        >>> memory.find("first"), memory.find([["a"], ["b"]]), memory.find([["b"]])
        (0, 0, None)
        """

    @c("find_names")
    def find_all(self, names: TextList) -> PatternIndices:
        """The index of the pattern of each of the `names`, −1 where there is none, from one moment.

        C Args:
            indices: count elements

        Returns:
            int64 ``[names]``
        """

    def names(self, indices: Ids) -> NameList:
        """The names of the patterns `indices`, from one moment. There is none for a pattern that has no name, was forgotten or was never learned.

        C Args:
            names: one per index

        Returns:
            the names; None where there is none
        """

    @only("c")
    @cpp(name="find")
    def find_events(self, events: EventTexts) -> PatternIndex:
        """Index of the pattern with these events; -1 if there is none."""

    def frequency(self, index: Id) -> U64:
        """How often a pattern was learned; 0 if it does not exist."""

    @python("__len__")
    def size(self) -> Size:
        """The number of patterns that can be found."""

    def pattern(self, index: Id) -> PatternCopy:
        """A copy of the pattern of an index.

        Raises:
            NotFound: there is no such pattern
        """

    @only("c")
    @cpp(name="vocabulary().decode")
    def decode(self, symbols: SymbolList) -> TextViews:
        """The texts of symbols of the memory, valid while it lives. KINDRED_NOT_FOUND, with the position.

        C Args:
            texts: count elements
        """

    @only("c")
    @cpp(name="vocabulary().texts")
    def vocabulary(self) -> VocabularyCopy:
        """A copy of the vocabulary of the memory, with the same numbers."""

    @only("python")
    @cpp(name="vocabulary().texts")
    def symbols(self) -> SymbolTexts:
        """The texts of all symbols that were ever learned, by their numbers."""

    def symbol_frequencies(self) -> IdList:
        """How often each symbol of the vocabulary was learned, by its number.

        C Args:
            symbol_frequencies: at most `capacity` are written
            count: number of symbols; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and sets only this
        """

    @gil("lock_free")
    @hand("python")
    def encode(self, events: QueryEvents, query: EncodedQuery, level: LevelOfCall) -> Encoded:
        """Queries as symbols, for many calls of `match` at the same level; a text that was never learned matches nothing.

        C Args:
            level: KINDRED_LEVEL_...
            symbols: at most `capacity` are written
            count: number of symbols; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and sets only this

        Python Args:
            queries: as for :meth:`match`
            level: as for :meth:`match`
        """

    @cpp(order="queries, options, level")
    def match(self, queries: SymbolRows, level: LevelOfQueries, options: Matching) -> MatchList:
        """The best patterns of every query: ``ids`` are their indices.

        Python: Other arguments as :meth:`SequenceMatcher.match`.

        C: In `options->filter`, forgotten patterns are skipped; KINDRED_INVALID for an index that was never assigned.

        C Args:
            level: KINDRED_LEVEL_..., at which the queries were encoded

        Python Args:
            queries: a collection of patterns; or the result of :meth:`encode`
            level: None: that of the memory. The first call at another one stores all patterns at that level, too

        >>> memory = PatternMemory()
        >>> _ = memory.learn_all([[["a"], ["b"]], [["a"], ["c"]]])
        >>> matches = memory.match([[["a"], ["c"]]])
        >>> matches.ids, matches.scores
        (array([1, 0]), array([1. , 0.5]))
        """

    @by_name("top")
    @cpp(order="query, matching, options, level")
    def predict(self, query: EventTexts, level: LevelOfCall, matching: CandidateMatching, options: PredictionOptions) -> Predicted:
        """Predictions from all patterns whose similarity to the query is at least `threshold`, best first.

        C: KINDRED_INVALID also for a measure without blocks.

        C Args:
            level: KINDRED_LEVEL_..., at which patterns are compared
            matching: its measure, postings, space and `filter` are used
            record: where the match ran

        Python Args:
            query: a sequence of events, each a sequence of texts
            filter: indices of the patterns that may predict; sums over all candidates then cover these alone
            rank_by: the name of a number of :class:`Prediction`
            threshold: in [0, 1]
            level: as for :meth:`match`
            measure: as for :meth:`match`
            autojunk: as for :meth:`match`
            space: as for :meth:`match`

        Raises:
            InvalidArgument: an option is out of range, or ``weights`` has another length than :meth:`symbols`

        >>> memory = PatternMemory()
        >>> _ = memory.learn_all([[["a"], ["b"], ["c"]], [["a"], ["d"]]])
        >>> [found.future for found in memory.predict([["a"]], rank_by="similarity")]
        [[['d']], [['b'], ['c']]]
        """

    @changes
    def sync(self) -> SyncOutcome:
        """Moves recent patterns to the bulk tier, and merges small segments. Queries continue meanwhile."""

    @changes
    def begin_training(self):
        """Suspends automatic synchronisation."""

    @changes
    def end_training(self) -> SyncOutcome:
        """Resumes automatic synchronisation, and synchronises once."""

    @contextlib.contextmanager
    def training(self) -> Generator[None, None, None]:
        """A ``with`` block between :meth:`begin_training` and :meth:`end_training`.

        >>> memory = PatternMemory()
        >>> with memory.training():
        ...     _ = memory.learn([["a"]])
        """
        self.begin_training()
        try:
            yield
        finally:
            self.end_training()

    def __contains__(self, pattern: object) -> bool:
        """Whether there is a pattern with this name, or with these events."""
        return self._native.find(pattern) is not None

    @gil("constant")
    @only("python")
    @hand("python")
    @property
    def level(self) -> LevelName:
        """``"token"`` or ``"character"``."""

    @hand("python")
    def statistics(self) -> MemoryStatistics:
        """Sizes and counts of what the memory holds."""

    @only("c")
    @cpp(name="sync_statistics")
    def last_sync(self) -> LastSync:
        """The outcome of the last synchronisation; before the first one, KINDRED_SYNC_MANUAL with 0 moved patterns."""

    @only("python")
    @hand("python")
    def sync_statistics(self) -> SyncNumbers:
        """The synchronisations so far; ``last`` is a :class:`SyncRecord`."""

    def __repr__(self) -> str:
        if self._native.is_closed():
            return "<pykindred.PatternMemory: closed>"
        return f"<pykindred.PatternMemory: {len(self)} patterns, level {self.level}>"
