// SPDX-License-Identifier: Apache-2.0
#include "WordTexts.hpp"

#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/TokenSetScore.hpp>

#include "WordForms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace Kindred::Impl {

namespace {

/// A word of a text, with its first symbols as a number that orders words.
template <class Element>
struct TextWord {
  std::uint64_t key;
  const Element* begin;
  std::uint32_t size;

  static constexpr std::uint32_t key_symbols = 8 / sizeof(Element);

  /// \param end of the text
  TextWord(const Element* first, std::uint32_t symbols, const Element* end)
      : key(0), begin(first), size(symbols) {
    const std::uint32_t some = std::min(size, key_symbols);
    if constexpr (sizeof(Element) == 1 && std::endian::native == std::endian::little) {
      if (end - first >= 8) {
        std::memcpy(&key, first, 8);
        key = __builtin_bswap64(key) & ~std::uint64_t{0} << (64 - 8 * some);
        return;
      }
    }
    for (std::uint32_t i = 0; i < some; ++i)
      key |= std::uint64_t{first[i]} << (64 - 8 * sizeof(Element) * (i + 1));
  }

  bool operator<(const TextWord& b) const {
    if (key != b.key) return key < b.key;
    return std::lexicographical_compare(begin, begin + size, b.begin, b.begin + b.size);
  }
  bool operator==(const TextWord& b) const {
    return key == b.key && size == b.size && std::equal(begin, begin + size, b.begin);
  }
};

template <class Element>
bool separates(Element symbol) {
  if constexpr (sizeof(Element) == 1) {
    static constexpr auto table = [] {
      std::array<bool, 256> made{};
      for (Symbol symbol = 0; symbol < 256; ++symbol) made[symbol] = is_white_space(symbol);
      return made;
    }();
    return table[symbol];
  } else {
    return is_white_space(symbol);
  }
}

/// Reads the words of a text, in ascending order. \param different whether equal ones count once
template <class Element>
void read_words(const Element* text, std::uint32_t size, bool different,
                std::vector<TextWord<Element>>& words) {
  words.clear();
  const Element* const end = text + size;
  for (const Element* at = text;;) {
    while (at != end && separates(*at)) ++at;
    if (at == end) break;
    const Element* const begin = at;
    while (at != end && !separates(*at)) ++at;
    words.emplace_back(begin, static_cast<std::uint32_t>(at - begin), end);
  }
  constexpr std::size_t few = 16;
  if (words.size() > few) {
    std::sort(words.begin(), words.end());
  } else {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const TextWord<Element> word = words[i];
      std::size_t to = i;
      for (; to > 0 && word < words[to - 1]; --to) words[to] = words[to - 1];
      words[to] = word;
    }
  }
  if (different) words.erase(std::unique(words.begin(), words.end()), words.end());
}

/// Writes the words, joined by spaces, to \p out and returns the end.
template <class Element>
Element* join(const std::vector<TextWord<Element>>& words, Element* out) {
  for (const TextWord<Element>& word : words) {
    if (&word != words.data()) *out++ = static_cast<Element>(word_separator);
    out = std::copy_n(word.begin, word.size, out);
  }
  return out;
}

/// Words of a query that a bit set holds.
constexpr std::size_t query_words_max = 64;

/// The buffers of a call, for texts of one width.
template <class Element>
struct WordBuffers {
  std::vector<TextWord<Element>> words;
  std::vector<Element> joined;
};

}  // namespace

WordTexts::WordTexts(Measure measure, std::span<const Symbol> query)
    : m_is_set(measure == Measure::token_set) {
  std::vector<TextWord<Symbol>> words;
  read_words(query.data(), static_cast<std::uint32_t>(query.size()), m_is_set, words);
  for (const TextWord<Symbol>& word : words)
    m_words.emplace_back(word.begin, word.begin + word.size);
  const std::vector<Symbol> joined = others_of_query(0);
  m_joined = static_cast<std::uint32_t>(joined.size());
  const bool is_known = std::find(joined.begin(), joined.end(), unknown_symbol) == joined.end();
  if (is_known && joined.size() <= TextMasks::query_max &&
      (!m_is_set || m_words.size() <= query_words_max))
    m_masks.emplace(joined);
}

std::vector<Symbol> WordTexts::others_of_query(std::uint64_t common) const {
  std::vector<Symbol> joined;
  for (std::size_t i = 0; i < m_words.size(); ++i) {
    if (i < query_words_max && (common >> i & 1U) != 0) continue;
    if (!joined.empty()) joined.push_back(word_separator);
    joined.insert(joined.end(), m_words[i].begin(), m_words[i].end());
  }
  return joined;
}

void WordTexts::compare(std::span<const TextSpan> texts, PairResult* out,
                        std::vector<std::size_t>& others) const {
  others.clear();
  WordBuffers<std::uint8_t> bytes;
  WordBuffers<std::uint16_t> narrow;
  WordBuffers<std::uint32_t> wide;
  std::array<std::size_t, 3> sizes{};
  for (const TextSpan& text : texts) sizes[text.symbol_bytes / 2] += text.size;
  bytes.joined.resize(sizes[0]);
  narrow.joined.resize(sizes[1]);
  wide.joined.resize(sizes[2]);
  std::uint8_t* byte_end = bytes.joined.data();
  std::uint16_t* narrow_end = narrow.joined.data();
  std::uint32_t* wide_end = wide.joined.data();

  std::vector<Joined> joined;
  joined.reserve(texts.size());
  const auto add = [&](std::size_t i, auto& buffers, auto*& end) {
    using Element = std::remove_cvref_t<decltype(*end)>;
    const TextSpan& text = texts[i];
    const auto* const symbols = static_cast<const Element*>(text.data);
    if constexpr (sizeof(Element) == 4) {
      if (std::find(symbols, symbols + text.size, unknown_symbol) != symbols + text.size) {
        others.push_back(i);
        return;
      }
    }
    read_words(symbols, text.size, m_is_set, buffers.words);
    if (buffers.words.empty() || m_words.empty()) {
      // Texts without words are equal under `token_sort` alone.
      out[i] = {!m_is_set && buffers.words.empty() && m_words.empty() ? 1.0 : 0.0, 0};
      return;
    }
    std::uint64_t common = 0;
    if (m_is_set) {
      std::erase_if(buffers.words, [&](const TextWord<Element>& word) {
        for (std::size_t w = 0; w < m_words.size(); ++w) {
          const std::vector<Symbol>& other = m_words[w];
          if (other.size() != word.size || !std::equal(other.begin(), other.end(), word.begin))
            continue;
          common |= std::uint64_t{1} << w;
          return true;
        }
        return false;
      });
    }
    Element* const begin = end;
    end = join(buffers.words, begin);
    joined.push_back(
        {common, i, {begin, static_cast<std::uint32_t>(end - begin), sizeof(Element)}});
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!m_masks) {
      others.push_back(i);
    } else if (texts[i].symbol_bytes == 1) {
      add(i, bytes, byte_end);
    } else if (texts[i].symbol_bytes == 2) {
      add(i, narrow, narrow_end);
    } else {
      add(i, wide, wide_end);
    }
  }
  const auto precedes = [](const Joined& a, const Joined& b) { return a.common < b.common; };
  if (!std::is_sorted(joined.begin(), joined.end(), precedes))
    std::sort(joined.begin(), joined.end(), precedes);
  for (auto begin = joined.begin(); begin != joined.end();) {
    const auto end = std::upper_bound(begin, joined.end(), *begin, precedes);
    compare_joined({begin, end}, out);
    begin = end;
  }
}

void WordTexts::compare_joined(std::span<const Joined> texts, PairResult* out) const {
  const std::uint64_t common = texts.front().common;
  std::vector<TextSpan> spans(texts.size());
  std::transform(texts.begin(), texts.end(), spans.begin(),
                 [](const Joined& joined) { return joined.text; });
  std::vector<std::uint32_t> counts(texts.size());
  std::uint32_t base = 0;
  std::uint32_t left = m_joined;
  if (common == 0) {
    m_masks->lcs(spans, counts.data());
  } else {
    const std::vector<Symbol> others = others_of_query(common);
    left = static_cast<std::uint32_t>(others.size());
    base = m_joined - left - (left > 0 ? 1 : 0);
    if (left > 0) TextMasks(others).lcs(spans, counts.data());
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::uint32_t size = spans[i].size;
    double similarity = 1.0;  // of sets of which one includes the other
    if (!m_is_set) {
      similarity = Kindred::similarity(SimilarityScale::percent, counts[i], size, m_joined);
    } else if (common == 0 || (size > 0 && left > 0)) {
      similarity = token_set_similarity(base, size, left, counts[i]);
    }
    out[texts[i].index] = {similarity, base + (size > 0 ? counts[i] : 0)};
  }
}

}  // namespace Kindred::Impl
