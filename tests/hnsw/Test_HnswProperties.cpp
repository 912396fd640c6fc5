// SPDX-License-Identifier: Apache-2.0
#include "HnswSupport.hpp"
#include "Properties.hpp"

#include <map>

namespace HnswPropertiesTest {

using namespace Kindred;
using Testing::expect_property;

/// A small index; coarse values cause ties.
struct Problem {
  std::size_t dimension = 1;
  HnswSettings settings;
  std::vector<float> rows;
  std::vector<float> query;

  std::size_t count() const { return rows.size() / dimension; }
};

std::vector<float> any_values(std::mt19937_64& generator, std::size_t size, bool coarse) {
  std::normal_distribution<float> normal;
  std::vector<float> out(size);
  for (float& value : out)
    value =
        coarse ? static_cast<float>(static_cast<int>(2 * normal(generator))) : normal(generator);
  return out;
}

Problem any_problem() {
  Problem problem;
  problem.dimension = *rc::gen::inRange<std::size_t>(1, 20);
  const auto count = *rc::gen::inRange<std::size_t>(1, 120);
  std::mt19937_64 generator(*rc::gen::arbitrary<std::uint64_t>());
  const auto coarse = *rc::gen::arbitrary<bool>();
  problem.rows = any_values(generator, count * problem.dimension, coarse);
  problem.query = any_values(generator, problem.dimension, coarse);
  problem.settings.metric = *rc::gen::element(Metric::cosine, Metric::ip, Metric::l2);
  problem.settings.m = *rc::gen::inRange<std::size_t>(2, 9);
  problem.settings.ef_construction = *rc::gen::inRange<std::size_t>(8, 60);
  problem.settings.traversal =
      *rc::gen::element(HnswTraversal::automatic, HnswTraversal::bytes, HnswTraversal::floats);
  return problem;
}

TEST(HnswProperties, WithAnEfOfAllRowsItIsExact) {
  expect_property("exact", [] {
    const Problem problem = any_problem();
    const HnswIndex index =
        HnswIndex::build(Testing::context(), problem.rows, problem.dimension, problem.settings);
    HnswSearchOptions options;
    options.ef = problem.count();
    options.top = *rc::gen::inRange<std::size_t>(1, problem.count() + 1);
    const auto found = index.search(problem.query, options);
    const auto truth =
        Reference::search(problem.settings.metric, problem.rows, problem.query, options.top);
    RC_ASSERT(found.ids == truth.ids);
    RC_ASSERT(Testing::bits(found.scores) == Testing::bits(truth.scores));
  });
}

TEST(HnswProperties, AnyHistoryEqualsAnIndexOfTheRemainingRows) {
  expect_property("history", [] {
    const Problem problem = any_problem();
    HnswIndex index(Testing::context(), problem.dimension, problem.settings);
    std::map<std::uint64_t, std::vector<float>> left;
    std::mt19937_64 generator(*rc::gen::arbitrary<std::uint64_t>());
    std::size_t next = 0;
    const auto row = [&](std::size_t i) {
      return Testing::row_of(problem.rows, problem.dimension, i % problem.count());
    };
    for (int step = 0; step < 8; ++step) {
      const auto what = generator() % 4;
      if (what <= 1) {
        std::vector<float> rows;
        for (auto more = generator() % 40; more > 0; --more, ++next) {
          left[next] = {row(next).begin(), row(next).end()};
          rows.insert(rows.end(), row(next).begin(), row(next).end());
        }
        index.add(rows);
      } else if (what == 2) {
        std::vector<std::uint64_t> removed;
        for (const auto& [id, values] : left) {
          if (generator() % 3 == 0) removed.push_back(id);
        }
        for (const std::uint64_t id : removed) left.erase(id);
        index.remove(removed);
      } else if (generator() % 2 == 0) {
        index.repair();
      } else {
        const Testing::TempFolder folder;
        index.save(folder / "index");
        index = HnswIndex::load(Testing::context(), folder / "index");
      }
      RC_ASSERT(index.size() == left.size());
      RC_ASSERT(index.end_id() == next);
      if (left.empty()) continue;
      // All remaining rows are found, in order, when all are requested.
      HnswSearchOptions options;
      options.top = left.size();
      options.ef = left.size();
      const auto found = index.search(problem.query, options);
      std::vector<float> rows;
      std::vector<std::int64_t> ids;
      for (const auto& [id, values] : left) {
        ids.push_back(static_cast<std::int64_t>(id));
        rows.insert(rows.end(), values.begin(), values.end());
      }
      const auto truth =
          Reference::search(problem.settings.metric, rows, problem.query, left.size());
      for (std::size_t k = 0; k < found.ids.size(); ++k) {
        RC_ASSERT(found.ids[k] == ids[static_cast<std::size_t>(truth.ids[k])]);
        RC_ASSERT(std::bit_cast<std::uint32_t>(found.scores[k]) ==
                  std::bit_cast<std::uint32_t>(truth.scores[k]));
      }
    }
  });
}

TEST(HnswProperties, AFilterReturnsAsManyRowsAsItAllows) {
  expect_property("filter", [] {
    const Problem problem = any_problem();
    const HnswIndex index =
        HnswIndex::build(Testing::context(), problem.rows, problem.dimension, problem.settings);
    const auto filter = *rc::gen::container<std::vector<std::uint8_t>>(
        problem.count(), rc::gen::element<std::uint8_t>(0, 1, 200));
    HnswSearchOptions options;
    options.top = *rc::gen::inRange<std::size_t>(1, problem.count() + 1);
    options.ef = options.top;
    options.filter = filter;
    const auto found = index.search(problem.query, options);
    const auto allowed = static_cast<std::size_t>(
        std::count_if(filter.begin(), filter.end(), [](std::uint8_t pass) { return pass != 0; }));
    for (std::size_t k = 0; k < options.top; ++k) {
      RC_ASSERT((found.ids[k] >= 0) == (k < allowed));
      if (found.ids[k] >= 0) RC_ASSERT(filter[static_cast<std::size_t>(found.ids[k])] != 0);
    }
  });
}

}  // namespace HnswPropertiesTest
