// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_LIVE_PARTS_HPP
#define KINDRED_MATCHER_KIT_LIVE_PARTS_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

// Data that changes by the part: what is added becomes a new part, what is removed is only marked,
// and parts are merged so that they stay few. Parts never change, so that all versions share them.

/// \brief Which elements of a part were not removed, one bit each, in blocks. Never changes;
/// versions share the blocks in which they are equal.
class LiveBits {
 public:
  /// All elements.
  LiveBits() = default;
  /// \param words empty: all elements; otherwise ⌈\p size / 64⌉, zero behind the last element
  LiveBits(std::span<const std::uint64_t> words, std::size_t size) {
    if (words.empty()) return;
    auto blocks = std::make_shared<Blocks>();
    for (std::size_t begin = 0; begin < words.size(); begin += block_words) {
      const auto part = words.subspan(begin, std::min(block_words, words.size() - begin));
      blocks->push_back(std::make_shared<const Block>(part.begin(), part.end()));
    }
    m_blocks = std::move(blocks);
    m_removed = size;
    for (const std::uint64_t word : words)
      m_removed -= static_cast<std::size_t>(std::popcount(word));
  }
  /// The same without \p elements, of the \p size of the part: ascending, distinct and live.
  /// Complexity O(elements · block), and O(size / block). \throws std::bad_alloc
  LiveBits without(std::span<const std::size_t> elements, std::size_t size) const {
    auto blocks = std::make_shared<Blocks>(m_blocks ? *m_blocks : all(size));
    for (std::size_t i = 0; i < elements.size();) {
      std::shared_ptr<const Block>& shared = (*blocks)[elements[i] / (64 * block_words)];
      auto own = std::make_shared<Block>(*shared);
      const std::size_t block = elements[i] / (64 * block_words);
      for (; i < elements.size() && elements[i] / (64 * block_words) == block; ++i)
        (*own)[elements[i] / 64 % block_words] &= ~(std::uint64_t{1} << elements[i] % 64);
      shared = std::move(own);
    }
    LiveBits out;
    out.m_blocks = std::move(blocks);
    out.m_removed = m_removed + elements.size();
    return out;
  }

  std::size_t removed() const noexcept { return m_removed; }
  /// Whether there are no words, because nothing was removed.
  bool has_all() const noexcept { return m_blocks == nullptr; }
  /// The bits of the elements 64 · \p i ….
  std::uint64_t word(std::size_t i) const noexcept {
    return has_all() ? ~std::uint64_t{0} : (*(*m_blocks)[i / block_words])[i % block_words];
  }
  /// All words of the \p size elements, for `has_all()` none. \throws std::bad_alloc
  std::vector<std::uint64_t> words(std::size_t size) const {
    std::vector<std::uint64_t> out(has_all() ? 0 : (size + 63) / 64);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = word(i);
    return out;
  }
  bool operator[](std::size_t i) const noexcept { return (word(i / 64) >> (i % 64) & 1U) != 0; }

 private:
  /// A removal copies 16 KiB at most, and a pointer for each 16 KiB.
  static constexpr std::size_t block_words = 2048;
  using Block = std::vector<std::uint64_t>;
  using Blocks = std::vector<std::shared_ptr<const Block>>;

  /// Bits of \p size elements, which share one block of ones.
  static Blocks all(std::size_t size) {
    const std::size_t words = (size + 63) / 64;
    Blocks blocks;
    if (words > block_words)
      blocks.assign((words - 1) / block_words,
                    std::make_shared<const Block>(block_words, ~std::uint64_t{0}));
    Block last((words - 1) % block_words + 1, ~std::uint64_t{0});
    if (size % 64 != 0) last.back() = (std::uint64_t{1} << (size % 64)) - 1;
    blocks.push_back(std::make_shared<const Block>(std::move(last)));
    return blocks;
  }

  std::shared_ptr<const Blocks> m_blocks;
  std::size_t m_removed = 0;
};

/// \brief A part, and which of its elements were not removed.
/// \tparam Part `size()`, at least 1, and `id(i)`, which ascends; for `find`, the index
/// `find_id(id)`
template <class Part>
class LivePart {
 public:
  explicit LivePart(std::shared_ptr<const Part> part, LiveBits live = {})
      : m_part(std::move(part)), m_live(std::move(live)) {}

  const Part& operator*() const noexcept { return *m_part; }
  const Part* operator->() const noexcept { return m_part.get(); }
  const std::shared_ptr<const Part>& part() const noexcept { return m_part; }
  const LiveBits& live() const noexcept { return m_live; }

  std::size_t size() const noexcept { return m_part->size(); }  ///< with what was removed
  std::uint64_t id(std::size_t i) const noexcept { return m_part->id(i); }
  bool is_live(std::size_t i) const noexcept { return m_live[i]; }
  std::size_t removed() const noexcept { return m_live.removed(); }
  std::size_t live_count() const noexcept { return size() - removed(); }

  /// The index of \p id, unless it was removed or belongs to another part.
  std::optional<std::size_t> find(std::uint64_t id) const noexcept {
    const std::optional<std::size_t> at = m_part->find_id(id);
    return at && m_live[*at] ? at : std::nullopt;
  }
  /// Calls `visit(i)` for the elements `begin … end` that were not removed.
  template <class Visit>
  void for_each_live(std::size_t begin, std::size_t end, const Visit& visit) const {
    for (std::size_t i = begin; i < end;) {
      std::uint64_t word = m_live.word(i / 64) >> (i % 64);
      for (const std::size_t stop = std::min(end, (i / 64 + 1) * 64); i < stop; ++i, word >>= 1U)
        if ((word & 1U) != 0) visit(i);
    }
  }
  /// \see LiveBits::without
  void remove(std::span<const std::size_t> elements) { m_live = m_live.without(elements, size()); }

 private:
  std::shared_ptr<const Part> m_part;
  LiveBits m_live;
};

/// \brief The elements of \p parts that were not removed, in ascending order of their ids: calls
/// `visit(part, begin, end)` for runs of elements of one part. O(parts) per run and O(1) per
/// element.
/// \param parts have `size()`, `id(i)`, `is_live(i)` and `removed()`
template <class Parts, class Visit>
void for_each_run(const Parts& parts, const Visit& visit) {
  constexpr std::uint64_t no_id = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::size_t> next(parts.size(), 0);
  const auto skip_removed = [&](std::size_t p) {
    while (next[p] < parts[p].size() && !parts[p].is_live(next[p])) ++next[p];
  };
  for (std::size_t p = 0; p < parts.size(); ++p) skip_removed(p);
  while (true) {
    std::size_t first = 0;
    std::uint64_t id = no_id;
    std::uint64_t limit = no_id;  // the least id of the other parts
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::uint64_t own = next[p] < parts[p].size() ? parts[p].id(next[p]) : no_id;
      limit = std::min(limit, std::max(id, own));
      if (own < id) first = p;
      id = std::min(id, own);
    }
    if (id == no_id) return;
    const auto& part = parts[first];
    const std::size_t begin = next[first];
    std::size_t end = begin + 1;
    if (part.removed() == 0 && part.id(part.size() - 1) < limit) {
      end = part.size();
    } else {
      while (end < part.size() && part.is_live(end) && part.id(end) < limit) ++end;
    }
    visit(first, begin, end);
    next[first] = end;
    skip_removed(first);
  }
}

/// \brief \p parts of which each has more than twice as many elements as the next one, and at most
/// a quarter was removed: from the last part on, merges each that has at most twice as many as
/// those behind it. A sequence of changes costs O(log n) copies per element.
/// \param merge `merge(parts)` makes one part of the elements that were not removed; null to keep
/// the parts as they are
template <class Part, class Merge>
std::vector<LivePart<Part>> merged(std::vector<LivePart<Part>> parts, const Merge& merge) {
  std::erase_if(parts, [](const auto& part) { return part.live_count() == 0; });
  std::vector<LivePart<Part>> out;
  for (std::size_t end = parts.size(); end > 0;) {
    std::size_t begin = end - 1;
    std::size_t size = parts[begin].size();
    for (; begin > 0 && parts[begin - 1].size() <= 2 * size; size += parts[begin].size()) --begin;
    const std::span<const LivePart<Part>> together(parts.data() + begin, end - begin);
    const bool is_kept = together.size() == 1 && 4 * together[0].removed() <= size;
    if (std::shared_ptr<const Part> one = is_kept ? nullptr : merge(together))
      out.emplace_back(std::move(one));
    else
      out.insert(out.end(), together.rbegin(), together.rend());
    end = begin;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_LIVE_PARTS_HPP
