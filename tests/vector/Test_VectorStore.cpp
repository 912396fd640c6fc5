// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <kindred/matcher/VectorOperationInfo.hpp>

#include "TempFolder.hpp"
#include "VectorSupport.hpp"

namespace VectorStoreTest {

using namespace Kindred;
using Testing::all_metrics;
using Testing::Answer;
using Testing::answer_of;
using Testing::normal_values;

constexpr std::size_t dimension = 20;
constexpr SearchPath paths[] = {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm};

bool is_better(Metric metric, float a, float b) { return metric == Metric::l2 ? a < b : a > b; }

/// The expected content of an index, as a simple table.
class Model {
 public:
  explicit Model(DataType element) : m_element(element) {}

  /// \p count random rows in the form that an index accepts.
  VectorSpan make(std::mt19937_64& generator, std::size_t count) {
    m_bytes.resize(count * dimension * size_of(m_element));
    m_scales.clear();
    m_decoded.resize(count * dimension);
    if (m_element == DataType::int8) {
      std::uniform_real_distribution<float> scale(0.01F, 0.02F);
      for (std::size_t row = 0; row < count; ++row) m_scales.push_back(scale(generator));
    }
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < m_decoded.size(); ++i) {
      float value = normal(generator);
      switch (m_element) {
        case DataType::float32:
          std::memcpy(m_bytes.data() + 4 * i, &value, 4);
          break;
        case DataType::float16: {
          // A number in 0.5 … 1: the exponent is fixed, the fraction random.
          const auto bits = static_cast<std::uint16_t>(0x3800U | (generator() & 0x83FFU));
          const float fraction = static_cast<float>(bits & 0x3FFU) / 1024.0F;
          value = ((bits & 0x8000U) != 0 ? -0.5F : 0.5F) * (1.0F + fraction);
          std::memcpy(m_bytes.data() + 2 * i, &bits, 2);
          break;
        }
        case DataType::bfloat16: {
          const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
          value = std::bit_cast<float>(std::uint32_t{bits} << 16U);
          std::memcpy(m_bytes.data() + 2 * i, &bits, 2);
          break;
        }
        case DataType::int8: {
          const auto number = static_cast<std::int8_t>(static_cast<int>(generator() % 255) - 127);
          value = m_scales[i / dimension] * static_cast<float>(number);
          std::memcpy(m_bytes.data() + i, &number, 1);
          break;
        }
        default:
          ADD_FAILURE() << "no element of vectors";
      }
      m_decoded[i] = value;
    }
    return {m_element, m_bytes, dimension, m_scales};
  }
  void put(std::uint64_t first, std::size_t count) {
    for (std::size_t row = 0; row < count; ++row) {
      rows[first + row].assign(
          m_decoded.begin() + static_cast<std::ptrdiff_t>(row * dimension),
          m_decoded.begin() + static_cast<std::ptrdiff_t>((row + 1) * dimension));
    }
  }

  /// The rows for which \p passes returns true, best first.
  template <class Passes>
  std::vector<ScoredId> ranked(Metric metric, std::span<const float> query,
                               const Passes& passes) const {
    std::vector<ScoredId> out;
    for (const auto& [id, row] : rows) {
      if (passes(id))
        out.push_back({static_cast<std::int64_t>(id), Reference::score(metric, query, row)});
    }
    std::sort(out.begin(), out.end(), [&](const ScoredId& a, const ScoredId& b) {
      return a.score != b.score ? is_better(metric, a.score, b.score) : a.id < b.id;
    });
    return out;
  }

  std::map<std::uint64_t, std::vector<float>> rows;

 private:
  DataType m_element;
  std::vector<std::byte> m_bytes;
  std::vector<float> m_scales;
  std::vector<float> m_decoded;
};

/// Compares searches, filtered searches, threshold searches and candidate scores for every metric
/// on every space.
void expect_equals(const VectorIndex& index, const Model& model, std::mt19937_64& generator) {
  ASSERT_EQ(index.size(), model.rows.size());
  const std::vector<std::uint64_t> all = index.ids();
  std::vector<float> read(all.size() * dimension);
  index.rows(all, read);
  for (std::size_t i = 0; i < all.size(); ++i)
    ASSERT_TRUE(std::equal(model.rows.at(all[i]).begin(), model.rows.at(all[i]).end(),
                           read.begin() + static_cast<std::ptrdiff_t>(i * dimension)));
  if (model.rows.empty()) return;
  constexpr std::size_t count = 3;
  const std::vector<float> queries = normal_values(generator, count * dimension);
  const std::size_t words = (index.end_id() + 63) / 64;
  std::vector<std::uint64_t> bits(count * words);
  for (auto& word : bits) word = generator();
  SearchOptions options;
  options.top = std::min<std::size_t>(index.size(), 1 + generator() % 40);
  for (const Metric metric : all_metrics) {
    options.metric = metric;
    for (const Space space : Testing::spaces()) {
      options.space = space;
      for (const bool filtered : {false, true}) {
        options.filter_bits = filtered ? bits : std::span<const std::uint64_t>();
        options.path = paths[generator() % std::size(paths)];
        const SearchResults results = index.search(queries, options);
        for (std::size_t q = 0; q < count; ++q) {
          const std::span query = std::span(queries).subspan(q * dimension, dimension);
          const auto expected = model.ranked(metric, query, [&](std::uint64_t id) {
            return !filtered || (bits[q * words + id / 64] >> (id % 64) & 1U) != 0;
          });
          for (std::size_t k = 0; k < options.top; ++k) {
            const std::int64_t id = results.ids[q * options.top + k];
            if (k >= expected.size()) {
              ASSERT_EQ(id, -1);
              continue;
            }
            ASSERT_EQ(results.report.path, to_string(*options.path));
            ASSERT_EQ(id, expected[k].id) << to_string(*options.path) << " on " << to_string(space);
            ASSERT_EQ(std::bit_cast<std::uint32_t>(results.scores[q * options.top + k]),
                      std::bit_cast<std::uint32_t>(expected[k].score));
          }
        }
        // With the score of a row as the threshold, exactly the rows that are not worse are found.
        const auto expected = model.ranked(metric, std::span(queries).first(dimension),
                                           [](std::uint64_t) { return true; });
        const float limit = expected[expected.size() / 3].score;
        SearchOptions within = options;
        within.filter_bits = {};
        const ScoreResults found =
            index.search_at_least(std::span(queries).first(dimension), limit, within);
        std::size_t reach = 0;
        while (reach < expected.size() && !is_better(metric, limit, expected[reach].score)) ++reach;
        ASSERT_EQ(found.results[0].size(), reach);
        for (std::size_t k = 0; k < reach; ++k) ASSERT_EQ(found.results[0][k].id, expected[k].id);
      }
      std::vector<std::uint64_t> ids;
      for (const auto& [id, row] : model.rows)
        if (generator() % 3 == 0) ids.push_back(id);
      Ragged<std::uint64_t> lists;
      lists.values = ids;
      lists.close_row();
      SearchOptions scoring = options;
      scoring.filter_bits = {};
      const ScoreResults scored = index.score(std::span(queries).first(dimension), lists, scoring);
      const auto expected = model.ranked(
          metric, std::span(queries).first(dimension),
          [&](std::uint64_t id) { return std::binary_search(ids.begin(), ids.end(), id); });
      ASSERT_EQ(scored.results[0].size(), std::min(options.top, expected.size()));
      for (std::size_t k = 0; k < scored.results[0].size(); ++k)
        ASSERT_EQ(scored.results[0][k].id, expected[k].id);
    }
  }
}

TEST(VectorStore, EqualsASimpleTableThroughAnyHistory) {
  for (const DataType element :
       {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8}) {
    auto generator =
        Testing::generator("VectorStore history of " + std::string(to_string(element)));
    Model model(element);
    VectorIndexOptions options;
    const VectorSpan first = model.make(generator, 70);
    VectorIndex index(Testing::context(), first, options);
    model.put(0, 70);
    for (int step = 0; step < 24; ++step) {
      switch (generator() % 3) {
        case 0: {
          const std::size_t count = 1 + generator() % (step % 5 == 0 ? 150 : 10);
          const VectorSpan rows = model.make(generator, count);
          const std::uint64_t end = index.end_id();
          ASSERT_EQ(index.add(rows), end);
          model.put(end, count);
          break;
        }
        case 1: {
          std::vector<std::uint64_t> ids;
          for (const auto& [id, row] : model.rows)
            if (generator() % 6 == 0) ids.push_back(id);
          std::shuffle(ids.begin(), ids.end(), generator);
          index.remove(ids);
          for (const std::uint64_t id : ids) model.rows.erase(id);
          break;
        }
        default: {
          if (model.rows.empty()) break;
          auto at = model.rows.begin();
          std::advance(at, static_cast<std::ptrdiff_t>(generator() % model.rows.size()));
          const std::uint64_t id = at->first;
          const VectorSpan row = model.make(generator, 1);
          index.replace(id, row);
          model.put(id, 1);
        }
      }
      if (step % 3 == 0) expect_equals(index, model, generator);
      if (HasFatalFailure()) return;
    }
    expect_equals(index, model, generator);
    EXPECT_LE(index.statistics().segments, 10U);
    const Testing::TempFolder folder;
    const std::string path = folder / "rows.knd";
    index.save(path);
    VectorIndex loaded = VectorIndex::load(Testing::context(), path);
    EXPECT_EQ(loaded.end_id(), index.end_id());
    expect_equals(loaded, model, generator);
    const VectorSpan rows = model.make(generator, 5);
    model.put(loaded.add(rows), 5);
    const std::uint64_t id = model.rows.begin()->first;
    const VectorSpan other = model.make(generator, 1);
    loaded.replace(id, other);
    model.put(id, 1);
    expect_equals(loaded, model, generator);
    loaded.save(path);
    expect_equals(VectorIndex::load(Testing::context(), path), model, generator);
  }
}

TEST(VectorStore, RowsAreReadInAnyOrderOrNotAtAll) {
  auto generator = Testing::generator("VectorStore rows");
  const std::vector<float> values = normal_values(generator, 5 * dimension);
  VectorIndex index(Testing::context(), values, dimension);
  const std::uint64_t removed[] = {2};
  index.remove(removed);
  const std::uint64_t ids[] = {4, 0, 4};
  std::vector<float> out(3 * dimension);
  index.rows(ids, out);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(std::equal(out.begin() + static_cast<std::ptrdiff_t>(i * dimension),
                           out.begin() + static_cast<std::ptrdiff_t>((i + 1) * dimension),
                           values.begin() + static_cast<std::ptrdiff_t>(ids[i] * dimension)));
  index.rows({}, {});
  const std::vector<float> before = out;
  for (const std::uint64_t absent : {std::uint64_t{2}, std::uint64_t{5}, ~std::uint64_t{0}}) {
    const std::uint64_t wrong[] = {1, absent, 0};
    EXPECT_THROW(index.rows(wrong, out), NotFound) << absent;
  }
  EXPECT_THROW(index.rows(ids, std::span(out).first(2 * dimension)), InvalidArgument);
  EXPECT_THROW(index.rows(ids, std::span(out).first(3 * dimension - 1)), InvalidArgument);
  EXPECT_EQ(out, before);
}

TEST(VectorStore, CanBeEmptyAlsoInAFile) {
  auto generator = Testing::generator("VectorStore empty");
  Model model(DataType::bfloat16);
  VectorIndex index(Testing::context(), model.make(generator, 3), VectorIndexOptions());
  const std::vector<std::uint64_t> all{0, 1, 2};
  index.remove(all);
  const Testing::TempFolder folder;
  const std::string path = folder / "none.knd";
  index.save(path);
  VectorIndex loaded = VectorIndex::load(Testing::context(), path);
  EXPECT_EQ(loaded.size(), 0U);
  EXPECT_EQ(loaded.dimension(), dimension);
  EXPECT_EQ(loaded.add(model.make(generator, 2)), 3U) << "ids are not reused";
}

/// Read-only memory: a write to it kills the process.
template <class T>
class ReadOnly {
 public:
  explicit ReadOnly(std::span<const T> values) : m_size(values.size()) {
    m_data = ::mmap(nullptr, values.size_bytes(), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m_data == MAP_FAILED) throw std::runtime_error("no memory can be mapped");
    std::memcpy(m_data, values.data(), values.size_bytes());
    ::mprotect(m_data, values.size_bytes(), PROT_READ);
  }
  ~ReadOnly() { ::munmap(m_data, m_size * sizeof(T)); }
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;

  std::span<const T> span() const { return {static_cast<const T*>(m_data), m_size}; }

 private:
  std::size_t m_size;
  void* m_data = nullptr;
};

TEST(VectorStore, DoesNotWriteToBorrowedMemory) {
  auto generator = Testing::generator("VectorStore borrowed");
  const Testing::TempFolder folder;
  for (const DataType element : {DataType::float32, DataType::int8}) {
    Model model(element);
    VectorIndex made(Testing::context(), model.make(generator, 90), VectorIndexOptions());
    model.put(0, 90);
    SearchOptions quantized;
    quantized.path = SearchPath::quantized;
    quantized.space = Space::serial;
    const std::vector<float> query = normal_values(generator, dimension);
    made.search(query, quantized);  // builds its quantized copy
    made.save(folder / "rows");
    const StoredVectors file = StoredVectors::load(folder / "rows");
    const ReadOnly values(file.rows.values);
    const ReadOnly norms(file.norms);
    StoredVectors stored = file;
    stored.rows.values = values.span();
    stored.norms = norms.span();
    VectorIndex index(Testing::context(), stored, VectorIndexOptions());
    VectorIndex beside(Testing::context(), stored, VectorIndexOptions());
    Model before = model;
    const VectorSpan row = model.make(generator, 1);
    index.replace(7, row);
    model.put(7, 1);
    expect_equals(index, model, generator);
    expect_equals(beside, before, generator);
    // A loaded file serves several indexes, none of which sees the changes of another.
    VectorIndex first(Testing::context(), file, VectorIndexOptions());
    VectorIndex second(Testing::context(), file, VectorIndexOptions());
    first.replace(7, row);
    expect_equals(first, model, generator);
    expect_equals(second, before, generator);
  }
}

TEST(VectorStore, RejectsMissingRowsAndIsUnchanged) {
  auto generator = Testing::generator("VectorStore refusals");
  Model model(DataType::int8);
  VectorIndex index(Testing::context(), model.make(generator, 30), VectorIndexOptions());
  model.put(0, 30);
  const std::uint64_t twice[] = {3, 4, 3};
  const std::uint64_t unknown[] = {3, 30};
  EXPECT_THROW(index.remove(twice), NotFound);
  EXPECT_THROW(index.remove(unknown), NotFound);
  EXPECT_THROW(index.replace(30, model.make(generator, 1)), NotFound);
  const std::vector<float> floats(dimension, 1.0F);
  EXPECT_THROW(index.add({floats, dimension}), InvalidArgument) << "rows of another element type";
  std::vector<std::byte> bytes(dimension);
  EXPECT_THROW(index.add(VectorSpan(DataType::int8, bytes, dimension)), InvalidArgument)
      << "an int8 row without its scale";
  for (const float scale :
       {-1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    const float scales[] = {scale};
    EXPECT_THROW(index.add(VectorSpan(DataType::int8, bytes, dimension, scales)), InvalidArgument);
  }
  EXPECT_EQ(index.end_id(), 30U);
  const std::uint64_t one[] = {7};
  index.remove(one);
  EXPECT_THROW(index.remove(one), NotFound) << "the row was already removed";
  EXPECT_THROW(index.replace(7, model.make(generator, 1)), NotFound);
  const std::vector<std::uint64_t> offsets{0, 1};
  EXPECT_THROW(index.score(floats, RaggedSpan<std::uint64_t>{offsets, one}), InvalidArgument);
  model.rows.erase(7);
  Model same = model;
  expect_equals(index, same, generator);
}

TEST(VectorStore, PrefiltersWithoutACopyOnlyInt8Rows) {
  auto generator = Testing::generator("VectorStore shadows");
  SearchOptions options;
  options.path = SearchPath::quantized;
  VectorIndexOptions without;
  without.quantized_copy = QuantizedCopy::never;
  Model floats(DataType::float32);
  const std::vector<float> query = normal_values(generator, dimension);
  const VectorIndex never(Testing::context(), floats.make(generator, 300), without);
  EXPECT_THROW(never.search(query, options), InvalidArgument);
  Model bytes(DataType::int8);
  const VectorIndex own(Testing::context(), bytes.make(generator, 300), without);
  const SearchResults results = own.search(query, options);
  EXPECT_EQ(results.report.path, "quantized");
  EXPECT_EQ(results.report.prefiltered, 300U);
  EXPECT_EQ(own.statistics().quantized_bytes, 0U) << "int8 rows need no quantized copy";
  const VectorIndex made(Testing::context(), floats.make(generator, 300), VectorIndexOptions());
  EXPECT_EQ(made.statistics().quantized_bytes, 0U) << "before a search uses it";
  made.search(query, options);
  EXPECT_GT(made.statistics().quantized_bytes, 300U * dimension);
}

TEST(VectorStore, BuildsAQuantizedCopyOnceSearchesHavePaidForIt) {
  auto generator = Testing::generator("VectorStore debt");
  ContextOptions context_options;
  context_options.load_profile = false;
  Context context(context_options);
  // By the priors the quantized path is by far the fastest once its copy exists.
  const VectorIndex index(context, normal_values(generator, 40'000 * 64), 64, Residency::host);
  const std::vector<float> query = normal_values(generator, 64);
  SearchOptions options;
  options.space = Space::serial;
  EXPECT_NE(index.search(query, options).report.path, "quantized");
  EXPECT_EQ(index.statistics().quantized_bytes, 0U);
  int calls = 0;
  while (index.search(query, options).report.path != "quantized" && calls < 2000) ++calls;
  EXPECT_GT(index.statistics().quantized_bytes, 0U) << "after " << calls << " calls";
}

TEST(VectorStore, TriesTheQuantizedCopyAlthoughAPriorSpeaksAgainstIt) {
  auto generator = Testing::generator("VectorStore tries");
  ContextOptions context_options;
  context_options.load_profile = false;
  Context context(context_options);
  const std::size_t rows = 4000;
  const std::size_t dimension = 64;
  const VectorIndex index(context, normal_values(generator, rows * dimension), dimension,
                          Residency::host);
  context.dispatcher().calibrate(Operations::search_quantized, Space::serial, 4000.0 * 64 * 5, 1.0);
  const std::vector<float> query = normal_values(generator, dimension);
  SearchOptions options;
  options.space = Space::serial;
  int calls = 0;
  int tried = 0;
  for (; tried < 3 && calls < 20000; ++calls)
    tried += index.search(query, options).report.path == "quantized" ? 1 : 0;
  EXPECT_EQ(tried, 3) << calls << " calls";
  Workload workload;
  workload.operation = Operations::search_quantized;
  workload.items = rows;
  workload.work = 4000.0 * 64 * 5;
  EXPECT_LT(context.dispatcher().predict(workload)[space_index(Space::serial)], 0.1)
      << "the measured times outweigh the second that the calibration claims";
}

TEST(VectorStore, CountsItsChanges) {
  const std::vector<float> rows(12, 1.0F);
  VectorIndex index(Testing::context(), rows, 3);
  std::uint64_t before = index.changes();
  const auto grew = [&] { return std::exchange(before, index.changes()) < index.changes(); };
  const std::uint64_t id = index.add(VectorSpan(std::span(rows).first(3), 3));
  EXPECT_TRUE(grew());
  index.remove(std::vector{id});
  EXPECT_TRUE(grew()) << "although size and end_id may be what they were two changes ago";
  index.replace(0, VectorSpan(std::span(rows).first(3), 3));
  EXPECT_TRUE(grew());
  std::vector<float> out(4);
  index.score_all(std::span(rows).first(3), out);
  EXPECT_FALSE(grew());
}

TEST(VectorStore, NeverReusesAnId) {
  auto generator = Testing::generator("VectorStore ids");
  Model model(DataType::float32);
  VectorIndex index(Testing::context(), model.make(generator, 8), VectorIndexOptions());
  const std::vector<std::uint64_t> all{0, 1, 2, 3, 4, 5, 6, 7};
  index.remove(all);
  EXPECT_EQ(index.size(), 0U);
  EXPECT_EQ(index.add(model.make(generator, 2)), 8U);
  model.put(8, 2);
  expect_equals(index, model, generator);
}

}  // namespace VectorStoreTest
