// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SPREADING_ENGINE_HPP
#define KINDRED_MATCHER_SPREADING_ENGINE_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/graph/Spreading.hpp>
#include <kindred/matcher/GraphSpan.hpp>
#include <kindred/matcher/Residency.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred {

/// How precisely a hop passes activations on.
enum class ActivationPrecision : std::uint8_t {
  float32,
  bfloat16  ///< half the bytes of many queries; the answers are other ones, the same on every space
};

/// What one query of a call spreads by.
struct SpreadQuery {
  std::uint32_t hops = 4;
  Decay decay;                          ///< exponential 0.7 by default
  std::optional<double> threshold;      ///< sets all three tiers; nothing: 0.01 / 0.05 / 0.10
  EdgeKinds kinds = EdgeKinds().set();  ///< of edges that are followed
};

struct SpreadOptions {
  SpreadMode mode = SpreadMode::engine;  ///< PageRank takes no hops, decay or threshold
  std::uint32_t hops = 4;
  Decay decay;                         ///< exponential 0.7 by default
  std::optional<double> threshold;     ///< sets all three tiers; nothing: 0.01 / 0.05 / 0.10
  std::size_t top = 10;                ///< nodes a query at most
  double damping = 0.85;               ///< of PageRank, in [0, 1)
  double tolerance = 1e-6;             ///< of PageRank's residual; below 1e-6 in doubles, slower
  std::uint32_t max_iterations = 200;  ///< of PageRank, ≥ 1; what is reached then is the answer
  std::span<const SpreadQuery> per_query;    ///< empty, or a query each in place of hops, decay,
                                             ///< threshold and kinds; of engine and linear mode
  EdgeKinds kinds = EdgeKinds().set();       ///< of edges that are followed; not of PageRank
  std::optional<SpreadModifiers> modifiers;  ///< of weights by kinds of nodes; not of PageRank
  ActivationPrecision activations = ActivationPrecision::float32;
  std::size_t trace_paths = 0;  ///< paths a result that `SpreadResults::paths` tells, at most 1000;
                                ///< not of PageRank
  std::optional<Space> space;   ///< runs there instead of where the dispatcher would
};

/// What a hop does.
struct HopOptions {
  HopDirection direction = HopDirection::along;
  std::size_t columns = 1;                        ///< those of a node stand side by side
  EdgeKinds kinds = EdgeKinds().set();            ///< of edges that are followed
  std::optional<SpreadModifiers> modifiers = {};  ///< of weights by kinds of nodes
  std::optional<Space> space = {};  ///< runs there instead of where the dispatcher would
};

/// How PageRank of a query ended.
struct Convergence {
  std::uint32_t iterations = 0;
  double residual = 0;  ///< ‖p_t − p_{t−1}‖₁ of the last; the error is ≤ residual · α / (1 − α)

  friend bool operator==(const Convergence&, const Convergence&) = default;
};

/// What an edge carried in one hop.
struct SpreadStep {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  float weight = 0;   ///< with the modifiers
  float carried = 0;  ///< D(hop) · what `from` passed on · weight, rounded once

  friend bool operator==(const SpreadStep&, const SpreadStep&) = default;
};

/// \brief Which edges carried the activation to the results.
///
/// A path to a node begins at a source and has an edge a hop: each starts at a node that passed
/// something on there, and the last hop changed the node's activation. Its strength is the source's
/// value times D(d) · weight of every edge, in double from the source on: what it brings where
/// nothing saturates. Paths of greater |strength| come first, then those of fewer hops, then by the
/// place of the last edge among the node's in-edges, then as the paths without it are ordered.
struct SpreadPaths {
  Ragged<float> strengths;   ///< row i: of the paths to `activations.values[i]`, best first
  Ragged<SpreadStep> steps;  ///< row j: the edges of path j; none where the node is a source
};

/// \brief The answers of a call: a row a query, greater activation first, then lower node; zero
/// nodes are not listed.
struct SpreadResults {
  Ragged<Activation> activations;
  std::vector<Convergence> convergence;  ///< of PageRank: a query each
  bool not_guaranteed = false;           ///< activations were rounded to bfloat16 on the way
  SpreadPaths paths;                     ///< empty unless `trace_paths`
  DispatchRecord record;
};

/// \brief Spreads activation over a graph. Answers Engram's spreading engine, with one defined
/// meaning.
///
/// The meaning is `core/graph/Spreading.hpp`'s; personalised PageRank is Page, Brin, Motwani and
/// Winograd's (1999) with their restart. Rows of the transpose are summed canonically in
/// (source, input order), so that every space, thread count and batch gives the same bits; a graph
/// that was changed gives the bits of one that is built of its edges, added ones at their end.
/// Thread-safe: a call sees what was changed before it began, and never waits for changes. A call
/// that fails changes nothing.
class SpreadingEngine {
 public:
  /// \param context outlives this \param nodes number of nodes; isolated ones are legal
  /// \param edges in input order \throws InvalidArgument for an end ≥ nodes or a weight that is not
  /// finite; OutOfMemory
  SpreadingEngine(Context& context, std::size_t nodes, std::span<const Edge> edges,
                  Residency residency = Residency::automatic);
  /// \brief A graph with kinds, names or shorter weights.
  /// \throws InvalidArgument also for a weight that \p options cannot keep, columns whose sizes do
  /// not go together and a name that stands twice; SpaceUnavailable; OutOfMemory
  SpreadingEngine(Context& context, const GraphSpan& graph, const GraphOptions& options);
  /// \brief The graph of a file that `save` wrote, where it is mapped; what is changed is changed
  /// in memory only.
  /// \param options without their `weights`: the file says how they are kept
  /// \param threads that check the file, at most; 0: as many as the processor has
  /// \throws NotFound; InvalidArgument for what is no file; CorruptFile; SpaceUnavailable;
  /// OutOfMemory
  static SpreadingEngine load(Context& context, const std::string& path,
                              const GraphOptions& options = {}, int threads = 0);
  ~SpreadingEngine();
  SpreadingEngine(SpreadingEngine&&) noexcept;
  SpreadingEngine& operator=(SpreadingEngine&&) noexcept;

  /// Ids below it were given; removed nodes keep theirs.
  std::size_t nodes() const noexcept;
  /// Whether \p node was given and is not removed. Complexity O(1).
  bool has_node(std::uint32_t node) const noexcept;
  std::size_t edges() const noexcept;
  /// Bytes of the graph where \p space computes, 0 if it is not there: rows, and what is kept of
  /// them between calls (bins, modified weights, the sums that PageRank divides by); not what calls
  /// work in.
  std::uint64_t bytes(Space space) const noexcept;
  GraphStatistics statistics() const;

  bool has_names() const noexcept;
  /// The node of that name, if it was not removed.
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// The text stays while this does. \throws NotFound for a node that has none
  std::string_view name(std::uint32_t node) const;

  /// \brief Adds nodes without edges to a graph without names. Returns the id of the first.
  /// \param kinds a node each, or none: 0
  /// \throws InvalidArgument, OutOfMemory
  std::uint32_t add_nodes(std::uint64_t count, std::span<const std::uint8_t> kinds = {});
  /// \brief Adds nodes to a graph with names. Returns the id of each; a name that is known has its
  /// node, which lives again if it was removed.
  /// \param kinds of the nodes from now on; none: as they were, 0 for a new one
  /// \throws InvalidArgument, OutOfMemory
  std::vector<std::uint32_t> add_nodes(std::span<const std::string_view> names,
                                       std::span<const std::uint8_t> kinds = {});
  /// \brief Adds edges behind those that are there. No change fences: a device takes it with its
  /// next call. Complexity of every change of edges: those in the rows that it touches and in the
  /// rows rebuilt since the last merge; many at once are cheaper.
  /// \param kinds an edge each, or none: 0 \throws InvalidArgument for an end that is no
  /// node or a weight that the graph cannot keep; OutOfMemory
  void add_edges(std::span<const Edge> edges, std::span<const std::uint8_t> kinds = {});
  /// \brief Removes all edges from a node to another (of a kind). Returns how many they were.
  /// \throws NotFound where there is none, or ends are named twice; nothing is then removed
  std::uint64_t remove_edges(std::span<const EdgeEnds> edges);
  /// \brief Removes nodes and all their edges. Their ids are not given again.
  /// \throws NotFound for what is no node or is named twice; nothing is then removed
  void remove_nodes(std::span<const std::uint32_t> nodes);
  /// \brief Merges the rows that were rebuilt, now. Others go on meanwhile. Takes the graph's
  /// memory once more while it runs; on a device too, through an instance of its own, which it
  /// fences. Complexity O(nodes + edges). \throws OutOfMemory
  void merge();

  /// \brief Writes the graph and its names to \p path, in place of what is there; whole or not at
  /// all. \throws InvalidArgument where no file can be written; Busy while another writes it; Error
  void save(const std::string& path) const;

  /// \brief Spreads from the sources of every query. Fences the instance it ran on.
  ///
  /// Complexity O((nodes + edges) · hops) a query at most, 32 of them reading an edge together; a
  /// query whose frontier stays small reads the rows that it reaches. PageRank: (nodes + edges) an
  /// iteration. Traces read what their query did once more, on one thread.
  /// \param sources row i: the sources of query i, values without a unit; duplicates add in
  /// float32, then clamp to 1 (engine mode); an empty row has an empty answer
  /// \return rows of at most `options.top` nodes, in the order of \p sources; nothing is written
  /// anywhere else
  /// \throws InvalidArgument for a source that is no node, was removed or is outside [0, 1] (engine
  /// mode) or below 0 (PageRank); for a graph with a weight outside [0, 1] (engine mode) or below 0
  /// (PageRank); for a decay, threshold, damping, tolerance or modifier out of range, top = 0,
  /// options that are not of the mode, `per_query` of another size; SpaceUnavailable; OutOfMemory;
  /// DeviceLost
  SpreadResults spread(RaggedSpan<Activation> sources, const SpreadOptions& options = {}) const;

  /// \brief One hop with D = 1 of any number of columns: `y = Wᵀx`, or `y = W x` against the edges;
  /// canonical sums rounded to float32 once, NaN as 0x7FC00000. Fences the instance it ran on.
  /// Complexity O((nodes + edges) · columns).
  /// \param x,y `nodes() × columns` values, node v's at `v · columns`; y is overwritten whole
  /// \throws InvalidArgument for another size, no columns, more than 4096 or a modifier that is not
  /// finite; SpaceUnavailable; OutOfMemory; DeviceLost
  DispatchRecord hop(std::span<const float> x, std::span<float> y,
                     const HopOptions& options = {}) const;

 private:
  struct State;
  explicit SpreadingEngine(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SPREADING_ENGINE_HPP
