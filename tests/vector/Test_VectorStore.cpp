// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

#include <kindred/matcher/VectorOperationInfo.hpp>

#include "TempFolder.hpp"
#include "VectorAnswers.hpp"

namespace VectorStoreTest {

using namespace Kindred;
using namespace Testing;

constexpr std::size_t dimension = 20;

/// The expected content of an index, as a simple table.
struct Model {
  DataType element;
  std::map<std::uint64_t, std::vector<float>> rows = {};

  StoredRows make(std::size_t count) const {
    return StoredRows::near(element, normal_values(count * dimension), dimension);
  }
  void put(std::uint64_t first, const StoredRows& added) {
    for (std::size_t row = 0; row < added.span().count(); ++row) {
      const auto floats = row_of(added.floats, dimension, row);
      rows[first + row].assign(floats.begin(), floats.end());
    }
  }
};

/// Compares the rows of an index, and the answers of every call, with those of the table.
void expect_equals(const VectorIndex& index, const Model& model) {
  RowsByReference known{dimension, index.ids(), {}};
  ASSERT_EQ(index.size(), model.rows.size());
  ASSERT_EQ(known.ids.size(), model.rows.size());
  auto id = known.ids.begin();
  for (const auto& [expected_id, row] : model.rows) {
    ASSERT_EQ(*id++, expected_id);
    known.floats.insert(known.floats.end(), row.begin(), row.end());
  }
  std::vector<float> read(known.floats.size());
  index.rows(known.ids, read);
  ASSERT_EQ(read, known.floats);
  const Asked asked{normal_values(3 * dimension), {1 + random_below(40)}, {}, 2};
  ASSERT_EQ(difference(index, known, asked), "");
}

TEST(VectorStore, EqualsASimpleTableThroughAnyHistory) {
  for (const DataType element : all_elements) {
    Model model{element};
    const StoredRows first = model.make(70);
    VectorIndex index(context(), first.span(), {});
    model.put(0, first);
    const auto change = [&](std::uint64_t kind, std::size_t most) {
      if (kind == 0) {
        const StoredRows rows = model.make(1 + random_below(most));
        const std::uint64_t end = index.end_id();
        ASSERT_EQ(index.add(rows.span()), end);
        model.put(end, rows);
      } else if (kind == 1) {
        std::vector<std::uint64_t> ids;
        for (const auto& [id, row] : model.rows)
          if (random_below(6) == 0) ids.push_back(id);
        std::shuffle(ids.begin(), ids.end(), generator());
        index.remove(ids);
        for (const std::uint64_t id : ids) model.rows.erase(id);
      } else if (!model.rows.empty()) {
        auto at = model.rows.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(random_below(model.rows.size())));
        const StoredRows row = model.make(1);
        index.replace(at->first, row.span());
        model.put(at->first, row);
      }
    };
    for (int step = 0; step < 24; ++step) {
      change(random_below(3), step % 5 == 0 ? 150 : 10);
      if (step % 3 == 0) expect_equals(index, model);
      if (HasFatalFailure()) return;
    }
    expect_equals(index, model);
    EXPECT_LE(index.statistics().segments, 10U);
    const TempFolder folder;
    const auto reload = [&] {
      const std::uint64_t end = index.end_id();
      index.save(folder / "rows");
      index = VectorIndex::load(context(), folder / "rows");
      EXPECT_EQ(index.end_id(), end);
      EXPECT_EQ(index.dimension(), dimension);
      expect_equals(index, model);
    };
    reload();
    change(0, 5);
    change(2, 0);
    expect_equals(index, model);
    reload();
    // Empty, also in a file; ids are not used again.
    index.remove(index.ids());
    model.rows.clear();
    expect_equals(index, model);
    reload();
    change(0, 5);
    expect_equals(index, model);
  }
}

TEST(VectorStore, RowsAreReadInAnyOrderOrNotAtAll) {
  const std::vector<float> values = normal_values(5 * dimension);
  VectorIndex index(context(), values, dimension);
  index.remove({{2}});
  const std::uint64_t ids[] = {4, 0, 4};
  std::vector<float> out(3 * dimension);
  index.rows(ids, out);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(std::ranges::equal(row_of(out, dimension, i), row_of(values, dimension, ids[i])));
  index.rows({}, {});
  const std::vector<float> before = out;
  for (const std::uint64_t absent : {std::uint64_t{2}, std::uint64_t{5}, ~std::uint64_t{0}}) {
    const std::uint64_t wrong[] = {1, absent, 0};
    EXPECT_THROW(index.rows(wrong, out), NotFound) << absent;
  }
  for (const std::size_t size : {2 * dimension, 3 * dimension - 1})
    EXPECT_THROW(index.rows(ids, std::span(out).first(size)), InvalidArgument);
  EXPECT_EQ(out, before);
}

/// A copy in read-only memory: a write to it kills the process.
template <class T>
std::shared_ptr<const T> read_only(std::span<const T> values) {
  const std::size_t bytes = values.size_bytes();
  void* const data =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::runtime_error("no memory can be mapped");
  std::memcpy(data, values.data(), bytes);
  ::mprotect(data, bytes, PROT_READ);
  return {static_cast<const T*>(data), [=](const T*) { ::munmap(data, bytes); }};
}

TEST(VectorStore, DoesNotWriteToBorrowedMemory) {
  const TempFolder folder;
  for (const DataType element : {DataType::float32, DataType::int8}) {
    Model model{element};
    const StoredRows rows = model.make(90);
    const VectorIndex made(context(), rows.span(), {});
    model.put(0, rows);
    // Builds its quantized copy.
    made.search(std::span(rows.floats).first(dimension),
                {.space = Space::serial, .path = SearchPath::quantized});
    made.save(folder / "rows");
    const StoredVectors file = StoredVectors::load(folder / "rows");
    const auto values = read_only(file.rows.values);
    const auto norms = read_only(file.norms);
    StoredVectors borrowed = file;
    borrowed.rows.values = {values.get(), file.rows.values.size()};
    borrowed.norms = {norms.get(), file.norms.size()};
    const Model before = model;
    const StoredRows row = model.make(1);
    model.put(7, row);
    // Also a loaded file serves several indexes, none of which sees the changes of another.
    for (const StoredVectors& stored : {borrowed, file}) {
      VectorIndex index(context(), stored, {});
      const VectorIndex beside(context(), stored, {});
      index.replace(7, row.span());
      expect_equals(index, model);
      expect_equals(beside, before);
    }
  }
}

TEST(VectorStore, PrefiltersWithoutACopyOnlyInt8Rows) {
  const SearchOptions options{.path = SearchPath::quantized};
  const VectorIndexOptions without{.quantized_copy = QuantizedCopy::never};
  const StoredRows floats = Model{DataType::float32}.make(300);
  const StoredRows bytes = Model{DataType::int8}.make(300);
  const std::vector<float> query = normal_values(dimension);
  const VectorIndex never(context(), floats.span(), without);
  EXPECT_THROW(never.search(query, options), InvalidArgument);
  const VectorIndex own(context(), bytes.span(), without);
  EXPECT_EQ(own.search(query, options).report.prefiltered, 300U);
  EXPECT_EQ(own.statistics().quantized_bytes, 0U) << "int8 rows need no quantized copy";
  const VectorIndex made(context(), floats.span(), {});
  EXPECT_EQ(made.statistics().quantized_bytes, 0U) << "before a search uses it";
  made.search(query, options);
  EXPECT_GT(made.statistics().quantized_bytes, 300U * dimension);
}

TEST(VectorStore, BuildsAQuantizedCopyOnceSearchesHavePaidForIt) {
  Context context({.load_profile = false});
  // By the priors the quantized path is by far the fastest once its copy exists.
  const VectorIndex index(context, normal_values(40'000 * 64), 64, Residency::host);
  const std::vector<float> query = normal_values(64);
  const SearchOptions options{.space = Space::serial};
  EXPECT_NE(index.search(query, options).report.path, "quantized");
  EXPECT_EQ(index.statistics().quantized_bytes, 0U);
  int calls = 0;
  while (index.search(query, options).report.path != "quantized" && calls < 2000) ++calls;
  EXPECT_GT(index.statistics().quantized_bytes, 0U) << "after " << calls << " calls";
}

TEST(VectorStore, TriesTheQuantizedCopyAlthoughAPriorSpeaksAgainstIt) {
  Context context({.load_profile = false});
  const VectorIndex index(context, normal_values(4000 * 64), 64, Residency::host);
  constexpr double work = 4000.0 * 64 * 5;
  context.dispatcher().calibrate(Operations::search_quantized, Space::serial, work, 1.0);
  const std::vector<float> query = normal_values(64);
  int calls = 0;
  int tried = 0;
  for (; tried < 3 && calls < 20000; ++calls)
    tried += index.search(query, {.space = Space::serial}).report.path == "quantized" ? 1 : 0;
  EXPECT_EQ(tried, 3) << calls << " calls";
  Workload workload;
  workload.operation = Operations::search_quantized;
  workload.items = 4000;
  workload.work = work;
  EXPECT_LT(context.dispatcher().predict(workload)[space_index(Space::serial)], 0.1)
      << "the measured times outweigh the second that the calibration claims";
}

TEST(VectorStore, CountsItsChanges) {
  const std::vector<float> rows(12, 1.0F);
  VectorIndex index(context(), rows, 3);
  std::uint64_t before = index.changes();
  const auto grew = [&] { return std::exchange(before, index.changes()) < index.changes(); };
  const VectorSpan row{std::span(rows).first(3), 3};
  const std::uint64_t id = index.add(row);
  EXPECT_TRUE(grew());
  index.remove(std::vector{id});
  EXPECT_TRUE(grew()) << "although size and end_id may be what they were two changes ago";
  index.replace(0, row);
  EXPECT_TRUE(grew());
  std::vector<float> out(4);
  index.score_all(std::span(rows).first(3), out);
  EXPECT_FALSE(grew());
}

}  // namespace VectorStoreTest
