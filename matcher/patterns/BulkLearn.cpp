// SPDX-License-Identifier: Apache-2.0
#include "BulkLearn.hpp"

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/CheckOffsets.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>

namespace Kindred::Impl {

namespace {

std::string pattern_text(std::size_t p) { return "pattern " + std::to_string(p); }

/// \brief Finds the first of equal items among those that were added, by open addressing.
class FirstItems {
 public:
  /// \param count maximum number of items
  explicit FirstItems(std::size_t count) : m_slots(std::bit_ceil(2 * count + 1), empty) {}

  /// The first item with that hash for which `equal(item)` is true; otherwise \p item, which is
  /// added.
  template <class Equal>
  std::size_t find_or_add(std::uint64_t hash, std::size_t item, const Equal& equal) {
    std::size_t& slot = m_slots[slot_of(hash, equal)];
    if (slot == empty) slot = item;
    return slot;
  }
  /// The same; no value if there is none.
  template <class Equal>
  std::optional<std::size_t> find(std::uint64_t hash, const Equal& equal) const {
    const std::size_t item = m_slots[slot_of(hash, equal)];
    return item == empty ? std::nullopt : std::optional(item);
  }

 private:
  static constexpr std::size_t empty = ~std::size_t{0};

  /// The slot of the item, or the free one where it belongs.
  template <class Equal>
  std::size_t slot_of(std::uint64_t hash, const Equal& equal) const {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t at = hash & mask;
    while (m_slots[at] != empty && !equal(m_slots[at])) at = (at + 1) & mask;
    return at;
  }

  std::vector<std::size_t> m_slots;
};

/// \brief The symbols of texts that occurred recently, found by the addresses of the texts: callers
/// often hold each text once.
class RecentTexts {
 public:
  /// \param count number of texts that will be looked up
  explicit RecentTexts(std::size_t count)
      : m_bits(std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(count)), 4, 17)),
        m_entries(std::size_t{1} << m_bits) {}

  /// The symbol of \p text, which is `make()` unless it is known.
  template <class Make>
  Symbol find_or(std::string_view text, const Make& make) {
    if (text.empty() || text.size() > std::numeric_limits<std::uint32_t>::max()) return make();
    const auto address = reinterpret_cast<std::uintptr_t>(text.data());
    Entry& entry = m_entries[(address * multiplier) >> (64U - m_bits)];
    if (entry.data != text.data() || entry.length != text.size())
      entry = {text.data(), static_cast<std::uint32_t>(text.size()), make()};
    return entry.symbol;
  }

 private:
  static constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15U;  // 2^64 / the golden ratio
  struct Entry {
    const char* data = nullptr;
    std::uint32_t length = 0;
    Symbol symbol = 0;
  };
  unsigned m_bits;
  std::vector<Entry> m_entries;
};

/// Texts of fewer patterns are not divided among threads.
constexpr std::size_t chunk_least = 8192;

}  // namespace

template <class T>
BulkLearn::BulkLearn(const HostWorkers& workers, const PatternCatalogue& catalogue,
                     const Vocabulary& vocabulary, const EventLists<T>& patterns,
                     const LearnOptions& options, const CheckText& check_text)
    : m_workers(workers), m_options(options), m_known_symbols(vocabulary.size()) {
  check(patterns, catalogue);
  encode(patterns, vocabulary);
  for (Symbol s = 0; s < m_new_texts.size(); ++s) check_text(m_new_texts.text(s));
  find_known(catalogue);
  collect(catalogue);
}
template BulkLearn::BulkLearn(const HostWorkers&, const PatternCatalogue&, const Vocabulary&,
                              const EventLists<std::string_view>&, const LearnOptions&,
                              const CheckText&);
template BulkLearn::BulkLearn(const HostWorkers&, const PatternCatalogue&, const Vocabulary&,
                              const EventLists<Symbol>&, const LearnOptions&, const CheckText&);

template <class T>
void BulkLearn::check(const EventLists<T>& lists, const PatternCatalogue& catalogue) {
  check_offsets(lists.events, "event", "symbols");
  const auto ends =
      lists.events.offsets.empty() ? lists.events.offsets : lists.events.offsets.subspan(1);
  check_offsets(RaggedSpan<std::uint64_t>{lists.patterns, ends}, "pattern", "events");
  const std::size_t count = lists.size();
  for (const auto& [given, what] : {std::pair(m_options.names.size(), " names for "),
                                    std::pair(m_options.times.size(), " times for ")}) {
    KINDRED_THROW_IF(given != 0 && given != count, std::to_string(given) + what +
                                                       std::to_string(count) +
                                                       " patterns; give one per pattern, or none");
  }
  lay_out(lists);
  FrequencySum sum = catalogue.frequency_sum();
  for (std::size_t p = 0; p < count; ++p) {
    look_at(p);
    KINDRED_THROW_IF(times(p) == 0, pattern_text(p) + ": times is 0; it must be at least 1");
    KINDRED_THROW_IF(!sum.add(m_key_begin[p + 1] - m_key_begin[p] - m_events[p], times(p)),
                     pattern_text(p) + ": " + FrequencySum::refusal("times", times(p)));
  }
}

template <class T>
void BulkLearn::lay_out(const EventLists<T>& lists) {
  const std::size_t count = lists.size();
  m_key_begin.resize(count + 1);
  m_events.resize(count);
  for (std::size_t p = 0; p < count; ++p) {
    look_at(p);
    const std::uint64_t begin = lists.patterns[p];
    const std::uint64_t end = lists.patterns[p + 1];
    std::uint64_t events = 0;
    std::uint64_t symbols = 0;
    for (std::uint64_t e = begin; e < end; ++e) {
      symbols += lists.events.length(e);
      events += lists.events.length(e) > 0 ? 1 : 0;
    }
    KINDRED_THROW_IF(
        symbols > pattern_length_max,
        pattern_text(p) + " has " + std::to_string(symbols) + " symbols; the limit is 2^31 - 1");
    m_events[p] = static_cast<std::uint32_t>(events);
    m_key_begin[p + 1] = m_key_begin[p] + events + symbols;
  }
  m_words = std::make_unique_for_overwrite<std::uint32_t[]>(m_key_begin.back());
}

template <class T, class SymbolOf>
void BulkLearn::fill(const EventLists<T>& lists, std::size_t begin, std::size_t end,
                     const SymbolOf& symbol_of) {
  for (std::size_t p = begin; p < end; ++p) {
    std::uint32_t* ends = m_words.get() + m_key_begin[p];
    std::uint32_t* const first = ends + m_events[p];
    std::uint32_t* out = first;
    for (std::uint64_t e = lists.patterns[p]; e < lists.patterns[p + 1]; ++e) {
      if (lists.events.length(e) == 0) continue;
      for (const T& value : lists.events[e]) *out++ = symbol_of(value);
      *ends++ = static_cast<std::uint32_t>(out - first);
    }
  }
}

template <class Body>
void BulkLearn::for_patterns(double nanoseconds, const Body& body) const {
  if (size() == 0) return;
  const double symbols = static_cast<double>(m_key_begin.back()) / static_cast<double>(size());
  m_workers.for_each_range(size(), nanoseconds * (1 + symbols), body);
}

Symbol BulkLearn::new_symbol(std::string_view text, Vocabulary& texts) const {
  const std::uint64_t number = m_known_symbols + texts.add(text);
  KINDRED_THROW_IF(number >= unknown_symbol,
                   "the vocabulary has " + std::to_string(m_known_symbols) +
                       " symbols and would exceed its limit of 4294967295");
  return static_cast<Symbol>(number);
}

void BulkLearn::encode(const EventLists<std::string_view>& texts, const Vocabulary& vocabulary) {
  KINDRED_THROW_IF(m_options.dictionary, "a dictionary is for patterns of numbers, not of texts");
  // Each chunk numbers its new texts from `m_known_symbols` on; they are renumbered afterwards.
  const std::size_t chunk_patterns = std::max(chunk_least, size() / m_workers.count() + 1);
  const std::size_t chunks = quotient_up(size(), chunk_patterns);
  std::vector<Vocabulary> fresh(chunks);
  const auto for_chunks = [&](double nanoseconds, const auto& body) {
    const double symbols = static_cast<double>(m_key_begin.back()) / static_cast<double>(chunks);
    m_workers.for_each_item(chunks, 1, nanoseconds * symbols, [&](std::size_t, std::size_t c) {
      body(c, c * chunk_patterns, std::min(size(), (c + 1) * chunk_patterns));
    });
  };
  for_chunks(20, [&](std::size_t c, std::size_t begin, std::size_t end) {
    RecentTexts recent(m_key_begin[end] - m_key_begin[begin]);
    fill(texts, begin, end, [&](std::string_view text) {
      return recent.find_or(text, [&] {
        const Symbol known = m_known_symbols > 0 ? vocabulary.find(text) : unknown_symbol;
        return known != unknown_symbol ? known : new_symbol(text, fresh[c]);
      });
    });
  });
  std::vector<std::vector<Symbol>> numbers(chunks);
  for (std::size_t c = 0; c < chunks; ++c) {
    for (Symbol s = 0; s < fresh[c].size(); ++s)
      numbers[c].push_back(new_symbol(fresh[c].text(s), m_new_texts));
  }
  for_chunks(1, [&](std::size_t c, std::size_t begin, std::size_t end) {
    if (numbers[c].empty()) return;
    for (std::size_t p = begin; p < end; ++p) {
      std::uint32_t* const last = m_words.get() + m_key_begin[p + 1];
      for (std::uint32_t* at = m_words.get() + m_key_begin[p] + m_events[p]; at < last; ++at)
        if (*at >= m_known_symbols) *at = numbers[c][*at - m_known_symbols];
    }
  });
}

void BulkLearn::encode(const EventLists<Symbol>& symbols, const Vocabulary& vocabulary) {
  const auto& dictionary = m_options.dictionary;
  const std::size_t limit = dictionary ? dictionary->size() : m_known_symbols;
  std::vector<Symbol> number_of(dictionary ? limit : 0, unknown_symbol);
  for (std::size_t p = 0; p < size(); ++p) {
    look_at(p);
    for (std::uint64_t e = symbols.patterns[p]; e < symbols.patterns[p + 1]; ++e) {
      for (const Symbol symbol : symbols.events[e]) {
        KINDRED_THROW_IF(symbol >= limit, pattern_text(p) + " contains symbol " +
                                              std::to_string(symbol) + "; the " +
                                              (dictionary ? "dictionary" : "vocabulary") + " has " +
                                              std::to_string(limit) + " texts");
        if (!dictionary || number_of[symbol] != unknown_symbol) continue;
        const std::string_view text = (*dictionary)[symbol];
        const Symbol known = vocabulary.find(text);
        number_of[symbol] = known != unknown_symbol ? known : new_symbol(text, m_new_texts);
      }
    }
  }
  for_patterns(1, [&](std::size_t begin, std::size_t end) {
    fill(symbols, begin, end,
         [&](Symbol symbol) { return dictionary ? number_of[symbol] : symbol; });
  });
}

void BulkLearn::find_known(const PatternCatalogue& catalogue) {
  m_hashes.resize(size());
  m_known.assign(size(), not_known);
  const bool has_patterns = catalogue.live() > 0;
  for_patterns(has_patterns ? 10 : 2, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      m_hashes[p] = hash_of(key(p));
      if (!has_patterns) continue;
      if (const auto known = catalogue.find(key(p), m_hashes[p])) m_known[p] = *known;
    }
  });
}

void BulkLearn::collect(const PatternCatalogue& catalogue) {
  if (!m_options.names.empty()) {
    m_name_hashes.resize(size());
    for (std::size_t p = 0; p < size(); ++p)
      if (name(p)) m_name_hashes[p] = hash_of(*name(p));
  }
  m_place.assign(size(), not_known);
  std::vector<std::size_t> firsts;  // of the new patterns
  FirstItems items(size());
  for (std::size_t p = 0; p < size(); ++p) {
    look_at(p);
    if (m_known[p] != not_known) continue;
    const std::size_t first = items.find_or_add(m_hashes[p], p, [&](std::size_t other) {
      return m_hashes[other] == m_hashes[p] && m_events[other] == m_events[p] &&
             std::ranges::equal(key(other).words, key(p).words);
    });
    m_place[p] = first == p ? firsts.size() : m_place[first];
    if (first == p) firsts.push_back(p);
  }
  check_names(catalogue);
  m_new.resize(firsts.size());
  const double symbols = static_cast<double>(m_key_begin.back()) / static_cast<double>(size() + 1);
  m_workers.for_each_range(m_new.size(), 10 + symbols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t p = firsts[i];
      m_new[i] = {key(p), m_hashes[p], name(p), name(p) ? m_name_hashes[p] : 0, 0, 0};
      for (const Symbol symbol : key(p).symbols())
        m_new[i].symbols_end = std::max(m_new[i].symbols_end, std::size_t{symbol} + 1);
    }
  });
  for (std::size_t p = 0; p < size(); ++p)
    if (m_known[p] == not_known) m_new[m_place[p]].frequency += times(p);
  m_blocks = catalogue.blocks_of(m_workers, m_new);
  m_learned.resize(size());
}

void BulkLearn::check_names(const PatternCatalogue& catalogue) const {
  if (m_options.names.empty()) return;
  const auto refuse = [&](std::size_t p, const std::string& other) {
    throw InvalidArgument(pattern_text(p) + ": the name '" + std::string(*name(p)) +
                          "' belongs to " + other + ", which has other events; " +
                          "choose another name");
  };
  FirstItems items(size());  // new patterns that get their names
  std::vector<std::size_t> first_of;
  for (std::size_t p = 0; p < size(); ++p) {
    look_at(p);
    if (m_place[p] != not_known && m_place[p] == first_of.size()) first_of.push_back(p);
    if (!name(p)) continue;
    if (const auto named = catalogue.find(*name(p), m_name_hashes[p])) {
      if (*named != m_known[p]) refuse(p, "the known pattern " + std::to_string(*named));
      continue;
    }
    const bool is_first = m_place[p] != not_known && first_of[m_place[p]] == p;
    const auto is_same = [&](std::size_t other) {
      return m_name_hashes[other] == m_name_hashes[p] && *name(other) == *name(p);
    };
    const std::size_t named = is_first ? items.find_or_add(m_name_hashes[p], p, is_same)
                                       : items.find(m_name_hashes[p], is_same).value_or(p);
    if (named == p) continue;
    if (m_place[p] != m_place[named]) refuse(p, pattern_text(named) + " of this call");
  }
}

std::vector<std::uint64_t> BulkLearn::raised() const {
  std::vector<std::uint64_t> indices;
  for (const std::size_t known : m_known)
    if (known != not_known) indices.push_back(known);
  return indices;
}

void BulkLearn::prepare(PatternCatalogue& catalogue, Vocabulary& vocabulary) {
  catalogue.prepare_to_add(m_new, m_blocks.size());
  std::vector<std::string_view> texts;
  texts.reserve(m_new_texts.size());
  for (Symbol s = 0; s < m_new_texts.size(); ++s) texts.push_back(m_new_texts.text(s));
  vocabulary.add_all(texts);
}

std::vector<LearnedPattern> BulkLearn::learn(PatternCatalogue& catalogue) noexcept {
  const std::uint64_t first = catalogue.size();
  catalogue.add(m_new, std::move(m_blocks));
  for (NewPattern& pattern : m_new) pattern.frequency = 0;
  for (std::size_t p = 0; p < size(); ++p) {
    if (m_known[p] != not_known) {
      const std::uint64_t frequency = catalogue.frequency(m_known[p]) + times(p);
      catalogue.set_frequency(m_known[p], frequency);
      m_learned[p] = {m_known[p], frequency, false};
      continue;
    }
    // The frequency so far, as if the patterns were learned one after the other.
    NewPattern& pattern = m_new[m_place[p]];
    const bool is_new = pattern.frequency == 0;
    pattern.frequency += times(p);
    m_learned[p] = {first + m_place[p], pattern.frequency, is_new};
  }
  return std::move(m_learned);
}

}  // namespace Kindred::Impl
