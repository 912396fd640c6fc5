// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORAGE_SECTION_CHECKS_HPP
#define KINDRED_MATCHER_STORAGE_SECTION_CHECKS_HPP

#include "SectionFile.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Ragged.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace Kindred::Impl {

/// \brief Consistency checks for the numbers of a commit; they throw CorruptFile with the location.
class SectionChecks {
 public:
  SectionChecks(const SectionFile& file, std::size_t commit, int threads)
      : m_file(&file), m_commit(commit), m_threads(threads) {}
  /// Of a file that must have one commit. \throws CorruptFile
  SectionChecks(const SectionFile& file, int threads) : SectionChecks(file, 0, threads) {
    if (file.commits() != 1)
      file.fail(offsetof(SectionHeader, commits), "there are " + std::to_string(file.commits()) +
                                                      " commits; a file of this kind has exactly "
                                                      "one commit");
  }

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
  /// A section of \p size elements, for each of which \p good is true; otherwise the message is \p
  /// why.
  template <class T, class Good>
  std::span<T> section(std::string_view name, std::uint64_t size, const char* why,
                       const Good& good) const {
    const std::span<T> values = section<T>(name, size);
    all<T>(name, size, why, [&](std::size_t i) { return good(values[i]); });
    return values;
  }
  /// A copy of the rows of two sections: \p values, and where each row \p ends. \param count of the
  /// rows; no value: any
  template <class T>
  Ragged<T> rows(std::string_view values, std::string_view ends,
                 std::optional<std::uint64_t> count = {}) const {
    const std::span<T> all = section<T>(values);
    const auto row_ends = section<std::uint64_t>(ends);
    if (count) this->count<std::uint64_t>(ends, row_ends, *count);
    this->ends(ends, row_ends, all.size());
    Ragged<T> rows;
    rows.values.assign(all.begin(), all.end());
    rows.offsets.insert(rows.offsets.end(), row_ends.begin(), row_ends.end());
    return rows;
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

/// \brief The numbers of a section that describes a file. Each is used after it was checked.
class SectionNumbers {
 public:
  /// \param checks must outlive this \throws CorruptFile, as all members
  SectionNumbers(const SectionChecks& checks, const char* name, std::uint64_t size)
      : m_checks(checks), m_name(name), m_numbers(checks.section<std::uint64_t>(name, size)) {}

  std::uint64_t operator[](std::size_t at) const noexcept { return m_numbers[at]; }
  /// Refuses number \p at unless \p good: the message is the number and \p why.
  void require(bool good, std::size_t at, const std::string& why) const {
    if (!good)
      m_checks.refuse<std::uint64_t>(m_name, at, std::to_string(m_numbers[at]) + " " + why);
  }
  /// Number \p at, which must be in [\p least, \p most].
  std::uint64_t in(std::size_t at, std::uint64_t least, std::uint64_t most) const {
    const std::uint64_t number = m_numbers[at];
    require(number >= least && number <= most, at,
            "is not in [" + std::to_string(least) + ", " + std::to_string(most) + "]");
    return number;
  }

 private:
  const SectionChecks& m_checks;
  const char* m_name;
  std::span<const std::uint64_t> m_numbers;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_STORAGE_SECTION_CHECKS_HPP
