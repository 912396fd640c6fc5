// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of graphs of vectors.
#include <kindred/matcher/Recall.hpp>

#include "Arguments.hpp"
#include "Hnsw.hpp"
#include "Vector.hpp"

namespace Kindred::C {

kindred_status kindred_recall(const DLTensor* found, const DLTensor* truth, std::uint64_t* hits,
                              std::uint64_t* all) noexcept {
  return guarded([&] {
    require_all({{found, "found"}, {truth, "truth"}, {hits, "hits"}, {all, "all"}});
    const ConstArray array = array_of(found, "found");
    const auto top = static_cast<std::uint64_t>(array.extent(array.rank() - 1));
    std::uint64_t rows = 0;
    std::uint64_t true_rows = 0;
    const std::span<const std::int64_t> ids = matrix_of<std::int64_t>(found, "found", top, &rows);
    const std::span<const std::int64_t> true_ids =
        matrix_of<std::int64_t>(truth, "truth", top, &true_rows);
    KINDRED_C_REFUSE_IF(rows != true_rows, "found has " + std::to_string(rows) +
                                               " rows and truth has " + std::to_string(true_rows) +
                                               "; they must have as many");
    const Recall recall = recall_of(ids, true_ids, top);
    *hits = recall.found;
    *all = recall.all;
  });
}

}  // namespace Kindred::C
