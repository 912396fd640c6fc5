// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/QueryTables.hpp>

#include <algorithm>
#include <cstring>
#include <span>

namespace Kindred {

namespace {

/// Bytes of a code table: every symbol and the padding; host packs read 256 at once.
std::uint64_t code_table_bytes(std::uint32_t vocabulary) {
  return std::max<std::uint64_t>(256, (std::uint64_t{vocabulary} + 64) / 64 * 64);
}

/// Fills the table of one word. \p codes are of the word's segment, `no_code` for unknown symbols.
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
  for (unsigned p = 0; p < 64; ++p) {
    for (unsigned b = 0; b < 8; ++b) {
      table.planes[b][p] = static_cast<std::uint8_t>(table.masks[p] >> (8 * b));
    }
  }
}

}  // namespace

std::uint64_t QueryArrays::bytes(std::uint64_t length, std::uint32_t vocabulary) noexcept {
  const std::uint64_t words = (length + word_symbols - 1) / word_symbols;
  // A segment is cut to three words only when four have 256 different symbols.
  const std::uint64_t segments = (words + 2) / 3;
  return segments * (code_table_bytes(vocabulary) + sizeof(QuerySegment)) +
         words * (sizeof(WordTable) + sizeof(QueryColumns)) + 8;
}

void QueryArrays::build(RaggedSpan<Symbol> queries, std::span<const std::size_t> rows,
                        std::uint32_t vocabulary, bool with_columns) {
  code_stride = code_table_bytes(vocabulary);
  segments_max = words_max = 0;
  lengths.clear();
  first_segment.assign(1, 0);
  segments.clear();
  codes.clear();
  words.clear();
  columns.clear();
  std::vector<std::uint8_t> query_codes;
  for (const std::size_t q : rows) {
    const auto query = queries[q];
    lengths.push_back(static_cast<std::uint32_t>(query.size()));
    for (std::size_t at = 0; at < query.size();) {
      const std::size_t base = codes.size();
      codes.resize(base + code_stride, no_code);
      std::uint8_t* table = codes.data() + base;
      std::uint32_t distinct = 0;
      query_codes.clear();
      std::size_t end = at;
      const std::size_t last =
          std::min<std::size_t>(query.size(), at + segment_words * word_symbols);
      for (; end < last; ++end) {
        const Symbol symbol = query[end];
        if (symbol < vocabulary && table[symbol] == no_code) {
          if (distinct == no_code) break;
          table[symbol] = static_cast<std::uint8_t>(distinct++);
        }
        query_codes.push_back(symbol < vocabulary ? table[symbol] : no_code);
      }
      if (end < last) {
        // 255 codes are used up inside the fourth word: it starts the next segment.
        end -= (end - at) % word_symbols;
        query_codes.resize(end - at);
      }
      const auto segment_count =
          static_cast<std::uint32_t>((end - at + word_symbols - 1) / word_symbols);
      words_max = std::max(words_max, segment_count);
      segments.push_back({static_cast<std::uint32_t>(words.size()), segment_count, distinct});
      for (std::size_t w = 0; w < query_codes.size(); w += word_symbols) {
        const std::span<const std::uint8_t> all(query_codes);
        fill_word(words.emplace_back(),
                  all.subspan(w, std::min<std::size_t>(word_symbols, query_codes.size() - w)),
                  segment_count == 1);
      }
      if (with_columns) {
        QuerySegment& segment = segments.back();
        segment.first_columns = static_cast<std::uint32_t>(columns.size());
        append_columns(columns, query_codes, distinct);
        segment.columns = static_cast<std::uint32_t>(columns.size()) - segment.first_columns;
        for (std::size_t c = segment.first_columns, begin = 0; c < columns.size(); ++c) {
          // Below 256 symbols a table by symbol is all in registers.
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
