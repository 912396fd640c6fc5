// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_SECTION_CHECKS_HPP
#define KINDRED_MATCHER_STORAGE_SECTION_CHECKS_HPP

#include "SectionFile.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace Kindred::Impl {

/// \brief Consistency checks for the numbers of a commit; they throw CorruptFile with the location.
class SectionChecks {
 public:
  SectionChecks(const SectionFile& file, std::size_t commit, int threads)
      : m_file(&file), m_commit(commit), m_threads(threads) {}

  template <class T>
  std::span<T> section(std::string_view name) const {
    return m_file->section<T>(m_commit, name);
  }
  /// A section of \p size elements.
  template <class T>
  std::span<T> section(std::string_view name, std::uint64_t size) const {
    const std::span<T> values = section<T>(name);
    count<T>(name, values, size);
    return values;
  }
  bool has(std::string_view name) const { return m_file->has(m_commit, name); }

  /// Reports \p why for element \p at of a section. \throws CorruptFile, always
  template <class T>
  [[noreturn]] void refuse(std::string_view name, std::uint64_t at, const std::string& why) const {
    throw CorruptFile(
        m_file->path(), m_file->offset(m_commit, name) + at * sizeof(T),
        std::string("'").append(name) + "', element " + std::to_string(at) + ": " + why);
  }

  /// Checks `good(i)` for every element, divided among several threads.
  template <class T, class Good>
  void all(std::string_view name, std::size_t size, const std::string& why,
           const Good& good) const {
    for_each_piece(size, piece, m_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (!good(i)) refuse<T>(name, i, why);
      }
    });
  }

  /// Checks that all \p values are below \p limit.
  template <class T>
  void below(std::string_view name, std::span<const T> values, std::uint64_t limit) const {
    for_each_piece(values.size(), piece, m_threads, [&](std::size_t begin, std::size_t end) {
      T largest = 0;
      for (std::size_t i = begin; i < end; ++i) largest = std::max(largest, values[i]);
      if (largest >= limit) {
        std::size_t at = begin;
        while (values[at] < limit) ++at;
        refuse<T>(name, at, std::to_string(values[at]) + " is not below " + std::to_string(limit));
      }
    });
  }

  /// Checks that \p ends never decrease, that the last one is \p size, and that every row has fewer
  /// than \p length_limit elements.
  void ends(std::string_view name, std::span<const std::uint64_t> ends, std::uint64_t size,
            std::uint64_t length_limit = ~std::uint64_t{0}) const {
    all<std::uint64_t>(name, ends.size(), "ends decrease, or a row is too long",
                       [&](std::size_t i) {
                         const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
                         return ends[i] >= begin && ends[i] - begin < length_limit;
                       });
    const std::uint64_t last = ends.empty() ? 0 : ends.back();
    if (last != size) {
      refuse<std::uint64_t>(name, ends.empty() ? 0 : ends.size() - 1,
                            "ends at " + std::to_string(last) + " of " + std::to_string(size));
    }
  }

  /// Checks that there are \p size elements.
  template <class T>
  void count(std::string_view name, std::span<const T> values, std::uint64_t size) const {
    if (values.size() == size) return;
    refuse<T>(
        name, 0,
        std::to_string(values.size()) + " elements; " + std::to_string(size) + " are expected");
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 20U;

  const SectionFile* m_file;
  std::size_t m_commit;
  int m_threads;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_SECTION_CHECKS_HPP
