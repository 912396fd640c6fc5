// SPDX-License-Identifier: Apache-2.0
// The bytes of results and objects of the engines, found by the namespace of their types.
#ifndef KINDRED_TESTS_ALLOCATIONS_RESULT_TEXT_HPP
#define KINDRED_TESTS_ALLOCATIONS_RESULT_TEXT_HPP

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

#include "PublicCalls.hpp"

#include <string>

namespace Kindred {

template <class... T>
std::string texts_of(const T&... values) {
  using Testing::text_of;
  return (text_of(values) + ...);
}

inline std::string text_of(const DispatchRecord&) { return {}; }  // the space may be another one
inline std::string text_of(const BulkReport&) { return {}; }

inline std::string text_of(const Match& match) {
  return texts_of(match.index, match.similarity, match.matched, match.distance);
}
inline std::string text_of(const Block& block) {
  return texts_of(block.pattern_begin, block.query_begin, block.length);
}
inline std::string text_of(const MatchResults& results) {
  return texts_of(results.matches, results.blocks);
}
inline std::string text_of(const ClusterResults& results) {
  return texts_of(results.cluster_of, results.members, results.representatives);
}
inline std::string text_of(const Clusters& results) {
  return texts_of(results.cluster_of, results.members, results.representatives);
}
inline std::string text_of(const SequenceMatcher& matcher) { return texts_of(matcher.patterns()); }
inline std::string text_of(const PreparedQuery&) { return {}; }  // cannot be changed
inline std::string text_of(const Vocabulary& vocabulary) { return texts_of(vocabulary.texts()); }

inline std::string text_of(const ScoredId& scored) { return texts_of(scored.id, scored.score); }
inline std::string text_of(const SearchResults& results) {
  return texts_of(results.top, results.ids, results.scores);
}
inline std::string text_of(const ScoreResults& results) { return texts_of(results.results); }
/// Without the quantized copy, which the first search that needs it makes.
inline std::string text_of(const VectorIndex& index) {
  const std::vector<std::uint64_t> ids = index.ids();
  std::vector<float> rows(ids.size() * index.dimension());
  index.rows(ids, rows);
  return texts_of(ids, rows, index.end_id());
}
inline std::string text_of(const VectorStatistics& statistics) {
  return texts_of(statistics.rows, statistics.removed);
}
inline std::string text_of(const VectorSpan& rows) { return texts_of(rows.values, rows.scales); }
inline std::string text_of(const VectorArray& rows) { return text_of(rows.span()); }
inline std::string text_of(const StoredVectors& stored) {
  return texts_of(stored.rows, stored.norms, stored.ids, stored.live, stored.end_id);
}
inline std::string text_of(const StoredVectorsFileInfo& info) {
  return texts_of(info.element, info.rows, info.dimension, info.end_id, info.bytes);
}
inline std::string text_of(const VectorFile& file) {
  return texts_of(file.rows(), file.dimension(), file.path());
}
inline std::string text_of(const NpyArray& array) {
  return texts_of(array.shape, array.as<std::byte>().subspan(0, array.elements));
}
inline std::string text_of(const PreparedScore& score) { return texts_of(score.space()); }

inline std::string text_of(const KeyList& keys) { return texts_of(keys.integers, keys.bytes); }
inline std::string text_of(const KeyedVectorIndex& index) {
  std::string text = text_of(index.vectors());
  for (int number = 0; number < 60; ++number) {
    const std::string key = "a key that is longer than a short string " + std::to_string(number);
    const std::string_view one(key);
    text += texts_of(index.find(KeySpan(std::span(&one, 1))));
  }
  return text;
}
inline std::string text_of(const KeyedSearchResults& results) {
  return texts_of(results.ids, results.scores, results.keys);
}
inline std::string text_of(const KeyedScoreResults& results) {
  return texts_of(results.results, results.keys);
}
inline std::string text_of(const UpsertCounts& counts) {
  return texts_of(counts.added, counts.replaced);
}

inline std::string text_of(const HnswIndex& index) {
  return texts_of(index.to_bytes(), index.settings().traversal);
}
inline std::string text_of(const HnswResults& results) {
  return texts_of(results.top, results.ids, results.scores, results.visited, results.scanned);
}
inline std::string text_of(const HnswStatistics& statistics) {
  return texts_of(statistics.rows, statistics.removed, statistics.links, statistics.unreachable);
}

inline std::string text_of(const Activation& activation) {
  return texts_of(activation.node, activation.value);
}
inline std::string text_of(const SpreadStep& step) {
  return texts_of(step.from, step.to, step.weight, step.carried);
}
inline std::string text_of(const Convergence& convergence) {
  return texts_of(convergence.iterations, convergence.residual);
}
inline std::string text_of(const SpreadResults& results) {
  return texts_of(results.activations, results.convergence, results.paths.strengths,
                  results.paths.steps);
}
inline std::string text_of(const SpreadingEngine& engine) {
  return texts_of(engine.to_bytes(), engine.nodes(), engine.edges());
}
inline std::string text_of(const GraphStatistics& statistics) {
  return texts_of(statistics.nodes, statistics.edges, statistics.removed_nodes);
}
inline std::string text_of(const GraphFileInfo& info) {
  return texts_of(info.nodes, info.edges, info.bytes);
}

inline std::string text_of(const LearnedPattern& learned) {
  return texts_of(learned.index, learned.frequency, learned.is_new);
}
inline std::string text_of(const StoredPattern& pattern) {
  return texts_of(pattern.index, pattern.name, pattern.events, pattern.frequency);
}
inline std::string text_of(const SyncRecord& record) { return texts_of(record.moved, record.left); }
inline std::string text_of(const SyncStatistics& statistics) {
  return texts_of(statistics.recent, statistics.patterns_synced);
}
inline std::string text_of(const PatternStatistics& statistics) {
  return texts_of(statistics.patterns, statistics.learned, statistics.total_frequency);
}
inline std::string text_of(const PatternFileInfo& info) {
  return texts_of(info.patterns, info.learned, info.symbols, info.vocabulary, info.commits);
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
inline std::string text_of(const Anomaly& anomaly) {
  return texts_of(anomaly.observed, anomaly.expected, anomaly.similarity);
}
inline std::string text_of(const Prediction& prediction) {
  return texts_of(prediction.index, prediction.name, prediction.matches, prediction.past,
                  prediction.present, prediction.future, prediction.missing, prediction.extras,
                  prediction.anomalies, prediction.blocks, prediction.potential,
                  prediction.weighted_snr);
}
inline std::string text_of(const PredictionResults& results) {
  return texts_of(results.predictions);
}

inline std::string text_of(const FusionReason& reason) {
  return texts_of(reason.ranking, reason.place, reason.score, reason.contribution);
}
inline std::string text_of(const FusedHit& hit) { return texts_of(hit.id, hit.score, hit.reasons); }

inline std::string text_of(const SeedChange& change) { return texts_of(change.from, change.to); }
inline std::string text_of(const SeedEvent& event) {
  return texts_of(event.seed, event.change, event.why);
}
inline std::string text_of(const TransitionResult& result) {
  return texts_of(result.accepted, result.why);
}
inline std::string text_of(const SeedTelemetry& telemetry) {
  return texts_of(telemetry.count, telemetry.mean, telemetry.variance);
}
inline std::string text_of(const SeedLayer::Reduced& reduced) {
  return texts_of(reduced.each, reduced.whole);
}
inline std::string text_of(const SeedState& state) {
  return texts_of(state.lifecycle, state.blueprint, state.epochs, state.mode, state.schedule,
                  state.alpha, state.parent, state.checkpoint, state.evaluation, state.errors,
                  state.history_from, state.history_to, state.history_next, state.history_count);
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

inline std::string text_of(const LatticeStatistics& metrics) {
  return texts_of(metrics.nodes, metrics.average_degree, metrics.diameter);
}
inline std::string text_of(const GraphStructure& structure) {
  return texts_of(structure.nodes, structure.edges, structure.components, structure.diameter);
}
inline std::string text_of(const LatticeRows& rows) { return texts_of(rows.offsets, rows.ends); }
inline std::string text_of(const LatticePaths& paths) { return texts_of(paths.paths); }
inline std::string text_of(const LatticeDistances& distances) {
  return texts_of(distances.distances, distances.reached, distances.farthest);
}
inline std::string text_of(const Lattice& lattice) { return texts_of(lattice.dense()); }
inline std::string text_of(const Bulk&) { return {}; }  // has no contents

}  // namespace Kindred

#endif  // KINDRED_TESTS_ALLOCATIONS_RESULT_TEXT_HPP
