// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SPREADING_ENGINE_HPP
#define KINDRED_MATCHER_SPREADING_ENGINE_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/graph/Spreading.hpp>
#include <kindred/matcher/Residency.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
  std::optional<Space> space;  ///< runs there instead of where the dispatcher would
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

/// \brief The answers of a call: a row a query, greater activation first, then lower node; zero
/// nodes are not listed.
struct SpreadResults {
  Ragged<Activation> activations;
  std::vector<Convergence> convergence;  ///< of PageRank: a query each
  bool not_guaranteed = false;           ///< activations were rounded to bfloat16 on the way
  DispatchRecord record;
};

/// \brief Spreads activation over a graph. Answers Engram's spreading engine, with one defined
/// meaning.
///
/// The meaning is `core/graph/Spreading.hpp`'s. Rows of the transpose are summed canonically in
/// (source, input order), so that every space, thread count and batch gives the same bits. `spread`
/// may be called from several threads.
class SpreadingEngine {
 public:
  /// \param context outlives this \param nodes number of nodes; isolated ones are legal
  /// \param edges in input order \throws InvalidArgument for an end ≥ nodes or a weight that is not
  /// finite; OutOfMemory
  SpreadingEngine(Context& context, std::size_t nodes, std::span<const Edge> edges,
                  Residency residency = Residency::automatic);
  ~SpreadingEngine();
  SpreadingEngine(SpreadingEngine&&) noexcept;
  SpreadingEngine& operator=(SpreadingEngine&&) noexcept;

  std::size_t nodes() const noexcept;
  std::size_t edges() const noexcept;
  /// Bytes held where \p space computes, 0 if the graph is not there.
  std::uint64_t bytes(Space space) const noexcept;

  /// \brief Spreads from the sources of every query. Fences the instance it ran on.
  /// \param sources row i: the sources of query i; duplicates add, then clamp (engine mode)
  /// \throws InvalidArgument for a source that is no node or, in engine mode, outside [0, 1], for
  ///         PageRank below 0; for PageRank on a graph with a weight below 0; for
  /// an engine-mode graph with
  ///         a weight outside [0, 1]; a decay or threshold out of range; top = 0; per_query of
  ///         another size; SpaceUnavailable; OutOfMemory
  SpreadResults spread(RaggedSpan<Activation> sources, const SpreadOptions& options = {}) const;

  /// \brief One hop with D = 1 of any number of columns: `y = Wᵀx`, or `y = W x` against the edges;
  /// canonical sums rounded to float32 once, NaN as 0x7FC00000. Fences the instance it ran on.
  /// Complexity O((nodes + edges) · columns).
  /// \param x,y `nodes() × columns` values \throws InvalidArgument for another size and for no
  /// columns; SpaceUnavailable; OutOfMemory
  DispatchRecord hop(std::span<const float> x, std::span<float> y,
                     const HopOptions& options = {}) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SPREADING_ENGINE_HPP
