// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_FORWARD_DEVICE_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_FORWARD_DEVICE_HPP

#include <kindred/core/arch/Fours.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/impl/SeedCoefficients.hpp>
#include <kindred/core/seed/impl/TeamMoments.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// What a team does with the elements that it reads.
enum class SeedPass {
  plain,   ///< applies the seeds
  whole,   ///< and keeps moments, a thread a block of 64 rows
  divided  ///< and keeps moments, eight threads a block
};

/// \brief A call on a device: a team takes the blocks of rows of a group and the features of a
/// stripe, four neighbours a thread.
template <class In, class Out, SeedPass pass>
struct SeedForwardTeam {
  static constexpr unsigned threads_max = pass == SeedPass::divided ? 256 : 512;
  static constexpr unsigned teams_at_once = pass == SeedPass::divided ? 2 : 1;
  static constexpr unsigned depth = 8;  ///< rows that a thread reads together
  static constexpr bool keeps = pass != SeedPass::plain;
  static constexpr bool divides = pass == SeedPass::divided;

  SeedLayerPointers layer;
  SeedStripes stripes;
  std::uint64_t rows;
  const In* x;
  std::uint64_t x_stride;
  Out* y;
  std::uint64_t y_stride;
  bool aligned;  ///< to four elements, all rows
  TeamMoments<divides> moments;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, std::byte* scratch) const {
    const SeedStripe stripe = stripes.stripe(layer.chunks, team.team());
    const unsigned columns = stripes.columns;
    const unsigned column = team.thread() % columns;
    const unsigned slot = team.thread() / columns;
    const unsigned block_slot = divides ? slot / moment_lanes : slot;
    const std::uint64_t first_row =
        (std::uint64_t{stripe.group} * stripes.group_blocks + block_slot) * moment_block;
    const auto left = first_row < rows ? rows - first_row : 0;
    const auto count = static_cast<unsigned>(left < moment_block ? left : moment_block);

    const std::uint32_t base = aligned ? stripe.begin & ~3U : stripe.begin;
    const std::uint32_t first = base + 4 * column;
    const bool is_whole = aligned && first >= stripe.begin && first + 4 <= stripe.end;
    const In* from = x + first_row * x_stride + first;
    Out* to = y + first_row * y_stride + first;
    unsigned mine = 0;
    for (unsigned i = 0; i < 4; ++i)
      mine |= (first + i >= stripe.begin && first + i < stripe.end ? 1U : 0U) << i;

    Arch::Four<In> read[depth] = {};
    const unsigned first_lane = divides ? slot % moment_lanes : 0;
    const auto load = [&](unsigned lane) {
      KINDRED_UNROLL
      for (unsigned j = 0; j < depth; ++j) {
        const unsigned row = lane + j * moment_lanes;
        if (row < count) read[j] = load_four(from + row * x_stride, is_whole, mine);
      }
    };
    load(first_lane);
    Arch::Four<In> shifts{};
    if constexpr (divides) {
      if (count > 0) shifts = load_four(from, is_whole, mine);
    }

    auto* table = reinterpret_cast<SeedCoefficients*>(scratch);
    for (std::uint32_t i = team.thread(); i < stripe.end - stripe.begin; i += team.threads()) {
      const std::uint32_t feature = stripe.begin + i;
      table[feature - base] = layer.forward(layer.chunks.seed_of(feature), feature);
    }
    team.barrier();  // rows in place of their results: all of a block's are read by now, if divided
    FourCoefficients coefficients;
    Arch::FourMask<Out> copies;
    KINDRED_UNROLL
    for (int i = 0; i < 4; ++i) {
      const SeedCoefficients one =
          (mine >> i & 1U) != 0 ? table[4 * column + static_cast<unsigned>(i)] : SeedCoefficients();
      coefficients.set(i, one);
      if constexpr (std::is_same_v<In, Out>)
        copies.value[i] =
            static_cast<Arch::element_bits<Out>>(one.copies ? ~Arch::element_bits<Out>{0} : 0);
    }

    FourSums sums;
    Arch::FourExtremes<In> extremes;
    if constexpr (keeps) {
      if constexpr (!divides) shifts = count > 0 ? read[0] : shifts;
      sums.set_shift(shifts);
    }
    for (unsigned lane = first_lane; lane < (divides ? first_lane + 1 : moment_lanes); ++lane) {
      if (lane != first_lane) load(lane);
      if constexpr (keeps) sums.start_lane();
      KINDRED_UNROLL
      for (unsigned j = 0; j < depth; ++j) {
        const unsigned row = lane + j * moment_lanes;
        if (row >= count) continue;
        float values[4];
        float changed[4];
        KINDRED_UNROLL
        for (int i = 0; i < 4; ++i) {
          values[i] = Arch::to_float(read[j].value[i]);
          changed[i] = coefficients.applied(i, values[i]);
        }
        Arch::Four<Out> copied{};
        if constexpr (std::is_same_v<In, Out>) copied = read[j];
        store_four(to + row * y_stride, Arch::round_or_copy<Out>(changed, copied, copies), is_whole,
                   mine);
        if constexpr (keeps) {
          sums.add(values);
          extremes.add(read[j]);
        }
      }
      if constexpr (keeps && !divides) sums.end_lane();
    }
    if constexpr (keeps) {
      if (moments.out == nullptr) return;
      moments.finish(team, scratch, layer.chunks, stripes, stripe, rows, base, mine, count, sums,
                     extremes);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static Arch::Four<In> load_four(const In* from, bool is_whole,
                                                         unsigned mine) {
    if (is_whole) return Arch::read_four(from);
    Arch::Four<In> out{};
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      if ((mine >> i & 1U) != 0) out.value[i] = from[i];
    }
    return out;
  }
  KOKKOS_INLINE_FUNCTION static void store_four(Out* to, const Arch::Four<Out>& four, bool is_whole,
                                                unsigned mine) {
    if (is_whole) {
      Arch::write_four(to, four);
      return;
    }
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      if ((mine >> i & 1U) != 0) to[i] = four.value[i];
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_FORWARD_DEVICE_HPP
