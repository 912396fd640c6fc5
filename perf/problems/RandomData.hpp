// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PROBLEMS_RANDOM_DATA_HPP
#define KINDRED_PERF_PROBLEMS_RANDOM_DATA_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/memory/HugePages.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// \brief Seeded inputs. Element i depends only on the seed and on i: it is the same for any number
/// of threads, and a smaller set is a prefix of a larger one.
namespace Kindred::Perf {

/// Leaves elements uninitialised, so that the threads that fill gigabytes of data touch them first.
/// Large arrays use huge pages, like those of NumPy, which the peers read.
template <class T>
struct DefaultInitialized : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = DefaultInitialized<U>;
  };
  T* allocate(std::size_t count) {
    T* const data = std::allocator<T>::allocate(count);
    ask_for_huge_pages(data, count * sizeof(T));
    return data;
  }
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};
template <class T>
using Values = std::vector<T, DefaultInitialized<T>>;

/// Word \p counter of the stream \p seed (mixing function of SplitMix64).
std::uint64_t random_word(std::uint64_t seed, std::uint64_t counter) noexcept;

/// Rows of equal length in the form that engines accept.
struct SymbolRows {
  std::size_t length = 0;
  Values<Symbol> values;
  Values<std::uint64_t> offsets;

  std::size_t rows() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  RaggedSpan<Symbol> span() const noexcept { return {offsets, values}; }
  std::span<const Symbol> operator[](std::size_t row) const noexcept { return span()[row]; }
};

/// \brief \p rows × \p length symbols below \p vocabulary; symbol s has the probability weight (s +
/// 1)^−0.8 (Zipf).
SymbolRows zipf_rows(std::size_t rows, std::size_t length, std::uint32_t vocabulary,
                     std::uint64_t seed, int threads);

/// Truncates \p source to \p length and replaces each symbol by a uniform one with probability \p
/// fraction.
std::vector<Symbol> noisy_copy(std::span<const Symbol> source, double fraction,
                               std::uint32_t vocabulary, std::size_t length, std::uint64_t seed);

/// \brief \p rows × \p dimension float32, approximately normal: the sum of four uniform 16-bit
/// numbers, with mean 0 and variance 1.
Values<float> normal_rows(std::size_t rows, std::size_t dimension, std::uint64_t seed, int threads);

/// \brief \p rows × \p dimension uniform int8.
Values<std::int8_t> byte_rows(std::size_t rows, std::size_t dimension, std::uint64_t seed,
                              int threads);
/// Value \p index of `byte_rows`.
std::int8_t byte_value(std::uint64_t seed, std::uint64_t index) noexcept;

/// Distribution of in-degrees: targets are nodes · u^power for a uniform u.
enum class GraphShape : std::uint8_t {
  uniform = 1,
  skewed = 2,
  power_law = 4  ///< with 100M edges among 10M nodes, the first node has 1.8M
};
/// \brief \p count edges among \p nodes: uniform sources, targets distributed by \p shape, weights
/// uniform in [0, 1).
Values<Edge> random_edges(GraphShape shape, std::size_t nodes, std::size_t count,
                          std::uint64_t seed, int threads);

/// Uniform float32 numbers in [0, 1).
Values<float> uniform_values(std::size_t count, std::uint64_t seed, int threads);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PROBLEMS_RANDOM_DATA_HPP
