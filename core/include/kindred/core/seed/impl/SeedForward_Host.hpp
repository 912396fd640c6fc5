// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_FORWARD_HOST_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_FORWARD_HOST_HPP

#include <kindred/core/arch/Sixteen.hpp>
#include <kindred/core/seed/impl/MergeMoments.hpp>
#include <kindred/core/seed/impl/SeedCoefficients.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace Kindred::Impl {

/// Features beside each other that a row of the host's work is padded to: two lines of bfloat16.
inline constexpr std::size_t host_features = 64;

/// \brief Moments of columns over a group of rows, an array a field.
struct ColumnArrays {
  double* mean;
  double* m2;
  float* min;
  float* max;
  std::int32_t* dead;

  static constexpr std::size_t bytes_each = 28;
  /// Of \p features, from \p memory, which is aligned to 64.
  static ColumnArrays at(std::byte* memory, std::size_t features) {
    auto* mean = reinterpret_cast<double*>(memory);
    auto* min = reinterpret_cast<float*>(mean + 2 * features);
    return {mean, mean + features, min, min + features,
            reinterpret_cast<std::int32_t*>(min + 2 * features)};
  }
};

/// What a thread of the host works with.
struct SeedScratch {
  float* shift;
  float* t;
  float* u;
  float* c;
  std::uint16_t* linear;  ///< a mask of sixteen
  std::uint16_t* copies;
  double* sum;
  double* squares;
  ColumnArrays block;
  double* stack;  ///< mean and m2 of runs of 2^level blocks

  static std::size_t bytes(std::size_t features, std::uint32_t levels) {
    return features * (16 + 4 + 16 + ColumnArrays::bytes_each + 16 * std::size_t{levels});
  }
  static SeedScratch at(std::byte* memory, std::size_t features) {
    SeedScratch out{};
    out.sum = reinterpret_cast<double*>(memory);
    out.squares = out.sum + features;
    out.block = ColumnArrays::at(reinterpret_cast<std::byte*>(out.squares + features), features);
    out.shift = reinterpret_cast<float*>(out.block.dead + features);
    out.t = out.shift + features;
    out.u = out.t + features;
    out.c = out.u + features;
    out.linear = reinterpret_cast<std::uint16_t*>(out.c + features);
    out.copies = out.linear + features;
    out.stack = reinterpret_cast<double*>(out.copies + features);
    return out;
  }
};

/// Whether y is written past the caches: too large to stay in them, in whole lines, and not x.
template <class In, class Out>
bool streams_past_caches(const In* x, const Out* y, std::uint64_t y_stride, std::uint64_t rows,
                         std::uint32_t hidden) {
  constexpr std::uint64_t large = 16ULL << 20U;
  return rows * hidden * sizeof(Out) >= large &&
         static_cast<const void*>(x) != static_cast<const void*>(y) &&
         reinterpret_cast<std::uintptr_t>(y) % 64 == 0 && y_stride * sizeof(Out) % 64 == 0;
}

/// Merges the columns of \p b into \p a.
inline void merge_columns(double* __restrict__ mean_a, double* __restrict__ m2_a,
                          const double* __restrict__ mean_b, const double* __restrict__ m2_b,
                          std::size_t features, const MergeWeights& weights) {
  for (std::size_t f = 0; f < features; ++f)
    merge_means(mean_a[f], m2_a[f], mean_b[f], m2_b[f], weights);
}

/// \brief A call on the host: each thread takes units, a group of rows of some features each. Rows
/// go by eight, those of a lane, so that a feature's sums stay in registers.
template <class S, class In, class Out, bool keeps>
struct SeedForwardPieces {
  SeedLayerPointers layer;
  std::uint64_t rows;
  const In* x;
  std::uint64_t x_stride;
  Out* y;
  std::uint64_t y_stride;
  std::uint32_t stripes;
  std::uint32_t groups;
  std::uint32_t group_blocks;
  std::uint32_t width;  ///< of a stripe
  std::uint32_t pieces;
  bool streams;        ///< y goes past the caches: large, in lines, another array than x
  std::byte* scratch;  ///< of pieces
  std::byte* columns;  ///< of groups: `ColumnArrays` of padded(hidden)
  std::size_t scratch_bytes;

  static constexpr int packs = std::is_same_v<Out, float> ? 1 : 2;  // of a line

  static std::size_t padded(std::size_t features) {
    return (features + host_features - 1) / host_features * host_features;
  }

  void operator()(std::uint64_t piece) const {
    const std::uint64_t units = std::uint64_t{stripes} * groups;
    const SeedScratch own = SeedScratch::at(scratch + piece * scratch_bytes, padded(width));
    for (std::uint64_t unit = units * piece / pieces; unit < units * (piece + 1) / pieces; ++unit)
      take(own, static_cast<std::uint32_t>(unit / groups),
           static_cast<std::uint32_t>(unit % groups));
    if (streams) S::end_streams();
  }

 private:
  void take(const SeedScratch& own, std::uint32_t stripe, std::uint32_t group) const {
    const std::uint32_t begin = stripe * width;
    const std::uint32_t features =
        layer.chunks.hidden - begin < width ? layer.chunks.hidden - begin : width;
    set_coefficients(own, begin, features);
    if constexpr (keeps) {
      for (std::size_t f = 0; f < padded(features); ++f) {
        own.block.min[f] = HUGE_VALF;
        own.block.max[f] = -HUGE_VALF;
        own.block.dead[f] = 0;
      }
    }
    const std::uint64_t first_row = std::uint64_t{group} * group_blocks * moment_block;
    std::uint64_t counts[40];  // rows of the runs on the stack
    int levels = 0;
    for (std::uint32_t block = 0; block < group_blocks; ++block) {
      const std::uint64_t row = first_row + std::uint64_t{block} * moment_block;
      if (row >= rows) break;
      const auto count =
          static_cast<unsigned>(rows - row < moment_block ? rows - row : moment_block);
      take_block(own, x + row * x_stride + begin, y + row * y_stride + begin, features, count);
      if constexpr (keeps) {
        std::uint64_t here = count;
        for (std::uint32_t done = block; (done & 1U) != 0; done >>= 1U) {
          --levels;
          pull(own, features, levels, MergeWeights(counts[levels], here));
          here += counts[levels];
        }
        counts[levels] = here;
        std::memcpy(own.stack + 2 * std::size_t{padded(width)} * static_cast<std::size_t>(levels),
                    own.block.mean, 2 * padded(width) * sizeof(double));
        ++levels;
      }
    }
    if constexpr (keeps) {
      std::uint64_t here = counts[--levels];  // the last run is in `block` too
      while (levels > 0) {
        --levels;
        pull(own, features, levels, MergeWeights(counts[levels], here));
        here += counts[levels];
      }
      const std::size_t all = padded(layer.chunks.hidden);
      const ColumnArrays to =
          ColumnArrays::at(columns + group * all * ColumnArrays::bytes_each, all);
      std::memcpy(to.mean + begin, own.block.mean, features * sizeof(double));
      std::memcpy(to.m2 + begin, own.block.m2, features * sizeof(double));
      std::memcpy(to.min + begin, own.block.min, features * sizeof(float));
      std::memcpy(to.max + begin, own.block.max, features * sizeof(float));
      std::memcpy(to.dead + begin, own.block.dead, features * sizeof(std::int32_t));
    }
  }

  /// The run of \p level of the stack, which is to the left, and the block's become the block's.
  void pull(const SeedScratch& own, std::size_t features, int level,
            const MergeWeights& weights) const {
    const std::size_t room = padded(width);
    double* mean = own.stack + 2 * room * static_cast<std::size_t>(level);
    merge_columns(mean, mean + room, own.block.mean, own.block.m2, features, weights);
    std::memcpy(own.block.mean, mean, 2 * room * sizeof(double));
  }

  void set_coefficients(const SeedScratch& own, std::uint32_t begin, std::uint32_t features) const {
    for (std::size_t i = 0; i < padded(features) / 16; ++i) own.linear[i] = own.copies[i] = 0;
    for (std::size_t f = features; f < padded(features); ++f)
      own.t[f] = own.u[f] = own.c[f] = own.shift[f] = 0;
    if (features == 0) return;
    std::uint32_t seed = layer.chunks.seed_of(begin);
    std::uint32_t end = layer.chunks.begin(seed + 1);
    for (std::uint32_t f = 0; f < features; ++f) {
      while (begin + f >= end) end = layer.chunks.begin(++seed + 1);
      const SeedCoefficients one = layer.forward(seed, begin + f);
      own.t[f] = one.t;
      own.u[f] = one.u;
      own.c[f] = one.c;
      const auto bit = static_cast<std::uint16_t>(1U << (f % 16));
      if (one.is_linear) own.linear[f / 16] = static_cast<std::uint16_t>(own.linear[f / 16] | bit);
      if (std::is_same_v<In, Out> && one.copies)
        own.copies[f / 16] = static_cast<std::uint16_t>(own.copies[f / 16] | bit);
    }
  }

  void take_block(const SeedScratch& own, const In* from, Out* to, std::uint32_t features,
                  unsigned count) const {
    if constexpr (keeps) {
      // Kept beside: y may take the place of the row.
      for (std::uint32_t f = 0; f < features; f += 16) {
        const unsigned left = features - f < 16 ? features - f : 16;
        S::store_floats(own.shift + f, S::widen(S::load(from + f, left)));
      }
      for (std::size_t f = 0; f < padded(features); ++f) own.sum[f] = own.squares[f] = 0;
    }
    for (unsigned lane = 0; lane < moment_lanes && lane < count; ++lane) {
      const In* lane_from = from + lane * x_stride;
      Out* lane_to = to + lane * y_stride;
      const unsigned rows_of_lane = (count - lane + moment_lanes - 1) / moment_lanes;
      std::uint32_t f = 0;
      if (rows_of_lane == moment_lanes) {
        if (streams) {
          for (; f + 16 * packs <= features; f += 16 * packs)
            line<true>(own, lane_from, lane_to, f);
        } else {
          for (; f + 16 * packs <= features; f += 16 * packs)
            line<false>(own, lane_from, lane_to, f);
        }
      }
      for (; f < features; f += 16) {
        const unsigned left = features - f < 16 ? features - f : 16;
        sixteen(
            own, f, rows_of_lane,
            [&](unsigned j) { return S::load(lane_from + j * moment_lanes * x_stride + f, left); },
            [&](unsigned j, const auto& raw) {
              S::store(lane_to + j * moment_lanes * y_stride + f, raw, left);
            });
      }
    }
    if constexpr (keeps) {
      const double share = 1.0 / count;
      double* __restrict__ mean = own.block.mean;
      double* __restrict__ m2 = own.block.m2;
      for (std::uint32_t f = 0; f < features; ++f)
        close_block(static_cast<double>(own.shift[f]), own.sum[f], own.squares[f], share, mean[f],
                    m2[f]);
    }
  }

  /// Whole lines of eight rows.
  template <bool past>
  void line(const SeedScratch& own, const In* from, Out* to, std::uint32_t first) const {
    typename S::template Raw<Out> results[moment_lanes][packs];
    for (int pack = 0; pack < packs; ++pack) {
      const std::uint32_t f = first + 16 * static_cast<std::uint32_t>(pack);
      sixteen(
          own, f, std::integral_constant<unsigned, moment_lanes>(),
          [&](unsigned j) { return S::load(from + j * moment_lanes * x_stride + f); },
          [&](unsigned j, const auto& raw) {
            if constexpr (past)
              results[j][pack] = raw;
            else
              S::store(to + j * moment_lanes * y_stride + f, raw);
          });
    }
    if constexpr (past) {
      for (unsigned j = 0; j < moment_lanes; ++j)
        S::stream(to + j * moment_lanes * y_stride + first, results[j]);
    }
  }

  template <class Body>
  static void each_row(unsigned count, const Body& body) {
    for (unsigned j = 0; j < count; ++j) body(j);
  }
  /// One after the other in the code too: what is kept of each stays in registers.
  template <unsigned count, class Body>
  static void each_row(std::integral_constant<unsigned, count>, const Body& body) {
    [&]<unsigned... j>(std::integer_sequence<unsigned, j...>) { (body(j), ...); }
    (std::make_integer_sequence<unsigned, count>());
  }

  /// Sixteen features of the \p count rows of a lane, from the \p f-th one: first their sums, then
  /// y, which may take the place of what was summed.
  template <class Count, class Load, class Store>
  void sixteen(const SeedScratch& own, std::uint32_t f, Count count, const Load& load,
               const Store& store) const {
    if constexpr (keeps) add_sixteen(own, f, count, load);
    const auto t = S::load_floats(own.t + f);
    const auto u = S::load_floats(own.u + f);
    const auto c = S::load_floats(own.c + f);
    const typename S::Mask linear = own.linear[f / 16];
    const typename S::Mask copies = own.copies[f / 16];
    each_row(count, [&](unsigned j) {
      const auto raw = load(j);
      const auto value = S::widen(raw);
      const auto kept = S::choose(linear, S::multiply(u, value), c);
      const auto changed = S::template round<Out>(S::add(S::multiply(t, value), kept));
      if constexpr (std::is_same_v<In, Out>)
        store(j, S::choose(copies, raw, changed));
      else
        store(j, changed);
    });
  }

  template <class Count, class Load>
  void add_sixteen(const SeedScratch& own, std::uint32_t f, Count count, const Load& load) const {
    constexpr Arch::element_bits<In> most_bits = Arch::dead_max<In>;
    const float most = Arch::to_float(Kokkos::bit_cast<In>(most_bits));
    const auto shift = S::widen(S::load_floats(own.shift + f));
    auto least = S::load_floats(own.block.min + f);
    auto greatest = S::load_floats(own.block.max + f);
    auto dead = S::load_counts(own.block.dead + f);
    auto sum = S::no_doubles();
    auto squares = S::no_doubles();
    each_row(count, [&](unsigned j) {
      const auto value = S::widen(load(j));
      const auto shifted = S::subtract(S::widen(value), shift);
      sum = S::add(sum, shifted);
      squares = S::multiply_add(shifted, shifted, squares);
      least = S::less_of(value, least);
      greatest = S::greater_of(value, greatest);
      dead = S::count_small(dead, value, most);
    });
    S::store_doubles(own.sum + f, S::add(S::load_doubles(own.sum + f), sum));
    S::store_doubles(own.squares + f, S::add(S::load_doubles(own.squares + f), squares));
    S::store_floats(own.block.min + f, least);
    S::store_floats(own.block.max + f, greatest);
    S::store_counts(own.block.dead + f, dead);
  }
};

/// \brief The columns of all groups become the moments of seeds; each thread takes neighbouring
/// seeds.
struct SeedMomentPieces {
  ChunkMap chunks;
  std::uint64_t rows;
  std::uint32_t groups;
  std::uint64_t group_rows;
  std::uint32_t pieces;
  std::byte* columns;
  std::size_t padded;
  SeedMoments* out;

  void operator()(std::uint64_t piece) const {
    const auto first = static_cast<std::uint32_t>(std::uint64_t{chunks.seeds} * piece / pieces);
    const auto last =
        static_cast<std::uint32_t>(std::uint64_t{chunks.seeds} * (piece + 1) / pieces);
    const std::uint32_t begin = chunks.begin(first);
    const std::size_t features = chunks.begin(last) - begin;
    if (rows > 0) {
      for (std::uint32_t step = 1; step < groups; step *= 2) {
        for (std::uint32_t a = 0; a + step < groups; a += 2 * step)
          merge(a, a + step, begin, features);
      }
    }
    const ColumnArrays all = ColumnArrays::at(columns, padded);
    for (std::uint32_t seed = first; seed < last; ++seed) {
      const std::uint32_t base = chunks.begin(seed);
      out[seed] = finished(merge_run(chunks.width(seed), [&](std::uint64_t i) {
        const std::size_t f = base + i;
        return rows == 0 ? SeedMoments()
                         : SeedMoments{rows,        static_cast<std::uint64_t>(all.dead[f]),
                                       all.mean[f], all.m2[f],
                                       all.min[f],  all.max[f]};
      }));
    }
  }

 private:
  std::uint64_t rows_of(std::uint64_t group) const {
    const std::uint64_t first = group * group_rows;
    return first < rows ? rows - first : 0;
  }
  void merge(std::uint32_t a, std::uint32_t b, std::uint32_t begin, std::size_t features) const {
    const std::uint64_t run = (b - a) * group_rows;
    const std::uint64_t left = rows_of(b);
    const ColumnArrays to =
        ColumnArrays::at(columns + a * padded * ColumnArrays::bytes_each, padded);
    const ColumnArrays from =
        ColumnArrays::at(columns + b * padded * ColumnArrays::bytes_each, padded);
    merge_columns(to.mean + begin, to.m2 + begin, from.mean + begin, from.m2 + begin, features,
                  MergeWeights(run, left < run ? left : run));
    for (std::size_t f = begin; f < begin + features; ++f) {
      to.min[f] = from.min[f] < to.min[f] ? from.min[f] : to.min[f];
      to.max[f] = from.max[f] > to.max[f] ? from.max[f] : to.max[f];
      to.dead[f] += from.dead[f];
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_FORWARD_HOST_HPP
