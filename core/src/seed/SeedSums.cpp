// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/SeedSums.hpp>

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/seed/impl/SeedChecks.hpp>

namespace Kindred {

namespace {

/// Stores \p value of any arithmetic type as a number of \p numbers.
template <class T>
KOKKOS_INLINE_FUNCTION void store_number(const SeedNumbers& numbers, std::uint32_t seed, T value) {
  if (numbers.values == nullptr) return;
  switch (numbers.type) {
    case DataType::float32:
      static_cast<float*>(numbers.values)[seed] = static_cast<float>(value);
      return;
    case DataType::int32:
      static_cast<std::int32_t*>(numbers.values)[seed] = static_cast<std::int32_t>(value);
      return;
    case DataType::int64:
      static_cast<std::int64_t*>(numbers.values)[seed] = static_cast<std::int64_t>(value);
      return;
    default:
      static_cast<double*>(numbers.values)[seed] = static_cast<double>(value);
  }
}

/// The sums of one seed per index.
struct SumsOfMoments {
  const SeedMoments* moments;  ///< null: nothing was processed
  SeedSumArrays sums;

  KOKKOS_FUNCTION void operator()(std::uint32_t seed) const {
    SeedMoments of_seed;
    if (moments != nullptr) of_seed = moments[seed];
    const double sum = Arch::rounded_product(static_cast<double>(of_seed.count), of_seed.mean);
    store_number(sums.sum, seed, sum);
    store_number(sums.sum_of_squares, seed, of_seed.m2 + Arch::rounded_product(of_seed.mean, sum));
    store_number(sums.count, seed, of_seed.count);
  }
};

}  // namespace

template <class ExecutionSpace>
void seed_sums(const ExecutionSpace& exec_space, std::uint32_t seeds,
               const ArrayView<const SeedMoments, ExecutionSpace>& moments,
               const SeedSumArrays& sums) {
  const Impl::ArgumentCheck check("seed_sums");
  check.has_if_given("moments", moments, seeds);
  for (const SeedNumbers* numbers : {&sums.sum, &sums.sum_of_squares, &sums.count})
    check.is_type("sums", numbers->type,
                  numbers->type == DataType::float32 || numbers->type == DataType::float64 ||
                      numbers->type == DataType::int32 || numbers->type == DataType::int64);
  check.is_aligned("sums.sum", sums.sum.values, size_of(sums.sum.type));
  check.is_aligned("sums.sum_of_squares", sums.sum_of_squares.values,
                   size_of(sums.sum_of_squares.type));
  check.is_aligned("sums.count", sums.count.values, size_of(sums.count.type));
  Launch::for_each_index<Launch::Finishing, std::uint32_t>(
      exec_space, "Kindred::Seed::forward::sums", seeds,
      SumsOfMoments{moments.size() == 0 ? nullptr : moments.data(), sums});
}

KINDRED_INSTANTIATE_FOR_SPACES(seed_sums);

}  // namespace Kindred
