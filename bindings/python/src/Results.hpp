// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_RESULTS_HPP
#define KINDRED_PYTHON_RESULTS_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/MatchingBlock.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace Kindred::Python {

/// A member of many values as an array of \p T.
template <class T, class Value, class Member>
nanobind::object column_of(const std::vector<Value>& values, Member Value::*member) {
  nanobind::object made = empty_array(data_type_of<T>, {static_cast<std::int64_t>(values.size())});
  const Output out(made, "results");
  std::transform(values.begin(), values.end(), out.array().host_values<T>().begin(),
                 [&](const Value& value) { return static_cast<T>(value.*member); });
  return made;
}

/// `(offsets, ids, scores)`: int64, int64 and float32.
nanobind::object ragged_of(const Ragged<ScoredId>& results);
/// `(offsets, ids, scores, matched, distances, block_offsets, blocks)`: int64, int64, float64,
/// uint32, float64, int64 and uint32 [n, 3]; the last two are None without blocks.
nanobind::object matches_of(const MatchResults& results, bool has_blocks);
/// uint32 [n, 3]: begin in the pattern, begin in the query, length.
nanobind::object array_of_blocks(const std::vector<Block>& blocks);
/// What `to_bytes` of an engine returns.
nanobind::bytes bytes_of(const std::vector<std::byte>& bytes);
/// int64
nanobind::object ids_array_of(const std::vector<std::uint64_t>& ids);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_RESULTS_HPP
