// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/QueryTables.hpp>

#include <algorithm>
#include <cstring>
#include <span>

namespace Kindred {

namespace {

/// Bytes of a code table for every symbol and the padding; host packs read 256 at a time.
std::uint64_t code_table_bytes(std::uint32_t vocabulary) {
  return std::max<std::uint64_t>(256, (std::uint64_t{vocabulary} + 64) / 64 * 64);
}

/// Fills the table of one word. \p codes of the word's segment, `no_code` for unknown symbols.
void fill_word(WordTable& table, std::span<const std::uint8_t> codes, bool codes_are_places) {
  std::memset(&table, 0, sizeof(table));
  std::memset(table.place, no_code, sizeof(table.place));
  std::uint8_t places = 0;
  for (std::size_t j = 0; j < codes.size(); ++j) {
    const std::uint8_t code = codes[j];
    if (code == no_code) continue;
    if (table.place[code] == no_code) table.place[code] = codes_are_places ? code : places++;
    table.masks[table.place[code]] |= std::uint64_t{1} << j;
  }
}

}  // namespace

std::uint64_t QueryArrays::bytes(std::uint64_t length, std::uint32_t vocabulary,
                                 CodeLookup lookup) noexcept {
  const std::uint64_t words = quotient_up(length, word_symbols);
  // A segment is shortened to three words only if four have 256 distinct symbols.
  const std::uint64_t segments = (words + 2) / 3;
  const auto codes = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, no_code));
  const std::uint64_t codes_bytes = lookup == CodeLookup::table
                                        ? code_table_bytes(vocabulary)
                                        : sizeof(std::uint32_t) << SymbolHash::bits_for(codes);
  return segments * (codes_bytes + sizeof(QuerySegment)) +
         words * (sizeof(WordTable) + sizeof(QueryColumns)) + 8;
}

void QueryArrays::build(RaggedSpan<Symbol> queries, std::span<const std::size_t> rows,
                        std::uint32_t vocabulary, CodeLookup lookup) {
  code_stride = code_table_bytes(vocabulary);
  segments_max = words_max = codes_max = hash_bits_max = 0;
  lengths.clear();
  first_segment.assign(1, 0);
  segments.clear();
  codes.clear();
  hash.clear();
  words.clear();
  columns.clear();
  if (lookup == CodeLookup::hash) codes.resize(code_stride, no_code);
  std::vector<std::uint8_t> query_codes;
  std::vector<Symbol> distinct_symbols;
  for (const std::size_t q : rows) {
    const auto query = queries[q];
    lengths.push_back(static_cast<std::uint32_t>(query.size()));
    for (std::size_t at = 0; at < query.size();) {
      if (lookup == CodeLookup::table) codes.resize(codes.size() + code_stride, no_code);
      std::uint8_t* table = codes.data() + codes.size() - code_stride;
      query_codes.clear();
      distinct_symbols.clear();
      std::size_t end = at;
      const std::size_t last =
          std::min<std::size_t>(query.size(), at + segment_words * word_symbols);
      for (; end < last; ++end) {
        const Symbol symbol = query[end];
        if (symbol < vocabulary && table[symbol] == no_code) {
          if (distinct_symbols.size() == no_code) break;
          table[symbol] = static_cast<std::uint8_t>(distinct_symbols.size());
          distinct_symbols.push_back(symbol);
        }
        query_codes.push_back(symbol < vocabulary ? table[symbol] : no_code);
      }
      if (end < last) {
        // The 255 codes are used up inside the fourth word, which then starts the next segment.
        end -= (end - at) % word_symbols;
        query_codes.resize(end - at);
      }
      const auto segment_count = static_cast<std::uint32_t>(quotient_up(end - at, word_symbols));
      words_max = std::max(words_max, segment_count);
      const auto distinct = static_cast<std::uint32_t>(distinct_symbols.size());
      codes_max = std::max(codes_max, distinct);
      segments.push_back({static_cast<std::uint32_t>(words.size()), segment_count, distinct});
      if (lookup == CodeLookup::hash) {
        QuerySegment& segment = segments.back();
        segment.first_entry = static_cast<std::uint32_t>(hash.size());
        const SymbolHash made = SymbolHash::build(distinct_symbols, hash);
        segment.multiplier = made.multiplier;
        segment.hash_bits = made.bits;
        hash_bits_max = std::max(hash_bits_max, made.bits);
        for (const Symbol symbol : distinct_symbols) table[symbol] = no_code;
      }
      for (std::size_t w = 0; w < query_codes.size(); w += word_symbols) {
        const std::span<const std::uint8_t> all(query_codes);
        fill_word(words.emplace_back(),
                  all.subspan(w, std::min<std::size_t>(word_symbols, query_codes.size() - w)),
                  segment_count == 1);
      }
      if (lookup == CodeLookup::table) {
        QuerySegment& segment = segments.back();
        segment.first_columns = static_cast<std::uint32_t>(columns.size());
        append_columns(columns, query_codes, distinct);
        segment.columns = static_cast<std::uint32_t>(columns.size()) - segment.first_columns;
        for (std::size_t c = segment.first_columns, begin = 0; c < columns.size(); ++c) {
          // Below 256 symbols a table indexed by symbol fits into registers.
          if (vocabulary <= 0xFFU || vocabulary > 0xFFFFU) break;
          const std::size_t length = columns[c].symbols;
          hash_symbols(columns[c], query.subspan(at + begin, length),
                       std::span<const std::uint8_t>(query_codes).subspan(begin, length));
          begin += length;
        }
      }
      at = end;
    }
    first_segment.push_back(static_cast<std::uint32_t>(segments.size()));
    segments_max = std::max(segments_max, first_segment.back() - *(first_segment.end() - 2));
  }
}

}  // namespace Kindred
