# SPDX-License-Identifier: Apache-2.0
"""Predictions, and patterns as they are stored"""
C_INCLUDES = ("Patterns.hpp", "Predictions.hpp")


class EventTexts(Kind):
    """A sequence of events of texts."""
    c = ("const kindred_text* texts", "const uint64_t* offsets", "size_t events")
    c_lines = ("const EventsArgument {n}_given(texts, offsets, events);",)
    c_value = "{n}_given.events"
    python = ("{n}: Events",)
    lines = ('Events {n}_given = events_of({n}, "{n}");',)
    value = "{n}_given.span()"


class QueryEvents(EventTexts):
    python = ("queries: Iterable[Events] | Sequences",)


class TextList(Kind):
    c = ("const kindred_text* {n}", "size_t count")
    c_value = 'texts_of({n}, count, "{n}")'
    python = ("{n}: Iterable[str | bytes]",)
    lines = ('const OptionalTexts {n}_texts({n}, "{n}");', 'const std::vector<std::string_view> {n}_given = {n}_texts.required("{n}");')
    value = "{n}_given"


class OptionalName(Kind):
    c = ("const char* {n}?", "size_t {n}_size")
    c_value = "optional_name({n}, {n}_size)"
    python = ("* {n}: str | bytes | None = None",)
    lines = ('const std::optional<std::string> {n}_given = optional_name({n}, "{n}");',)
    value = "{n}_given"


class Times(Kind):
    """A number of occurrences, at least 1."""
    c = ("uint64_t {n}",)
    python = ("{n}: int",)
    lines = ('const auto {n}_number = static_cast<std::uint64_t>(integer_of({n}, "{n}", 1));',)
    value = "{n}_number"


class TimesOrOne(Times):
    python = ("* {n}: int = 1",)


class PatternList(Kind):
    c = ("const kindred_patterns* {n}",)
    python = ("{n}: Iterable[Events] | EventLists", "* dictionary: Iterable[str | bytes] | None = None", "* names: Iterable[str | bytes | None] | None = None",
              "* times: Ids | None = None")


class PatternKey(Kind):
    c = ("uint64_t index", "const char* name?", "size_t name_size")
    python = ("{n}: int | str | bytes",)


class AnyPattern(Kind):
    python = ("{n}: str | bytes | Events",)


class SymbolList(Kind):
    c = ("const uint32_t* {n}", "size_t count")
    c_value = 'span_of({n}, count, "{n}")'


class LearnedPattern(Result):
    c = ("kindred_learned* learned?",)
    c_write = "write_optional(learned, learned_of({found}));"
    python = "Learned"
    value = "nb::make_tuple(found.index, found.frequency, found.is_new)"
    wrap = "Learned(*{call})"


class LearnedList(LearnedPattern):
    python = "LearnedPatterns"
    wrap = "LearnedPatterns(*{call})"


class Existed(Result):
    c = ("int32_t* existed?",)
    python = "bool"


class PatternIndex(Result):
    c = ("int64_t* index",)
    c_write = "*index = number_or_none({found});"
    python = "int | None"


class PatternIndices(Result):
    c = ("int64_t* indices",)
    c_check = 'const std::span<std::int64_t> out = span_of(indices, count, "indices");'
    c_write = "const auto found = {found};\nstd::transform(found.begin(), found.end(), out.begin(), number_or_none<std::uint64_t>);"
    python = "NDArray[np.int64]"
    value = "indices_of(found)"


class NameList(Result):
    c = ("kindred_strings** {n}",)
    c_write = "*{n} = make_handle_of<kindred_strings>({found});"
    python = "list[str | None]"
    value = "list_of(found)"


class PatternCopy(Result):
    c = ("kindred_pattern** {n}",)
    c_write = "*{n} = make_handle_of<kindred_pattern>({found});"
    python = "StoredPattern"
    value = "tuple_of(found, object.vocabulary())"
    wrap = "StoredPattern(*{call})"


class TextViews(Result):
    c = ("kindred_text* texts",)
    c_check = 'const std::span<kindred_text> out = span_of(texts, count, "texts");'
    c_write = "write_texts({found}, out);"


class VocabularyCopy(Result):
    c = ("kindred_vocabulary** {n}",)
    c_write = "*{n} = make_handle_of<kindred_vocabulary>(Vocabulary({found}));"


class SymbolTexts(Result):
    python = "list[str]"
    value = "list_of(found)"


class CandidateList(Kind):
    c = ("const kindred_candidates* {n}!",)


class QuerySymbols(Kind):
    c = ("uint64_t {n}",)
    c_value = "query_symbols({n})"


class Affinities(Kind):
    c = ("const double* {n}", "size_t count")
    c_value = 'span_of({n}, count, "{n}")'


class Frequencies(Kind):
    c = ("const uint64_t* {n}", "size_t frequency_count")
    c_value = 'span_of({n}, frequency_count, "{n}")'


class RankNumber(Kind):
    c = ("int32_t rank_by",)


class Weights(Result):
    c = ("double* weights",)
    c_check = 'const std::span<double> out = span_of(weights, count, "weights");'
    c_write = "copy_values({found}, out);"


class Threshold(Result):
    c = ("double* threshold",)
    c_write = "*threshold = {found};"


class Rank(Result):
    c = ("int32_t* rank_by",)
    c_write = "*rank_by = static_cast<std::int32_t>({found});"


class RankName(Result):
    c_type = "const char*"


class PredictionList(Result):
    c = ("kindred_predictions** predictions",)
    c_write = "*predictions = make_handle_of<kindred_predictions>({found});"


class ArrayField(Field):
    members = ("const {0}* {n}",)
    defaults = ("NULL",)


class TextField(Field):
    members = ("kindred_text {n}",)


class NameField(Field):
    """A text that may not exist, which ends with a zero."""
    members = ("const char* {n}", "uint64_t {n}_size")
    defaults = ("NULL", "0")
    c_out = ("const std::string* const {n} = name_in(found);", "out.{n} = {n} == nullptr ? nullptr : {n}->c_str();", "out.{n}_size = {n} == nullptr ? 0 : {n}->size();")


class NumberOrNanField(DoubleField):
    c_out = ("out.{n} = {value}.value_or(std::numeric_limits<double>::quiet_NaN());",)


class ThreadLimitField(Field):
    members = ("int32_t {n}",)
    c_value = "threads_argument(given.{n})"
    python = "int"
    value = "threads_of({n})"


class WeightsField(Field):
    members = ("const double* {n}", "uint64_t {n}_size")
    defaults = ("NULL", "0")
    c_value = 'span_of(given.{n}, given.{n}_size, "{n}")'
    python = "NDArray[np.float64] | None"
    assign = "m_{n}.set({n}, options);"
    holds = "Weights m_{n};"


class RankBy(Enum, c="KINDRED_RANK_", values="""potential similarity evidence confidence snr fragmentation frequency normalized_entropy global_normalized_entropy
             itfdf_similarity confluence predictive_information bayesian_posterior bayesian_prior bayesian_likelihood tfidf_score weighted_similarity
             weighted_evidence weighted_confidence weighted_snr"""):
    """The field by which predictions are ranked, greater first; the last four need weights."""


class TextsOf(Enum, c="KINDRED_TEXTS_", values="matches past present future missing extras"):
    """The lists of texts of a prediction. That of matches is one event: the query's symbols that were found."""


class PredictionOptions(Options, c="prediction_options"):
    """Options of predictions."""
    top: Count(1) = 100  # maximum number of predictions
    threshold: Double = 0.1  # candidates below it are skipped, in [0, 1]
    fuzzy_token_threshold: Double = 0.0  # above 0: the similarity at which two texts are spellings of the same symbol; C: if above 0: minimum similarity of texts that are spellings of the same symbol
    weights: Weights = None  # float64, by symbol: for the numbers ``weighted_…``; C: one per symbol, in [0, 1e100]; NULL: no weighted fields
    rank_by: RankBy = "potential"
    single_symbol_fast_path: Flag("true", "false") = False  # treat a query of one symbol as KATO does, :attr:`Prediction.flat`; C: nonzero: process a query of one symbol as KATO's fast path does
    threads: ThreadLimit = 0  # at most so many of the host; 0: all; C: maximum number of host threads; 0: all threads of the context


class TextsOfEvents(Plain, c="event_texts"):
    """The texts of some events. Event i has the texts offsets[i] ... offsets[i + 1]."""
    events: U64
    offsets: Array("uint64_t")  # events + 1
    texts: Array("kindred_text")  # of all events


class AnomalyTexts(Plain, c="anomaly"):
    """An observed symbol that was treated as a misspelling of an expected one."""
    observed: Text
    expected: Text
    similarity: Double


class PredictionView(Statistics, c="prediction", cpp="Prediction", noun="prediction"):
    """A prediction. Its name and its arrays live as long as the handle."""
    index: U64
    frequency: U64
    name: Name
    matched: U32
    flat: Has  # 1: of the fast path, whose lists have no boundaries of events
    anomaly_count: U64 = "found.anomalies.size()"
    anomalies: Array("kindred_anomaly") = "object.view(position).anomalies.data()"  # misspelled symbols
    block_count: U64 = "found.blocks.size()"
    blocks: Array("kindred_block") = "object.view(position).blocks.data()"  # Ratcliff-Obershelp's, over the symbols of pattern and query
    texts: Array("kindred_event_texts") = "object.view(position).lists.data()"  # six lists, by KINDRED_TEXTS_...
    evidence: Double
    confidence: Double
    similarity: Double
    fragmentation: Double
    snr: Double
    entropy: Double
    normalized_entropy: Double
    global_normalized_entropy: Double
    confluence: Double
    tfidf_score: Double
    itfdf_similarity: Double
    bayesian_prior: Double
    bayesian_likelihood: Double
    bayesian_posterior: Double
    predictive_information: Double
    potential: Double
    weighted_similarity: NumberOrNan  # NaN without weights, as the following
    weighted_evidence: NumberOrNan
    weighted_confidence: NumberOrNan
    weighted_snr: NumberOrNan


class PatternView(Statistics, c="pattern_view", cpp="StoredPattern", noun="view"):
    """A pattern; its name and its arrays live as long as the handle."""
    index: U64
    frequency: U64
    name: Name  # NULL: the pattern has no name
    events: U64 = "found.events.rows()"
    offsets: Array("uint64_t") = "found.events.offsets.data()"  # events + 1
    symbols: Array("uint32_t") = "found.events.values.data()"


class CandidatePattern(Plain, c="candidate"):
    """A pattern from which predictions are made."""
    index: U64  # of the pattern; unique among the candidates
    frequency: U64
    similarity: Double
    matched: U32  # symbols; passed to the prediction
    reserved: U32


class CandidateLists(Options, c="candidates", noun="candidates", hand="c"):
    """Candidates with their events, and statistics of all patterns."""
    count: Count(0) = 0
    candidates: Array("kindred_candidate") = None
    patterns: Array("uint64_t") = None  # offsets of the events: count + 1 elements, of which candidate i has patterns[i] ... patterns[i + 1]
    offsets: Array("uint64_t") = None  # offsets of the symbols of the events: patterns[count] + 1 elements
    symbols: Array("uint32_t") = None  # numbers of texts of the predictor
    names: Array("kindred_text") = None  # one per candidate; NULL: empty ones
    all_patterns: Count(0) = 0  # number of all patterns
    total_frequency: Count(0) = 0  # of all patterns
    patterns_with: ListOf("uint64_t") = None  # by symbol: number of the patterns that contain it; symbols beyond the end: in no pattern


class RankText(Text):
    """The name of a field: two arguments of C++, of which the second is for messages."""
    c_value = 'text_of({n}, size, "{n}"), "{n}"'


class PredictionNumbers(Functions, header="kindred/matcher/Prediction.hpp", namespace="Predictions"):
    """What predictions are ranked by and weighted with."""

    @hand("c")
    def rank_name(rank_by: RankNumber) -> RankName:
        """Name of a field, such as `potential`; NULL for another number. Valid while the process lives."""

    @cpp(name="parse<RankBy>")
    def rank_parse(name: RankText) -> Rank:
        """The field of a name. KINDRED_INVALID for another name; the message lists all."""

    def affinity_weights(affinities: Affinities, frequencies: Frequencies) -> Weights:
        """The weights of symbols, for the options of predictions: |affinity| / frequency + 0.01, or 0.01 if either is 0.

        C Args:
            affinities: one per symbol
            frequencies: as of kindred_memory_symbol_frequencies; symbols beyond the end have 0
            weights: count elements
        """

    def candidate_threshold(options: PredictionOptions, symbols: QuerySymbols) -> Threshold:
        """The similarity that candidates of a query must have: that of the options, or 0 if the fast path applies.

        C Args:
            symbols: of the query
        """


class Pattern(Handle, c="pattern", header="kindred/matcher/PatternMemory.hpp", namespace="Predictions"):
    """A pattern of a memory."""

    def get(self) -> PatternView:
        """The contents of a pattern."""


class Predictions(Handle, c="predictions", header="kindred/matcher/Prediction.hpp", namespace="Predictions"):
    """Predictions, best first."""

    def size(self) -> Size:
        """Number of predictions."""

    def get(self, position: Count(0)) -> PredictionView:
        """A prediction; position 0 is the best."""


class Predictor(Handle, c="predictor", header="kindred/matcher/Prediction.hpp", namespace="Predictions"):
    """Makes predictions from patterns of another store."""

    def create(context: Context, texts: TextList) -> New:
        """Creates the object that makes predictions from patterns of another store.

        C Args:
            texts: text i is that of symbol i. KINDRED_INVALID for one that occurs twice
        """

    @changes
    def add(self, texts: TextList):
        """Adds the new ones of some texts; their numbers follow those before. May run concurrently with predictions."""

    def predict(self, events: EventTexts, candidates: CandidateList, options: PredictionOptions) -> PredictionList:
        """Predictions from candidates, as kindred_memory_predict makes them from its patterns; the order of the candidates changes nothing.
        KINDRED_INVALID for a symbol without a text.
        """
