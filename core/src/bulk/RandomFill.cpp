// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/RandomFill.hpp>

#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/bulk/impl/BulkLaunch.hpp>
#include <kindred/core/common/Alignment.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred {

namespace Impl {

/// \brief Philox4x32-10: the four words of each of \p Width counters under \p seed.
/// Lanes are the inner index, so that the host vectorises over them.
template <int Width>
struct Philox {
  std::uint32_t word[4][Width];

  KOKKOS_INLINE_FUNCTION Philox(std::uint64_t seed, std::uint64_t counter) {
    for (int l = 0; l < Width; ++l) {
      const std::uint64_t own = counter + static_cast<std::uint64_t>(l);
      word[0][l] = static_cast<std::uint32_t>(own);
      word[1][l] = static_cast<std::uint32_t>(own >> 32U);
      word[2][l] = 0;
      word[3][l] = 0;
    }
    auto key0 = static_cast<std::uint32_t>(seed);
    auto key1 = static_cast<std::uint32_t>(seed >> 32U);
    for (int round = 0; round < 10; ++round) {
      for (int l = 0; l < Width; ++l) {
        const std::uint64_t left = std::uint64_t{0xD2511F53U} * word[0][l];
        const std::uint64_t right = std::uint64_t{0xCD9E8D57U} * word[2][l];
        word[0][l] = static_cast<std::uint32_t>(right >> 32U) ^ word[1][l] ^ key0;
        word[1][l] = static_cast<std::uint32_t>(right);
        word[2][l] = static_cast<std::uint32_t>(left >> 32U) ^ word[3][l] ^ key1;
        word[3][l] = static_cast<std::uint32_t>(left);
      }
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
  }
};

/// Elements per counter, which yields four words.
template <class T>
inline constexpr std::uint32_t counter_elements = 16 / sizeof(T);

/// Element \p i of the four words of lane \p l.
template <class T, int Width>
KOKKOS_INLINE_FUNCTION T element_of(const Philox<Width>& words, std::uint32_t i, int l) {
  if constexpr (sizeof(T) == 1) {
    return static_cast<T>(words.word[i / 4][l] >> (i % 4 * 8));
  } else if constexpr (sizeof(T) == 4) {
    return static_cast<T>(words.word[i][l] >> 8U) * T{0x1p-24};
  } else {
    const std::uint64_t both =
        static_cast<std::uint64_t>(words.word[2 * i + 1][l]) << 32U | words.word[2 * i][l];
    return static_cast<T>(both >> 11U) * T{0x1p-53};
  }
}

/// \see random_fill
template <class ExecutionSpace, class T>
struct RandomChunks {
  std::uint64_t seed;
  BulkItems<T> items;
  const std::uint64_t* offsets;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t chunk, std::uint32_t thread) const {
    constexpr int counters = Arch::is_device<ExecutionSpace> ? 1 : 16;  // of a thread at a time
    constexpr std::uint32_t block = counters * counter_elements<T>;
    const BulkPart part = part_of(items, chunk);
    T* out = items[part.index].output + part.begin;
    const std::uint64_t position = offsets[part.index] + part.begin;
    const std::uint64_t first_counter = position / counter_elements<T>;
    // The chunk's elements of the stream, counted from those of the first counter.
    const std::uint64_t first = position % counter_elements<T>;
    const std::uint64_t end = first + part.count;
    const bool is_aligned = first == 0 && begin_at(16, out);
    for (std::uint64_t begin = std::uint64_t{thread} * block; begin < end;
         begin += bulk_team<ExecutionSpace> * block) {
      const Philox<counters> words(seed, first_counter + begin / counter_elements<T>);
      Arch::Adjacent<T, block> all;
      for (std::uint32_t i = 0; i < counter_elements<T>; ++i) {
        for (int l = 0; l < counters; ++l)
          all.value[l * counter_elements<T> + i] = element_of<T>(words, i, l);
      }
      const bool is_whole = begin >= first && end - begin >= block;
      if (is_whole && is_aligned) {
        *reinterpret_cast<Arch::Adjacent<T, block>*>(out + begin) = all;
      } else if (is_whole) {
        for (std::uint32_t e = 0; e < block; ++e) out[begin - first + e] = all.value[e];
      } else {
        for (std::uint32_t e = 0; e < block; ++e) {
          if (begin + e >= first && begin + e < end) out[begin + e - first] = all.value[e];
        }
      }
    }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class T>
void random_fill(const ExecutionSpace& exec_space, const BulkPlan& plan, std::uint64_t seed,
                 const ArrayView<const std::uint64_t, ExecutionSpace>& offsets,
                 const BulkItems<T>& items) {
  const Impl::ArgumentCheck check("random_fill");
  Impl::check_items(check, plan, items, false, true);
  check.has("offsets", offsets, items.count);
  Impl::for_each_chunk(exec_space, "Kindred::Bulk::random_fill::elements", plan.chunks,
                       Impl::RandomChunks<ExecutionSpace, T>{seed, items, offsets.data()});
}

KINDRED_INSTANTIATE_FOR_SPACES(random_fill, std::uint8_t);
KINDRED_INSTANTIATE_FOR_SPACES(random_fill, float);
KINDRED_INSTANTIATE_FOR_SPACES(random_fill, double);

}  // namespace Kindred
