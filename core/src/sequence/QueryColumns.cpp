// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/QueryColumns.hpp>

#include <algorithm>
#include <cstring>

namespace Kindred {

namespace {

constexpr std::uint32_t places_max = 64;

/// The number of symbols in the next run: whole planes with at most 64 distinct symbols. A run ends
/// with the plane in which the 64th distinct symbol first appears, so that symbol has no bits in
/// earlier planes.
std::size_t run_length(std::span<const std::uint8_t> codes, unsigned planes_max) {
  bool seen[256] = {};
  std::uint32_t distinct = 0;
  std::size_t length = 0;
  const std::size_t most =
      std::min<std::size_t>(codes.size(), std::size_t{planes_max} * plane_symbols);
  while (length < most && distinct < places_max) {
    const std::size_t end = std::min<std::size_t>(most, length + plane_symbols);
    std::uint32_t fresh = 0;
    for (std::size_t j = length; j < end; ++j) {
      if (codes[j] == no_code || seen[codes[j]]) continue;
      seen[codes[j]] = true;
      ++fresh;
    }
    if (distinct + fresh > places_max) break;
    distinct += fresh;
    length = end;
  }
  return length;
}

void fill(QueryColumns& columns, std::span<const std::uint8_t> codes, bool codes_are_places) {
  std::memset(&columns, 0, sizeof(columns));
  std::memset(columns.place, no_code, sizeof(columns.place));
  columns.symbols = static_cast<std::uint32_t>(codes.size());
  columns.codes_are_places = codes_are_places;
  std::uint8_t places = 0;
  for (std::size_t j = 0; j < codes.size(); ++j) {
    const std::uint8_t code = codes[j];
    if (code == no_code) continue;
    std::uint8_t& place = columns.place[code];
    if (place == no_code) place = codes_are_places ? code : places++;
    if (place == places_max - 1) columns.full = true;
    columns.planes[j / plane_symbols][place] |=
        static_cast<std::uint8_t>(1U << (j % plane_symbols));
    columns.masks[j / word_symbols][place] |= std::uint64_t{1} << (j % word_symbols);
  }
}

/// Whether every entry fits one of the two ways of its bucket.
bool fill_hash(SlotHash& hash, std::uint16_t multiplier, const QueryColumns& columns,
               std::span<const Symbol> symbols, std::span<const std::uint8_t> codes) {
  std::memset(hash.place, no_code, sizeof(hash.place));
  for (std::size_t j = 0; j < symbols.size(); ++j) {
    if (codes[j] == no_code) continue;
    const auto product = static_cast<std::uint16_t>(symbols[j] * multiplier);
    const unsigned bucket = product >> 8U;
    const auto remainder = static_cast<std::uint8_t>(product);
    const std::uint8_t place = columns.place[codes[j]];
    unsigned way = 0;
    while (way < 2 && hash.place[way][bucket] != no_code && hash.place[way][bucket] != place) ++way;
    if (way == 2) return false;
    hash.place[way][bucket] = place;
    hash.remainder[way][bucket] = remainder;
  }
  return true;
}

}  // namespace

void hash_symbols(QueryColumns& columns, std::span<const Symbol> symbols,
                  std::span<const std::uint8_t> codes) {
  // With 64 symbols in 256 buckets, about every second try has no bucket with three symbols.
  std::uint32_t multiplier = 0x9E37;
  for (int tries = 0; tries < 64; ++tries) {
    if (fill_hash(columns.hash, static_cast<std::uint16_t>(multiplier | 1U), columns, symbols,
                  codes)) {
      columns.hash.multiplier = static_cast<std::uint16_t>(multiplier | 1U);
      return;
    }
    multiplier = multiplier * 0x6255U + 0x3619U;
  }
}

void append_columns(std::vector<QueryColumns>& columns, std::span<const std::uint8_t> codes,
                    std::uint32_t distinct) {
  const bool one_run = run_length(codes, column_planes) == codes.size();
  const bool codes_are_places = distinct < places_max || one_run;
  const unsigned planes_max = one_run ? column_planes : linked_planes;
  for (std::size_t begin = 0; begin < codes.size();) {
    const std::size_t length = run_length(codes.subspan(begin), planes_max);
    fill(columns.emplace_back(), codes.subspan(begin, length), codes_are_places);
    begin += length;
  }
}

}  // namespace Kindred
