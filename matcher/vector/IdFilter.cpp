// SPDX-License-Identifier: Apache-2.0
#include "IdFilter.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/vector/RowFilter.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace Kindred::Impl {

namespace {

/// Bit i is set if byte i is nonzero.
std::uint64_t bits_of(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  for (unsigned group = 0; group < 8; ++group) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes + 8 * group, 8);
    constexpr std::uint64_t low = 0x7F7F7F7F7F7F7F7FULL;
    const std::uint64_t set = ((((eight & low) + low) | eight) >> 7U) & 0x0101010101010101ULL;
    word |= (set * 0x0102040810204080ULL >> 56U) << (8 * group);
  }
  return word;
}

/// Whether one of the bitmaps has a zero bit below \p end_id.
bool keeps_back_any(std::span<const std::uint64_t> bits, std::uint64_t end_id) {
  const std::size_t words = filter_words(end_id);
  const std::uint64_t last =
      end_id % 64 == 0 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << end_id % 64);
  for (std::size_t begin = 0; begin < bits.size(); begin += words) {
    const auto one = bits.subspan(begin, words);
    const auto whole = one.first(words - 1);
    if (std::any_of(whole.begin(), whole.end(), [](std::uint64_t word) { return ~word != 0; }) ||
        (one.back() & last) != last)
      return true;
  }
  return false;
}

}  // namespace

IdFilter::IdFilter(std::span<const std::uint8_t> bytes, std::span<const std::uint64_t> bits,
                   std::uint64_t end_id, std::size_t queries)
    : m_bits(bits) {
  KINDRED_THROW_IF(!bytes.empty() && !bits.empty(),
                   "a filter of bytes and one of bits are both set; set only one");
  KINDRED_THROW_IF(!bytes.empty() && bytes.size() != end_id,
                   "the size of the filter is " + std::to_string(bytes.size()) +
                       "; it must be one byte per id, " + std::to_string(end_id));
  const std::size_t words = filter_words(end_id);
  KINDRED_THROW_IF(!bits.empty() && bits.size() != words && bits.size() != words * queries,
                   "the filter has " + std::to_string(bits.size()) + " words; " +
                       std::to_string(end_id) + " ids take " + std::to_string(words) +
                       ", or that for each of " + std::to_string(queries) + " queries");
  if (!bits.empty() && bits.size() != words) m_words_per_query = words;
  if (!bytes.empty()) {
    m_own.resize(words);
    std::size_t word = 0;
    for (; (word + 1) * 64 <= bytes.size(); ++word) m_own[word] = bits_of(bytes.data() + word * 64);
    for (std::size_t id = word * 64; id < bytes.size(); ++id)
      m_own[word] |= std::uint64_t{bytes[id] != 0} << (id % 64);
    m_bits = m_own;
  }
  if (!keeps_back_any(m_bits, end_id)) {
    m_bits = {};
    m_words_per_query = 0;
  }
}

std::size_t IdFilter::words(const LiveSegment& segment, std::size_t begin, std::size_t length,
                            std::size_t first, std::size_t queries,
                            std::vector<std::uint64_t>& words) const {
  if (m_bits.empty() && segment.live().has_all()) return 0;
  if (m_words_per_query == 0) {
    append(segment, begin, length, 0, words);
    return 0;
  }
  for (std::size_t query = first; query < first + queries; ++query)
    append(segment, begin, length, query, words);
  return filter_words(length);
}

void IdFilter::append(const LiveSegment& segment, std::size_t begin, std::size_t length,
                      std::size_t query, std::vector<std::uint64_t>& words) const {
  const std::size_t place = words.size();
  words.resize(place + filter_words(length), ~std::uint64_t{0});
  const std::span out = std::span(words).subspan(place);
  if (!m_bits.empty()) {
    const std::uint64_t* bits = m_bits.data() + query * m_words_per_query;
    const std::size_t first_id = segment.id(begin);
    if (segment->is_contiguous()) {
      const std::size_t end_word = (first_id + length - 1) / 64;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t at = first_id / 64 + i;
        const unsigned shift = first_id % 64;
        out[i] = bits[at] >> shift;
        if (shift > 0 && at < end_word) out[i] |= bits[at + 1] << (64 - shift);
      }
    } else {
      for (std::size_t row = 0; row < length; ++row) {
        if (!passes(query, segment.id(begin + row)))
          out[row / 64] &= ~(std::uint64_t{1} << (row % 64));
      }
    }
  }
  if (segment.live().has_all()) return;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] &= segment.live().word(begin / 64 + i);
}

}  // namespace Kindred::Impl
