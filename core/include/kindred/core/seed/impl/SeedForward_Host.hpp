// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_FORWARD_HOST_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_FORWARD_HOST_HPP

#include <kindred/core/arch/SixteenLines.hpp>
#include <kindred/core/seed/impl/MergeMoments.hpp>
#include <kindred/core/seed/impl/SeedCoefficients.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace Kindred::Impl {

/// Features beside each other that a row of the host's work is padded to: two lines of bfloat16.
inline constexpr std::size_t host_features = 64;

/// Blocks of a group at most: `Arch::LineExtremes` counts their rows.
inline constexpr std::uint32_t host_group_blocks = 512;

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

/// What a thread of the host works with. \p In: the elements of x
template <class In>
struct SeedScratch {
  float* shift;
  float* t;
  float* u;
  float* c;
  std::uint16_t* linear;  ///< a mask of sixteen
  std::uint16_t* copies;
  double* sum;
  double* squares;
  Arch::LineExtremes<In>* extremes;
  double* stack;  ///< mean and m2 of runs of 2^level blocks

  static std::size_t bytes(std::size_t features, std::uint32_t levels) {
    return features * (16 + 16 + 12 + 4 + 16 * std::size_t{levels});
  }
  static SeedScratch at(std::byte* memory, std::size_t features) {
    SeedScratch out{};
    out.sum = reinterpret_cast<double*>(memory);
    out.squares = out.sum + features;
    out.shift = reinterpret_cast<float*>(out.squares + features);
    out.t = out.shift + features;
    out.u = out.t + features;
    out.c = out.u + features;
    out.extremes = reinterpret_cast<Arch::LineExtremes<In>*>(out.c + features);
    auto* behind = reinterpret_cast<std::byte*>(out.extremes) + features * 12;
    out.linear = reinterpret_cast<std::uint16_t*>(behind);
    out.copies = out.linear + features;
    out.stack = reinterpret_cast<double*>(out.copies + features);
    return out;
  }
};

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

  using Scratch = SeedScratch<In>;
  /// Packs of sixteen that are taken at once: whole lines of both elements.
  static constexpr unsigned packs = sizeof(In) == 4 && sizeof(Out) == 4 ? 1 : 2;
  static constexpr unsigned features_at_once = 16 * packs;
  static constexpr unsigned in_line = Arch::line_elements<In>;
  static constexpr unsigned out_line = Arch::line_elements<Out>;
  /// How far rows are asked for before they are taken: no prefetcher of a processor knows eight of
  /// them side by side.
  static constexpr unsigned ahead = 512 / sizeof(In);

  static std::size_t padded(std::size_t features) {
    return (features + host_features - 1) / host_features * host_features;
  }

  void operator()(std::uint64_t piece) const {
    const std::uint64_t units = std::uint64_t{stripes} * groups;
    const Scratch own = Scratch::at(scratch + piece * scratch_bytes, padded(width));
    for (std::uint64_t unit = units * piece / pieces; unit < units * (piece + 1) / pieces; ++unit)
      take(own, static_cast<std::uint32_t>(unit / groups),
           static_cast<std::uint32_t>(unit % groups));
    if (streams) S::end_streams();
  }

 private:
  void take(const Scratch& own, std::uint32_t stripe, std::uint32_t group) const {
    const std::uint32_t begin = stripe * width;
    const std::uint32_t features =
        layer.chunks.hidden - begin < width ? layer.chunks.hidden - begin : width;
    set_coefficients(own, begin, features);
    if constexpr (keeps) {
      for (std::size_t i = 0; i < padded(features) / in_line; ++i) own.extremes[i].clear();
    }
    const std::uint64_t first_row = std::uint64_t{group} * group_blocks * moment_block;
    std::uint64_t counts[40];  // rows of the runs on the stack
    unsigned levels = 0;
    for (std::uint32_t block = 0; block < group_blocks; ++block) {
      const std::uint64_t row = first_row + std::uint64_t{block} * moment_block;
      if (row >= rows) break;
      const auto count =
          static_cast<unsigned>(rows - row < moment_block ? rows - row : moment_block);
      take_block(own, x + row * x_stride + begin, y + row * y_stride + begin, features, count,
                 run(own, levels));
      if constexpr (keeps) {
        std::uint64_t here = count;
        for (std::uint32_t done = block; (done & 1U) != 0; done >>= 1U) {
          --levels;
          merge_top(own, features, levels, counts[levels], here);
          here += counts[levels];
        }
        counts[levels++] = here;
      }
    }
    if constexpr (keeps) {
      std::uint64_t here = counts[--levels];
      while (levels > 0) {
        --levels;
        merge_top(own, features, levels, counts[levels], here);
        here += counts[levels];
      }
      const std::size_t all = padded(layer.chunks.hidden);
      const ColumnArrays to =
          ColumnArrays::at(columns + group * all * ColumnArrays::bytes_each, all);
      std::memcpy(to.mean + begin, own.stack, features * sizeof(double));
      std::memcpy(to.m2 + begin, own.stack + padded(width), features * sizeof(double));
      for (std::uint32_t f = 0; f < features; ++f) {
        const Arch::LineExtremes<In>& line = own.extremes[f / in_line];
        to.min[begin + f] = line.min(f % in_line);
        to.max[begin + f] = line.max(f % in_line);
        to.dead[begin + f] = static_cast<std::int32_t>(line.dead[f % in_line]);
      }
    }
  }

  /// A run of blocks on the stack: its means, then its m2.
  double* run(const Scratch& own, unsigned level) const {
    return own.stack + 2 * padded(width) * std::size_t{level};
  }
  /// The topmost run, behind that of \p level, is merged into it, its left neighbour.
  void merge_top(const Scratch& own, std::size_t features, unsigned level, std::uint64_t rows_left,
                 std::uint64_t rows_right) const {
    const std::size_t room = padded(width);
    double* left = run(own, level);
    const double* right = run(own, level + 1);
    merge_columns(left, left + room, right, right + room, features,
                  MergeWeights(rows_left, rows_right));
  }

  void set_coefficients(const Scratch& own, std::uint32_t begin, std::uint32_t features) const {
    for (std::size_t i = 0; i < padded(features) / 16; ++i) own.linear[i] = own.copies[i] = 0;
    for (std::size_t f = features; f < padded(features); ++f) own.t[f] = own.u[f] = own.c[f] = 0;
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

  /// \param moments where means go, and m2 behind them
  void take_block(const Scratch& own, const In* from, Out* to, std::uint32_t features,
                  unsigned count, double* moments) const {
    for (unsigned lane = 0; lane < moment_lanes && lane < count; ++lane) {
      const In* lane_from = from + lane * x_stride;
      Out* lane_to = to + lane * y_stride;
      const unsigned rows_of_lane = (count - lane + moment_lanes - 1) / moment_lanes;
      std::uint32_t f = 0;
      for (; f + features_at_once <= features; f += features_at_once)
        tile<true>(own, lane_from, lane_to, f, features_at_once, rows_of_lane, lane == 0);
      if (f < features)
        tile<false>(own, lane_from, lane_to, f, features - f, rows_of_lane, lane == 0);
    }
    if constexpr (keeps) {
      const double share = 1.0 / count;
      double* __restrict__ mean = moments;
      double* __restrict__ m2 = moments + padded(width);
      for (std::uint32_t f = 0; f < features; ++f)
        close_block(static_cast<double>(own.shift[f]), own.sum[f], own.squares[f], share, mean[f],
                    m2[f]);
    }
  }

  /// \p have features from the \p f-th one of the \p count rows of a lane. \p is_first: of a block
  template <bool whole>
  void tile(const Scratch& own, const In* from, Out* to, std::uint32_t f, unsigned have,
            unsigned count, bool is_first) const {
    using Floats = typename S::Floats;
    using Doubles = typename S::Doubles;
    constexpr unsigned in_lines = features_at_once / in_line;
    constexpr unsigned out_lines = features_at_once / out_line;
    const std::uint64_t x_step = moment_lanes * x_stride;
    const std::uint64_t y_step = moment_lanes * y_stride;
    const bool past = whole && streams;
    from += f;
    to += f;
    // What there is of line i; lines that there is nothing of are not touched.
    const auto part = [have](unsigned i, unsigned size) {
      return have <= i * size ? 0 : (have - i * size < size ? have - i * size : size);
    };
    const auto load = [&](const In* row, typename S::template Line<In>(&lines)[in_lines]) {
      KINDRED_UNROLL
      for (unsigned i = 0; i < in_lines; ++i)
        lines[i] = whole ? S::load_line(row + i * in_line)
                         : S::load_line(row + i * in_line, part(i, in_line));
    };
    const auto widen = [](const typename S::template Line<In>(&lines)[in_lines], unsigned pack) {
      return in_lines == packs ? S::widen_line(lines[pack], 0) : S::widen_line(lines[0], pack);
    };
    typename S::template Line<In> lines[in_lines];
    Doubles shift[packs];
    Doubles sum[packs];
    Doubles squares[packs];
    typename S::template Extremes<In> extremes[in_lines];
    if constexpr (keeps) {
      if (is_first) load(from, lines);
      KINDRED_UNROLL
      for (unsigned p = 0; p < packs; ++p) {
        float* kept = own.shift + f + 16 * p;  // y may take the place of the row
        if (is_first) S::store_floats(kept, widen(lines, p));
        shift[p] = S::widen(S::load_floats(kept));
        sum[p] = S::no_doubles();
        squares[p] = S::no_doubles();
      }
      KINDRED_UNROLL
      for (unsigned i = 0; i < in_lines; ++i)
        extremes[i] = S::load_extremes(own.extremes[f / in_line + i]);
    }
    Floats t[packs];
    Floats u[packs];
    Floats c[packs];
    typename S::Mask linear[packs];
    std::uint32_t copies = 0;
    KINDRED_UNROLL
    for (unsigned p = 0; p < packs; ++p) {
      t[p] = S::load_floats(own.t + f + 16 * p);
      u[p] = S::load_floats(own.u + f + 16 * p);
      c[p] = S::load_floats(own.c + f + 16 * p);
      linear[p] = own.linear[f / 16 + p];
      copies |= std::uint32_t{own.copies[f / 16 + p]} << (16 * p);
    }
    // Lines past the caches go together, behind what was read.
    typename S::template Line<Out> results[moment_lanes][out_lines];
    for (unsigned j = 0; j < count; ++j) {
      __builtin_prefetch(from + ahead);
      load(from, lines);
      Floats changed[packs];
      KINDRED_UNROLL
      for (unsigned p = 0; p < packs; ++p) {
        const Floats value = widen(lines, p);
        const Floats kept = S::choose(linear[p], S::multiply(u[p], value), c[p]);
        changed[p] = S::add(S::multiply(t[p], value), kept);
        if constexpr (keeps) {
          const Doubles shifted = S::subtract(S::widen(value), shift[p]);
          sum[p] = S::add(sum[p], shifted);
          squares[p] = S::multiply_add(shifted, shifted, squares[p]);
        }
      }
      KINDRED_UNROLL
      for (unsigned i = 0; i < out_lines; ++i) {
        auto line = S::template round_line<Out>(changed + i * (packs / out_lines));
        if constexpr (std::is_same_v<In, Out>) line = S::choose_line(copies, lines[i], line);
        if (!whole)
          S::store_line(to + i * out_line, line, part(i, out_line));
        else if (past)
          results[j][i] = line;
        else
          S::store_line(to + i * out_line, line);
      }
      if constexpr (keeps) {
        KINDRED_UNROLL
        for (unsigned i = 0; i < in_lines; ++i) S::add_extremes(extremes[i], lines[i]);
      }
      from += x_step;
      if (!past) to += y_step;
    }
    if (past) {
      for (unsigned j = 0; j < count; ++j) {
        KINDRED_UNROLL
        for (unsigned i = 0; i < out_lines; ++i) S::stream_line(to + i * out_line, results[j][i]);
        to += y_step;
      }
    }
    if constexpr (keeps) {
      KINDRED_UNROLL
      for (unsigned p = 0; p < packs; ++p) {
        double* of_sum = own.sum + f + 16 * p;
        double* of_squares = own.squares + f + 16 * p;
        // The sums of the first lane are not −0: what they are added to need not be there.
        S::store_doubles(of_sum, is_first ? sum[p] : S::add(S::load_doubles(of_sum), sum[p]));
        S::store_doubles(of_squares,
                         is_first ? squares[p] : S::add(S::load_doubles(of_squares), squares[p]));
      }
      KINDRED_UNROLL
      for (unsigned i = 0; i < in_lines; ++i)
        S::store_extremes(own.extremes[f / in_line + i], extremes[i]);
    }
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
