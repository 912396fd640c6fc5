// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SPREADING_ENGINE_HPP
#define KINDRED_MATCHER_SPREADING_ENGINE_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/core/graph/Spreading.hpp>
#include <kindred/matcher/CsrGraph.hpp>
#include <kindred/matcher/EdgeEnds.hpp>
#include <kindred/matcher/FileSource.hpp>
#include <kindred/matcher/GraphFileInfo.hpp>
#include <kindred/matcher/GraphOptions.hpp>
#include <kindred/matcher/GraphSpan.hpp>
#include <kindred/matcher/GraphStatistics.hpp>
#include <kindred/matcher/Residency.hpp>
#include <kindred/matcher/SpreadArrays.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// Precision of the activations that a hop propagates.
enum class ActivationPrecision : std::uint8_t {
  float32,
  bfloat16  ///< halves the bytes of large batches; results differ from float32, but are the same on
            ///< every space
};

/// Parameters of a single query of a call.
struct SpreadQuery {
  std::uint32_t hops = 4;
  Decay decay = {};                      ///< exponential 0.7 by default
  std::optional<double> threshold = {};  ///< overrides all three tiers; default: 0.01 / 0.05 / 0.10
  EdgeKinds kinds = EdgeKinds().set();   ///< kinds of edges to follow
};

struct SpreadOptions {
  SpreadMode mode = SpreadMode::engine;  ///< PageRank does not use hops, decay or threshold
  std::uint32_t hops = 4;
  Decay decay = {};                      ///< exponential 0.7 by default
  std::optional<double> threshold = {};  ///< overrides all three tiers; default: 0.01 / 0.05 / 0.10
  std::size_t top = 10;                  ///< maximum number of nodes per query
  double damping = 0.85;                 ///< of PageRank, in [0, 1)
  double tolerance =
      1e-6;  ///< for PageRank's residual; below 1e-6 it computes in double, which is slower
  std::uint32_t max_iterations =
      200;  ///< of PageRank, ≥ 1; the result at this limit is returned without error
  /// Empty, or one element per query that replaces hops, decay, threshold and kinds; engine and
  /// linear mode only.
  std::span<const SpreadQuery> per_query = {};
  EdgeKinds kinds = EdgeKinds().set();  ///< kinds of edges to follow; not for PageRank
  /// Weight modifiers by node kind; not for PageRank.
  std::optional<SpreadModifiers> modifiers = {};
  ActivationPrecision activations = ActivationPrecision::float32;
  std::size_t trace_paths =
      0;  ///< paths per result to return in `SpreadResults::paths`, at most 1000; not for PageRank
  std::optional<Space> space = {};  ///< overrides the dispatcher's choice
  /// For arrays on the device: the call is ordered by this stream and does not fence.
  std::optional<Stream> stream = {};
};

/// Options of `SpreadingEngine::hop`.
struct HopOptions {
  HopDirection direction = HopDirection::along;
  EdgeKinds kinds = EdgeKinds().set();            ///< kinds of edges to follow
  std::optional<SpreadModifiers> modifiers = {};  ///< weight modifiers by node kind
  std::optional<Space> space = {};                ///< overrides the dispatcher's choice
  /// For arrays on the device: the call is ordered by this stream and does not fence.
  std::optional<Stream> stream = {};
};

/// Convergence of PageRank for one query.
struct Convergence {
  std::uint32_t iterations = 0;
  double residual =
      0;  ///< ‖p_t − p_{t−1}‖₁ of the last iteration; the error is ≤ residual · α / (1 − α)

  friend bool operator==(const Convergence&, const Convergence&) = default;
};

/// The contribution of an edge in one hop.
struct SpreadStep {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  float weight = 0;   ///< after the modifiers
  float carried = 0;  ///< D(hop) · activation passed on by `from` · weight, rounded once

  friend bool operator==(const SpreadStep&, const SpreadStep&) = default;
};

/// \brief Which edges carried the activation to the results.
///
/// A path to a node starts at a source and has one edge per hop: each edge starts at a node that
/// propagated activation in that hop, and the last hop changed the node's activation. The strength
/// of a path is the source's value times D(d) · weight of every edge, multiplied in double from the
/// source on, which is its contribution if nothing saturates. Paths are ordered by greater
/// |strength|, then fewer hops, then the position of the last edge among the node's in-edges, then
/// recursively by the path without its last edge.
struct SpreadPaths {
  Ragged<float> strengths;   ///< row i: paths to `activations.values[i]`, best first
  Ragged<SpreadStep> steps;  ///< row j: the edges of path j; empty if the node is a source
};

/// \brief The results of a call: one row per query, greater activation first, then lower node;
/// nodes with zero activation are omitted.
struct SpreadResults {
  Ragged<Activation> activations;
  std::vector<Convergence> convergence;  ///< for PageRank: one per query
  bool not_guaranteed = false;  ///< whether activations were rounded to bfloat16 between hops
  SpreadPaths paths;            ///< empty if `trace_paths` is 0
  DispatchRecord record;
};

/// \brief Spreading activation over a graph. Equivalent to Engram's spreading engine, with a single
/// definition of the result.
///
/// The definition is in `core/graph/Spreading.hpp`; personalised PageRank follows Page, Brin,
/// Motwani and Winograd (1999) with their restart. Rows of the transpose are summed in a fixed
/// order (source, input order), so results are bitwise identical for every space, number of threads
/// and batch size, and a changed graph gives the same results as one built from its edges with the
/// added ones at the end. Thread-safe: a call sees the changes made before it began, and never
/// waits for later ones. A call that throws changes nothing.
class SpreadingEngine {
 public:
  /// \param context must outlive this object
  /// \throws InvalidArgument for an end that is not a node, a weight that is not finite or that \p
  /// options cannot represent, inconsistent array sizes and duplicate names; SpaceUnavailable;
  /// OutOfMemory
  SpreadingEngine(Context& context, const GraphSpan& graph, const GraphOptions& options = {});
  /// \brief Builds a graph without names and kinds from compressed sparse rows. The results are
  /// those of the graph built from the list of the same edges in the same order.
  ///
  /// Ends, weights and int64 offsets in host memory are used in place, which needs \p graph.owner
  /// or arrays that outlive this object, and they must not change; int32 offsets are widened to 8
  /// bytes per node. The transpose is always made: 4 bytes per edge in addition to its weight.
  /// Arrays on the device of \p context are copied to the host; work that writes them must have
  /// ended. Later changes of the graph never write to the arrays.
  /// \param options `weights` is ignored: weights are stored as they are given
  /// \throws InvalidArgument for arrays of another type or shape, offsets that do not start at 0,
  /// decrease or do not end at the number of ends, an end that is not a node, or a weight that is
  /// not finite; SpaceUnavailable; OutOfMemory
  SpreadingEngine(Context& context, const CsrGraph& graph, const GraphOptions& options = {});
  /// \brief Maps a file written by `save`; later changes affect memory only.
  /// \param options `weights` is ignored, because the file records the weight type
  /// \param threads maximum number of threads that validate the file; 0: the number of hardware
  /// threads
  /// \throws NotFound; InvalidArgument if the path is not a regular file; CorruptFile;
  /// SpaceUnavailable; OutOfMemory
  static SpreadingEngine load(Context& context, const FileSource& source,
                              const GraphOptions& options = {}, int threads = 0);
  /// \brief Validates every byte of a file as `load` does, and that both directions hold the same
  /// edges, and describes its contents. Complexity O(nodes + edges), with 8 bytes of memory per
  /// node. Does not fence.
  /// \param threads maximum number of threads; 0: the number of hardware threads
  /// \throws NotFound; InvalidArgument if the path is not a regular file; CorruptFile with the byte
  /// offset and the reason
  static GraphFileInfo inspect(const FileSource& source, int threads = 0);

  /// Number of assigned ids; ids of removed nodes are not reused.
  std::size_t nodes() const;
  /// Whether \p node exists and is not removed. Complexity O(1).
  bool has_node(std::uint32_t node) const;
  std::size_t edges() const;
  /// Bytes of the graph in the memory of \p space, 0 if it is not resident there: the rows and data
  /// derived from them that is kept between calls (bins, modified weights, out-weight sums for
  /// PageRank), excluding the workspace of calls.
  std::uint64_t bytes(Space space) const;
  GraphStatistics statistics() const;

  /// The node with that name, unless it was removed.
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// The text is valid while this object lives. \throws NotFound for a node without a name
  std::string_view name(std::uint32_t node) const;

  /// \brief Adds nodes without edges to a graph without names. Returns the id of the first.
  /// \param kinds one per node; empty: kind 0
  ///
  /// \throws InvalidArgument, OutOfMemory
  std::uint32_t add_nodes(std::uint64_t count, std::span<const std::uint8_t> kinds = {});
  /// \brief Adds nodes to a graph with names. Returns the id of each; a known name yields its
  /// existing node, which is restored if it was removed.
  /// \param kinds new kinds of the nodes; empty: existing nodes keep their kind, new ones get 0
  ///
  /// \throws InvalidArgument, OutOfMemory
  std::vector<std::uint32_t> add_nodes(std::span<const std::string_view> names,
                                       std::span<const std::uint8_t> kinds = {});
  /// \brief Appends edges to the existing ones. Changes do not fence: a device receives them with
  /// its next call. The complexity of a change is linear in the edges of the affected rows and of
  /// the rows rebuilt since the last merge, so batched changes are cheaper.
  /// \param kinds one per edge; empty: kind 0
  /// \throws InvalidArgument for an end that is not a node or a weight that the graph cannot
  /// represent; OutOfMemory
  void add_edges(std::span<const Edge> edges, std::span<const std::uint8_t> kinds = {});
  /// \brief Removes all edges between pairs of nodes (optionally of one kind). Returns their
  /// number. \throws NotFound if a pair has no such edge or is listed twice; nothing is removed
  /// then
  std::uint64_t remove_edges(std::span<const EdgeEnds> edges);
  /// \brief Removes nodes and all their edges. Their ids are not reused. \throws NotFound for a
  /// node that does not exist or is listed twice; nothing is removed then
  void remove_nodes(std::span<const std::uint32_t> nodes);
  /// \brief Merges the rebuilt rows immediately. Other calls continue meanwhile. Needs the memory
  /// of a second copy of the graph while it runs, also on a device, where it uses and fences a
  /// separate instance. Complexity O(nodes + edges). \throws OutOfMemory
  void merge();

  /// \brief Writes the graph and its names to \p path atomically, replacing an existing file.
  /// \throws InvalidArgument for a path that cannot be written; Busy while another process writes
  /// it; Error for failed writes
  void save(const std::string& path) const;
  /// The bytes of the file that `save` writes. Complexity O(bytes). \throws OutOfMemory
  std::vector<std::byte> to_bytes() const;

  /// \brief Spreads from the sources of every query, which lie in host memory or on the device of
  /// the graph. Fences the instance it ran on.
  ///
  /// Complexity at most O((nodes + edges) · hops) per query, where groups of 32 queries share the
  /// reads of an edge; a query with a small frontier reads only the rows that it reaches. PageRank:
  /// O(nodes + edges) per iteration. Path traces read the rows of their query a second time, on one
  /// thread.
  ///
  /// Without a stream, sources on the device are copied to the host, validated and spread on the
  /// device; work that writes the arrays must have ended. Given `options.stream`, the call comes
  /// after the work in that stream, reads and writes the arrays in place, does not wait for the
  /// device and copies nothing to the host. Then every hop reads all edges, and the contents of the
  /// arrays cannot be refused: a query with a source that would be refused, or with offsets that
  /// decrease or lie outside the arrays, has the node −1 and the activation NaN in its whole row,
  /// and other queries are not affected. Such a call waits for earlier calls on streams only if it
  /// has other sizes, kinds or modifiers than the last one. For streams, captures and changes of
  /// the graph see `hop`.
  /// \param sources of query i: dimensionless values; duplicates are added in float32, then clamped
  /// to 1 (engine mode); a query without sources has an empty result
  /// \param options with arrays for the results, `top` is ignored, because the arrays have it, and
  /// `trace_paths` must be 0; on a stream `per_query` must be empty and the mode not PageRank
  /// \param output where the results are stored; must not overlap \p sources. Unset: they are
  /// returned. Required on a stream
  /// \return rows of at most `options.top` nodes, in the order of \p sources; none if they are
  /// stored in \p output
  /// \throws InvalidArgument for a source that is not a node, was removed or is outside [0, 1]
  /// (engine mode) or below 0 (PageRank); for a graph with a weight outside [0, 1] (engine mode) or
  /// below 0 (PageRank); for a decay, threshold, damping, tolerance or modifier out of range, top =
  /// 0, options that the mode does not support, or `per_query` of the wrong size; for arrays of
  /// another type, shape or memory, and for a stream without arrays on the device;
  /// SpaceUnavailable, also if the graph is not on the device of the arrays; OutOfMemory;
  /// DeviceLost
  SpreadResults spread(const SpreadSources& sources, const SpreadOptions& options = {},
                       const std::optional<SpreadOutput>& output = {}) const;

  /// \brief One hop with D = 1: the sparse matrix–vector product `y = Wᵀx`, or `y = W x` against
  /// the edges, for one or more columns (SpMM). Reproducible sums are rounded to float32 once; NaN
  /// is stored as 0x7FC00000. Fences the instance it ran on. Complexity O((nodes + edges) ·
  /// columns).
  ///
  /// Arrays on the device are used in place and need the graph there (`bytes(Space::cuda) > 0`).
  /// Given `options.stream`, the call comes after the work in that stream and does not wait for it,
  /// nor does it copy anything to the host. It waits for earlier calls on streams only if its
  /// workspace must grow, or kinds or modifiers are others than before; the first calls after a
  /// change of the graph copy the change to the device, free what no call reads any more, and wait
  /// for that. Work of different streams in one graph runs in the order of the calls. The stream
  /// must outlive this object, and cannot be one that is being captured. Changes and merges of the
  /// graph do not disturb calls that still run. Without a stream, work that writes x must have
  /// ended.
  /// \param x,y float32 [nodes] or [nodes, columns] without gaps, in host memory or on the device
  /// of the graph; y is overwritten completely and must not overlap x. A device copies an x that
  /// does not begin at a multiple of 16 bytes \throws InvalidArgument for arrays of another type,
  /// shape or memory, more than 4096 columns, a modifier that is not finite, and for a stream
  /// without arrays on the device; SpaceUnavailable, also if the graph is not on the device of the
  /// arrays; OutOfMemory; DeviceLost
  DispatchRecord hop(const ConstArray& x, const Array& y, const HopOptions& options = {}) const;

 private:
  struct State;
  explicit SpreadingEngine(std::unique_ptr<State> state);
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SPREADING_ENGINE_HPP
