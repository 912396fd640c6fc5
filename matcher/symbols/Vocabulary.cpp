// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Vocabulary.hpp>

#include <kindred/core/common/CheckOffsets.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "kit/Hash.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <string>

namespace Kindred {

namespace {

/// Half of the hash of a text. It selects the slot, and is compared before a text is read.
std::uint32_t hash_of(std::string_view text) noexcept {
  return static_cast<std::uint32_t>(Impl::hash64(text.data(), text.size()) >> 32U);
}

/// \brief Texts, each preceded by its length, in chunks that never move.
class TextArena {
 public:
  static std::size_t record_bytes(std::size_t length) noexcept {
    return length < long_mark ? 1 + length : 1 + sizeof(std::uint64_t) + length;
  }
  /// Reserves space for records of \p bytes bytes in total.
  void reserve(std::size_t bytes) {
    if (static_cast<std::size_t>(m_end - m_next) >= bytes) return;
    const std::size_t size = std::max(bytes, m_chunk_bytes);
    m_chunks.push_back(std::make_unique_for_overwrite<char[]>(size));
    m_next = m_chunks.back().get();
    m_end = m_next + size;
    m_chunk_bytes = std::min(2 * m_chunk_bytes, chunk_bytes_max);
    m_held += size;
  }
  /// Copies \p text to the reserved space and returns its record.
  const char* append(std::string_view text) noexcept {
    const char* const record = m_next;
    if (text.size() < long_mark) {
      *m_next++ = static_cast<char>(text.size());
    } else {
      const std::uint64_t length = text.size();
      *m_next++ = static_cast<char>(long_mark);
      std::memcpy(m_next, &length, sizeof(length));
      m_next += sizeof(length);
    }
    m_next = std::copy(text.begin(), text.end(), m_next);
    return record;
  }
  static std::string_view text(const char* record) noexcept {
    const auto length = static_cast<unsigned char>(*record);
    if (length < long_mark) return {record + 1, length};
    std::uint64_t long_length = 0;
    std::memcpy(&long_length, record + 1, sizeof(long_length));
    return {record + 1 + sizeof(long_length), long_length};
  }
  std::uint64_t held_bytes() const noexcept { return m_held; }

 private:
  static constexpr unsigned long_mark = 255;
  static constexpr std::size_t chunk_bytes_max = 1U << 20U;

  std::vector<std::unique_ptr<char[]>> m_chunks;
  char* m_next = nullptr;
  char* m_end = nullptr;
  std::size_t m_chunk_bytes = 4096;
  std::uint64_t m_held = 0;
};

/// \brief A hash table with open addressing that finds the numbers of texts. A slot holds a hash
/// and a number, and is written once.
struct SlotTable {
  static constexpr std::uint64_t empty = ~std::uint64_t{0};  // the number `unknown_symbol`

  explicit SlotTable(unsigned slot_bits)
      : bits(slot_bits),
        slots(
            std::make_unique_for_overwrite<std::atomic<std::uint64_t>[]>(std::size_t{1} << bits)) {
    for (std::size_t i = 0; i < size(); ++i) slots[i].store(empty, std::memory_order_relaxed);
  }

  std::size_t size() const noexcept { return std::size_t{1} << bits; }
  std::size_t first(std::uint32_t hash) const noexcept { return hash >> (32U - bits); }
  std::size_t next(std::size_t at) const noexcept { return (at + 1) & (size() - 1); }

  void insert(std::uint64_t slot) noexcept {
    std::size_t at = first(static_cast<std::uint32_t>(slot >> 32U));
    while (slots[at].load(std::memory_order_relaxed) != empty) at = next(at);
    slots[at].store(slot, std::memory_order_release);
  }

  unsigned bits;
  std::unique_ptr<std::atomic<std::uint64_t>[]> slots;
};

/// \brief The records of the texts by number, in segments that never move. Each segment is as long
/// as all previous ones together.
class RecordList {
 public:
  void reserve(std::uint64_t count) {
    for (unsigned s = 0; s < m_segments.size() && begin(s) < count; ++s) {
      if (m_segments[s].load(std::memory_order_relaxed) != nullptr) continue;
      m_owned[s] = std::make_unique_for_overwrite<const char*[]>(length(s));
      m_segments[s].store(m_owned[s].get(), std::memory_order_release);
      m_held += length(s) * sizeof(const char*);
    }
  }
  const char*& operator[](Symbol symbol) const noexcept {
    const unsigned s = std::bit_width(symbol >> first_bits);
    return m_segments[s].load(std::memory_order_acquire)[symbol - begin(s)];
  }
  std::uint64_t held_bytes() const noexcept { return m_held; }

 private:
  static constexpr unsigned first_bits = 8;
  static std::uint64_t begin(unsigned s) noexcept {
    return s == 0 ? 0 : std::uint64_t{1} << (s + first_bits - 1);
  }
  static std::uint64_t length(unsigned s) noexcept { return begin(s + 1) - begin(s); }

  std::array<std::atomic<const char**>, 33 - first_bits> m_segments{};
  std::array<std::unique_ptr<const char*[]>, 33 - first_bits> m_owned;
  std::uint64_t m_held = 0;
};

}  // namespace

struct KINDRED_HIDDEN Vocabulary::State {
  State() {
    publish(std::make_unique<SlotTable>(8));
    note_held();
  }

  Symbol find(std::string_view text, std::uint32_t hash) const noexcept {
    const SlotTable& table = *current.load(std::memory_order_acquire);
    for (std::size_t at = table.first(hash);; at = table.next(at)) {
      const std::uint64_t slot = table.slots[at].load(std::memory_order_acquire);
      if (slot == SlotTable::empty) return unknown_symbol;
      const auto symbol = static_cast<Symbol>(slot);
      if (slot >> 32U == hash && TextArena::text(records[symbol]) == text) return symbol;
    }
  }

  // The following functions are for the writer, which holds `writing`.

  /// Reserves space for \p count texts whose records take \p bytes bytes. No other step of an
  /// insertion can throw.
  void reserve(std::uint64_t count, std::uint64_t bytes) {
    const std::uint64_t used = size.load(std::memory_order_relaxed);
    KINDRED_THROW_IF(count > unknown_symbol - used,
                     "the vocabulary has " + std::to_string(used) + " symbols and would get " +
                         std::to_string(count) + " more; its limit is 4294967295");
    records.reserve(used + count);
    arena.reserve(bytes);
    unsigned bits = tables.back()->bits;
    // At most three quarters of the slots are used, so that searches are short.
    while (bits < 32 && used + count > (std::uint64_t{1} << bits) / 4 * 3) ++bits;
    if (bits != tables.back()->bits) grow(bits);
    note_held();
  }
  /// Readers may still use the previous tables, which are kept; together they are no larger than
  /// the last one.
  void grow(unsigned bits) {
    auto table = std::make_unique<SlotTable>(bits);
    const SlotTable& before = *tables.back();
    for (std::size_t at = 0; at < before.size(); ++at) {
      const std::uint64_t slot = before.slots[at].load(std::memory_order_relaxed);
      if (slot != SlotTable::empty) table->insert(slot);
    }
    publish(std::move(table));
  }
  void publish(std::unique_ptr<SlotTable> table) {
    tables.push_back(std::move(table));
    current.store(tables.back().get(), std::memory_order_release);
  }
  Symbol add(std::string_view text, std::uint32_t hash) noexcept {
    const auto symbol = static_cast<Symbol>(size.load(std::memory_order_relaxed));
    records[symbol] = arena.append(text);
    text_bytes.store(text_bytes.load(std::memory_order_relaxed) + text.size(),
                     std::memory_order_relaxed);
    // Before the slot is written, so that a reader that finds the number can look it up.
    size.store(symbol + std::uint64_t{1}, std::memory_order_release);
    tables.back()->insert(std::uint64_t{hash} << 32U | symbol);
    return symbol;
  }

  /// Adds the texts that are new, or none if it throws.
  void add_new(std::span<const std::string_view> texts) {
    std::uint64_t bytes = 0;
    for (const std::string_view text : texts) bytes += TextArena::record_bytes(text.size());
    reserve(texts.size(), bytes);
    for (const std::string_view text : texts) {
      const std::uint32_t hash = hash_of(text);
      if (find(text, hash) == unknown_symbol) add(text, hash);
    }
  }

  void note_held() noexcept {
    std::uint64_t held = sizeof(State) + arena.held_bytes() + records.held_bytes();
    for (const auto& table : tables) held += table->size() * sizeof(std::uint64_t);
    held_bytes.store(held, std::memory_order_relaxed);
  }

  mutable Impl::PlainMutex writing;
  std::atomic<SlotTable*> current{nullptr};
  std::atomic<std::uint64_t> size{0};
  std::vector<std::unique_ptr<SlotTable>> tables;
  RecordList records;
  TextArena arena;
  // Written by the writer, read by anyone.
  std::atomic<std::uint64_t> text_bytes{0};
  std::atomic<std::uint64_t> held_bytes{0};
};

Vocabulary::Vocabulary() try : m_state(std::make_unique<State>()) {
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary");
}
Vocabulary::Vocabulary(RaggedSpan<char> texts) try : Vocabulary() {
  std::uint64_t bytes = 0;
  check_offsets(texts, "text", "bytes");
  for (std::size_t row = 0; row < texts.rows(); ++row)
    bytes += TextArena::record_bytes(texts.length(row));
  const std::lock_guard lock(m_state->writing);
  m_state->reserve(texts.rows(), bytes);
  for (std::size_t row = 0; row < texts.rows(); ++row) {
    const std::string_view text(texts.values.data() + texts.offsets[row], texts.length(row));
    const std::uint32_t hash = hash_of(text);
    const Symbol known = m_state->find(text, hash);
    KINDRED_THROW_IF(known != unknown_symbol, "text " + std::to_string(row) +
                                                  " is the same as text " + std::to_string(known) +
                                                  "; the texts of a vocabulary must be distinct");
    m_state->add(text, hash);
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary");
}

Symbol Vocabulary::add(std::string_view text) try {
  const std::uint32_t hash = hash_of(text);
  if (const Symbol known = m_state->find(text, hash); known != unknown_symbol) return known;
  const std::lock_guard lock(m_state->writing);
  // Another writer may have added the text in the meantime.
  if (const Symbol known = m_state->find(text, hash); known != unknown_symbol) return known;
  m_state->reserve(1, TextArena::record_bytes(text.size()));
  return m_state->add(text, hash);
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::add");
}

void Vocabulary::add_all(std::span<const std::string_view> texts) try {
  const std::lock_guard lock(m_state->writing);
  m_state->add_new(texts);
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::add_all");
}

void Vocabulary::add_sorted(std::span<const std::string_view> texts) try {
  const std::lock_guard lock(m_state->writing);
  std::vector<std::string_view> fresh;
  for (const std::string_view text : texts) {
    if (find(text) == unknown_symbol) fresh.push_back(text);
  }
  std::sort(fresh.begin(), fresh.end());
  fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
  m_state->add_new(fresh);
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::add_sorted");
}

Symbol Vocabulary::find(std::string_view text) const noexcept {
  return m_state->find(text, hash_of(text));
}

std::string_view Vocabulary::text(Symbol symbol) const try {
  if (symbol >= size()) {
    throw NotFound("symbol " + std::to_string(symbol) + " is not in the vocabulary of " +
                   std::to_string(size()));
  }
  return TextArena::text(m_state->records[symbol]);
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::text");
}

std::vector<std::string_view> Vocabulary::decode(std::span<const Symbol> symbols) const try {
  const std::size_t known = size();
  std::vector<std::string_view> texts;
  texts.reserve(symbols.size());
  for (const Symbol symbol : symbols) {
    if (symbol >= known) {
      throw NotFound("symbol " + std::to_string(symbol) + " at " + std::to_string(texts.size()) +
                     " of the sequence is not in the vocabulary of " + std::to_string(known));
    }
    texts.push_back(TextArena::text(m_state->records[symbol]));
  }
  return texts;
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::decode");
}

Ragged<char> Vocabulary::texts(Symbol first) const try {
  Ragged<char> copy;
  const std::size_t known = size();
  for (std::size_t symbol = first; symbol < known; ++symbol) {
    const std::string_view text = TextArena::text(m_state->records[static_cast<Symbol>(symbol)]);
    copy.push_row({text.data(), text.size()});
  }
  return copy;
} catch (...) {
  Impl::rethrow_translated("Kindred::Vocabulary::texts");
}

std::size_t Vocabulary::size() const noexcept {
  return m_state->size.load(std::memory_order_acquire);
}

VocabularyStatistics Vocabulary::statistics() const noexcept {
  return {size(), m_state->text_bytes.load(), m_state->held_bytes.load()};
}

}  // namespace Kindred
