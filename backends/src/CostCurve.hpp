// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_COST_CURVE_HPP
#define KINDRED_BACKENDS_SRC_COST_CURVE_HPP

#include <kindred/backends/Dispatcher.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

inline constexpr std::size_t size_class_count = 64;

/// The power of two of \p work, 0 … 63. Work below 2 and what is no number is class 0.
std::size_t size_class(double work) noexcept;

/// \brief Seconds of an operation on a space as a function of its work, transfer apart.
///
/// A line `overhead + work / rate` until it is calibrated. Then a measured point a size class:
/// straight between two of them, and along the line through the nearest two beyond them, or at the
/// assumed rate where those two are alike; never
/// faster than in proportion below, never slower than in proportion above.
class CostCurve {
 public:
  struct Point {
    double work = 0;
    double seconds = 0;
  };

  CostCurve() = default;
  CostCurve(double overhead_seconds, double work_per_second)
      : m_overhead(overhead_seconds), m_rate(work_per_second) {}

  double seconds(double work) const noexcept;

  /// Takes the place of what was measured in that size class.
  void set(Point point) noexcept;
  bool calibrated() const noexcept { return m_measured != 0; }
  /// Calls `function(point)` for every measured point, least work first.
  template <class Function>
  void for_each_point(const Function& function) const {
    for (std::size_t k = 0; k < size_class_count; ++k)
      if ((m_measured >> k & 1U) != 0) function(m_points[k]);
  }

 private:
  double m_overhead = 0;
  double m_rate = 1;
  std::uint64_t m_measured = 0;  ///< a bit a size class
  std::array<Point, size_class_count> m_points{};
};

/// \brief What is assumed of \p operation on \p space before anything is measured.
///
/// One thread of the host does `rate` work a second after what a call costs; the numbers were
/// measured on processors of 2021 to 2023. A call on `openmp` is handed to a thread of the team,
/// which wakes the others: 100 µs and 2 µs per thread more; every thread but the first adds 0.85 of
/// the rate. The device does 100 times the work of a thread and has the overhead which puts the
/// crossover of a call of one start with one thread at the threshold of the systems Kindred serves;
/// searches count what they read as work, so that a way of theirs which prepares much is not taken
/// for a few rows:
///
// clang-format off
/// | operation | threshold | as work | rate of a thread | a call |
/// |---|---|---|---|---|
/// | lcs | KA Lattice's router: 1000 elements (patterns of KATO's 100 symbols) | 100,000 | 1e9 | 5 µs |
/// | difflib | as lcs | 100,000 | 1.2e9 | 10 µs |
/// | search | Engram's cosine: a query and 64 vectors of 768 | 442,368 | 3e10 | 5 µs |
/// | search-screen | a query and 1024 vectors: the launches of a screen | 3,932,160 | 5e10 | 10 µs |
/// | search-matrix | 64 queries and 256 vectors: queries are rounded first | 25,165,824 | 8e10 | 30 µs |
/// | score | Engram's HNSW: 1024 candidates of 768 | 786,432 | 5e9 | 5 µs |
/// | spread | Engram's spreading: 512 nodes of degree 10, 4 hops | 20,480 | 4e8 | 2 µs |
/// | seeds | 64 rows of Kasmina's 4096 features | 262,144 | 2.5e8 | 50 µs |
/// | lattice-build | KA Lattice's router: 10,000 nodes (of 4 dimensions) | 80,000 | 2e9 | 2 µs |
/// | lattice-search | the launches of its levels; KA Lattice's router: never | 524,288 | 3e8 | 5 µs |
/// | transform | KA Lattice's router: never | – | 1e10 | 3 µs |
/// | element-wise | KA Lattice's router: 5,000 elements | 5,000 | 4e9 | 3 µs |
/// | reduction | KA Lattice's router: 10,000 elements | 10,000 | 2.5e9 | 5 µs |
/// | random-generation | KA Lattice's router: 10,000 elements | 10,000 | 4.5e8 | 3 µs |
/// | matrix-multiply | KA Lattice's router: 1,024 elements, 32 × 32 | 32,768 | 4e10 | 3 µs |
/// | matrix-add | KA Lattice's router: never | – | 3e9 | 3 µs |
// clang-format on
CostCurve prior(Operation operation, Space space, int threads) noexcept;

/// \brief Seconds that are assumed of a parallel region or kernel before they are measured.
///
/// A region behind another waits for all threads, of which some fell asleep: 15 µs and 1 µs per
/// thread. A launch that is queued behind others takes 1.5 µs.
double start_prior(Space space, int threads) noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_COST_CURVE_HPP
