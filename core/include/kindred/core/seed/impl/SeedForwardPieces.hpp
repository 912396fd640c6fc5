// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_FORWARD_PIECES_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_FORWARD_PIECES_HPP

#include <kindred/core/arch/simd/CacheLines.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/impl/MergeMoments.hpp>
#include <kindred/core/seed/impl/SeedCoefficients.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// Features to a multiple of which a row of the host's workspace is padded: two cache lines of
/// bfloat16.
inline constexpr std::uint32_t host_features = 64;

inline std::size_t padded_to_lines(std::size_t features) {
  return quotient_up(features, host_features) * host_features;
}
/// Features of the scratch for a stripe: rows may begin in the middle of a cache line.
inline std::size_t padded_width(std::size_t features) {
  return padded_to_lines(features) + host_features;
}

/// \brief Moments of columns over a block of rows, one array per field.
struct ColumnArrays {
  double* mean;
  double* m2;
  float* min;
  float* max;
  std::int32_t* dead;

  static constexpr std::size_t bytes_each = 28;
  /// Places the arrays for \p features in \p memory, which must be aligned to 64.
  static ColumnArrays at(std::byte* memory, std::size_t features) {
    auto* mean = reinterpret_cast<double*>(memory);
    auto* min = reinterpret_cast<float*>(mean + 2 * features);
    return {mean, mean + features, min, min + features,
            reinterpret_cast<std::int32_t*>(min + 2 * features)};
  }
  ColumnMoments get(std::size_t f) const {
    return {mean[f], m2[f], min[f], max[f], static_cast<std::uint64_t>(dead[f])};
  }
  void put(std::size_t f, const ColumnMoments& moments) const {
    mean[f] = moments.mean;
    m2[f] = moments.m2;
    min[f] = moments.min;
    max[f] = moments.max;
    dead[f] = static_cast<std::int32_t>(moments.dead);
  }
};

/// The workspace of a host thread. \p In: the elements of x
template <class In>
struct SeedScratch {
  float* shift;
  float* t;
  float* v;
  std::uint16_t* linear;  ///< masks of sixteen
  std::uint16_t* copies;
  double* sum;  ///< [lane][feature]
  double* squares;
  Arch::CacheLineExtremes<In>* extremes;

  static std::size_t bytes(std::size_t features) {
    return features * (2 * moment_lanes * sizeof(double) + 12 + 12 + 4);
  }
  static SeedScratch at(std::byte* memory, std::size_t features) {
    SeedScratch out{};
    out.sum = reinterpret_cast<double*>(memory);
    out.squares = out.sum + moment_lanes * features;
    out.shift = reinterpret_cast<float*>(out.squares + moment_lanes * features);
    out.t = out.shift + features;
    out.v = out.t + features;
    out.extremes = reinterpret_cast<Arch::CacheLineExtremes<In>*>(out.v + features);
    auto* behind = reinterpret_cast<std::byte*>(out.extremes) + features * 12;
    out.linear = reinterpret_cast<std::uint16_t*>(behind);
    out.copies = out.linear + features;
    return out;
  }
};

/// \brief A call on the host: each thread processes work items, a block of rows of some features
/// each. Rows are processed in groups of eight, those of a lane, so that a feature's sums stay in
/// registers.
template <class S, class In, class Out, bool keeps>
struct SeedForwardPieces {
  SeedLayerPointers layer;
  std::uint64_t rows;
  const In* x;
  std::uint64_t x_stride;
  Out* y;
  std::uint64_t y_stride;
  SeedForwardPlan plan;  ///< a work item is a stripe of a group
  bool streams;          ///< y is written past the caches
  std::byte* scratch;    ///< one `Scratch` per thread
  std::size_t scratch_bytes;
  std::byte* columns;  ///< one per block: `ColumnArrays` of padded_to_lines(hidden)

  using Scratch = SeedScratch<In>;
  /// Packs of sixteen that are processed together: whole cache lines of both element types.
  static constexpr unsigned packs = sizeof(In) == 4 && sizeof(Out) == 4 ? 1 : 2;
  static constexpr unsigned features_at_once = 16 * packs;
  /// Squares of 16-bit elements are exact in double and cancel little.
  static constexpr bool shifts = keeps && sizeof(In) == 4;
  /// Rows that are processed together, those of each lane in turn: enough that 16-bit elements
  /// amortise loading and storing the sums, few enough that their pages stay in the TLB.
  static constexpr std::uint32_t rows_at_once = keeps && sizeof(In) == 2 ? 128 : 64;
  static constexpr unsigned in_line = Arch::line_elements<In>;
  static constexpr unsigned out_line = Arch::line_elements<Out>;
  /// Prefetch distance in elements: no hardware prefetcher follows eight rows in parallel.
  static constexpr unsigned ahead = 512 / sizeof(In);

  void operator()(std::uint64_t piece) const {
    S::call([&] { take_all(piece); });
  }

 private:
  void take_all(std::uint64_t piece) const {
    const std::uint64_t work_items = std::uint64_t{plan.stripes} * plan.groups;
    const Scratch own = Scratch::at(scratch + piece * scratch_bytes, padded_width(plan.width));
    for (std::uint64_t work_item = work_items * piece / plan.threads;
         work_item < work_items * (piece + 1) / plan.threads; ++work_item)
      take(own, static_cast<std::uint32_t>(work_item / plan.groups),
           static_cast<std::uint32_t>(work_item % plan.groups));
    if (streams) S::end_streams();
  }

  void take(const Scratch& own, std::uint32_t stripe, std::uint32_t group) const {
    const std::uint32_t begin = stripe * plan.width;
    const std::uint32_t features =
        layer.chunks.hidden - begin < plan.width ? layer.chunks.hidden - begin : plan.width;
    // If rows of y begin in the middle of a cache line, so do those of the scratch.
    const std::uint32_t lead = streams ? Arch::behind_line(y) : 0;
    set_coefficients(own, begin, lead, features);
    if constexpr (keeps) {
      for (std::size_t i = 0; i < padded_to_lines(lead + features) / in_line; ++i)
        own.extremes[i].clear();
    }
    const std::uint64_t first_row = std::uint64_t{group} * plan.group_rows;
    const std::uint64_t end =
        rows - first_row < plan.group_rows ? rows : first_row + plan.group_rows;
    for (std::uint64_t row = first_row; row < end; row += rows_at_once) {
      const auto count = static_cast<unsigned>(end - row < rows_at_once ? end - row : rows_at_once);
      take_rows(own, x + row * x_stride + begin, y + row * y_stride + begin, lead, lead + features,
                count, row == first_row);
    }
    if constexpr (keeps) close(own, begin, lead, features, group, end - first_row);
  }

  void close(const Scratch& own, std::uint32_t begin, std::uint32_t lead, std::uint32_t features,
             std::uint32_t group, std::uint64_t count) const {
    const std::size_t lanes_apart = padded_width(plan.width);
    const std::size_t all = padded_to_lines(layer.chunks.hidden);
    const ColumnArrays to = ColumnArrays::at(columns + group * all * ColumnArrays::bytes_each, all);
    const double share = 1.0 / static_cast<double>(count);
    const double* __restrict__ sum = own.sum + lead;
    const double* __restrict__ squares = own.squares + lead;
    const float* __restrict__ shift = own.shift + lead;
    double* __restrict__ mean = to.mean + begin;
    double* __restrict__ m2 = to.m2 + begin;
    for (std::uint32_t f = 0; f < features; ++f) {
      double of_sum[moment_lanes];
      double of_squares[moment_lanes];
      for (std::size_t lane = 0; lane < moment_lanes; ++lane) {
        of_sum[lane] = sum[lane * lanes_apart + f];
        of_squares[lane] = squares[lane * lanes_apart + f];
      }
      close_block(shifts ? static_cast<double>(shift[f]) : 0.0, folded_lanes(of_sum),
                  folded_lanes(of_squares), share, mean[f], m2[f]);
    }
    for (std::uint32_t f = 0; f < features; ++f) {
      const Arch::CacheLineExtremes<In>& line = own.extremes[(lead + f) / in_line];
      const unsigned i = (lead + f) % in_line;
      to.min[begin + f] = line.min(i);
      to.max[begin + f] = line.max(i);
      to.dead[begin + f] = static_cast<std::int32_t>(line.dead[i]);
    }
  }

  /// Sets the coefficients of the features from \p begin on, at the positions from \p lead on.
  void set_coefficients(const Scratch& own, std::uint32_t begin, std::uint32_t lead,
                        std::uint32_t features) const {
    const std::size_t places = padded_to_lines(lead + features);
    std::fill_n(own.linear, places / 16, std::uint16_t{0});
    std::fill_n(own.copies, places / 16, std::uint16_t{0});
    std::fill_n(own.t, places, 0.0F);
    std::fill_n(own.v, places, 0.0F);
    std::uint32_t f = begin;
    while (f < begin + features) {
      const std::uint32_t seed = layer.chunks.seed_of(f);
      const std::uint32_t end = std::min(layer.chunks.begin(seed + 1), begin + features);
      const SeedBehaviour behaviour = layer.behaviour(seed);
      for (; f < end; ++f) {
        const std::uint32_t place = lead + f - begin;
        const SeedCoefficients one = layer.forward(behaviour, f);
        own.t[place] = one.t;
        own.v[place] = one.v;
        const auto bit = static_cast<std::uint16_t>(1U << (place % 16));
        if (one.linear != 0) own.linear[place / 16] |= bit;
        if (std::is_same_v<In, Out> && one.copies != 0) own.copies[place / 16] |= bit;
      }
    }
  }

  /// \param starts this is the first group of rows: initialises the block's sums
  void take_rows(const Scratch& own, const In* from, Out* to, std::uint32_t lead, std::uint32_t end,
                 unsigned count, bool starts) const {
    for (unsigned lane = 0; lane < moment_lanes; ++lane) {
      if (lane >= count) {
        if (keeps && starts) {
          std::fill_n(own.sum + lane * padded_width(plan.width), padded_width(plan.width), 0.0);
          std::fill_n(own.squares + lane * padded_width(plan.width), padded_width(plan.width), 0.0);
        }
        continue;
      }
      const In* lane_from = from + lane * x_stride;
      Out* lane_to = to + lane * y_stride;
      const unsigned rows_of_lane = quotient_up(count - lane, moment_lanes);
      for (std::uint32_t f = 0; f < end; f += features_at_once) {
        const unsigned first = f < lead ? lead - f : 0;
        const unsigned last = end - f < features_at_once ? end - f : features_at_once;
        if (first == 0 && last == features_at_once)
          tile<true>(own, lane_from, lane_to, f, lead, 0, last, rows_of_lane, lane, starts);
        else
          tile<false>(own, lane_from, lane_to, f, lead, first, last, rows_of_lane, lane, starts);
      }
    }
  }

  /// \brief Processes the positions `f + first … f + last − 1` of \p count rows of a lane, which
  /// begin at position \p lead. \param starts initialises the lane's sums
  template <bool whole>
  void tile(const Scratch& own, const In* from, Out* to, std::uint32_t f, std::uint32_t lead,
            unsigned first, unsigned last, unsigned count, unsigned lane, bool starts) const {
    using Floats = typename S::Floats;
    using Doubles = typename S::Doubles;
    constexpr unsigned in_lines = features_at_once / in_line;
    constexpr unsigned out_lines = features_at_once / out_line;
    const std::uint64_t x_step = moment_lanes * x_stride;
    const std::uint64_t y_step = moment_lanes * y_stride;
    const bool past = whole && streams;
    from += static_cast<std::int64_t>(f) - lead;
    to += static_cast<std::int64_t>(f) - lead;
    // Where first and last lie in line i.
    const auto within = [](unsigned place, unsigned i, unsigned size) {
      return place <= i * size ? 0 : (place - i * size < size ? place - i * size : size);
    };
    const auto load = [&](const In* row, typename S::template Line<In>(&lines)[in_lines]) {
      KINDRED_UNROLL
      for (unsigned i = 0; i < in_lines; ++i)
        lines[i] = whole ? S::load_line(row + i * in_line)
                         : S::load_line(row + i * in_line, within(first, i, in_line),
                                        within(last, i, in_line));
    };
    const auto widen = [](const typename S::template Line<In>(&lines)[in_lines], unsigned pack) {
      return in_lines == packs ? S::template widen_line<In>(lines[pack], 0)
                               : S::template widen_line<In>(lines[0], pack);
    };
    typename S::template Line<In> lines[in_lines];
    Doubles shift[packs];
    Doubles sum[packs];
    Doubles squares[packs];
    typename S::template Extremes<In> extremes[in_lines];
    if constexpr (keeps) {
      const std::size_t place = lane * padded_width(plan.width) + f;
      if (shifts && starts && lane == 0) load(from, lines);
      KINDRED_UNROLL
      for (unsigned p = 0; p < packs; ++p) {
        if constexpr (shifts) {
          float* kept = own.shift + f + 16 * p;  // y may overwrite the row
          if (starts && lane == 0) widen(lines, p).store(kept);
          shift[p] = Floats::load(kept).template to<double>();
        }
        sum[p] = starts ? Doubles::all(0.0) : Doubles::load(own.sum + place + 16 * p);
        squares[p] = starts ? Doubles::all(0.0) : Doubles::load(own.squares + place + 16 * p);
      }
      KINDRED_UNROLL
      for (unsigned i = 0; i < in_lines; ++i)
        extremes[i] = S::load_extremes(own.extremes[f / in_line + i]);
    }
    Floats t[packs];
    Floats v[packs];
    std::uint32_t linear[packs];
    const Floats one = S::all(1.0F);
    std::uint32_t copies = 0;
    KINDRED_UNROLL
    for (unsigned p = 0; p < packs; ++p) {
      t[p] = Floats::load(own.t + f + 16 * p);
      v[p] = Floats::load(own.v + f + 16 * p);
      linear[p] = own.linear[f / 16 + p];
      copies |= std::uint32_t{own.copies[f / 16 + p]} << (16 * p);
    }
    // Lines that bypass the caches are written together, after all reads.
    typename S::template Line<Out> results[rows_at_once / moment_lanes][out_lines];
    for (unsigned j = 0; j < count; ++j) {
      Arch::prefetch(from + ahead);
      load(from, lines);
      Floats changed[packs];
      KINDRED_UNROLL
      for (unsigned p = 0; p < packs; ++p) {
        const Floats value = widen(lines, p);
        const Floats kept = v[p] * S::choose(linear[p], value, one);
        changed[p] = t[p] * value + kept;
        if constexpr (keeps) {
          Doubles shifted = value.template to<double>();
          if constexpr (shifts) shifted = shifted - shift[p];
          sum[p] = sum[p] + shifted;
          squares[p] = Doubles::fused(shifted, shifted, squares[p]);
        }
      }
      KINDRED_UNROLL
      for (unsigned i = 0; i < out_lines; ++i) {
        auto line = S::template round_line<Out>(changed + i * (packs / out_lines));
        if constexpr (std::is_same_v<In, Out>)
          line = S::template choose_line<In>(copies, lines[i], line);
        if (!whole)
          S::store_line(to + i * out_line, line, within(first, i, out_line),
                        within(last, i, out_line));
        else if (past)
          results[j][i] = line;
        else
          S::store_line(to + i * out_line, line);
      }
      if constexpr (keeps) {
        KINDRED_UNROLL
        for (unsigned i = 0; i < in_lines; ++i) S::template add_extremes<In>(extremes[i], lines[i]);
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
        const std::size_t place = lane * padded_width(plan.width) + f + 16 * p;
        sum[p].store(own.sum + place);
        squares[p].store(own.squares + place);
      }
      KINDRED_UNROLL
      for (unsigned i = 0; i < in_lines; ++i)
        S::store_extremes(own.extremes[f / in_line + i], extremes[i]);
    }
  }
};

/// \brief Merges the columns of all blocks into the moments of seeds; each thread processes
/// adjacent seeds.
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
    if (rows > 0 && groups > 1) {
      for (std::size_t f = chunks.begin(first); f < chunks.begin(last); ++f) merge_blocks(f);
    }
    for (std::uint32_t seed = first; seed < last; ++seed) {
      const std::uint32_t width = chunks.width(seed);
      if (rows == 0 || width == 0) {
        out[seed] = SeedMoments();
        continue;
      }
      const ColumnMoments all = merge_features(chunks.begin(seed), width);
      out[seed] = finished({rows * width, all.dead, all.mean, all.m2, all.min, all.max});
    }
  }

 private:
  ColumnArrays block(std::uint32_t group) const {
    return ColumnArrays::at(columns + group * padded * ColumnArrays::bytes_each, padded);
  }

  /// Merges the blocks of a feature into the first one.
  void merge_blocks(std::size_t f) const {
    const std::uint64_t last = rows - (groups - 1) * group_rows;
    block(0).put(f, merge_parts(groups, static_cast<double>(group_rows), static_cast<double>(last),
                                1.0 / static_cast<double>(rows), 1.0,
                                [&](unsigned group) { return block(group).get(f); }));
  }

  ColumnMoments merge_features(std::uint32_t begin, std::uint32_t width) const {
    const ColumnArrays all = block(0);
    for (std::uint64_t step = 1; step < width; step *= moment_fan) {
      const std::uint64_t run = step * moment_fan;
      for (std::uint64_t i = 0; i < width; i += run) {
        const std::uint64_t here = width - i < run ? width - i : run;
        const auto parts = static_cast<unsigned>(quotient_up(here, step));
        all.put(begin + i, merge_parts(parts, static_cast<double>(step),
                                       static_cast<double>(here - (parts - 1) * step),
                                       1.0 / static_cast<double>(here), static_cast<double>(rows),
                                       [&](unsigned j) { return all.get(begin + i + j * step); }));
      }
    }
    return all.get(begin);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_FORWARD_PIECES_HPP
