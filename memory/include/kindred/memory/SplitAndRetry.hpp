// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_SPLIT_AND_RETRY_HPP
#define KINDRED_MEMORY_SPLIT_AND_RETRY_HPP

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <cstddef>

namespace Kindred {

/// \brief Runs `body(begin, count)` over `0 … total` in batches, halving the batch when memory runs
/// out.
///
/// The batches run in order and each is retried from its start, so \p body must overwrite what it
/// wrote; every item succeeds once. The result must not depend on the batch size. A batch size that
/// was halved stays so; hence there are at most ⌈log₂ batch⌉ splits (the retry of Spark-RAPIDS,
/// without its queue).
/// \param batch the largest batch to try; 0 is treated as 1
/// \return number of times the batch was halved
/// \throws OutOfMemory if a batch of one item does not fit; Cancelled between two batches; rethrows
/// what else \p body throws
template <class Body>
std::size_t split_and_retry(std::size_t total, std::size_t batch, const Body& body) {
  batch = std::max<std::size_t>(batch, 1);
  std::size_t splits = 0;
  for (std::size_t begin = 0; begin < total;) {
    Impl::CancelPoint().check();
    const std::size_t count = std::min(batch, total - begin);
    try {
      body(begin, count);
      begin += count;
    } catch (const OutOfMemory&) {
      if (count == 1) throw;
      batch = (count + 1) / 2;
      ++splits;
    }
  }
  return splits;
}

}  // namespace Kindred

#endif  // KINDRED_MEMORY_SPLIT_AND_RETRY_HPP
