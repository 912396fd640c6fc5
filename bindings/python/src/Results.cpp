// SPDX-License-Identifier: Apache-2.0
#include "Results.hpp"

namespace nb = nanobind;

namespace Kindred::Python {

nb::object ragged_of(const Ragged<ScoredId>& results) {
  return nb::make_tuple(ids_array_of(results.offsets),
                        column_of<std::int64_t>(results.values, &ScoredId::id),
                        column_of<float>(results.values, &ScoredId::score));
}

nb::object matches_of(const MatchResults& results, bool has_blocks) {
  const std::vector<Match>& matches = results.matches.values;
  return nb::make_tuple(ids_array_of(results.matches.offsets),
                        column_of<std::int64_t>(matches, &Match::index),
                        column_of<double>(matches, &Match::similarity),
                        column_of<std::uint32_t>(matches, &Match::matched),
                        column_of<double>(matches, &Match::distance),
                        has_blocks ? ids_array_of(results.blocks.offsets) : nb::none(),
                        has_blocks ? array_of_blocks(results.blocks.values) : nb::none());
}

nb::object array_of_blocks(const std::vector<Block>& blocks) {
  static_assert(sizeof(Block) == 3 * sizeof(std::uint32_t));
  nb::object made = empty_array(DataType::uint32, {static_cast<std::int64_t>(blocks.size()), 3});
  const Output out(made, "blocks");
  std::copy_n(reinterpret_cast<const std::uint32_t*>(blocks.data()), 3 * blocks.size(),
              out.array().host_values<std::uint32_t>().begin());
  return made;
}

nb::bytes bytes_of(const std::vector<std::byte>& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

nb::object ids_array_of(const std::vector<std::uint64_t>& ids) {
  return array_of(
      std::span<const std::int64_t>(reinterpret_cast<const std::int64_t*>(ids.data()), ids.size()));
}

}  // namespace Kindred::Python
