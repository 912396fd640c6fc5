// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_ARCH_PACK_RESULTS_HPP
#define KINDRED_TESTS_ARCH_PACK_RESULTS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace Kindred::Testing {

/// The results of operations as words; all NaN compare equal.
class PackResults {
 public:
  void keep(float value) {
    m_words.push_back(value != value ? ~0ULL : std::bit_cast<std::uint32_t>(value));
  }
  void keep(double value) {
    m_words.push_back(value != value ? ~0ULL : std::bit_cast<std::uint64_t>(value));
  }
  void keep(std::uint64_t value) { m_words.push_back(value); }
  void keep(std::uint32_t value) { m_words.push_back(value); }
  void keep(std::uint16_t value) { m_words.push_back(value); }
  void keep(std::uint8_t value) { m_words.push_back(value); }
  template <class Values>
  void keep_all(const Values& values) {
    for (const auto value : values) keep(value);
  }
  /// The \p size elements of each pack.
  template <class Element, std::size_t size, class... Packs>
  void keep_packs(const Packs&... packs) {
    alignas(64) Element elements[size];
    ((packs.store(elements), keep_all(elements)), ...);
  }

  friend bool operator==(const PackResults&, const PackResults&) = default;

 private:
  std::vector<std::uint64_t> m_words;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_ARCH_PACK_RESULTS_HPP
