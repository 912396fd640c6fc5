// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_REFERENCE_REFERENCE_HPP
#define KINDRED_REFERENCE_REFERENCE_HPP

#include <kindred/core/bulk/ArithmeticKinds.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/graph/Spreading.hpp>
#include <kindred/core/lattice/GraphStructure.hpp>
#include <kindred/core/lattice/LatticeShape.hpp>
#include <kindred/core/layers/LayerActivation.hpp>
#include <kindred/core/seed/SeedTelemetry.hpp>
#include <kindred/core/seed/SeedUpdate.hpp>
#include <kindred/core/sequence/MatchingBlock.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/core/vector/Metric.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

/// \brief The oracle: every core operation implemented from its definition; serial, simple and
/// slow.
///
/// Shares no code with the kernels. Takes valid arguments and checks none; runs on the calling
/// thread. The kernels must compute the same bits.
namespace Kindred::Reference {

/// Arrays of a caller.
using Floats = std::span<const float>;
using Doubles = std::span<const double>;
using Numbers = std::span<const std::uint64_t>;
using Symbols = std::span<const Symbol>;

// ---- Reproducible sums ----

/// Adds the upper half to the lower half until one value is left; \p values is padded with +0 to a
/// power of two.
double pairwise_tree_sum(std::vector<double> values);
/// The reproducible sum of \p terms: blocks of 4096, 32 lanes, pairwise tree reductions; +0 for no
/// terms.
double reproducible_sum(Doubles terms);
/// Σ a·b as a reproducible sum; \p a and \p b have the same length.
double dot(Floats a, Floats b);
/// Σ (a − b)² as a reproducible sum; difference, square and sum are each rounded to double.
double squared_difference(Floats a, Floats b);

// ---- Select ----

/// An index and its score.
struct Item {
  std::uint64_t index = 0;
  float score = 0;

  friend bool operator==(const Item&, const Item&) = default;
};

/// Which scores rank higher.
enum class Better : std::uint8_t { larger, smaller };

/// The first \p k of \p items in total order, by sorting all of them: better score first, then
/// lower index; NaN last, −0 equal to +0.
std::vector<Item> top_k(std::vector<Item> items, std::size_t k, Better better);

// ---- Vector ----

/// The score of \p row for \p query: rounded once; a NaN is 0x7FC00000, a zero is +0.
float score(Metric metric, Floats query, Floats row);

/// σ((cosine − \p threshold) / max(\p temperature, 0.05)) of the rounded cosine, with the C
/// library's exponential function.
float cosine_sigmoid(Floats query, Floats row, double threshold, double temperature);
/// Σ wᵢ·xᵢ / Σ wᵢ over the rows of \p rows (`weights.size()` rows, row-major), with reproducible
/// sums; 0 where the weights add up to 0.
std::vector<float> weighted_average(Floats rows, Floats weights);

/// The answer to one query: `top` results, padded with id −1 and score −inf (+inf for l2).
struct SearchAnswer {
  std::vector<std::int64_t> ids;
  std::vector<float> scores;
};
/// The best \p top of \p rows (`count × query.size()`, row-major) that \p filter allows: one byte
/// per row, nonzero = allowed; empty = all rows are allowed.
SearchAnswer search(Metric metric, Floats rows, Floats query, std::size_t top,
                    std::span<const std::uint8_t> filter = {});
/// The best \p top of the rows that \p candidates lists, each scored once.
std::vector<Item> score_candidates(Metric metric, Floats rows, Floats query, Numbers candidates,
                                   std::size_t top);

// ---- Layers ----

struct NormRow {
  std::vector<float> y;  ///< before rounding to another element type
  float mean = 0;
  float variance = 0;
};
/// A row as `core/layers/FusedNorm.hpp` defines it. \param gamma, beta one element per column, or
/// empty
NormRow norm_row(Floats x, Floats gamma, Floats beta, float epsilon, LayerActivation activation);
/// act(float32(Σ x·w + bias)), with a reproducible sum.
float linear(Floats x, Floats w, float bias, LayerActivation activation);

// ---- Sequence ----

/// Whether two symbols match: `unknown_symbol` matches nothing, including itself.
inline bool same(Symbol a, Symbol b) { return a == b && a != unknown_symbol; }

/// Length of the longest common subsequence; `unknown_symbol` matches nothing.
std::uint32_t lcs(Symbols pattern, Symbols query);
/// The matching blocks of Python's `SequenceMatcher(None, pattern, query, autojunk=…)`, without the
/// final empty block.
std::vector<Block> blocks(Symbols pattern, Symbols query, bool autojunk = false);
/// The maximal runs of an LCS: the common prefix, the common suffix of the rest, and between them
/// the path back from the end that skips a query symbol if that keeps the length, otherwise a
/// pattern symbol if that does, and otherwise matches both.
std::vector<Block> lcs_blocks(Symbols pattern, Symbols query);
/// The number of symbols in all `blocks`.
std::uint32_t difflib(Symbols pattern, Symbols query, bool autojunk = false);

/// How `matched` is counted.
enum class Matched : std::uint8_t { lcs, difflib };

/// A pattern in an answer.
struct MatchItem {
  std::uint64_t index = 0;
  double similarity = 0;
  std::uint32_t matched = 0;

  friend bool operator==(const MatchItem&, const MatchItem&) = default;
};
/// 2·matched / (pattern length + query length), in double; two empty sequences: 0 for lcs, 1 for
/// difflib.
double similarity(Matched measure, std::uint32_t matched, std::size_t pattern_length,
                  std::size_t query_length);
/// The patterns with similarity ≥ \p threshold, best first, at most \p top of them; none for an
/// empty query.
std::vector<MatchItem> match(std::span<const std::vector<Symbol>> patterns, Symbols query,
                             Matched measure, double threshold, std::size_t top,
                             bool autojunk = false);

// ---- Measures of RapidFuzz ----

/// Measures of two sequences of symbols.
enum class PairMeasure : std::uint8_t { levenshtein, osa, jaro_winkler, prefix, postfix };

/// The least number of insertions, deletions and substitutions that turn one sequence into the
/// other.
std::uint32_t levenshtein_distance(Symbols pattern, Symbols query);
/// Optimal string alignment: like the above, and an exchange of two adjacent symbols, which no
/// other edit touches, counts 1.
std::uint32_t osa_distance(Symbols pattern, Symbols query);
/// \brief Jaro's similarity s; above 0.7, min(s + p · 0.1 · (1 − s), 1) for a common prefix of p
/// symbols, of which at most four count.
///
/// Equals `JaroWinkler.similarity`, and `normalized_similarity` in `cdist` and `extract`. RapidFuzz
/// computes `normalized_similarity` of a single pair as 1 − (1 − s), which can lose the last bits.
double jaro_winkler_similarity(Symbols pattern, Symbols query);
/// Length of the common prefix.
std::uint32_t prefix_similarity(Symbols pattern, Symbols query);
/// Length of the common suffix, which RapidFuzz calls postfix.
std::uint32_t postfix_similarity(Symbols pattern, Symbols query);

/// The edit distance; for prefix and postfix, the longer length minus the similarity; for
/// jaro_winkler, 1 − similarity.
double distance(PairMeasure measure, Symbols pattern, Symbols query);
/// 1 − (distance / longer length), and 1 for two empty sequences; for jaro_winkler, the similarity.
double normalized_similarity(PairMeasure measure, Symbols pattern, Symbols query);

/// The code points of \p text, which is valid UTF-8.
std::vector<Symbol> code_points(std::string_view text);
/// \brief The words of \p text, as Python's `str.split()` finds them.
///
/// The 29 code points of white space are U+0009 … U+000D, U+001C … U+0020, U+0085, U+00A0, U+1680,
/// U+2000 … U+200A, U+2028, U+2029, U+202F, U+205F and U+3000. RapidFuzz does not split at U+0085
/// and U+00A0 in a Python string without code points above U+00FF, but does in a list of the same
/// characters.
std::vector<std::vector<Symbol>> words(std::string_view text);
/// \brief RapidFuzz's `token_sort_ratio` / 100: the normalized Indel similarity of the sorted
/// words, joined by spaces.
///
/// The ratio is (1 − distance / total length) · 100 in double, so that the quotient can differ in
/// the last bit from 1 − distance / total length.
double token_sort_similarity(std::string_view pattern, std::string_view query);
/// \brief RapidFuzz's `token_set_ratio` / 100, for the sets of words of both texts.
///
/// 0 if a set is empty; 1 if a set includes the other. Otherwise, with C for the words in both
/// sets, A and B for the words in one of them, each sorted and joined by spaces, it is the largest
/// of the ratios of "C A" and "C B", of C and "C A", and of C and "C B", the last two only if C is
/// not empty. A ratio is 100 − 100 · distance / total length in double, where the distance is that
/// of A and B, the length of " A", and that of " B".
double token_set_similarity(std::string_view pattern, std::string_view query);

/// A partition: the members of every cluster, ascending, and its representative.
struct Partition {
  std::vector<std::vector<std::uint64_t>> members;
  std::vector<std::uint64_t> representatives;
};
/// \brief The clusters of the items of a symmetric matrix of similarities, in which a value below 0
/// means that two items are not similar.
///
/// \p complete: the two clusters whose least similar members are most similar are merged, of equal
/// ones those of the lowest members, while all their members are similar. Otherwise any two
/// clusters with similar members are merged. The representative is the first member with the
/// largest sum of similarities, added from the largest to the smallest.
Partition cluster(const std::vector<std::vector<double>>& similarities, bool complete);

// ---- Graph ----

struct Link {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  float weight = 1;
  std::uint8_t kind = 0;
};

struct Node {
  std::uint32_t node = 0;
  float value = 0;

  friend bool operator==(const Node&, const Node&) = default;
};

struct SpreadSettings {
  std::uint32_t hops = 4;
  Decay decay;
  std::optional<double> threshold;  ///< of all tiers; without a value: 0.01 / 0.05 / 0.10
  EdgeKinds kinds = EdgeKinds().set();
  bool short_activations = false;  ///< the values that a hop passes on are rounded to bfloat16
};

using Links = std::span<const Link>;
using Nodes = std::span<const Node>;

/// Row v: the links that end in v, sorted by source, parallel ones in input order.
std::vector<std::vector<Link>> links_into(std::size_t nodes, Links links);
/// \p links with the weights that \p modifiers give them; \p node_kinds has one kind per node, or
/// is empty.
std::vector<Link> modified(std::size_t nodes, Links links, std::span<const std::uint8_t> node_kinds,
                           const SpreadModifiers& modifiers);
/// Wᵀx (along the links) or W x, with reproducible sums that are rounded once; a link whose kind is
/// not in \p kinds contributes the term +0.
std::vector<float> hop(std::size_t nodes, Links links, Floats x, HopDirection direction,
                       const EdgeKinds& kinds = EdgeKinds().set());

/// What the hops of a spreading changed; hop 0 is that of the sources.
struct SpreadHistory {
  std::vector<std::vector<float>> passed;  ///< per hop and node, what is passed on to the next hop
  std::vector<std::vector<bool>> rose;     ///< whether the hop changed the activation of the node
  std::vector<float> decays;
};
/// The activation of every node after engine-mode spreading.
std::vector<float> spread_engine(std::size_t nodes, Links links, Nodes sources,
                                 const SpreadSettings& settings = {},
                                 SpreadHistory* history = nullptr);
/// Σ x_d of every node for d = 0 … hops, where x_d = D(d)·Wᵀx_{d−1}.
std::vector<float> spread_linear(std::size_t nodes, Links links, Nodes sources,
                                 const SpreadSettings& settings = {},
                                 SpreadHistory* history = nullptr);
struct PageRankSettings {
  double damping = 0.85;
  double tolerance = 1e-6;  ///< bound of the residual
  std::uint32_t max_iterations = 200;
};

struct PageRankAnswer {
  std::vector<float> values;  ///< one per node
  std::uint32_t iterations = 0;
  double residual = 0;  ///< ‖p_t − p_{t−1}‖₁ of the last iteration t
};

/// Personalized PageRank as `core/graph/PageRank.hpp` defines it, bit for bit.
PageRankAnswer page_rank(std::size_t nodes, Links links, Nodes sources,
                         const PageRankSettings& settings = {});
/// The limit of the iteration, in double: p = α(Pᵀp + dangling mass · r) + (1 − α)r.
std::vector<double> page_rank_limit(std::size_t nodes, Links links, Nodes sources,
                                    double damping = 0.85);

/// The nodes with nonzero values, largest value first, then lower node, at most \p top of them.
std::vector<Node> ranked_nodes(Floats values, std::size_t top);

// ---- Lattices ----

/// The neighbors of every node of \p shape in the order of the lattice, found by their coordinates.
std::vector<std::vector<std::uint64_t>> lattice_neighbours(const LatticeShape& shape);

/// A lattice with some nodes and edges removed, as neighbor lists.
struct BlockedLattice {
  std::vector<std::vector<std::uint64_t>> neighbours;

  /// \param edges each in either orientation
  BlockedLattice(const LatticeShape& shape, Numbers nodes,
                 std::span<const std::pair<std::uint64_t, std::uint64_t>> edges);

  /// The distance of every node from the nearest source; 0xFFFFFFFF if no source reaches it.
  std::vector<std::uint32_t> distances(Numbers sources) const;
  /// The shortest path, found backwards from \p to by always choosing the first neighbor that is
  /// closer to \p from; empty if there is no path.
  std::vector<std::uint64_t> path(std::uint64_t from, std::uint64_t to) const;
  /// All simple paths of at most \p edges_max edges, in depth-first order over the neighbor lists.
  std::vector<std::vector<std::uint64_t>> all_paths(std::uint64_t from, std::uint64_t to,
                                                    std::uint64_t edges_max) const;
};

/// The results of `measure_structure` for an undirected graph, by a search from every node.
GraphStructure graph_structure(std::span<const std::vector<std::uint64_t>> neighbours);

// ---- Seeds ----

/// The fields of a seed that a kernel reads.
struct Seed {
  Lifecycle lifecycle = Lifecycle::dormant;
  ApplyMode mode = ApplyMode::linear;
  float alpha = 0;
  std::int32_t blueprint = seed_none;
};

/// Rows of `hidden` elements, stored as the bits of each element.
struct SeedRows {
  DataType element = DataType::float32;
  std::size_t rows = 0;
  std::vector<std::uint32_t> bits;
};

/// A layer: `hidden` features, \p seeds, `blueprints × hidden` weights.
struct SeedLayer {
  std::size_t hidden = 0;
  std::vector<Seed> seeds;
  std::vector<float> weights;
  std::size_t chunk = 0;           ///< features per seed; 0: equal width
  bool fossilized_applies = true;  ///< false: fossilized seeds copy
};

/// The float32 value of an element with the given bits.
float widened(DataType element, std::uint32_t bits);
/// The bits of the element nearest to \p value, ties to even; a NaN becomes canonical.
std::uint32_t rounded(DataType element, float value);

/// The seed of every feature. With a \p chunk size, the number may be \p seeds or more: none.
std::vector<std::size_t> seeds_of_features(std::size_t hidden, std::size_t seeds,
                                           std::size_t chunk = 0);
/// y of `core/seed/SeedForward.hpp`, bit for bit.
SeedRows seed_forward(const SeedLayer& layer, const SeedRows& x, DataType output);
/// The moments of x, one per seed.
std::vector<SeedMoments> seed_moments(std::size_t hidden, std::size_t seeds, const SeedRows& x,
                                      std::size_t chunk = 0);

struct SeedGradients {
  SeedRows dx;
  std::vector<float> dw;      ///< one per feature
  std::vector<float> table;   ///< of the weights: blueprints × hidden
  std::vector<float> dalpha;  ///< one per seed
};
/// The gradients of `core/seed/SeedBackward.hpp` and `SeedTableGradients.hpp`, bit for bit.
SeedGradients seed_backward(const SeedLayer& layer, const SeedRows& x, const SeedRows& gradient);

/// \p parts merged by a pairwise tree: neighbors, then pairs of pairs, and so on.
SeedMoments merged(std::span<const SeedMoments> parts);

/// The complete state of a seed; the newest transition is the last.
struct SeedRecord {
  Lifecycle lifecycle = Lifecycle::dormant;
  ApplyMode mode = ApplyMode::linear;
  AlphaSchedule schedule = AlphaSchedule::linear;
  Lifecycle parent = Lifecycle::dormant;
  std::int32_t blueprint = seed_none;
  std::int32_t checkpoint = seed_none;
  std::int16_t epochs = 0;
  std::int16_t errors = 0;
  float alpha = 0;
  float evaluation = 0;
  std::vector<std::pair<Lifecycle, Lifecycle>> history = {};

  friend bool operator==(const SeedRecord&, const SeedRecord&) = default;
};
/// Applies the batch \p updates to \p records.
void update_seeds(std::vector<SeedRecord>& records, std::span<const SeedUpdate> updates);

// ---- Bulk ----

/// `op` applied to \p a and \p b; squares, roots and exponentials ignore \p b.
float element_wise(ElementWise op, float a, float b);
double element_wise(ElementWise op, double a, double b);
/// The reduction of \p x in float64, not yet rounded to the element type of x; \p x may be empty
/// only for sums.
double reduced(Reduction reduction, Doubles x);
/// `op` applied to integers modulo 2⁶⁴, of which narrower results are the lower bits. Only add,
/// multiply and square.
std::uint64_t element_wise(ElementWise op, std::uint64_t a, std::uint64_t b);
/// The sum modulo 2⁶⁴, the minimum or the maximum of \p x.
std::int64_t reduced(Reduction reduction, std::span<const std::int64_t> x);
std::uint64_t reduced(Reduction reduction, Numbers x);
/// The double nearest to the mean of \p x, which has at most 2³² elements, ties to even.
double integer_mean(std::span<const std::int64_t> x);
double integer_mean(Numbers x);
/// (x − mean) · 1 / (deviation + 1e-8)
std::vector<float> normalised(Floats x);
std::vector<double> normalised(Doubles x);
/// A · B, m × k by k × n: reproducible sums of fused multiply-adds.
std::vector<float> matrix_product(Floats a, Floats b, std::size_t m, std::size_t n, std::size_t k);
std::vector<double> matrix_product(Doubles a, Doubles b, std::size_t m, std::size_t n,
                                   std::size_t k);
/// Philox4x32-10.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);
/// The byte that `random_fill` writes at index \p place.
std::uint8_t random_byte(std::uint64_t seed, std::uint64_t place);
float random_float(std::uint64_t seed, std::uint64_t place);
double random_double(std::uint64_t seed, std::uint64_t place);

}  // namespace Kindred::Reference

#endif  // KINDRED_REFERENCE_REFERENCE_HPP
