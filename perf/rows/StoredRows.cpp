// SPDX-License-Identifier: Apache-2.0
#include "problems/ProblemFactories.hpp"
#include "rows/Row.hpp"

#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace Kindred::Perf {

std::vector<Row> memory_rows(const RowSizes& sizes) {
  using enum MemoryCall;
  const std::size_t patterns = sizes.scaled(1e6, 1000);
  const auto all = static_cast<double>(patterns);
  const auto memory = std::make_shared<std::shared_ptr<TrainedMemory>>();
  std::vector<Row> rows;
  for (const auto& [name, call, calls, repeats, work] :
       {std::tuple("learn-texts", learn_texts, all, 3, "learn_all of texts: a pattern"),
        std::tuple("learn-symbols", learn_symbols, all, 3, "learn_all of numbers: a pattern"),
        std::tuple("train", train, all, 3, "learn one by one, and synchronise: a pattern"),
        std::tuple("query", query, 1.0, 20, "top-100 of a query of 64"),
        std::tuple("query-candidates", query_candidates, 1.0, 20,
                   "top-100 of one pattern in a thousand"),
        std::tuple("learn-one", learn_one, 1.0, 10000, "a pattern is learned"),
        std::tuple("query-after-learn", query_after_learn, 1.0, 200,
                   "a pattern is learned, and the next query"),
        std::tuple("save", save, all, 3, "a file is written: a pattern"),
        std::tuple("load", load, all, 3, "a file is read: a pattern")}) {
    rows.push_back({.name = std::string("pattern-memory/") + name,
                    .work = std::to_string(patterns) + " patterns of 100, vocabulary 4096; " + work,
                    .calls = calls,
                    .compare_bits = false,
                    .is_routed = true,
                    .repeats = repeats,
                    .make = [=, call = call] {
                      if (!*memory) *memory = trained_memory(sizes.context, patterns, sizes.seed);
                      return memory_problem(*memory, call);
                    }});
  }
  return rows;
}

std::vector<Row> hnsw_rows(const RowSizes& sizes) {
  /// The data and the index of the last size.
  struct Shared {
    std::shared_ptr<const ClusteredRows> rows;
    std::shared_ptr<const HnswIndex> index;
  };
  std::vector<Row> rows;
  const auto shared = std::make_shared<Shared>();
  const std::vector<std::string> tags{"hnsw", "peers"};
  for (const double size : {10e3, 100e3}) {
    const std::size_t count = sizes.scaled(size);
    const std::string name = std::to_string(static_cast<int>(size / 1000)) + "k";
    const auto data = [=] {
      if (!shared->rows || shared->rows->rows.size() != count * shared->rows->dimension) {
        *shared = {};
        shared->rows = std::make_shared<ClusteredRows>(sizes.context, count, sizes.scaled(1000, 20),
                                                       sizes.seed);
      }
      return shared->rows;
    };
    const std::string what = std::to_string(count) + " clustered rows of 128, l2, M 16";
    rows.push_back({.name = "hnsw/build-" + name,
                    .tags = tags,
                    .work = "an index of " + what,
                    .compare_bits = false,
                    .repeats = 2,
                    .make = [=] { return hnsw_build_problem(data()); }});
    for (const std::size_t ef : {10, 20, 40, 80, 160}) {
      rows.push_back({.name = "hnsw/search-" + name + "-ef-" + std::to_string(ef),
                      .tags = tags,
                      .work = "top-10 of " + what + ": a query",
                      .calls = static_cast<double>(sizes.scaled(1000, 20)),
                      .make = [=] {
                        auto found = data();
                        if (!shared->index)
                          shared->index = std::make_shared<const HnswIndex>(hnsw_index(*found));
                        return hnsw_search_problem(std::move(found), shared->index, ef);
                      }});
    }
  }
  return rows;
}

}  // namespace Kindred::Perf
