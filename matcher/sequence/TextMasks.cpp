// SPDX-License-Identifier: Apache-2.0
#include "TextMasks.hpp"

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/arch/simd/WordLanes.hpp>
#include <kindred/core/sequence/WordTable.hpp>
#include <kindred/core/sequence/impl/EditState.hpp>
#include <kindred/core/sequence/impl/JaroWinklerScore.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace Kindred::Impl {

namespace {

constexpr std::size_t low_symbols = 256;

/// Registers of words that are advanced together, since a recurrence waits for its own results, and
/// texts in a run.
constexpr unsigned registers = 2;
constexpr unsigned run_texts = registers * Arch::word_lanes<std::uint32_t>;

/// Texts that are compared together.
template <class Word>
constexpr unsigned lanes_of = registers* Arch::word_lanes<Word>;

/// Ones in every bit of a word or of lanes of words.
template <class Words>
Words ones() {
  if constexpr (std::is_integral_v<Words>) {
    return static_cast<Words>(~Words{0});
  } else {
    return ~Words::all(0);
  }
}

constexpr std::size_t words_max = TextMasks::query_max / word_symbols;

}  // namespace

TextMasks::TextMasks(std::span<const Symbol> query)
    : m_length(query.size()),
      m_words(std::max<std::size_t>(quotient_up(query.size(), word_symbols), 1)),
      m_low(low_symbols * m_words, 0),
      m_rows(m_words, 0) {
  const auto high =
      static_cast<std::size_t>(std::count_if(query.begin(), query.end(), [](Symbol symbol) {
        return symbol >= low_symbols && symbol != unknown_symbol;
      }));
  m_hash.resize(std::bit_ceil(2 * high + 2));
  m_shift = 64 - static_cast<unsigned>(std::countr_zero(m_hash.size()));
  for (std::size_t j = 0; j < query.size(); ++j) {
    const Symbol symbol = query[j];
    if (symbol == unknown_symbol) continue;
    const std::uint64_t bit = std::uint64_t{1} << (j % word_symbols);
    if (symbol < low_symbols) {
      m_low[symbol * m_words + j / word_symbols] |= bit;
      continue;
    }
    std::size_t at = (symbol * 0x9E3779B97F4A7C15ULL) >> m_shift;
    while (m_hash[at].row != 0 && m_hash[at].symbol != symbol) at = (at + 1) & (m_hash.size() - 1);
    if (m_hash[at].row == 0) {
      m_hash[at] = {symbol, static_cast<std::uint32_t>(m_rows.size() / m_words)};
      m_rows.resize(m_rows.size() + m_words, 0);
    }
    m_rows[m_hash[at].row * m_words + j / word_symbols] |= bit;
  }
}

/// The masks of symbols of one type.
template <class Element>
struct TextMasks::Lookup {
  const TextMasks& of;
  const std::uint64_t* low = of.m_low.data();

  const std::uint64_t* row(Element symbol) const {
    if constexpr (sizeof(Element) > 1) {
      if (symbol >= low_symbols) return of.high_row(symbol);
    }
    return low + symbol * of.m_words;
  }
  /// The mask of a query of one word, of which the first bits are used.
  template <class Word>
  Word word(Element symbol) const {
    if constexpr (sizeof(Element) > 1) {
      if (symbol >= low_symbols) return static_cast<Word>(*of.high_row(symbol));
    }
    return static_cast<Word>(low[symbol]);
  }
};

/// The recurrence of the LCS: zeros of the state are matched symbols.
struct TextMasks::Lcs {
  /// Of a query of one word, for one text or for those of a register.
  template <class Words>
  struct State {
    Words word = ones<Words>();

    void step(const Words& mask) {
      const Words both = word & mask;
      word = (word + both) | (word - both);
    }
    /// The states of single texts.
    template <class Word>
    void split(State<Word>* states) const {
      Word words[Words::size];
      word.store(words);
      for (unsigned l = 0; l < Words::size; ++l) states[l].word = words[l];
    }
    std::uint32_t result(std::size_t /*query*/, std::size_t /*text*/) const {
      return count_bits(static_cast<Words>(~word));
    }
  };

  /// Of \p words words.
  struct LongState {
    std::size_t words;
    std::array<std::uint64_t, words_max> word;

    explicit LongState(std::size_t count) : words(count) { word.fill(~std::uint64_t{0}); }
    void step(const std::uint64_t* mask) {
      std::uint64_t carry = 0;
      for (std::size_t w = 0; w < words; ++w) {
        const std::uint64_t before = word[w];
        const std::uint64_t both = before & mask[w];
        const std::uint64_t half = before + both;
        const std::uint64_t sum = half + carry;
        carry = static_cast<std::uint64_t>(half < before) | static_cast<std::uint64_t>(sum < half);
        word[w] = sum | (before - both);
      }
    }
    std::uint32_t result(std::size_t /*query*/, std::size_t /*text*/) const {
      std::uint32_t count = 0;
      for (std::size_t w = 0; w < words; ++w) count += count_bits(~word[w]);
      return count;
    }
  };
};

/// The recurrences of the edit distances.
template <EditKind kind>
struct TextMasks::Edits {
  static std::uint32_t matched(std::size_t query, std::size_t text, std::int64_t heights) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::max(query, text)) -
                                      static_cast<std::int64_t>(text) - heights);
  }

  /// `EditState` of one word, into which nothing is carried, for one text or for those of a
  /// register.
  template <class Words>
  struct State {
    static constexpr bool swaps = kind == EditKind::osa;
    Words rises = ones<Words>();
    Words falls = ~ones<Words>();
    // Of the preceding symbol, for transpositions.
    Words equal = ~ones<Words>();
    Words zero_diagonal = ~ones<Words>();

    void step(const Words& mask) {
      Words zero = (((mask & rises) + rises) ^ rises) | mask | falls;
      if constexpr (swaps) {
        const Words begins = ~zero_diagonal & mask;
        zero = zero | ((begins + begins) & equal);
        equal = mask;
        zero_diagonal = zero;
      }
      const Words right_rises = falls | ~(zero | rises);
      const Words right_falls = zero & rises;
      const Words above_rises = right_rises + right_rises - ones<Words>();
      const Words above_falls = right_falls + right_falls;
      rises = above_falls | ~(zero | above_rises);
      falls = above_rises & zero;
    }
    template <class Word>
    void split(State<Word>* states) const {
      const auto put = [&](const Words& from, Word State<Word>::*to) {
        Word words[Words::size];
        from.store(words);
        for (unsigned l = 0; l < Words::size; ++l) states[l].*to = words[l];
      };
      put(rises, &State<Word>::rises);
      put(falls, &State<Word>::falls);
      if constexpr (swaps) {
        put(equal, &State<Word>::equal);
        put(zero_diagonal, &State<Word>::zero_diagonal);
      }
    }
    std::uint32_t result(std::size_t query, std::size_t text) const {
      const auto valid = static_cast<Words>(valid_bits(static_cast<std::uint32_t>(query), 0));
      return matched(query, text,
                     static_cast<std::int64_t>(count_bits(rises & valid)) -
                         static_cast<std::int64_t>(count_bits(falls & valid)));
    }
  };

  struct LongState {
    std::size_t words;
    std::array<EditState<kind, 1>, words_max> state;

    explicit LongState(std::size_t count) : words(count) {}
    void step(const std::uint64_t* mask) {
      EditCarry carry;
      for (std::size_t w = 0; w < words; ++w) state[w].step(mask + w, carry);
    }
    std::uint32_t result(std::size_t query, std::size_t text) const {
      std::int64_t heights = 0;
      for (std::size_t w = 0; w < words; ++w) {
        heights += state[w].height(
            static_cast<std::uint32_t>(std::min<std::size_t>(query - w * word_symbols, 64)));
      }
      return matched(query, text, heights);
    }
  };
};

namespace {

/// \brief The texts of a group by width and length: short ones ascend, so that texts that are
/// compared together end together.
class TextOrder {
 public:
  static constexpr std::size_t group_max = 1024;

  /// \param texts at most `group_max`
  explicit TextOrder(std::span<const TextSpan> texts) : m_texts(texts) {
    std::array<std::uint32_t, buckets + 1> begins{};
    for (const TextSpan& text : texts) {
      const auto* const data = static_cast<const char*>(text.data);
      Arch::prefetch(data);
      Arch::prefetch(data + std::min<std::size_t>(text.size, 64));
      ++begins[bucket(text) + 1];
    }
    for (std::size_t b = 0; b < buckets; ++b) begins[b + 1] += begins[b];
    for (std::size_t i = 0; i < texts.size(); ++i)
      m_order[begins[bucket(texts[i])]++] = static_cast<std::uint16_t>(i);
  }

  /// Calls `function(run)` with the indices of up to `run_texts` texts of equal width.
  /// \param of_equal_size whether these have equal sizes too
  template <class Function>
  void for_each_run(bool of_equal_size, const Function& function) const {
    for (std::size_t at = 0; at < m_texts.size();) {
      const TextSpan& first = m_texts[m_order[at]];
      const auto is_like_first = [&](const TextSpan& text) {
        return text.symbol_bytes == first.symbol_bytes &&
               (!of_equal_size || text.size == first.size);
      };
      std::size_t end = at + 1;
      while (end < m_texts.size() && end - at < run_texts && is_like_first(m_texts[m_order[end]]))
        ++end;
      function(std::span<const std::uint16_t>(m_order).subspan(at, end - at));
      at = end;
    }
  }

 private:
  static constexpr std::size_t lengths = 128;
  static constexpr std::size_t buckets = 3 * lengths;

  static std::size_t bucket(const TextSpan& text) {
    return (text.symbol_bytes / 2) * lengths + std::min<std::size_t>(text.size, lengths - 1);
  }

  std::span<const TextSpan> m_texts;
  std::array<std::uint16_t, group_max> m_order;
};

}  // namespace

/// The states of a run of texts after \p symbols symbols.
template <class Recurrence, class Word, class Element>
[[gnu::noinline]] void TextMasks::advance_together(
    const Element* const* texts, std::uint32_t symbols,
    typename Recurrence::template State<Word>* states) const {
  using Lanes = Arch::WordLanes<Word>;
  const Lookup<Element> masks{*this};
  // In registers only because the loops over them are unrolled.
  typename Recurrence::template State<Lanes> own[registers];
  for (std::uint32_t j = 0; j < symbols; ++j) {
    KINDRED_UNROLL
    for (unsigned r = 0; r < registers; ++r) {
      own[r].step(Lanes::of(
          [&](unsigned l) { return masks.template word<Word>(texts[r * Lanes::size + l][j]); }));
    }
  }
  for (unsigned r = 0; r < registers; ++r) own[r].split(states + r * Lanes::size);
}

/// Calls `function(symbols, run, group, results)` for runs of up to `run_texts` texts of equal
/// width: \p run indexes the texts of the group and its results, and `symbols[i]` is the text
/// `run[i]`, or the last one if the run is shorter. \param of_equal_size whether the texts of a run
/// have equal sizes
template <class Result, class Function>
void TextMasks::for_each_run(std::span<const TextSpan> texts, bool of_equal_size,
                             const Function& function, Result* out) {
  for (std::size_t begin = 0; begin < texts.size(); begin += TextOrder::group_max) {
    const std::span<const TextSpan> group =
        texts.subspan(begin, std::min(texts.size() - begin, TextOrder::group_max));
    TextOrder(group).for_each_run(of_equal_size, [&](std::span<const std::uint16_t> run) {
      group[run[0]].visit([&](const auto* typed) {
        decltype(typed) symbols[run_texts];
        for (std::size_t l = 0; l < run_texts; ++l) {
          symbols[l] = static_cast<decltype(typed)>(group[run[std::min(l, run.size() - 1)]].data);
        }
        function(symbols, run, group, out + begin);
      });
    });
  }
}

template <class Recurrence, class Word, class Element>
void TextMasks::compare_run(const Element* const* symbols, std::span<const std::uint16_t> run,
                            std::span<const TextSpan> group, std::uint32_t* results) const {
  constexpr unsigned lanes = lanes_of<Word>;
  const Lookup<Element> masks{*this};
  for (std::size_t first = 0; first < run.size(); first += lanes) {
    const std::span<const std::uint16_t> some =
        run.subspan(first, std::min<std::size_t>(lanes, run.size() - first));
    std::uint32_t shared = group[some[0]].size;
    for (const std::uint16_t i : some) shared = std::min(shared, group[i].size);
    typename Recurrence::template State<Word> states[lanes];
    advance_together<Recurrence, Word>(symbols + first, shared, states);
    for (std::size_t l = 0; l < some.size(); ++l) {
      const std::uint32_t size = group[some[l]].size;
      for (std::uint32_t j = shared; j < size; ++j)
        states[l].step(masks.template word<Word>(symbols[first + l][j]));
      results[some[l]] = states[l].result(m_length, size);
    }
  }
}

template <class Recurrence>
void TextMasks::compare(std::span<const TextSpan> texts, std::uint32_t* out) const {
  for_each_run(
      texts, false,
      [&](const auto* const* symbols, std::span<const std::uint16_t> run,
          std::span<const TextSpan> group, std::uint32_t* results) {
        if (m_length <= 32) {
          compare_run<Recurrence, std::uint32_t>(symbols, run, group, results);
        } else if (m_words == 1) {
          compare_run<Recurrence, std::uint64_t>(symbols, run, group, results);
        } else {
          const Lookup<std::remove_cvref_t<decltype(**symbols)>> masks{*this};
          for (std::size_t i = 0; i < run.size(); ++i) {
            const std::uint32_t size = group[run[i]].size;
            typename Recurrence::LongState state(m_words);
            for (std::uint32_t j = 0; j < size; ++j) state.step(masks.row(symbols[i][j]));
            results[run[i]] = state.result(m_length, size);
          }
        }
      },
      out);
}

void TextMasks::lcs(std::span<const TextSpan> texts, std::uint32_t* out) const {
  compare<Lcs>(texts, out);
}

void TextMasks::edit_matched(EditKind kind, std::span<const TextSpan> texts,
                             std::uint32_t* out) const {
  if (kind == EditKind::osa) {
    compare<Edits<EditKind::osa>>(texts, out);
  } else {
    compare<Edits<EditKind::levenshtein>>(texts, out);
  }
}

template <class Element>
PairResult TextMasks::jaro_winkler(const Element* text, std::uint32_t size) const {
  struct Masks {
    const std::uint64_t* find(Element symbol) const { return lookup.row(symbol); }
    static std::uint64_t word(const std::uint64_t* row, std::uint32_t w) { return row[w]; }
    Lookup<Element> lookup;
  };
  const auto symbol_at = [&](std::uint32_t j) { return text[j]; };
  const auto query = static_cast<std::uint32_t>(m_length);
  if (m_words == 1)
    return JaroWinklerScore<NearWords<1>>({})(symbol_at, size, Masks{{*this}}, query);
  std::array<std::uint64_t, 2 * words_max> memory;
  const FarWords words(memory.data(), static_cast<std::uint32_t>(m_words));
  return JaroWinklerScore<FarWords>(words)(symbol_at, size, Masks{{*this}}, query);
}

/// \brief `JaroWinklerScore` for texts of \p size symbols and a query of one word. \param size such
/// that no symbol beyond the first word can be matched
template <class Word, class Element>
[[gnu::noinline]] void TextMasks::jaro_winkler_together(const Element* const* texts,
                                                        std::uint32_t size,
                                                        PairResult* results) const {
  using Lanes = Arch::WordLanes<Word>;
  constexpr unsigned lanes = lanes_of<Word>;
  const Lookup<Element> masks{*this};
  const auto query = static_cast<std::uint32_t>(m_length);
  const std::uint32_t window = jaro_window(size, query);
  const std::uint32_t end = std::min(size, query + window);
  const Lanes none = Lanes::all(0);
  const auto masks_of = [&](unsigned r, std::uint32_t j) {
    return Lanes::of(
        [&](unsigned l) { return masks.template word<Word>(texts[r * Lanes::size + l][j]); });
  };
  const auto lowest = [&](const Lanes& bits) { return bits & (none - bits); };
  Lanes kept[8 * sizeof(Word)][registers];  // the masks of every row
  // In registers only because the loops over them are unrolled.
  Lanes taken[registers];
  Lanes matched[registers];  // bit j: symbol j of the text
  Lanes prefix[registers];   // bit j: the texts are equal up to symbol j
  for (unsigned r = 0; r < registers; ++r) taken[r] = matched[r] = prefix[r] = none;
  for (std::uint32_t j = 0; j < end; ++j) {
    const auto near = Lanes::all(static_cast<Word>(valid_bits(j + window + 1, 0) &
                                                   ~valid_bits(j > window ? j - window : 0, 0)));
    const auto here = Lanes::all(static_cast<Word>(Word{1} << j));
    KINDRED_UNROLL
    for (unsigned r = 0; r < registers; ++r) {
      const Lanes mask = masks_of(r, j);
      kept[j][r] = mask;
      const Lanes bit = lowest(mask & ~taken[r] & near);
      taken[r] = taken[r] | bit;
      matched[r] = matched[r] | (here & ~bit.zeros());
      if (j < 4) prefix[r] = prefix[r] | (mask & here);
    }
  }
  Lanes left[registers];
  Lanes out_of_order[registers];
  for (unsigned r = 0; r < registers; ++r) {
    left[r] = taken[r];
    out_of_order[r] = none;
  }
  for (std::uint32_t j = 0; j < end; ++j) {
    const auto here = Lanes::all(static_cast<Word>(Word{1} << j));
    KINDRED_UNROLL
    for (unsigned r = 0; r < registers; ++r) {
      const Lanes unmatched = (matched[r] & here).zeros();
      const Lanes next = lowest(left[r]) & ~unmatched;
      left[r] = left[r] ^ next;
      out_of_order[r] = out_of_order[r] - ((kept[j][r] & next).zeros() & ~unmatched);
    }
  }
  Word common[lanes];
  Word misplaced[lanes];
  Word equal[lanes];
  for (unsigned r = 0; r < registers; ++r) {
    taken[r].store(common + r * Lanes::size);
    out_of_order[r].store(misplaced + r * Lanes::size);
    prefix[r].store(equal + r * Lanes::size);
  }
  double similarities[lanes];
  for (unsigned l = 0; l < lanes; ++l) {
    similarities[l] =
        jaro_winkler_similarity(count_bits(common[l]), static_cast<std::uint32_t>(misplaced[l]),
                                size, query, static_cast<std::uint32_t>(std::countr_one(equal[l])));
  }
  for (unsigned l = 0; l < lanes; ++l) results[l] = {similarities[l], count_bits(common[l])};
}

void TextMasks::jaro_winkler(std::span<const TextSpan> texts, PairResult* out) const {
  const auto query = static_cast<std::uint32_t>(m_length);
  for_each_run(
      texts, true,
      [&](const auto* const* symbols, std::span<const std::uint16_t> run,
          std::span<const TextSpan> group, PairResult* results) {
        const std::uint32_t size = group[run[0]].size;
        const std::uint64_t end = std::max<std::uint64_t>(
            query, std::min<std::uint64_t>(size, std::uint64_t{query} + jaro_window(size, query)));
        PairResult own[run_texts];
        // Few texts take less time one by one.
        const bool together = size > 0 && query > 0 && end <= word_symbols && run.size() > 3;
        if (together && end <= 32) {
          jaro_winkler_together<std::uint32_t>(symbols, size, own);
        } else if (together) {
          constexpr unsigned lanes = lanes_of<std::uint64_t>;
          for (unsigned first = 0; first < run.size(); first += lanes)
            jaro_winkler_together<std::uint64_t>(symbols + first, size, own + first);
        }
        for (std::size_t i = 0; i < run.size(); ++i)
          results[run[i]] = together ? own[i] : jaro_winkler(symbols[i], group[run[i]].size);
      },
      out);
}

}  // namespace Kindred::Impl
