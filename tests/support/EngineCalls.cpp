// SPDX-License-Identifier: Apache-2.0
#include "EngineCalls.hpp"

#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/SeedLayer.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "Support.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

namespace Kindred::Testing {

namespace {

template <class T>
void append(std::string& bytes, const T& value) {
  static_assert(std::is_arithmetic_v<T>, "padding has no defined bytes");
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

EngineCall sequence_call(std::string name, std::size_t query_length, MatchOptions options) {
  return {std::move(name), [query_length, options](Context& context) -> EngineCall::Run {
            auto random = generator("engine calls, sequence");
            Ragged<Symbol> patterns;
            for (std::size_t row = 0; row < 150; ++row) {
              for (std::size_t i = 0; i < random() % 90; ++i)
                patterns.values.push_back(static_cast<Symbol>(random() % 20));
              patterns.close_row();
            }
            Ragged<Symbol> queries;
            for (std::size_t row = 0; row < 5; ++row) {
              for (std::size_t i = 0; i < query_length + row; ++i)
                queries.values.push_back(static_cast<Symbol>(random() % 20));
              queries.close_row();
            }
            auto matcher = std::make_shared<SequenceMatcher>(context, patterns);
            return [matcher, queries, options](std::optional<Space> space) {
              MatchOptions given = options;
              given.space = space;
              const MatchResults results = matcher->match(queries, given);
              std::string bytes;
              for (const auto offset : results.matches.offsets) append(bytes, offset);
              for (const Match& match : results.matches.values) {
                append(bytes, match.index);
                append(bytes, match.similarity);
                append(bytes, match.matched);
              }
              for (const auto offset : results.blocks.offsets) append(bytes, offset);
              for (const Block& block : results.blocks.values) {
                append(bytes, block.pattern_begin);
                append(bytes, block.query_begin);
                append(bytes, block.length);
              }
              return bytes;
            };
          }};
}

EngineCall pair_scores_call(std::string name, std::size_t query_length, Measure measure) {
  return {std::move(name), [query_length, measure](Context& context) -> EngineCall::Run {
            auto random = generator("engine calls, pair scores");
            const auto texts = [&](std::size_t count, std::size_t length) {
              Ragged<Symbol> rows;
              for (std::size_t row = 0; row < count; ++row) {
                for (std::size_t i = 0; i < length + row % 7; ++i)
                  rows.values.push_back(static_cast<Symbol>('a' + random() % 20));
                rows.close_row();
              }
              return rows;
            };
            auto matcher = std::make_shared<SequenceMatcher>(context, texts(150, 12));
            return
                [matcher, queries = texts(5, query_length), measure](std::optional<Space> space) {
                  PairOptions options;
                  options.measure = measure;
                  options.space = space;
                  std::vector<float> out(queries.rows() * matcher->size());
                  matcher->score_all(queries, std::span(out), options);
                  std::string bytes;
                  for (const float value : out) append(bytes, value);
                  return bytes;
                };
          }};
}

EngineCall cluster_call(std::string name, Linkage linkage) {
  return {std::move(name), [linkage](Context& context) -> EngineCall::Run {
            auto random = generator("engine calls, clusters");
            Ragged<Symbol> patterns;
            for (std::size_t row = 0; row < 300; ++row) {
              for (std::size_t i = 0; i < 1 + random() % 8; ++i)
                patterns.values.push_back(static_cast<Symbol>(random() % 4));
              patterns.close_row();
            }
            auto matcher = std::make_shared<SequenceMatcher>(context, patterns);
            return [matcher, linkage](std::optional<Space> space) {
              ClusterOptions options;
              options.linkage = linkage;
              options.matching.space = space;
              const ClusterResults results = matcher->cluster(options);
              std::string bytes;
              for (const std::uint64_t cluster : results.cluster_of) append(bytes, cluster);
              for (const std::uint64_t item : results.representatives) append(bytes, item);
              return bytes;
            };
          }};
}

constexpr std::size_t rows = 300;
constexpr std::size_t dimension = 37;
constexpr std::size_t vector_queries = 5;

std::vector<float> vectors(std::size_t count) {
  auto random = generator("engine calls, vectors " + std::to_string(count));
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> values(count * dimension);
  std::generate(values.begin(), values.end(), [&] { return value(random); });
  return values;
}

EngineCall search_call(std::string name, Metric metric, bool filtered, SearchPath path) {
  return {std::move(name), [metric, filtered, path](Context& context) -> EngineCall::Run {
            auto index = std::make_shared<VectorIndex>(context, vectors(rows), dimension);
            std::vector<std::uint8_t> filter(filtered ? rows : 0);
            for (std::size_t i = 0; i < filter.size(); ++i) filter[i] = i % 3 == 0 ? 1 : 0;
            return [index, metric, filter, path](std::optional<Space> space) {
              SearchOptions options;
              options.path = path;
              options.metric = metric;
              options.filter = filter;
              options.space = space;
              const std::vector<float> queries = vectors(vector_queries);
              const SearchResults results = index->search(queries, options);
              std::string bytes;
              for (const auto id : results.ids) append(bytes, id);
              for (const auto score : results.scores) append(bytes, score);
              return bytes;
            };
          }};
}

EngineCall score_call(std::string name, Metric metric) {
  return {std::move(name), [metric](Context& context) -> EngineCall::Run {
            auto index = std::make_shared<VectorIndex>(context, vectors(rows), dimension);
            return [index, metric](std::optional<Space> space) {
              Ragged<std::uint64_t> candidates;
              for (std::size_t query = 0; query < vector_queries; ++query) {
                for (std::size_t i = 0; i < 40 * query; ++i)
                  candidates.values.push_back(i * 7 % rows);
                candidates.close_row();
              }
              SearchOptions options;
              options.metric = metric;
              options.space = space;
              const std::vector<float> queries = vectors(vector_queries);
              const ScoreResults results = index->score(queries, candidates, options);
              std::string bytes;
              for (const auto offset : results.results.offsets) append(bytes, offset);
              for (const ScoredId& scored : results.results.values) {
                append(bytes, scored.id);
                append(bytes, scored.score);
              }
              return bytes;
            };
          }};
}

EngineCall scores_call(std::string name, Metric metric) {
  return {std::move(name), [metric](Context& context) -> EngineCall::Run {
            auto index = std::make_shared<VectorIndex>(context, vectors(rows), dimension);
            return [index, metric](std::optional<Space> space) {
              ScoreOptions options;
              options.metric = metric;
              options.space = space;
              std::vector<float> scores(vector_queries * rows);
              const std::vector<float> queries = vectors(vector_queries);
              index->score_all(queries, scores, options);
              std::string bytes;
              for (const auto score : scores) append(bytes, score);
              return bytes;
            };
          }};
}

EngineCall spread_call(std::string name, SpreadMode mode) {
  return {std::move(name), [mode](Context& context) -> EngineCall::Run {
            auto random = generator("engine calls, graph");
            constexpr std::uint32_t nodes = 400;
            const auto node = [&] { return static_cast<std::uint32_t>(random() % nodes); };
            std::vector<Edge> edges;
            for (int i = 0; i < 3000; ++i)
              edges.push_back(
                  {node(), i % 4 == 0 ? 5 : node(), static_cast<float>(random() % 1000) / 1000.0F});
            Ragged<Activation> sources;
            for (std::size_t query = 0; query < 4; ++query) {
              for (std::size_t i = 0; i < 3 * query; ++i) sources.values.push_back({node(), 0.25F});
              sources.close_row();
            }
            auto engine = std::make_shared<SpreadingEngine>(context, GraphSpan{nodes, edges});
            return [engine, sources, mode](std::optional<Space> space) {
              SpreadOptions options;
              options.mode = mode;
              options.top = 50;
              options.space = space;
              const SpreadResults results = engine->spread(sources, options);
              std::string bytes;
              for (const auto offset : results.activations.offsets) append(bytes, offset);
              for (const Activation& activation : results.activations.values) {
                append(bytes, activation.node);
                append(bytes, activation.value);
              }
              return bytes;
            };
          }};
}

EngineCall seeds_call(const std::string& name, DataType element) {
  return {name, [element](Context& context) {
            constexpr std::uint32_t hidden = 96;
            constexpr std::uint64_t rows = 70;
            SeedLayerOptions options;
            options.hidden = hidden;
            options.seeds = 33;
            auto layer = std::make_shared<SeedLayer>(context, options);
            layer->add_blueprint("blueprint", std::vector<float>(hidden, 0.75F));
            SeedState state(options.seeds);
            for (std::size_t i = 0; i < state.seeds(); ++i) {
              state.lifecycle[i] = static_cast<Lifecycle>(i % 11);
              state.mode[i] = static_cast<ApplyMode>(i % 4);
              state.alpha[i] = 0.25F;
              state.blueprint[i] = 0;
            }
            layer->set_state(state);
            std::vector<std::byte> x(rows * hidden * size_of(element));
            for (std::size_t i = 0; i < x.size(); ++i)
              x[i] = static_cast<std::byte>(i % size_of(element) == 0 ? i % 251 : 0x3C);
            return [layer, x, element](std::optional<Space> space) {
              SeedForwardOptions forward;
              forward.space = space;
              std::vector<std::byte> y(x.size());
              const DataType type =
                  element == DataType::float32 ? DataType::float32 : DataType::bfloat16;
              const std::array<std::int64_t, 2> shape{rows, hidden};
              layer->forward({x.data(), type, shape}, {y.data(), type, shape}, forward);
              std::string bytes(reinterpret_cast<const char*>(y.data()), y.size());
              for (const SeedTelemetry& one : layer->telemetry()) {
                append(bytes, one.mean);
                append(bytes, one.variance);
              }
              return bytes;
            };
          }};
}

/// Rows and routes, and searches around blocked cells.
EngineCall lattice_call(std::string name) {
  return {std::move(name), [](Context& context) -> EngineCall::Run {
            std::vector<std::uint64_t> blocked;
            for (std::uint64_t node = 1; node < 343; node += 5) blocked.push_back(node);
            auto open = std::make_shared<Lattice>(context, 3, 7);
            auto maze = std::make_shared<Lattice>(context, 3, 7, LatticeBlocks{blocked, {}});
            return [open, maze](std::optional<Space> space) {
              std::string bytes;
              const std::vector<LatticePair> pairs{{0, 342}, {2, 5}, {0, 100}};
              for (const auto& lattice : {open, maze}) {
                const Ragged<std::uint64_t> paths = lattice->paths(pairs, {space}).paths;
                for (const auto offset : paths.offsets) append(bytes, offset);
                for (const auto node : paths.values) append(bytes, node);
              }
              const std::vector<std::uint64_t> sources{0, 50};
              for (const auto distance : maze->distances(sources, {}, {space}).distances)
                append(bytes, distance);
              for (const auto end : open->rows({space}).ends) append(bytes, end);
              return bytes;
            };
          }};
}

/// Arrays in memory that every space can access.
template <class T>
class Reached {
 public:
  Reached(Context& context, std::size_t size) : m_memory(context.pinned_memory()), m_size(size) {
    m_data = static_cast<T*>(m_memory.allocate(size * sizeof(T), "Kindred::EngineCalls::array"));
    std::fill_n(m_data, size, T{0});
  }
  ~Reached() { m_memory.deallocate(m_data, m_size * sizeof(T)); }
  Reached(const Reached&) = delete;
  Reached& operator=(const Reached&) = delete;

  std::span<T> span() const { return {m_data, m_size}; }

 private:
  MemoryResource& m_memory;
  std::size_t m_size;
  T* m_data = nullptr;
};

template <class T>
void append_all(std::string& bytes, std::span<const T> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

/// Operations on integers, in a list and in single arrays.
void append_integers(std::string& bytes, const Bulk& bulk, std::span<const std::uint8_t> secret,
                     const BulkOptions& options, const BulkOptions& in_batches) {
  std::vector<std::int32_t> values(secret.begin(), secret.begin() + 9'000);
  const std::vector<std::span<std::int32_t>> to{std::span(values)};
  const std::vector<std::span<const std::int32_t>> from{std::span(values)};
  bulk.element_wise(ElementWise::multiply, from, 77'777'777, to, in_batches);
  append_all<std::int32_t>(bytes, values);
  std::int64_t sum = 0;
  double mean = 0;
  bulk.reduce(Reduction::sum, from, std::span(&sum, 1), options);
  bulk.reduce(Reduction::mean, from, std::span(&mean, 1), options);
  append(bytes, sum);
  append(bytes, mean);
  std::vector<std::int32_t> most(90);
  const std::vector<std::int64_t> rows{90, 100};
  bulk.element_wise(ElementWise::square, from[0], {}, to[0], options);
  bulk.reduce(Reduction::max, ConstArray(values.data(), DataType::int32, rows), std::span(most),
              options);
  append_all<std::int32_t>(bytes, most);
}

/// Every kind of operation on lists of arrays, for floating-point numbers and integers, some in
/// several batches.
EngineCall bulk_call(std::string name) {
  return {std::move(name), [](Context& context) -> EngineCall::Run {
            auto bulk = std::make_shared<Bulk>(context);
            return [bulk](std::optional<Space> space) {
              const BulkOptions options{space};
              const BulkOptions in_batches{space, 20'000};
              std::string bytes;
              std::vector<std::uint8_t> secret(50'000);
              std::vector<std::uint8_t> key(secret.size());
              const std::span<const std::uint8_t> plain(secret);
              const std::span<std::uint8_t> made(key);
              const std::span<std::uint8_t> out(secret);
              bulk->xor_with_new_keys(plain, made, out, 5, in_batches);
              append_all<std::uint8_t>(bytes, secret);
              std::vector<float> values(9'000);
              const std::vector<std::span<float>> to{std::span(values).first(10),
                                                     std::span(values).subspan(10)};
              const std::vector<std::span<const float>> from(to.begin(), to.end());
              bulk->random_fill(to, 7, 3, in_batches);
              bulk->element_wise(ElementWise::exponential, from, {}, to, options);
              bulk->add_matrices(from, from, to, in_batches);
              bulk->normalise(from, to, options);
              append_all<float>(bytes, values);
              const std::vector<double> wide(values.begin(), values.end());
              for (const Reduction reduction : {Reduction::min, Reduction::deviation}) {
                double reduced = 0;
                bulk->reduce(reduction, wide, std::span(&reduced, 1), options);
                append(bytes, reduced);
              }
              append_integers(bytes, *bulk, secret, options, in_batches);
              return bytes;
            };
          }};
}

/// Products by the library and by the reproducible kernel, of integers, so that both are exact.
EngineCall products_call(std::string name) {
  return {std::move(name), [](Context& context) -> EngineCall::Run {
            auto bulk = std::make_shared<Bulk>(context);
            return [bulk](std::optional<Space> space) {
              std::string bytes;
              std::vector<float> ones(4'000);
              for (std::size_t i = 0; i < ones.size(); ++i)
                ones[i] = static_cast<float>(i % 17) - 8;
              std::vector<float> out(1'200);
              const std::span<const float> in(ones);
              const std::span<float> to(out);
              std::vector<ConstArray> a{matrix_array(in.first(600), 20, 30),
                                        matrix_array(in.subspan(600, 600), 20, 30),
                                        matrix_array(in.first(70), 1, 70)};
              std::vector<ConstArray> b{matrix_array(in.first(600), 30, 20),
                                        matrix_array(in.first(600), 30, 20),
                                        matrix_array(in.first(350), 70, 5)};
              std::vector<Array> c{matrix_array(to.first(400), 20, 20),
                                   matrix_array(to.subspan(400, 400), 20, 20),
                                   matrix_array(to.subspan(800, 5), 1, 5)};
              BulkOptions options;
              options.space = space;
              options.batch_bytes = 10'000;
              for (const bool reproducible : {false, true}) {
                options.reproducible = reproducible;
                const std::size_t count = reproducible ? 3 : 2;
                bulk->multiply(std::span(a).first(count), std::span(b).first(count),
                               std::span(c).first(count), options);
                append_all<float>(bytes, out);
              }
              return bytes;
            };
          }};
}

/// Prepared calls, which the first run on a space prepares.
EngineCall prepared_bulk_call(std::string name) {
  return {std::move(name), [](Context& context) -> EngineCall::Run {
            struct Calls {
              explicit Calls(Context& given)
                  : context(given), values(given, 9'000), sums(given, 1), product(given, 400) {}
              Context& context;
              Reached<float> values;
              Reached<double> sums;
              Reached<float> product;
              std::map<Space, std::vector<Prepared>> prepared;
            };
            auto calls = std::make_shared<Calls>(context);
            return [calls](std::optional<Space> required) {
              const Space space = required.value_or(Space::serial);
              const std::span<float> out = calls->values.span();
              const std::span<const float> in(out);
              auto& prepared = calls->prepared[space];
              if (prepared.empty()) {
                const BulkOptions options{.space = space, .reproducible = true};
                Context& on = calls->context;
                std::vector<Prepared> made;
                made.push_back(Bulk::prepare_random_fill(on, out, 9, 0, options));
                made.push_back(
                    Bulk::prepare_element_wise(on, ElementWise::add, in, 2.0F, out, options));
                made.push_back(Bulk::prepare_normalise(on, in, out, options));
                made.push_back(
                    Bulk::prepare_reduce(on, Reduction::sum, in, calls->sums.span(), options));
                made.push_back(Bulk::prepare_multiply(
                    on, matrix_array(in.first(600), 20, 30), matrix_array(in.first(600), 30, 20),
                    matrix_array(calls->product.span(), 20, 20), options));
                prepared = std::move(made);
              }
              for (const Prepared& call : prepared) call.run();
              prepared.back().wait();
              std::string bytes;
              append_all<float>(bytes, out);
              append_all<float>(bytes, calls->product.span());
              append_all<double>(bytes, calls->sums.span());
              return bytes;
            };
          }};
}

std::vector<EngineCall> make_calls() {
  MatchOptions lcs;
  lcs.threshold = 0;
  MatchOptions difflib = lcs;
  difflib.measure = Measure::difflib;
  MatchOptions blocks = lcs;
  blocks.blocks = true;
  MatchOptions prefiltered = difflib;
  prefiltered.threshold = 0.5;
  // Enough candidates for a scan.
  static const std::vector<std::uint64_t> candidates{1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
  MatchOptions restricted = lcs;
  restricted.filter = candidates;
  return {sequence_call("lcs", 20, lcs),
          sequence_call("lcs, several words", 130, lcs),
          sequence_call("lcs, blocks", 20, blocks),
          sequence_call("lcs, candidates", 20, restricted),
          pair_scores_call("scores of short texts", 9, Measure::levenshtein),
          pair_scores_call("scores of long texts", 300, Measure::lcs),
          pair_scores_call("scores, difflib", 20, Measure::difflib),
          pair_scores_call("scores, jaro-winkler", 20, Measure::jaro_winkler),
          cluster_call("clusters, single", Linkage::single),
          cluster_call("clusters, complete", Linkage::complete),
          sequence_call("difflib", 20, difflib),
          sequence_call("difflib, long query", 130, difflib),
          sequence_call("difflib, threshold", 40, prefiltered),
          search_call("search, cosine", Metric::cosine, false, SearchPath::brute_force),
          search_call("search, inner product", Metric::ip, false, SearchPath::brute_force),
          search_call("search, l2", Metric::l2, false, SearchPath::brute_force),
          search_call("search, filter", Metric::cosine, true, SearchPath::brute_force),
          search_call("search, quantized", Metric::cosine, true, SearchPath::quantized),
          search_call("search, gemm", Metric::l2, false, SearchPath::gemm),
          score_call("score, cosine", Metric::cosine),
          score_call("score, l2", Metric::l2),
          scores_call("scores, cosine", Metric::cosine),
          scores_call("scores, l2", Metric::l2),
          spread_call("spread, engine", SpreadMode::engine),
          spread_call("spread, linear", SpreadMode::linear),
          spread_call("spread, page rank", SpreadMode::pagerank),
          seeds_call("seeds, float32", DataType::float32),
          seeds_call("seeds, bfloat16", DataType::bfloat16),
          lattice_call("lattice"),
          bulk_call("bulk, lists"),
          products_call("bulk, products"),
          prepared_bulk_call("bulk, prepared")};
}

}  // namespace

const std::vector<EngineCall>& engine_calls() {
  static const std::vector<EngineCall> calls = make_calls();
  return calls;
}

}  // namespace Kindred::Testing
