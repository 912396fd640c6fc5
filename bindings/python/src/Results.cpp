// SPDX-License-Identifier: Apache-2.0
#include "Results.hpp"

#include "Arrays.hpp"

#include <cstddef>
#include <cstdint>

namespace nb = nanobind;

namespace Kindred::Python {

nb::object ragged_of(const Ragged<ScoredId>& results) {
  const auto count = static_cast<std::int64_t>(results.values.size());
  nb::object lims =
      empty_array(DataType::int64, {static_cast<std::int64_t>(results.offsets.size())});
  nb::object ids = empty_array(DataType::int64, {count});
  nb::object scores = empty_array(DataType::float32, {count});
  const Output lims_out(lims, "lims");
  const Output ids_out(ids, "ids");
  const Output scores_out(scores, "scores");
  auto* const offsets = static_cast<std::int64_t*>(lims_out.array().data());
  for (std::size_t i = 0; i < results.offsets.size(); ++i)
    offsets[i] = static_cast<std::int64_t>(results.offsets[i]);
  auto* const id = static_cast<std::int64_t*>(ids_out.array().data());
  auto* const score = static_cast<float*>(scores_out.array().data());
  for (std::size_t i = 0; i < results.values.size(); ++i) {
    id[i] = results.values[i].id;
    score[i] = results.values[i].score;
  }
  return nb::make_tuple(lims, ids, scores);
}

nb::object matches_of(const MatchResults& results, bool has_blocks) {
  const std::vector<Match>& matches = results.matches.values;
  const auto array = [&]<class T>(DataType type, T /*element*/, const auto& value) {
    nb::object made = empty_array(type, {static_cast<std::int64_t>(matches.size())});
    const Output out(made, "results");
    auto* const data = static_cast<T*>(out.array().data());
    for (std::size_t i = 0; i < matches.size(); ++i) data[i] = static_cast<T>(value(matches[i]));
    return made;
  };
  nb::object block_lims = nb::none();
  nb::object blocks = nb::none();
  if (has_blocks) {
    block_lims = ids_array_of(results.blocks.offsets);
    blocks = array_of_blocks(results.blocks.values);
  }
  return nb::make_tuple(
      ids_array_of(results.matches.offsets),
      array(DataType::int64, std::int64_t{}, [](const Match& match) { return match.index; }),
      array(DataType::float64, double{}, [](const Match& match) { return match.similarity; }),
      array(DataType::uint32, std::uint32_t{}, [](const Match& match) { return match.matched; }),
      array(DataType::float64, double{}, [](const Match& match) { return match.distance; }),
      block_lims, blocks);
}

nb::object array_of_blocks(const std::vector<Block>& blocks) {
  nb::object made = empty_array(DataType::uint32, {static_cast<std::int64_t>(blocks.size()), 3});
  const Output out(made, "blocks");
  auto* data = static_cast<std::uint32_t*>(out.array().data());
  for (const Block& block : blocks) {
    *data++ = block.pattern_begin;
    *data++ = block.query_begin;
    *data++ = block.length;
  }
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
