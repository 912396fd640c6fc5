// SPDX-License-Identifier: Apache-2.0
// The bytes of results and objects of the engines, found by the namespace of their types.
#ifndef KINDRED_TESTS_SUPPORT_RESULT_TEXT_HPP
#define KINDRED_TESTS_SUPPORT_RESULT_TEXT_HPP

#include <kindred/Bulk.hpp>
#include <kindred/Fusion.hpp>
#include <kindred/Graph.hpp>
#include <kindred/Hnsw.hpp>
#include <kindred/Keys.hpp>
#include <kindred/Lattice.hpp>
#include <kindred/Layers.hpp>
#include <kindred/Patterns.hpp>
#include <kindred/Prediction.hpp>
#include <kindred/Seed.hpp>
#include <kindred/Sequence.hpp>
#include <kindred/Vector.hpp>
#include <kindred/matcher/NpyArray.hpp>
#include <kindred/matcher/SectionFileKind.hpp>
#include <kindred/matcher/VectorFile.hpp>

#include <tuple>

namespace Kindred::Testing {

template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T> std::string text_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}
inline std::string text_of(std::string_view text) { return std::string(text); }
template <class T>
std::string text_of(const std::optional<T>& value);
template <class T>
std::string text_of(const std::vector<T>& values);
template <class T, std::size_t size>
std::string text_of(std::span<T, size> values);
template <class T>
std::string text_of(const Ragged<T>& rows);
template <class A, class B>
std::string text_of(const std::pair<A, B>& both);
template <class... T>
std::string text_of(const std::tuple<T...>& all);
/// Of an object, whose members `parts_of` returns.
template <class T>
requires requires(const T& value) { parts_of(value); }
std::string text_of(const T& value);

template <class... T>
std::string texts_of(const T&... values) {
  return (text_of(values) + ...);
}

template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? '1' + text_of(*value) : "0";
}
template <class T, std::size_t size>
std::string text_of(std::span<T, size> values) {
  std::string text = std::to_string(values.size()) + ' ';
  for (const auto& value : values) text += text_of(value);
  return text;
}
template <class T>
std::string text_of(const std::vector<T>& values) {
  return text_of(std::span(values));
}
template <class T>
std::string text_of(const Ragged<T>& rows) {
  return text_of(rows.offsets) + text_of(rows.values);
}
template <class A, class B>
std::string text_of(const std::pair<A, B>& both) {
  return text_of(both.first) + ' ' + text_of(both.second);
}

template <class... T>
std::string text_of(const std::tuple<T...>& all) {
  return std::apply([](const auto&... parts) { return texts_of(parts...); }, all);
}
template <class T>
requires requires(const T& value) { parts_of(value); }
std::string text_of(const T& value) { return text_of(parts_of(value)); }

}  // namespace Kindred::Testing

namespace Kindred {

using Testing::texts_of;

inline std::string text_of(const DispatchRecord&) { return {}; }  // the space may be another one
inline std::string text_of(const BulkReport&) { return {}; }

inline auto parts_of(const Match& r) {
  return std::tie(r.index, r.similarity, r.matched, r.distance);
}
inline auto parts_of(const Block& r) { return std::tie(r.pattern_begin, r.query_begin, r.length); }
inline auto parts_of(const MatchResults& r) { return std::tie(r.matches, r.blocks); }
inline auto parts_of(const ClusterResults& r) {
  return std::tie(r.cluster_of, r.members, r.representatives);
}
inline auto parts_of(const Clusters& r) {
  return std::tie(r.cluster_of, r.members, r.representatives);
}
inline auto parts_of(const SequenceMatcher& r) { return std::tuple(r.patterns()); }
inline std::string text_of(const PreparedQuery&) { return {}; }  // cannot be changed
inline auto parts_of(const Vocabulary& r) { return std::tuple(r.texts()); }

inline auto parts_of(const ScoredId& r) { return std::tie(r.id, r.score); }
inline auto parts_of(const SearchResults& r) { return std::tie(r.top, r.ids, r.scores); }
inline auto parts_of(const ScoreResults& r) { return std::tie(r.results); }
/// Without the quantized copy, which the first search that needs it makes.
inline std::string text_of(const VectorIndex& index) {
  const std::vector<std::uint64_t> ids = index.ids();
  std::vector<float> rows(ids.size() * index.dimension());
  index.rows(ids, rows);
  return texts_of(ids, rows, index.end_id());
}
inline auto parts_of(const VectorStatistics& r) { return std::tie(r.rows, r.removed); }
inline auto parts_of(const VectorSpan& r) { return std::tie(r.values, r.scales); }
inline std::string text_of(const VectorArray& rows) { return texts_of(rows.span()); }
inline auto parts_of(const StoredVectors& r) {
  return std::tie(r.rows, r.norms, r.ids, r.live, r.end_id);
}
inline auto parts_of(const StoredVectorsFileInfo& r) {
  return std::tie(r.element, r.rows, r.dimension, r.end_id, r.bytes);
}
inline auto parts_of(const VectorFile& r) { return std::tuple(r.rows(), r.dimension(), r.path()); }
inline auto parts_of(const NpyArray& r) {
  return std::tuple(r.shape, r.as<std::byte>().subspan(0, r.elements));
}
inline auto parts_of(const PreparedScore& r) { return std::tuple(r.space()); }

inline auto parts_of(const KeyList& r) { return std::tie(r.integers, r.bytes); }
inline std::string text_of(const KeyedVectorIndex& index) {
  std::string text = text_of(index.vectors());
  for (int number = 0; number < 60; ++number) {
    const std::string key = "a key that is longer than a short string " + std::to_string(number);
    const std::string_view one(key);
    text += texts_of(index.find(KeySpan(std::span(&one, 1))));
  }
  return text;
}
inline auto parts_of(const KeyedSearchResults& r) { return std::tie(r.ids, r.scores, r.keys); }
inline auto parts_of(const KeyedScoreResults& r) { return std::tie(r.results, r.keys); }
inline auto parts_of(const UpsertCounts& r) { return std::tie(r.added, r.replaced); }

inline auto parts_of(const HnswIndex& r) {
  return std::tuple(r.to_bytes(), r.settings().traversal);
}
inline auto parts_of(const HnswResults& r) {
  return std::tie(r.top, r.ids, r.scores, r.visited, r.scanned);
}
inline auto parts_of(const HnswStatistics& r) {
  return std::tie(r.rows, r.removed, r.links, r.unreachable);
}

inline auto parts_of(const Activation& r) { return std::tie(r.node, r.value); }
inline auto parts_of(const SpreadStep& r) { return std::tie(r.from, r.to, r.weight, r.carried); }
inline auto parts_of(const Convergence& r) { return std::tie(r.iterations, r.residual); }
inline auto parts_of(const SpreadResults& r) {
  return std::tie(r.activations, r.convergence, r.paths.strengths, r.paths.steps);
}
inline auto parts_of(const SpreadingEngine& r) {
  return std::tuple(r.to_bytes(), r.nodes(), r.edges());
}
inline auto parts_of(const GraphStatistics& r) {
  return std::tie(r.nodes, r.edges, r.removed_nodes);
}
inline auto parts_of(const GraphFileInfo& r) { return std::tie(r.nodes, r.edges, r.bytes); }

inline auto parts_of(const LearnedPattern& r) { return std::tie(r.index, r.frequency, r.is_new); }
inline auto parts_of(const StoredPattern& r) {
  return std::tie(r.index, r.name, r.events, r.frequency);
}
inline auto parts_of(const SyncRecord& r) { return std::tie(r.moved, r.left); }
inline auto parts_of(const SyncStatistics& r) { return std::tie(r.recent, r.patterns_synced); }
inline auto parts_of(const PatternStatistics& r) {
  return std::tie(r.patterns, r.learned, r.total_frequency);
}
inline auto parts_of(const PatternFileInfo& r) {
  return std::tie(r.patterns, r.learned, r.symbols, r.vocabulary, r.commits);
}
inline std::string text_of(const PatternMemory& memory) {
  std::string text = texts_of(memory.size(), memory.vocabulary(), memory.symbol_frequencies());
  for (std::uint64_t index = 0; index < memory.statistics().learned; ++index) {
    try {
      text += texts_of(memory.pattern(index));
    } catch (const NotFound&) {
      text += "forgotten";
    }
  }
  return text;
}
inline auto parts_of(const Anomaly& r) { return std::tie(r.observed, r.expected, r.similarity); }
inline auto parts_of(const Prediction& r) {
  return std::tie(r.index, r.name, r.matches, r.past, r.present, r.future, r.missing, r.extras,
                  r.anomalies, r.blocks, r.potential, r.weighted_snr);
}
inline auto parts_of(const PredictionResults& r) { return std::tie(r.predictions); }

inline auto parts_of(const FusionReason& r) {
  return std::tie(r.ranking, r.place, r.score, r.contribution);
}
inline auto parts_of(const FusedHit& r) { return std::tie(r.id, r.score, r.reasons); }

inline auto parts_of(const SeedChange& r) { return std::tie(r.from, r.to); }
inline auto parts_of(const SeedEvent& r) { return std::tie(r.seed, r.change, r.why); }
inline auto parts_of(const TransitionResult& r) { return std::tie(r.accepted, r.why); }
inline auto parts_of(const SeedTelemetry& r) { return std::tie(r.count, r.mean, r.variance); }
inline auto parts_of(const SeedLayer::Reduced& r) { return std::tie(r.each, r.whole); }
inline auto parts_of(const SeedState& r) {
  return std::tie(r.lifecycle, r.blueprint, r.epochs, r.mode, r.schedule, r.alpha, r.parent,
                  r.checkpoint, r.evaluation, r.errors, r.history_from, r.history_to,
                  r.history_next, r.history_count);
}
inline std::string text_of(const BlueprintRegistry& blueprints) {
  std::string text = std::to_string(blueprints.size());
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(blueprints.size()); ++id) {
    if (blueprints.contains(id))
      text += texts_of(blueprints.name(id), blueprints.weights(id), blueprints.version(id));
  }
  return text;
}
inline std::string text_of(const SeedLayer& layer) {
  std::string text = texts_of(layer.state(), layer.blueprints(), layer.epoch());
  for (std::uint32_t seed = 0; seed < layer.seeds(); ++seed)
    text += texts_of(layer.schedule_state(seed));
  return text;
}

inline auto parts_of(const LatticeStatistics& r) {
  return std::tie(r.nodes, r.average_degree, r.diameter);
}
inline auto parts_of(const GraphStructure& r) {
  return std::tie(r.nodes, r.edges, r.components, r.diameter);
}
inline auto parts_of(const LatticeRows& r) { return std::tie(r.offsets, r.ends); }
inline auto parts_of(const LatticePaths& r) { return std::tie(r.paths); }
inline auto parts_of(const LatticeDistances& r) {
  return std::tie(r.distances, r.reached, r.farthest);
}
inline auto parts_of(const Lattice& r) { return std::tuple(r.dense()); }
inline std::string text_of(const Bulk&) { return {}; }  // has no contents

}  // namespace Kindred

#endif  // KINDRED_TESTS_SUPPORT_RESULT_TEXT_HPP
