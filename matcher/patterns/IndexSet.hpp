// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_INDEX_SET_HPP
#define KINDRED_MATCHER_PATTERNS_INDEX_SET_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace Kindred::Impl {

/// \brief A persistent set of indices; copying it costs one pointer.
///
/// A radix tree whose nodes never change: an insertion recreates the nodes of one path, O(log of
/// the largest index), and shares all others with the copies. Copies may be read while others
/// change theirs.
class IndexSet {
 public:
  bool contains(std::uint64_t index) const noexcept {
    if (index >> bits_of(m_height) != 0) return false;
    const Node* node = m_root.get();
    for (unsigned level = m_height; node != nullptr && level > 0; --level)
      node = inner(node).children[child_of(index, level)].get();
    return node != nullptr && (leaf(node).words[word_of(index)] >> index % 64 & 1U) != 0;
  }

  /// \param index below 2^60. \throws std::bad_alloc; the set is then unchanged
  void insert(std::uint64_t index) {
    unsigned height = m_height;
    NodePointer root = m_root;
    for (; index >> bits_of(height) != 0; ++height) {
      if (root == nullptr) continue;
      auto above = std::make_shared<Inner>();
      above->children[0] = std::move(root);
      root = std::move(above);
    }
    m_root = changed(root.get(), height, index, true);
    m_height = height;
  }
  /// \throws as `insert`
  void erase(std::uint64_t index) {
    if (contains(index)) m_root = changed(m_root.get(), m_height, index, false);
  }

  /// Calls `visit(index)` for the indices in [\p begin, \p end), in ascending order.
  template <class Visit>
  void for_each(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
    for_each(m_root.get(), m_height, 0, begin, end, visit);
  }
  /// Calls `visit(index)` for the indices that \p other does not contain, in ascending order.
  /// Visits only nodes that the two sets do not share, so the cost is proportional to what changed
  /// since one was a copy of the other.
  template <class Visit>
  void for_each_beyond(const IndexSet& other, const Visit& visit) const {
    const Node* theirs = other.m_root.get();
    unsigned their_height = other.m_height;
    for (; their_height > m_height && theirs != nullptr; --their_height)
      theirs = inner(theirs).children[0].get();
    for_each_beyond(m_root.get(), m_height, theirs, their_height, 0, visit);
  }

 private:
  static constexpr unsigned leaf_bits = 9;
  static constexpr unsigned fanout_bits = 4;
  static constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

  struct Node {};
  using NodePointer = std::shared_ptr<const Node>;
  struct Leaf : Node {
    std::array<std::uint64_t, (std::size_t{1} << leaf_bits) / 64> words{};
  };
  struct Inner : Node {
    std::array<NodePointer, std::size_t{1} << fanout_bits> children;
  };

  /// Number of index bits below a node of that height.
  static unsigned bits_of(unsigned height) noexcept { return leaf_bits + fanout_bits * height; }
  static std::size_t child_of(std::uint64_t index, unsigned height) noexcept {
    return index >> bits_of(height - 1) & ((std::uint64_t{1} << fanout_bits) - 1);
  }
  static std::size_t word_of(std::uint64_t index) noexcept {
    return index % (std::uint64_t{1} << leaf_bits) / 64;
  }
  static const Leaf& leaf(const Node* node) noexcept { return *static_cast<const Leaf*>(node); }
  static const Inner& inner(const Node* node) noexcept { return *static_cast<const Inner*>(node); }

  /// Null represents a node without indices.
  static NodePointer changed(const Node* node, unsigned height, std::uint64_t index, bool present) {
    if (height == 0) {
      auto copy = node != nullptr ? std::make_shared<Leaf>(leaf(node)) : std::make_shared<Leaf>();
      const std::uint64_t bit = std::uint64_t{1} << index % 64;
      std::uint64_t& word = copy->words[word_of(index)];
      word = present ? word | bit : word & ~bit;
      const bool is_empty = std::all_of(copy->words.begin(), copy->words.end(),
                                        [](std::uint64_t bits) { return bits == 0; });
      return is_empty ? nullptr : NodePointer(std::move(copy));
    }
    auto copy = node != nullptr ? std::make_shared<Inner>(inner(node)) : std::make_shared<Inner>();
    NodePointer& child = copy->children[child_of(index, height)];
    child = changed(child.get(), height - 1, index, present);
    const bool is_empty = std::all_of(copy->children.begin(), copy->children.end(),
                                      [](const NodePointer& other) { return other == nullptr; });
    return is_empty ? nullptr : NodePointer(std::move(copy));
  }

  template <class Visit>
  static void for_each(const Node* node, unsigned height, std::uint64_t first, std::uint64_t begin,
                       std::uint64_t end, const Visit& visit) {
    const std::uint64_t last = first + ((std::uint64_t{1} << bits_of(height)) - 1);
    if (node == nullptr || last < begin || first >= end) return;
    if (height == 0) {
      visit_bits(leaf(node), nullptr, first, [&](std::uint64_t index) {
        if (index >= begin && index < end) visit(index);
      });
      return;
    }
    for (std::size_t c = 0; c < inner(node).children.size(); ++c) {
      for_each(inner(node).children[c].get(), height - 1, first + (c << bits_of(height - 1)), begin,
               end, visit);
    }
  }
  template <class Visit>
  static void for_each_beyond(const Node* node, unsigned height, const Node* theirs,
                              unsigned their_height, std::uint64_t first, const Visit& visit) {
    if (node == nullptr || (node == theirs && height == their_height)) return;
    if (theirs == nullptr) return for_each(node, height, first, 0, no_end, visit);
    if (height == 0) return visit_bits(leaf(node), &leaf(theirs), first, visit);
    for (std::size_t c = 0; c < inner(node).children.size(); ++c) {
      // At this height, the root of a lower tree is the first child.
      const bool is_lower = their_height < height;
      const Node* other = !is_lower ? inner(theirs).children[c].get() : c == 0 ? theirs : nullptr;
      for_each_beyond(inner(node).children[c].get(), height - 1, other,
                      is_lower ? their_height : height - 1, first + (c << bits_of(height - 1)),
                      visit);
    }
  }
  template <class Visit>
  static void visit_bits(const Leaf& leaf, const Leaf* without, std::uint64_t first,
                         const Visit& visit) {
    for (std::size_t w = 0; w < leaf.words.size(); ++w) {
      std::uint64_t bits = leaf.words[w] & ~(without != nullptr ? without->words[w] : 0);
      for (; bits != 0; bits &= bits - 1)
        visit(first + 64 * w + static_cast<std::uint64_t>(std::countr_zero(bits)));
    }
  }

  NodePointer m_root;
  unsigned m_height = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_INDEX_SET_HPP
