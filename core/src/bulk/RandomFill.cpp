// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/RandomFill.hpp>

#include <kindred/core/arch/simd/StreamStore.hpp>
#include <kindred/core/bulk/impl/BulkChecks.hpp>
#include <kindred/core/bulk/impl/BulkLaunch.hpp>
#include <kindred/core/common/Alignment.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <cstring>

namespace Kindred::Impl {

/// \brief Philox4x32-10: the four words of each of \p Width counters (low, high) under \p seed.
/// Lanes are the inner index, so that the host vectorises over them.
template <int Width>
struct Philox {
  std::uint32_t word[4][Width];

  KOKKOS_INLINE_FUNCTION Philox(std::uint64_t seed, std::uint64_t counter, std::uint64_t high = 0) {
    for (int l = 0; l < Width; ++l) {
      const std::uint64_t own = counter + static_cast<std::uint64_t>(l);
      word[0][l] = static_cast<std::uint32_t>(own);
      word[1][l] = static_cast<std::uint32_t>(own >> 32U);
      word[2][l] = static_cast<std::uint32_t>(high);
      word[3][l] = static_cast<std::uint32_t>(high >> 32U);
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

}  // namespace Kindred::Impl

namespace Kindred {

namespace Impl {

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
template <class T>
struct RandomChunks {
  std::uint64_t seed;
  bool streams;
  BulkItems<T> items;
  const std::uint64_t* offsets;

  KOKKOS_INLINE_FUNCTION void device(std::uint64_t chunk, std::uint32_t thread) const {
    constexpr std::uint32_t each = counter_elements<T>;
    const BulkPart part = part_of(items, chunk);
    T* out = items[part.index].output + part.begin;
    const std::uint64_t first = offsets[part.index] + part.begin;
    const std::uint64_t last_counter = (first + part.count - 1) / each;
    const bool is_even = first % each == 0 && begin_at(16, out);
    for (std::uint64_t counter = first / each + thread; counter <= last_counter;
         counter += bulk_team) {
      const Philox<1> words(seed, counter);
      struct alignas(16) All {
        T value[each];
      } all;
      for (std::uint32_t i = 0; i < each; ++i) all.value[i] = element_of<T>(words, i, 0);
      const std::uint64_t begin = counter * each;
      if (is_even && first + part.count - begin >= each) {
        *reinterpret_cast<All*>(out + (begin - first)) = all;
        continue;
      }
      for (std::uint32_t i = 0; i < each; ++i) {
        if (begin + i >= first && begin + i < first + part.count)
          out[begin + i - first] = all.value[i];
      }
    }
  }

  void host(std::uint64_t chunk) const {
    constexpr std::uint32_t each = counter_elements<T>;
    constexpr int width = 16;
    const BulkPart part = part_of(items, chunk);
    T* out = items[part.index].output + part.begin;
    const std::uint64_t first = offsets[part.index] + part.begin;
    const std::uint64_t end = first + part.count;
    constexpr std::uint32_t block = each * width;
    const std::uint64_t aligned = first / each * each;
    // No index sum exceeds the end, which may be close to 2^64.
    for (std::uint64_t done = 0; done < end - aligned; done += block) {
      const std::uint64_t begin = aligned + done;
      const Philox<width> words(seed, begin / each);
      alignas(64) T values[block];
      for (std::uint32_t i = 0; i < each; ++i) {
        for (int l = 0; l < width; ++l) values[l * each + i] = element_of<T>(words, i, l);
      }
      const std::uint64_t from = begin < first ? first : begin;
      const std::uint64_t to = end - begin > block ? begin + block : end;
      const T* kept = values + (from - begin);
      if (streams) {
        Arch::stream_bytes(out + (from - first), kept, (to - from) * sizeof(T));
      } else {
        std::memcpy(out + (from - first), kept, (to - from) * sizeof(T));
      }
    }
    if (streams) Arch::end_streams();
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
                       Impl::RandomChunks<T>{seed, plan.streams, items, offsets.data()});
}

#define KINDRED_INSTANTIATE_FOR(SPACE, T)                                           \
  template void random_fill<SPACE, T>(const SPACE&, const BulkPlan&, std::uint64_t, \
                                      const ArrayView<const std::uint64_t, SPACE>&, \
                                      const BulkItems<T>&);
#define KINDRED_INSTANTIATE(SPACE)             \
  KINDRED_INSTANTIATE_FOR(SPACE, std::uint8_t) \
  KINDRED_INSTANTIATE_FOR(SPACE, float)        \
  KINDRED_INSTANTIATE_FOR(SPACE, double)
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE
#undef KINDRED_INSTANTIATE_FOR

}  // namespace Kindred
