// SPDX-License-Identifier: Apache-2.0
#include "CalibrationTasks.hpp"

#include "sequence/MeasureOperations.hpp"
#include "vector/SearchPaths.hpp"

#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>
#include <kindred/matcher/Calibration.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/LatticeOperationInfo.hpp>
#include <kindred/matcher/SeedLayer.hpp>
#include <kindred/matcher/SeedOperationInfo.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>

namespace Kindred::Impl {

namespace {

constexpr std::uint64_t seed = 20261121;
constexpr std::size_t queries_max = 64;

/// How many stored items and how many queries make up one size of a task.
struct Shape {
  Shape(std::size_t size, std::size_t store_max)
      : store(std::min(size, store_max)), queries(std::max<std::size_t>(size / store, 1)) {}
  std::size_t store;
  std::size_t queries;
};

template <class T>
Ragged<T> equal_rows(std::size_t rows, std::size_t length, std::vector<T> values) {
  Ragged<T> ragged;
  for (std::size_t row = 1; row <= rows; ++row) ragged.offsets.push_back(row * length);
  ragged.values = std::move(values);
  return ragged;
}

/// KATO's patterns: about 100 symbols, with queries of one 64-bit word; for difflib of 80 symbols,
/// and the cutoff of `difflib.get_close_matches`.
class SequenceTask final : public CalibrationTask {
 public:
  explicit SequenceTask(Measure measure) : m_measure(measure) {}

  Operation operation() const override { return info_of(m_measure).operation; }
  std::size_t size_max() const override { return patterns_max * queries_max; }
  Run prepare(Context& context, std::size_t size) override {
    const Shape shape(size, patterns_max);
    const auto patterns =
        equal_rows(shape.store, pattern_length, symbols(shape.store * pattern_length, seed));
    const std::size_t length = is_difflib() ? 80 : 64;
    const auto queries =
        equal_rows(shape.queries, length, symbols(shape.queries * length, seed + 1));
    auto matcher = std::make_shared<SequenceMatcher>(context, patterns);
    MatchOptions options;
    options.measure = m_measure;
    if (is_difflib()) options.threshold = 0.6;
    return [matcher, queries, options](Space space) mutable {
      options.space = space;
      return matcher->match(queries, options).record;
    };
  }

 private:
  static constexpr std::size_t patterns_max = 1 << 16;
  static constexpr std::size_t pattern_length = 100;

  bool is_difflib() const { return m_measure == Measure::difflib; }
  static std::vector<Symbol> symbols(std::size_t count, std::uint64_t from) {
    constexpr Symbol vocabulary = 1000;
    std::mt19937 generator(static_cast<std::mt19937::result_type>(from));
    std::vector<Symbol> values(count);
    for (Symbol& value : values) value = static_cast<Symbol>(generator()) % vocabulary;
    return values;
  }

  Measure m_measure;
};

constexpr std::size_t dimension = 768;
constexpr std::size_t rows_max = 1 << 14;

/// Numbers in [−1, 1) that are cheap to generate, because a search is prepared several times.
std::vector<float> vectors(std::size_t rows, std::uint64_t from) {
  std::vector<float> values(rows * dimension);
  std::uint64_t state = from;
  for (float& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<float>(static_cast<std::int64_t>(state) >> 40) * 0x1p-23F;
  }
  return values;
}

/// Engram's search: cosine, 768 dimensions.
class SearchTask final : public CalibrationTask {
 public:
  explicit SearchTask(SearchPath path) : m_path(path) {}
  Operation operation() const override { return operation_of(m_path); }
  std::size_t size_max() const override { return rows_max * queries_max; }
  Run prepare(Context& context, std::size_t size) override {
    const Shape shape(size, rows_max);
    auto index = std::make_shared<VectorIndex>(context, vectors(shape.store, seed), dimension);
    return [index, queries = vectors(shape.queries, seed + 1), shape, path = m_path](Space space) {
      SearchOptions options;
      options.path = path;
      options.top = std::min<std::size_t>(10, shape.store);
      options.space = space;
      return index->search(queries, options).record;
    };
  }

 private:
  SearchPath m_path;
};

/// Engram's candidates: rows scattered over the store.
class ScoreTask final : public CalibrationTask {
 public:
  Operation operation() const override { return Operations::score; }
  std::size_t size_max() const override { return rows_max * queries_max; }
  void set_up(Context& context) override {
    m_index = std::make_shared<VectorIndex>(context, vectors(rows_max, seed), dimension);
  }
  Run prepare(Context&, std::size_t size) override {
    const Shape shape(size, rows_max);
    std::vector<std::uint64_t> ids;
    for (std::size_t query = 0; query < shape.queries; ++query) {
      // An odd stride visits every row once before it repeats.
      for (std::size_t i = 0; i < shape.store; ++i) ids.push_back((i * 7919 + query) % rows_max);
    }
    return [index = m_index, queries = vectors(shape.queries, seed + 1),
            candidates = equal_rows(shape.queries, shape.store, std::move(ids))](Space space) {
      SearchOptions options;
      options.space = space;
      return index->score(queries, candidates, options).record;
    };
  }

 private:
  std::shared_ptr<VectorIndex> m_index;
};

/// Engram's graphs: degree 10 and 4 hops from 8 sources, so that the last hops visit many edges.
class SpreadTask final : public CalibrationTask {
 public:
  Operation operation() const override { return Operations::spread; }
  std::size_t size_max() const override { return nodes_max * queries_max; }
  Run prepare(Context& context, std::size_t size) override {
    const Shape shape(size, nodes_max);
    std::mt19937 generator(static_cast<std::mt19937::result_type>(seed));
    const auto nodes = static_cast<std::uint32_t>(shape.store);
    const auto any_node = [&] { return static_cast<std::uint32_t>(generator()) % nodes; };
    std::vector<Edge> edges;
    edges.reserve(shape.store * degree);
    for (std::uint32_t node = 0; node < nodes; ++node)
      for (std::size_t i = 0; i < degree; ++i) edges.push_back({node, any_node(), 0.5F});
    Ragged<Activation> sources;
    for (std::size_t query = 0; query < shape.queries; ++query) {
      for (std::size_t i = 0; i < sources_of_query; ++i)
        sources.values.push_back({any_node(), 0.2F});
      sources.close_row();
    }
    auto engine = std::make_shared<SpreadingEngine>(context, GraphSpan{shape.store, edges});
    return [engine, sources](Space space) {
      SpreadOptions options;
      options.mode = SpreadMode::linear;
      options.space = space;
      return engine->spread(sources, options).record;
    };
  }

 private:
  static constexpr std::size_t nodes_max = 1 << 17;
  static constexpr std::size_t degree = 10;
  static constexpr std::size_t sources_of_query = 8;
};

/// Kasmina's layer: a thousand seeds on 4096 features, every fourth one grafted, with telemetry.
class SeedTask final : public CalibrationTask {
 public:
  Operation operation() const override { return Operations::seeds; }
  std::size_t size_max() const override { return 4096; }
  Run prepare(Context& context, std::size_t size) override {
    SeedLayerOptions options;
    options.hidden = hidden;
    options.seeds = 1000;
    auto layer = std::make_shared<SeedLayer>(context, options);
    layer->add_blueprint("one", std::vector<float>(hidden, 0.5F));
    SeedState state(options.seeds);
    for (std::size_t i = 0; i < state.seeds(); i += 4) {
      state.lifecycle[i] = Lifecycle::grafting;
      state.blueprint[i] = 0;
      state.alpha[i] = 0.25F;
    }
    layer->set_state(state);
    return [layer, x = std::vector<float>(size * hidden, 1.0F),
            y = std::make_shared<std::vector<float>>(size * hidden)](Space space) {
      SeedForwardOptions forward;
      forward.space = space;
      return layer->forward(std::span(x), std::span(*y), forward);
    };
  }

 private:
  static constexpr std::uint32_t hidden = 4096;
};

/// KA Lattice's lattices: building the rows, or a search from a corner. Only large lattices have 4
/// dimensions, because few lattices of 4 dimensions are small; in one dimension, a search would
/// have very many levels.
class LatticeTask final : public CalibrationTask {
 public:
  explicit LatticeTask(Operation operation) : m_operation(operation) {}
  Operation operation() const override { return m_operation; }
  std::size_t size_max() const override { return 1 << 20; }
  Run prepare(Context& context, std::size_t size) override {
    const std::uint32_t dimensions = size <= 64 ? 2 : size < 1 << 14 ? 3 : 4;
    std::uint32_t side = 2;
    while (LatticeShape(dimensions, side + 1).edges() <= size) ++side;
    auto lattice = std::make_shared<Lattice>(context, dimensions, side);
    if (m_operation == Operations::lattice_build)
      // As in a program, the last rows exist while the next are built: they are in other memory.
      return [lattice, kept = std::make_shared<LatticeRows>()](Space space) {
        *kept = lattice->rows({space});
        return kept->record;
      };
    return [lattice](Space space) {
      const std::uint64_t corner = 0;
      return lattice->distances({&corner, 1}, std::span(&corner, 1), {space}).record;
    };
  }

 private:
  Operation m_operation;
};

/// Arrays of float32 or bytes, with separate inputs and results, or matrices.
class BulkData {
 public:
  /// \param size elements of an array, or multiply-adds of a product \throws OutOfMemory
  BulkData(Context& context, Operation operation, std::size_t count, std::size_t size)
      : m_operation(operation), m_bulk(context) {
    if (operation == Operations::transform) {
      m_bytes.make(count, size, 1);
      return;
    }
    if (operation == Operations::matrix_multiply) {
      std::size_t side = 1;
      while (8 * side * side * side <= size) side *= 2;
      const std::size_t rows = size / side / side;
      m_numbers.make(count, rows * side, 1.0F);
      for (std::size_t i = 0; i < count; ++i) {
        const auto a = m_numbers.left[i];
        const auto b = a.first(side * side);
        m_whole.add(a, b, m_numbers.results[i], side);
        const std::size_t part = std::max<std::size_t>(rows / parts, 1);
        for (std::size_t row = 0; row < rows; row += part) {
          const std::size_t some = std::min(part, rows - row);
          m_parts.add(a.subspan(row * side, some * side), b,
                      m_numbers.results[i].subspan(row * side, some * side), side);
        }
      }
      return;
    }
    m_numbers.make(count, size, 1.0F);
    m_sums.resize(count);
  }

  DispatchRecord run(const BulkOptions& options) {
    if (m_operation == Operations::transform)
      return m_bulk.xor_elements(m_bytes.left, m_bytes.right, m_bytes.results, options).record;
    if (m_operation == Operations::matrix_multiply) {
      const Matrices& of = options.space == Space::cuda ? m_whole : m_parts;
      return m_bulk.multiply(of.a, of.b, of.c, options).record;
    }
    if (m_operation == Operations::reduction)
      return m_bulk.reduce(Reduction::sum, m_numbers.left, m_sums, options).record;
    if (m_operation == Operations::random_generation)
      return m_bulk.random_fill(m_numbers.results, seed, 0, options).record;
    if (m_operation == Operations::matrix_add)
      return m_bulk.add_matrices(m_numbers.left, m_numbers.right, m_numbers.results, options)
          .record;
    return m_bulk
        .element_wise(ElementWise::multiply, m_numbers.left, 0.5F, m_numbers.results, options)
        .record;
  }

 private:
  template <class T>
  struct Arrays {
    std::vector<T> all;
    std::vector<std::span<const T>> left;
    std::vector<std::span<const T>> right;
    std::vector<std::span<T>> results;

    void make(std::size_t count, std::size_t size, T value) {
      all.assign(3 * count * size, value);
      for (std::size_t i = 0; i < count; ++i) {
        left.push_back(std::span(all).subspan(i * size, size));
        right.push_back(std::span(all).subspan((count + i) * size, size));
        results.push_back(std::span(all).subspan((2 * count + i) * size, size));
      }
    }
  };

  struct Matrices {
    std::vector<ConstArray> a;
    std::vector<ConstArray> b;
    std::vector<Array> c;

    /// \param side of the square matrix \p right
    void add(std::span<const float> left, std::span<const float> right, std::span<float> product,
             std::size_t side) {
      a.push_back(matrix_array(left, left.size() / side, side));
      b.push_back(matrix_array(right, side, side));
      c.push_back(matrix_array(product, product.size() / side, side));
    }
  };

  Operation m_operation;
  Bulk m_bulk;
  Arrays<std::uint8_t> m_bytes;
  Arrays<float> m_numbers;
  std::vector<float> m_sums;
  static constexpr std::size_t parts = 16;
  Matrices m_whole;
  Matrices m_parts;  ///< products as blocks of rows, which host threads process
};

class BulkCalibration final : public CalibrationTask {
 public:
  explicit BulkCalibration(Operation operation) : m_operation(operation) {}
  Operation operation() const override { return m_operation; }
  std::size_t size_max() const override {
    if (m_operation == Operations::matrix_multiply) return 1 << 27;
    return m_operation == Operations::transform ? 1 << 26 : 1 << 24;
  }
  Run prepare(Context& context, std::size_t size) override {
    return [data = std::make_shared<BulkData>(context, m_operation, 1, size)](Space space) {
      return data->run({.space = space});
    };
  }

 private:
  Operation m_operation;
};

}  // namespace

std::vector<std::unique_ptr<CalibrationTask>> calibration_tasks() {
  std::vector<std::unique_ptr<CalibrationTask>> tasks;
  tasks.push_back(std::make_unique<SequenceTask>(Measure::lcs));
  tasks.push_back(std::make_unique<SequenceTask>(Measure::difflib));
  tasks.push_back(std::make_unique<SequenceTask>(Measure::levenshtein));
  tasks.push_back(std::make_unique<SearchTask>(SearchPath::brute_force));
  tasks.push_back(std::make_unique<SearchTask>(SearchPath::quantized));
  tasks.push_back(std::make_unique<SearchTask>(SearchPath::gemm));
  tasks.push_back(std::make_unique<ScoreTask>());
  tasks.push_back(std::make_unique<SpreadTask>());
  tasks.push_back(std::make_unique<SeedTask>());
  tasks.push_back(std::make_unique<LatticeTask>(Operations::lattice_build));
  tasks.push_back(std::make_unique<LatticeTask>(Operations::lattice_search));
  for (const Operation operation : batched_operations)
    tasks.push_back(std::make_unique<BulkCalibration>(operation));
  return tasks;
}

BatchedRun prepare_batches(Context& context, Operation operation, std::size_t arrays) {
  const std::size_t size = operation == Operations::transform         ? std::size_t{1} << 20U
                           : operation == Operations::matrix_multiply ? std::size_t{1} << 27U
                                                                      : std::size_t{1} << 18U;
  return [data = std::make_shared<BulkData>(context, operation, arrays, size)](
             Space space, std::uint64_t batch_bytes) {
    return data->run({.space = space, .batch_bytes = batch_bytes}).taken;
  };
}

}  // namespace Kindred::Impl
