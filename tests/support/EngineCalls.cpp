// SPDX-License-Identifier: Apache-2.0
#include "EngineCalls.hpp"

#include "ColumnsOf.hpp"
#include "Generator.hpp"
#include "ResultText.hpp"

#include <map>

namespace Kindred::Testing {

namespace {

/// \param make constructs an engine in a context
/// \param call `call(engine, space, more)`, \see EngineCall::Run, returns the results
template <class Make, class Call>
EngineCall engine_call(std::string name, const Make& make, const Call& call) {
  return {std::move(name), [=](Context& context) -> EngineCall::Run {
            const auto engine =
                std::make_shared<std::invoke_result_t<Make, Context&>>(make(context));
            return {[=](std::optional<Space> space, std::size_t more) {
              return text_of(call(*engine, space, more));
            }};
          }};
}

/// Rows of as many symbols as `length(row)` says, below \p symbols.
template <class Length>
Ragged<Symbol> random_rows(const std::string& name, std::size_t count, Symbol symbols,
                           const Length& length) {
  auto random = generator("engine calls, " + name + std::to_string(count));
  Ragged<Symbol> rows;
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t left = length(row, random); left > 0; --left)
      rows.values.push_back(static_cast<Symbol>(random() % symbols));
    rows.close_row();
  }
  return rows;
}

EngineCall sequence_call(std::string name, std::size_t query_length, const MatchOptions& options) {
  return engine_call(
      std::move(name),
      [](Context& context) {
        const auto length = [](std::size_t, auto& random) { return random() % 90; };
        return SequenceMatcher(context, random_rows("patterns", 150, 20, length));
      },
      [=](const SequenceMatcher& matcher, std::optional<Space> space, std::size_t more) {
        MatchOptions given = options;
        given.space = space;
        const auto length = [=](std::size_t row, auto&) { return query_length + row; };
        return matcher.match(random_rows("queries", 5 + more, 20, length), given);
      });
}

EngineCall pair_scores_call(std::string name, std::size_t query_length, Measure measure) {
  const auto texts = [](const char* of, std::size_t count, std::size_t least) {
    return random_rows(of, count, 20, [=](std::size_t row, auto&) { return least + row % 7; });
  };
  return engine_call(
      std::move(name),
      [=](Context& context) { return SequenceMatcher(context, texts("texts", 150, 12)); },
      [=](const SequenceMatcher& matcher, std::optional<Space> space, std::size_t more) {
        const Ragged<Symbol> queries = texts("texts", 5 + more, query_length);
        std::vector<float> out(queries.rows() * matcher.size());
        matcher.score_all(queries, std::span(out), {.measure = measure, .space = space});
        return out;
      });
}

EngineCall cluster_call(std::string name, Linkage linkage) {
  return engine_call(
      std::move(name),
      [](Context& context) {
        const auto length = [](std::size_t, auto& random) { return 1 + random() % 8; };
        return SequenceMatcher(context, random_rows("clusters", 300, 4, length));
      },
      [=](const SequenceMatcher& matcher, std::optional<Space> space, std::size_t) {
        return matcher.cluster({.linkage = linkage, .matching = {.space = space}});
      });
}

constexpr std::size_t rows = 300;
constexpr std::size_t dimension = 37;

std::vector<float> vectors(std::size_t count) {
  auto random = generator("engine calls, vectors " + std::to_string(count));
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> values(count * dimension);
  std::generate(values.begin(), values.end(), [&] { return value(random); });
  return values;
}

/// \param call is given the index, queries and a space
template <class Call>
EngineCall vector_call(std::string name, const Call& call) {
  return engine_call(
      std::move(name),
      [](Context& context) { return VectorIndex(context, vectors(rows), dimension); },
      [=](const VectorIndex& index, std::optional<Space> space, std::size_t more) {
        const std::vector<float> queries = vectors(5 + more);
        return call(index, queries, space);
      });
}

EngineCall search_call(std::string name, Metric metric, bool filtered, SearchPath path) {
  std::vector<std::uint8_t> filter(filtered ? rows : 0);
  for (std::size_t i = 0; i < filter.size(); i += 3) filter[i] = 1;
  return vector_call(std::move(name), [=](const auto& index, const auto& queries, auto space) {
    return index.search(queries,
                        {.metric = metric, .filter = filter, .space = space, .path = path});
  });
}

EngineCall score_call(std::string name, Metric metric) {
  return vector_call(std::move(name), [=](const auto& index, const auto& queries, auto space) {
    Ragged<std::uint64_t> candidates;
    for (std::size_t query = 0; query < queries.size() / dimension; ++query) {
      for (std::size_t i = 0; i < 40 * query; ++i) candidates.values.push_back(i * 7 % rows);
      candidates.close_row();
    }
    return index.score(queries, candidates, {.metric = metric, .space = space});
  });
}

EngineCall scores_call(std::string name, Metric metric) {
  return vector_call(std::move(name), [=](const auto& index, const auto& queries, auto space) {
    std::vector<float> scores(queries.size() / dimension * rows);
    index.score_all(queries, scores, {.metric = metric, .space = space});
    return scores;
  });
}

EngineCall spread_call(std::string name, SpreadMode mode) {
  auto random = generator("engine calls, graph");
  constexpr std::uint32_t nodes = 400;
  const auto node = [&] { return static_cast<std::uint32_t>(random() % nodes); };
  std::vector<Edge> edges;
  for (int i = 0; i < 3000; ++i)
    edges.push_back(
        {node(), i % 4 == 0 ? 5 : node(), static_cast<float>(random() % 1000) / 1000.0F});
  return engine_call(
      std::move(name),
      [=](Context& context) {
        return SpreadingEngine(context, GraphSpan{nodes, edges});
      },
      [=](const SpreadingEngine& engine, std::optional<Space> space, std::size_t more) {
        auto random_node = generator("engine calls, sources" + std::to_string(more));
        Ragged<Activation> sources;
        for (std::size_t query = 0; query < 4 + more; ++query) {
          for (std::size_t i = 0; i < 3 * query; ++i)
            sources.values.push_back({static_cast<std::uint32_t>(random_node() % nodes), 0.25F});
          sources.close_row();
        }
        return engine.spread(sources, {.mode = mode, .top = 50, .space = space});
      });
}

enum class Telemetry { unread, read };

/// The telemetry that a call reads can be of a pass of another thread.
EngineCall seeds_call(std::string name, DataType element, Telemetry telemetry) {
  constexpr std::uint32_t hidden = 96;
  EngineCall made = engine_call(
      std::move(name),
      [](Context& context) {
        SeedLayer layer(context, {.hidden = hidden, .seeds = 33});
        layer.add_blueprint("blueprint", std::vector<float>(hidden, 0.75F));
        SeedState state(layer.seeds());
        for (std::size_t i = 0; i < state.seeds(); ++i) {
          state.lifecycle[i] = static_cast<Lifecycle>(i % 11);
          state.mode[i] = static_cast<ApplyMode>(i % 4);
          state.alpha[i] = 0.25F;
          state.blueprint[i] = 0;
        }
        layer.set_state(state);
        return layer;
      },
      [=](SeedLayer& layer, std::optional<Space> space, std::size_t more) {
        const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(70 + more), hidden};
        std::vector<std::byte> x((70 + more) * hidden * size_of(element));
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] = static_cast<std::byte>(i % size_of(element) == 0 ? (i + more) % 251 : 0x3C);
        std::vector<std::byte> y(x.size());
        layer.forward({x.data(), element, shape}, {y.data(), element, shape}, {.space = space});
        return std::pair(
            y, telemetry == Telemetry::read ? layer.telemetry() : std::vector<SeedTelemetry>());
      });
  made.is_shared = telemetry == Telemetry::unread;
  return made;
}

/// Rows and routes, and searches around blocked cells.
EngineCall lattice_call(std::string name) {
  return engine_call(
      std::move(name),
      [](Context& context) {
        std::vector<std::uint64_t> blocked;
        for (std::uint64_t node = 1; node < 343; node += 5) blocked.push_back(node);
        return std::pair(Lattice(context, 3, 7), Lattice(context, 3, 7, {blocked, {}}));
      },
      [](const auto& lattices, std::optional<Space> space, std::size_t more) {
        const auto& [open, maze] = lattices;
        const std::vector<LatticePair> pairs{{0, 342 - 5 * more}, {2, 5}, {0, 100 + 5 * more}};
        const std::vector<std::uint64_t> sources{0, 50};
        return std::tuple(open.paths(pairs, {space}), maze.paths(pairs, {space}),
                          maze.distances(sources, {}, {space}), open.rows({space}));
      });
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

/// Operations on integers, in a list and in single arrays.
std::string integers_text(const Bulk& bulk, std::span<const std::uint8_t> secret,
                          const BulkOptions& options, const BulkOptions& in_batches) {
  std::vector<std::int32_t> values(secret.begin(), secret.begin() + 9'000);
  const std::vector<std::span<std::int32_t>> to{std::span(values)};
  const std::vector<std::span<const std::int32_t>> from{std::span(values)};
  bulk.element_wise(ElementWise::multiply, from, 77'777'777, to, in_batches);
  const std::string products = text_of(values);
  std::int64_t sum = 0;
  double mean = 0;
  bulk.reduce(Reduction::sum, from, std::span(&sum, 1), options);
  bulk.reduce(Reduction::mean, from, std::span(&mean, 1), options);
  std::vector<std::int32_t> most(90);
  bulk.element_wise(ElementWise::square, from[0], {}, to[0], options);
  bulk.reduce(Reduction::max, columns_of(std::as_const(values), 100), std::span(most), options);
  return texts_of(products, sum, mean, most);
}

/// Every kind of operation on lists of arrays, for floating-point numbers and integers, some in
/// several batches.
EngineCall bulk_call(std::string name) {
  return engine_call(
      std::move(name), [](Context& context) { return Bulk(context); },
      [](const Bulk& bulk, std::optional<Space> space, std::size_t more) {
        const BulkOptions options{space};
        const BulkOptions in_batches{space, 20'000};
        std::vector<std::uint8_t> secret(50'000);
        std::vector<std::uint8_t> key(secret.size());
        const std::span<const std::uint8_t> plain(secret);
        bulk.xor_with_new_keys(plain, std::span(key), std::span(secret), 5 + more, in_batches);
        std::vector<float> values(9'000);
        const std::vector<std::span<float>> to{std::span(values).first(10),
                                               std::span(values).subspan(10)};
        const std::vector<std::span<const float>> from(to.begin(), to.end());
        bulk.random_fill(to, 7 + more, 3, in_batches);
        bulk.element_wise(ElementWise::exponential, from, {}, to, options);
        bulk.add_matrices(from, from, to, in_batches);
        bulk.normalise(from, to, options);
        const std::vector<double> wide(values.begin(), values.end());
        std::array<double, 2> reduced{};
        bulk.reduce(Reduction::min, wide, std::span(reduced).first(1), options);
        bulk.reduce(Reduction::deviation, wide, std::span(reduced).last(1), options);
        return texts_of(secret, values, std::span(reduced)) +
               integers_text(bulk, secret, options, in_batches);
      });
}

/// Products by the library and by the reproducible kernel, of integers, so that both are exact.
EngineCall products_call(std::string name) {
  return engine_call(
      std::move(name), [](Context& context) { return Bulk(context); },
      [](const Bulk& bulk, std::optional<Space> space, std::size_t more) {
        std::vector<float> ones(4'000);
        for (std::size_t i = 0; i < ones.size(); ++i)
          ones[i] = static_cast<float>((i + more) % 17) - 8;
        std::vector<float> out(1'200);
        const std::span<const float> in(ones);
        const std::span<float> to(out);
        const std::vector<ConstArray> a{matrix_array(in.first(600), 20, 30),
                                        matrix_array(in.subspan(600, 600), 20, 30),
                                        matrix_array(in.first(70), 1, 70)};
        const std::vector<ConstArray> b{matrix_array(in.first(600), 30, 20),
                                        matrix_array(in.first(600), 30, 20),
                                        matrix_array(in.first(350), 70, 5)};
        const std::vector<Array> c{matrix_array(to.first(400), 20, 20),
                                   matrix_array(to.subspan(400, 400), 20, 20),
                                   matrix_array(to.subspan(800, 5), 1, 5)};
        std::string text;
        for (const bool reproducible : {false, true}) {
          const std::size_t count = reproducible ? 3 : 2;
          bulk.multiply(std::span(a).first(count), std::span(b).first(count),
                        std::span(c).first(count),
                        {.space = space, .batch_bytes = 10'000, .reproducible = reproducible});
          text += text_of(out);
        }
        return text;
      });
}

/// Prepared calls, which the first run on a space prepares.
struct PreparedBulk {
  explicit PreparedBulk(Context& given)
      : context(given), values(given, 9'000), sums(given, 1), product(given, 400) {}

  std::vector<Prepared> prepare(Space space) {
    const std::span<float> out = values.span();
    const std::span<const float> in(out);
    const BulkOptions options{.space = space, .reproducible = true};
    std::vector<Prepared> made;
    made.push_back(Bulk::prepare_random_fill(context, out, 9, 0, options));
    made.push_back(Bulk::prepare_element_wise(context, ElementWise::add, in, 2.0F, out, options));
    made.push_back(Bulk::prepare_normalise(context, in, out, options));
    made.push_back(Bulk::prepare_reduce(context, Reduction::sum, in, sums.span(), options));
    made.push_back(Bulk::prepare_multiply(context, matrix_array(in.first(600), 20, 30),
                                          matrix_array(in.first(600), 30, 20),
                                          matrix_array(product.span(), 20, 20), options));
    return made;
  }

  Context& context;
  Reached<float> values;
  Reached<double> sums;
  Reached<float> product;
  std::map<Space, std::vector<Prepared>> prepared;
};

EngineCall prepared_bulk_call(std::string name) {
  EngineCall made = engine_call(
      std::move(name), [](Context& context) { return std::make_unique<PreparedBulk>(context); },
      [](const auto& calls, std::optional<Space> required, std::size_t) {
        auto& prepared = calls->prepared[required.value_or(Space::serial)];
        if (prepared.empty()) prepared = calls->prepare(required.value_or(Space::serial));
        for (const Prepared& call : prepared) call.run();
        prepared.back().wait();
        return texts_of(calls->values.span(), calls->product.span(), calls->sums.span());
      });
  made.is_shared = false;
  return made;
}

std::vector<EngineCall> make_calls() {
  const MatchOptions lcs{.threshold = 0};
  const MatchOptions difflib{.measure = Measure::difflib, .threshold = 0};
  const MatchOptions blocks{.threshold = 0, .blocks = true};
  const MatchOptions prefiltered{.measure = Measure::difflib, .threshold = 0.5};
  // Enough candidates for a scan.
  static const std::vector<std::uint64_t> candidates{1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
  const MatchOptions restricted{.threshold = 0, .filter = candidates};
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
          seeds_call("seeds, float32", DataType::float32, Telemetry::unread),
          seeds_call("seeds, bfloat16", DataType::bfloat16, Telemetry::unread),
          seeds_call("seeds, telemetry", DataType::float32, Telemetry::read),
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
