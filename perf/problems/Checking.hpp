// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PROBLEMS_CHECKING_HPP
#define KINDRED_PERF_PROBLEMS_CHECKING_HPP

#include "problems/RandomData.hpp"

#include <kindred/matcher/VectorIndex.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// FNV-1a hash over words, used to compare answers.
class Digest {
 public:
  void add(std::uint64_t word) { m_hash = (m_hash ^ word) * 0x100000001B3ULL; }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(float value) { add(std::uint64_t{std::bit_cast<std::uint32_t>(value)}); }
  std::uint64_t value() const { return m_hash; }

 private:
  std::uint64_t m_hash = 0xCBF29CE484222325ULL;
};

/// The hash of a list of numbers.
template <class Numbers>
std::uint64_t digest_of_all(const Numbers& numbers) {
  Digest digest;
  for (const auto number : numbers) digest.add(number);
  return digest.value();
}

inline std::uint64_t digest_of(const SearchResults& results) {
  Digest digest;
  for (const std::int64_t id : results.ids) digest.add(static_cast<std::uint64_t>(id));
  for (const float score : results.scores) digest.add(score);
  return digest.value();
}

/// Number of items that a check examines in addition to those in the answer.
inline constexpr std::size_t sample_size = 256;

/// `0 … count − 1`, or a random sample of these.
inline std::vector<std::uint64_t> sample(std::size_t count) {
  std::vector<std::uint64_t> out(std::min(count, sample_size));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = count <= sample_size ? i : random_word(99, i) % count;
  return out;
}

inline std::string difference(const char* what, std::uint64_t item, double seen, double expected) {
  return std::string(what) + " of item " + std::to_string(item) + " is " + std::to_string(seen) +
         ", the reference has " + std::to_string(expected);
}

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PROBLEMS_CHECKING_HPP
