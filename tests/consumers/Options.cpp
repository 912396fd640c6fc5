// SPDX-License-Identifier: Apache-2.0
// Each struct that callers fill, with one of its members named as in the documents. Compiled with
// -Wextra -Wconversion -Werror: a member without a default would be a warning in programs that do
// not name it.
#include <kindred/backends/Trace.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/Calibration.hpp>
#include <kindred/matcher/EventLists.hpp>
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/LatticeBatch.hpp>
#include <kindred/matcher/PatternSettings.hpp>
#include <kindred/matcher/Prediction.hpp>
#include <kindred/matcher/RankFusion.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/SeedFunctions.hpp>
#include <kindred/matcher/SeedLayer.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorFile.hpp>
#include <kindred/matcher/VectorFunctions.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <tuple>

namespace Kindred {

inline auto each_of_them() {
  return std::tuple{
      // backends
      ContextOptions{.threads = 1},
      Dispatcher::Options{.window = 10},
      Trace::Options{.kernels = false},
      // sequences
      MatchOptions{.top = 5},
      ClusterOptions{.linkage = Linkage::complete},
      PairOptions{.value = PairValue::distance},
      LearnOptions{.names = {}},
      PredictionOptions{.top = 5},
      SymbolStatistics{.patterns = 5},
      Candidate{.index = 5},
      PatternSettings{.sync_threshold = 5},
      // vectors
      SearchOptions{.top = 5},
      VectorIndexOptions{.residency = Residency::host},
      VectorFunctionOptions{.space = Space::serial},
      ScoreOptions{.metric = Metric::ip},
      RowOptions{.metric = Metric::ip},
      StoredVectorsOptions{.quantized_copy = false},
      VectorFileOptions{.one_row = true},
      HnswSettings{.m = 8},
      HnswSearchOptions{.top = 5},
      FusionOptions{.top = 5},
      RankedItem{.id = 5},
      // graphs
      SpreadOptions{.top = 5},
      SpreadQuery{.hops = 2},
      HopOptions{.direction = HopDirection::against},
      CsrHopOptions{.direction = HopDirection::along},
      GraphOptions{.merge_share = 0.2},
      GraphSpan{.nodes = 5},
      EdgeEnds{.from = 5},
      LatticeOptions{.space = Space::serial},
      LatticeBatchOptions{.workers = 2},
      LatticeBlocks{.nodes = {}},
      LatticeTask{.size = 5},
      // layers and arrays
      SeedLayerOptions{.hidden = 5},
      SeedForwardOptions{.space = Space::serial},
      SeedPassOptions{.space = Space::serial},
      SeedMetrics{.error_rate = 0.1},
      SeedSituation{.errors = 1},
      TransitionRules{.errors_max = 1},
      ScheduleSettings{.momentum = 0.2},
      LayerOptions{.reproducible = true},
      NormLayer{.epsilon = 1e-3F},
      LinearLayer{.activation = LayerActivation::gelu},
      BulkOptions{.batch_bytes = 5},
      CalibrationOptions{.seconds = 1},
  };
}

}  // namespace Kindred
