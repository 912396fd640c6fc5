// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_WORKSPACE_PARTS_HPP
#define KINDRED_MATCHER_LAYERS_WORKSPACE_PARTS_HPP

#include <kindred/core/common/CheckedSize.hpp>

#include <algorithm>
#include <cstddef>

namespace Kindred::Impl {

/// \brief Divides a workspace into parts that begin at multiples of 256 bytes, as memory of its own
/// would. Without memory, it only adds up their sizes.
class WorkspaceParts {
 public:
  static constexpr std::size_t alignment = 256;

  /// \param begin aligned memory of `bytes` bytes, or null
  explicit WorkspaceParts(std::byte* begin) : m_begin(begin) {}

  /// The next part; null without memory, or for 0 bytes. \throws InvalidArgument beyond 64 bits
  std::byte* take(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    const auto end = checked_sum({m_used, bytes, alignment - 1});
    KINDRED_THROW_IF(!end, "the workspace of a layer exceeds 64 bits; use smaller matrices");
    std::byte* const part = m_begin == nullptr ? nullptr : m_begin + m_used;
    m_used = *end / alignment * alignment;
    return part;
  }
  /// Adds the parts of \p other, a copy of this that took more; those of several copies share
  /// memory.
  void add(const WorkspaceParts& other) { m_used = std::max(m_used, other.m_used); }

  std::size_t bytes() const { return m_used; }

 private:
  std::byte* m_begin;
  std::size_t m_used = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_WORKSPACE_PARTS_HPP
