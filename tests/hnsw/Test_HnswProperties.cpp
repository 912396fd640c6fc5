// SPDX-License-Identifier: Apache-2.0
#include "HnswSupport.hpp"
#include "Properties.hpp"

#include <limits>
#include <map>

namespace HnswPropertiesTest {

using namespace Kindred;
using namespace Testing;

/// A small index; coarse values cause ties.
struct Problem {
  std::size_t dimension = 1;
  HnswSettings settings;
  std::vector<float> rows;
  std::vector<float> query;

  std::size_t count() const { return rows.size() / dimension; }
};

Problem any_problem() {
  Problem problem;
  problem.dimension = *rc::gen::inRange<std::size_t>(1, 20);
  const auto count = *rc::gen::inRange<std::size_t>(1, 120);
  generator().seed(*rc::gen::arbitrary<std::uint64_t>());
  problem.rows = normal_values(count * problem.dimension);
  problem.query = normal_values(problem.dimension);
  if (*rc::gen::arbitrary<bool>()) {
    for (auto* values : {&problem.rows, &problem.query})
      for (float& value : *values) value = static_cast<float>(static_cast<int>(2 * value));
  }
  problem.settings.metric = *rc::gen::element(Metric::cosine, Metric::ip, Metric::l2);
  problem.settings.m = *rc::gen::inRange<std::size_t>(2, 9);
  problem.settings.ef_construction = *rc::gen::inRange<std::size_t>(8, 60);
  problem.settings.traversal =
      *rc::gen::element(HnswTraversal::automatic, HnswTraversal::bytes, HnswTraversal::floats);
  return problem;
}

/// Expects the best rows that \p index has, in the order of the reference. \param rows by id
/// \param top of more than all rows, all are returned
void assert_reference(const HnswIndex& index, const Problem& problem,
                      const std::map<std::uint64_t, std::vector<float>>& rows, std::size_t top) {
  std::vector<float> all;
  std::vector<std::int64_t> ids;
  for (const auto& [id, values] : rows) {
    ids.push_back(static_cast<std::int64_t>(id));
    all.insert(all.end(), values.begin(), values.end());
  }
  const std::size_t returned = std::min(top, rows.size());
  auto truth = Reference::search(problem.settings.metric, all, problem.query, returned);
  for (std::int64_t& id : truth.ids) id = ids[static_cast<std::size_t>(id)];
  const bool is_default = returned == rows.size() && random_below(2) == 0;
  const auto found =
      index.search(problem.query, {.top = top, .ef = is_default ? 0 : std::max(top, rows.size())});
  RC_ASSERT(found.top == returned);
  RC_ASSERT(found.ids == truth.ids);
  RC_ASSERT(bits(found.scores) == bits(truth.scores));
}

TEST(HnswProperties, WithAnEfOfAllRowsAnyHistoryIsExact) {
  expect_property("history", [] {
    const Problem problem = any_problem();
    HnswIndex index(context(), problem.dimension, problem.settings);
    std::map<std::uint64_t, std::vector<float>> left;
    generator().seed(*rc::gen::arbitrary<std::uint64_t>());
    std::size_t next = 0;
    const auto add = [&](std::size_t count) {
      std::vector<float> rows;
      const std::size_t first = next;
      for (; count > 0; --count, ++next) {
        const auto row = row_of(problem.rows, problem.dimension, next % problem.count());
        left[next] = {row.begin(), row.end()};
        rows.insert(rows.end(), row.begin(), row.end());
      }
      RC_ASSERT(index.add(rows) == first);
    };
    assert_reference(index, problem, left, 1);
    add(problem.count());
    assert_reference(index, problem, left, *rc::gen::inRange<std::size_t>(1, left.size() + 1));
    for (int step = 0; step < 8; ++step) {
      const auto what = random_below(4);
      if (what <= 1) {
        add(random_below(40));
      } else if (what == 2) {
        std::vector<std::uint64_t> removed;
        const std::uint64_t every = 1 + random_below(5);  // 1: all of them
        for (const auto& [id, values] : left)
          if (random_below(every) == 0) removed.push_back(id);
        for (const std::uint64_t id : removed) left.erase(id);
        index.remove(removed);
      } else if (random_below(2) == 0) {
        index.repair();
      } else {
        const TempFolder folder;
        index.save(folder / "index");
        index = HnswIndex::load(context(), folder / "index");
      }
      RC_ASSERT(index.size() == left.size());
      RC_ASSERT(index.end_id() == next);
      const std::size_t tops[] = {left.size(), left.size() + 1,
                                  std::numeric_limits<std::size_t>::max()};
      assert_reference(index, problem, left, std::max<std::size_t>(1, tops[random_below(3)]));
    }
  });
}

TEST(HnswProperties, AFilterReturnsAsManyRowsAsItAllows) {
  expect_property("filter", [] {
    const Problem problem = any_problem();
    const HnswIndex index =
        HnswIndex::build(context(), problem.rows, problem.dimension, problem.settings);
    const auto filter = *rc::gen::container<std::vector<std::uint8_t>>(
        problem.count(), rc::gen::element<std::uint8_t>(0, 1, 200));
    const auto top = *rc::gen::inRange<std::size_t>(1, problem.count() + 1);
    const auto found = index.search(problem.query, {.top = top, .ef = top, .filter = filter});
    const auto allowed = static_cast<std::size_t>(
        std::count_if(filter.begin(), filter.end(), [](std::uint8_t pass) { return pass != 0; }));
    for (std::size_t k = 0; k < top; ++k) {
      RC_ASSERT((found.ids[k] >= 0) == (k < allowed));
      if (found.ids[k] >= 0) RC_ASSERT(filter[static_cast<std::size_t>(found.ids[k])] != 0);
    }
  });
}

}  // namespace HnswPropertiesTest
