// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/RandomFill.hpp>

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/bulk/impl/BulkLaunch.hpp>
#include <kindred/core/common/Alignment.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred {

namespace Impl {

/// The keys of the rounds of Philox4x32-10 under a seed. A device reads them as arguments of the
/// kernel; from a seed, every counter would add them up again.
struct PhiloxKeys {
  static constexpr int rounds = 10;

  explicit PhiloxKeys(std::uint64_t seed) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      word[round][0] = static_cast<std::uint32_t>(seed) + round * 0x9E3779B9U;
      word[round][1] = static_cast<std::uint32_t>(seed >> 32U) + round * 0xBB67AE85U;
    }
  }

  std::uint32_t word[rounds][2];
};

/// \brief Philox4x32-10: the four words of each of \p Width counters under \p keys.
/// Lanes are the inner index, so that the host vectorises over them.
template <int Width>
struct Philox {
  std::uint32_t word[4][Width];

  KOKKOS_INLINE_FUNCTION Philox(const PhiloxKeys& keys, std::uint64_t counter) {
    for (int l = 0; l < Width; ++l) {
      const std::uint64_t own = counter + static_cast<std::uint64_t>(l);
      word[0][l] = static_cast<std::uint32_t>(own);
      word[1][l] = static_cast<std::uint32_t>(own >> 32U);
      word[2][l] = 0;
      word[3][l] = 0;
    }
    for (const auto& key : keys.word) {
      for (int l = 0; l < Width; ++l) {
        const std::uint64_t left = std::uint64_t{0xD2511F53U} * word[0][l];
        const std::uint64_t right = std::uint64_t{0xCD9E8D57U} * word[2][l];
        word[0][l] = static_cast<std::uint32_t>(right >> 32U) ^ word[1][l] ^ key[0];
        word[1][l] = static_cast<std::uint32_t>(right);
        word[2][l] = static_cast<std::uint32_t>(left >> 32U) ^ word[3][l] ^ key[1];
        word[3][l] = static_cast<std::uint32_t>(left);
      }
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

/// Elements that are stored together; a device needs an aligned address for that.
template <class ExecutionSpace, class T, std::uint32_t Count>
struct alignas(Arch::is_device<ExecutionSpace> ? 16 : alignof(T)) RandomBlock {
  T value[Count];
};

/// \see random_fill
template <class ExecutionSpace, class T>
struct RandomChunks {
  PhiloxKeys keys;
  BulkItems<T> items;
  const std::uint64_t* offsets;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t chunk, std::uint32_t thread) const {
    // Of a thread at a time. GCC unrolls loops of up to 16 before it can vectorise them.
    constexpr int counters = Arch::is_device<ExecutionSpace> ? 1 : 32;
    constexpr std::uint32_t block = counters * counter_elements<T>;
    using Block = RandomBlock<ExecutionSpace, T, block>;
    const BulkPart part = part_of(items, chunk);
    const std::uint64_t position = offsets[part.index] + part.begin;
    const std::uint64_t first_counter = position / counter_elements<T>;
    // The chunk's elements of the stream, counted from those of the first counter.
    const auto first = static_cast<std::uint32_t>(position % counter_elements<T>);
    const std::uint32_t end = first + part.count;
    T* origin = items[part.index].output + part.begin - first;
    // Indexed by blocks: if nvcc knows that an index of elements is a multiple of four, it stores
    // the elements of a block one by one.
    auto* blocks = reinterpret_cast<Block*>(origin);
    const bool is_aligned = begin_at(alignof(Block), blocks);
    for (std::uint32_t b = thread; b * block < end; b += bulk_team<ExecutionSpace>) {
      const Philox<counters> words(keys, first_counter + std::uint64_t{b} * counters);
      Block all;
      for (std::uint32_t i = 0; i < counter_elements<T>; ++i) {
        for (int l = 0; l < counters; ++l)
          all.value[l * counter_elements<T> + i] = element_of<T>(words, i, l);
      }
      const std::uint32_t begin = b * block;
      if (is_aligned && begin >= first && end - begin >= block) {
        blocks[b] = all;
      } else {
        T* out = origin + begin;
        for (std::uint32_t e = 0; e < block; ++e) {
          if (begin + e >= first && begin + e < end) out[e] = all.value[e];
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
  Impl::for_each_chunk(
      exec_space, "Kindred::Bulk::random_fill::elements", plan.chunks,
      Impl::RandomChunks<ExecutionSpace, T>{Impl::PhiloxKeys(seed), items, offsets.data()});
}

KINDRED_INSTANTIATE_FOR_SPACES(random_fill, std::uint8_t);
KINDRED_INSTANTIATE_FOR_SPACES(random_fill, float);
KINDRED_INSTANTIATE_FOR_SPACES(random_fill, double);

}  // namespace Kindred
