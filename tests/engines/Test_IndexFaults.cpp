// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of every change of an index fails, for every k, and the index must be
// unchanged afterwards.
#include "Faults.hpp"
#include "ResultText.hpp"
#include "TempFolder.hpp"
#include "TestGenerator.hpp"

namespace IndexFaultsTest {

using namespace Kindred;
using namespace Testing;

constexpr std::size_t dimension = 24;

std::vector<float> values(std::size_t rows, float first) {
  return sine_values(rows * dimension, first);
}

struct Row {
  std::vector<float> floats = values(1, 99);
  std::vector<std::int8_t> bytes = std::vector<std::int8_t>(dimension, 5);
  std::vector<float> scale{0.25F};

  VectorSpan span(DataType element) const {
    if (element == DataType::float32) return {floats, dimension};
    return {element, std::as_bytes(std::span(bytes)), dimension, scale};
  }
};

VectorIndex make_index(Context& context, DataType element) {
  constexpr std::size_t rows = 70;
  const std::vector<float> floats = values(rows, 0);
  std::vector<std::int8_t> bytes;
  for (const float value : floats) bytes.push_back(static_cast<std::int8_t>(100 * value));
  const std::vector<float> scales(rows, 0.01F);
  VectorSpan span(floats, dimension);
  if (element == DataType::int8)
    span = {element, std::as_bytes(std::span(bytes)), dimension, scales};
  VectorIndexOptions options;
  options.residency = Residency::host;  // Kokkos aborts where its own strings fail on a device
  VectorIndex index(context, span, options);
  index.add(span.rows(0, 20));
  index.remove({{3}});
  return index;
}

/// The answers of an index by every path, including the quantized copy, and all of its rows.
std::string state_of(const VectorIndex& index) {
  std::string state;
  std::vector<float> queries = values(3, 0);
  const Row row;
  queries.insert(queries.end(), row.floats.begin(), row.floats.end());
  for (const Metric metric : all_metrics) {
    for (const SearchPath path : {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm})
      state +=
          text_of(index.search(queries, {.metric = metric, .space = Space::serial, .path = path}));
  }
  return state + text_of(index.to_bytes());
}

std::string state_of(const HnswIndex& index) {
  return texts_of(index.to_bytes(), index.search(values(5, 3), {.top = 20}).ids);
}

template <class Index>
struct Change {
  const char* name;
  std::function<void(Index&)> make;
  std::size_t least_bytes;  ///< smallest size of the container allocations that fail
};

/// Returns the number of allocations of containers that failed.
template <class Index, class Make>
std::size_t expect_whole(Faults& faults, const Make& make, const Change<Index>& change) {
  SCOPED_TRACE(change.name);
  Index other = make();
  change.make(other);
  const std::string after = state_of(other);
  const auto fail = [&](const auto& fail_every) {
    Index index = make();
    const std::string before = state_of(index);
    const auto check = [&](std::size_t k) {
      EXPECT_TRUE(state_of(index) == before) << "allocation " << k;
    };
    const std::size_t failures = fail_every([&] { change.make(index); }, check);
    EXPECT_TRUE(state_of(index) == after) << "after memory is available again";
    return failures;
  };
  fail(
      [&](const auto& run, const auto& check) { return fail_every_accounted(faults, run, check); });
  return fail([&](const auto& run, const auto& check) {
    return fail_every_allocation(change.least_bytes, run, check);
  });
}

std::vector<Change<VectorIndex>> changes(DataType element) {
  const auto row = std::make_shared<Row>();
  const std::vector<std::uint64_t> two{7, 80};
  const std::vector<std::uint64_t> many = numbers_from(10, 50);
  return {{"replace", [=](auto& index) { index.replace(5, row->span(element)); }, 0},
          {"replace in the last", [=](auto& index) { index.replace(75, row->span(element)); }, 0},
          {"add", [=](auto& index) { index.add(row->span(element)); }, longer_than_labels},
          {"remove", [two](auto& index) { index.remove(two); }, 0},
          {"remove many", [many](auto& index) { index.remove(many); }, longer_than_labels}};
}

TEST(VectorFaults, OfAnyAllocationLeaveTheIndexUnchanged) {
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 2);
  for (const DataType element : {DataType::float32, DataType::int8}) {
    SCOPED_TRACE(to_string(element));
    for (const auto& change : changes(element)) {
      const auto make = [&] { return make_index(*context, element); };
      const std::size_t failures = expect_whole(*faults, make, change);
      EXPECT_TRUE(failures > 1 || std::string(change.name) != "replace");
    }
  }
}

TEST(VectorFaults, OfTheCopyOfBorrowedRowsLeaveThemUnchanged) {
  const TempFolder folder;
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 2);
  make_index(*context, DataType::float32).save(folder / "rows");
  const StoredVectors stored = StoredVectors::load(folder / "rows");
  const VectorIndexOptions options{.residency = Residency::host};
  VectorIndex index(*context, stored, options);
  const std::string before = state_of(index);  // makes the quantized copy
  const Row row;
  const auto change = [&] { index.replace(5, row.span(DataType::float32)); };
  const auto check = [&](std::size_t k) {
    EXPECT_TRUE(state_of(index) == before) << "allocation " << k;
  };
  EXPECT_GE(fail_every_accounted(*faults, change, check), 2U);
  const SearchResults found = index.search(row.floats, {.top = 1});
  EXPECT_EQ(found.ids[0], 5);
}

TEST(HnswFaults, OfAnyAllocationLeaveTheIndexUnchanged) {
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 2);
  const HnswSettings settings{.m = 4, .ef_construction = 20};
  const auto make = [&] {
    HnswIndex index = HnswIndex::build(*context, values(900, 0), dimension, settings);
    index.add(values(20, 1));  // from now on its columns have spare capacity
    index.remove({{5, 901}});
    return index;
  };
  fail_every_accounted(*faults, make, [](std::size_t) {});
  // Enough rows for several rounds, whose links two threads create.
  const std::vector<float> rows = values(200, 5);
  const std::vector<std::uint64_t> removed{8, 9, 10};
  const std::vector<Change<HnswIndex>> changes{
      {"add", [&](auto& index) { index.add(rows); }, 0},
      {"remove", [&](auto& index) { index.remove(removed); }, 0},
      {"repair", [](auto& index) { index.repair(); }, longer_than_labels}};
  for (const auto& change : changes) expect_whole(*faults, make, change);
}

TEST(HnswFaults, OfTheFirstRowsLeaveAnEmptyIndexUnchanged) {
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 2);
  HnswIndex index(*context, dimension);
  const std::vector<float> rows = values(40, 0);
  const auto check = [&](std::size_t k) {
    EXPECT_EQ(index.settings().traversal, HnswTraversal::automatic) << "allocation " << k;
    EXPECT_EQ(index.size(), 0U);
  };
  const auto add = [&] { index.add(rows); };
  EXPECT_GT(fail_every_accounted(*faults, add, check), 2U);
  EXPECT_EQ(index.size(), 40U);
}

}  // namespace IndexFaultsTest
