// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SPECIAL_SEED_BACKWARD_TEAM_HPP
#define KINDRED_CORE_SEED_SPECIAL_SEED_BACKWARD_TEAM_HPP

/// \file
/// A special form for CUDA: not yet measured on `seed-backward`. \see SpecialForms.hpp

#include <kindred/core/arch/simd/Vec4.hpp>
#include <kindred/core/seed/impl/SeedBackwardKernels.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief A team processes 32 features of one reproducible block of rows; a
/// thread processes four of these features in the rows of one lane.
template <class Element>
struct SeedBackwardTeam {
  static constexpr unsigned threads_max = 256;
  static constexpr unsigned teams_at_once = 2;
  static constexpr unsigned columns = 8;
  static constexpr unsigned depth = 4;  ///< rows that a thread reads together
  static constexpr std::size_t scratch_bytes = threads_max * 4 * sizeof(double);

  SeedWeightGradients gradients;
  std::uint64_t rows;
  const Element* x;
  std::uint64_t x_stride;
  const Element* g;
  std::uint64_t g_stride;
  Element* dx;
  std::uint64_t dx_stride;
  bool aligned;
  double* partial;

  static std::uint64_t stripes(std::uint32_t hidden) { return quotient_up(hidden, 4 * columns); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, std::byte* scratch) const {
    const SeedLayerPointers& layer = gradients.layer;
    const std::uint32_t hidden = layer.chunks.hidden;
    const unsigned lane = team.thread() / columns;
    const std::uint32_t stripes = quotient_up(hidden, 4 * columns);
    const std::uint64_t block = team.team() / stripes;
    const std::uint32_t first = (team.team() % stripes * columns + team.thread() % columns) * 4;
    const unsigned mine = first >= hidden ? 0 : (hidden - first < 4 ? hidden - first : 4);
    const std::uint64_t begin = block * reproducible_block;
    const unsigned count = block_length(begin, rows);

    Vec4Coefficients coefficients;
    Arch::Vec4Mask<Element> copies;
    bool takes_x[4];
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      SeedBehaviour by;
      if (i < mine) by = layer.behaviour(layer.chunks.seed_of(first + i));
      const SeedCoefficients one = layer.backward(by, first + i);
      coefficients.set(static_cast<int>(i), one);
      copies.set(static_cast<int>(i), one.copies);
      takes_x[i] = SeedLayerPointers::weight_gradient(by).takes_x;
    }
    const bool is_whole = aligned && mine == 4;
    double sums[4] = {};
    for (unsigned base = lane; base < count; base += depth * gradient_lanes) {
      Arch::Vec4<Element> of_x[depth] = {};
      Arch::Vec4<Element> of_g[depth] = {};
      KINDRED_UNROLL
      for (unsigned j = 0; j < depth; ++j) {
        const unsigned row = base + j * gradient_lanes;
        if (row >= count) continue;
        of_x[j] = load(x + (begin + row) * x_stride + first, is_whole, mine);
        of_g[j] = load(g + (begin + row) * g_stride + first, is_whole, mine);
      }
      KINDRED_UNROLL
      for (unsigned j = 0; j < depth; ++j) {
        const unsigned row = base + j * gradient_lanes;
        if (row >= count) continue;
        float changed[4];
        KINDRED_UNROLL
        for (int i = 0; i < 4; ++i) {
          const float value = Arch::to_float(of_g[j].value(i));
          const float factor = takes_x[i] ? Arch::to_float(of_x[j].value(i)) : 1.0F;
          sums[i] = ::fma(static_cast<double>(factor), static_cast<double>(value), sums[i]);
          changed[i] = coefficients.applied(i, value);
        }
        const auto out = Arch::round_or_copy<Element>(changed, of_g[j], copies);
        Element* to = dx + (begin + row) * dx_stride + first;
        if (is_whole) {
          Arch::store_vec4(to, out);
        } else {
          for (unsigned i = 0; i < mine; ++i) to[i] = out.value(static_cast<int>(i));
        }
      }
    }
    auto* given = reinterpret_cast<double*>(scratch);
    for (unsigned half = gradient_lanes / 2; half > 0; half /= 2) {
      KINDRED_UNROLL
      for (unsigned i = 0; i < 4; ++i) given[i * threads_max + team.thread()] = sums[i];
      team.barrier();
      if (lane < half) {
        KINDRED_UNROLL
        for (unsigned i = 0; i < 4; ++i)
          sums[i] += given[i * threads_max + team.thread() + half * columns];
      }
      team.barrier();
    }
    if (lane != 0) return;
    for (unsigned i = 0; i < mine; ++i) {
      if (gradients.blocks > 1)
        partial[block * hidden + first + i] = sums[i];
      else
        gradients.set(first + i, sums[i]);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static Arch::Vec4<Element> load(const Element* from, bool is_whole,
                                                         unsigned mine) {
    if (is_whole) return Arch::load_vec4(from);
    Arch::Vec4<Element> out{};
    for (unsigned i = 0; i < 4; ++i) {
      if (i < mine) out.set(static_cast<int>(i), from[i]);
    }
    return out;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_SPECIAL_SEED_BACKWARD_TEAM_HPP
