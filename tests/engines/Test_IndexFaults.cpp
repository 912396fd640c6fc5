// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of every change of an index fails, for every k, and the index must be
// unchanged afterwards.
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "Allocations.hpp"
#include "Faults.hpp"
#include "SineValues.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

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
std::string state_of(const VectorIndex& index, const TempFolder& folder) {
  std::string state = std::to_string(index.size()) + ' ';
  std::vector<float> queries = values(3, 0);
  const Row row;
  queries.insert(queries.end(), row.floats.begin(), row.floats.end());
  for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
    for (const SearchPath path :
         {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm}) {
      const SearchResults found =
          index.search(queries, {.metric = metric, .space = Space::serial, .path = path});
      for (const std::int64_t id : found.ids) state += std::to_string(id) + ' ';
      state.append(reinterpret_cast<const char*>(found.scores.data()),
                   found.scores.size() * sizeof(float));
    }
  }
  index.save(folder / "saved");
  return state + read_all(folder / "saved");
}

struct Change {
  const char* name;
  std::function<void(VectorIndex&)> make;
  std::size_t least_bytes;  ///< smallest size of the container allocations that fail
};

std::vector<Change> changes(DataType element) {
  const auto row = std::make_shared<Row>();
  std::vector<std::uint64_t> many;
  for (std::uint64_t id = 10; id < 60; ++id) many.push_back(id);
  return {{"replace", [=](VectorIndex& index) { index.replace(5, row->span(element)); }, 0},
          {"replace in the last",
           [=](VectorIndex& index) { index.replace(75, row->span(element)); }, 0},
          {"add", [=](VectorIndex& index) { index.add(row->span(element)); }, longer_than_labels},
          {"remove",
           [](VectorIndex& index) {
             index.remove({{7, 80}});
           },
           0},
          {"remove many", [many](VectorIndex& index) { index.remove(many); }, longer_than_labels}};
}

TEST(VectorFaults, OfAnyAllocationLeaveTheIndexUnchanged) {
  const TempFolder folder;
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 2);
  for (const DataType element : {DataType::float32, DataType::int8}) {
    for (const Change& change : changes(element)) {
      SCOPED_TRACE(std::string(change.name) + " of " + std::string(to_string(element)));
      VectorIndex other = make_index(*context, element);
      change.make(other);
      const std::string after = state_of(other, folder);
      const auto expect_whole = [&](const auto& fail_every) {
        VectorIndex index = make_index(*context, element);
        const std::string before = state_of(index, folder);
        fail_every(index, [&](std::size_t k) {
          EXPECT_TRUE(state_of(index, folder) == before) << "allocation " << k;
        });
        EXPECT_TRUE(state_of(index, folder) == after) << "after memory is available again";
      };
      expect_whole([&](VectorIndex& index, const auto& check) {
        fail_every_accounted(
            *faults, [&] { change.make(index); }, check);
      });
      expect_whole([&](VectorIndex& index, const auto& check) {
        fail_every_allocation(
            change.least_bytes, [&] { change.make(index); }, check);
      });
    }
  }
}

TEST(VectorFaults, OfAReplacedRowOccurAtEveryAllocation) {
  const auto context = make_faulty_context(std::make_shared<Faults>(), 2);
  VectorIndex index = make_index(*context, DataType::float32);
  const Row row;
  (void)index.ids();  // the first call after a change may go on without memory
  EXPECT_GT(fail_every_allocation(
                0, [&] { index.replace(5, row.span(DataType::float32)); }, [](std::size_t) {}),
            1U);
}

TEST(VectorFaults, OfTheCopyOfBorrowedRowsLeaveThemUnchanged) {
  const TempFolder folder;
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 2);
  make_index(*context, DataType::float32).save(folder / "rows");
  const StoredVectors stored = StoredVectors::load(folder / "rows");
  const VectorIndexOptions options{.residency = Residency::host};
  VectorIndex index(*context, stored, options);
  const std::string before = state_of(index, folder);  // makes the quantized copy
  const Row row;
  const auto change = [&] { index.replace(5, row.span(DataType::float32)); };
  const auto check = [&](std::size_t k) {
    EXPECT_TRUE(state_of(index, folder) == before) << "allocation " << k;
  };
  EXPECT_GE(fail_every_accounted(*faults, change, check), 2U);
  const SearchResults found = index.search(row.floats, {.top = 1});
  EXPECT_EQ(found.ids[0], 5);
}

// --- HnswIndex

std::string state_of(const HnswIndex& index, const TempFolder& folder) {
  index.save(folder / "graph");
  std::string state = read_all(folder / "graph");
  const HnswResults found = index.search(values(5, 3), {.top = 20});
  for (const std::int64_t id : found.ids) state += std::to_string(id) + ' ';
  return state;
}

TEST(HnswFaults, OfAnyAllocationLeaveTheIndexUnchanged) {
  const TempFolder folder;
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 2);
  const HnswSettings settings{.m = 4, .ef_construction = 20};
  const auto make = [&] {
    HnswIndex index = HnswIndex::build(*context, values(900, 0), dimension, settings);
    index.add(values(20, 1));  // from now on its columns have spare capacity
    index.remove({{5, 901}});
    return index;
  };
  // Enough rows for several rounds, whose links two threads create.
  const std::vector<float> rows = values(200, 5);
  const std::vector<std::function<void(HnswIndex&)>> all{[&](HnswIndex& index) { index.add(rows); },
                                                         [](HnswIndex& index) {
                                                           index.remove({{8, 9, 10}});
                                                         },
                                                         [](HnswIndex& index) { index.repair(); }};
  for (std::size_t which = 0; which < all.size(); ++which) {
    HnswIndex other = make();
    all[which](other);
    const std::string after = state_of(other, folder);
    HnswIndex index = make();
    const std::string before = state_of(index, folder);
    const auto change = [&] { all[which](index); };
    const auto check = [&](std::size_t k) {
      ASSERT_TRUE(state_of(index, folder) == before) << "change " << which << ", allocation " << k;
    };
    fail_every_accounted(
        *faults,
        [&] {
          HnswIndex whole = make();
          all[which](whole);
        },
        [](auto) {});
    fail_every_allocation(which == 2 ? longer_than_labels : 0, change, check);
    EXPECT_TRUE(state_of(index, folder) == after) << "change " << which;
  }
}

TEST(HnswFaults, OfTheFirstRowsLeaveAnEmptyIndexUnchanged) {
  const TempFolder folder;
  const auto faults = std::make_shared<Faults>();
  const auto context = make_faulty_context(faults, 2);
  HnswIndex index(*context, dimension);
  const std::vector<float> rows = values(40, 0);
  const auto check = [&](std::size_t k) {
    EXPECT_EQ(index.settings().traversal, HnswTraversal::automatic) << "allocation " << k;
    EXPECT_EQ(index.size(), 0U);
  };
  EXPECT_GT(fail_every_accounted(
                *faults, [&] { index.add(rows); }, check),
            2U);
  EXPECT_EQ(index.size(), 40U);
}

}  // namespace IndexFaultsTest
