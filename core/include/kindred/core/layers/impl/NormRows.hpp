// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_IMPL_NORM_ROWS_HPP
#define KINDRED_CORE_LAYERS_IMPL_NORM_ROWS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/simd/CacheLines.hpp>
#include <kindred/core/layers/impl/LayersOfLaunch.hpp>
#include <kindred/core/layers/impl/NormRow.hpp>

#include <algorithm>
#include <cstdint>

namespace Kindred::Impl {

/// \brief Eight independent packs, since a chain of operations on a single pack is latency-bound.
template <class S>
struct PackGroup {
  static constexpr unsigned packs = 8;
  using Pack = typename S::Floats;
  struct Floats {
    Pack at[packs];
  };

  /// Calls \p value for each pack.
  template <class Value>
  static Floats each(const Value& value) {
    Floats out;
    KINDRED_UNROLL
    for (unsigned i = 0; i < packs; ++i) out.at[i] = value(i);
    return out;
  }
  static Floats all(float a) {
    return each([&](unsigned) { return S::all(a); });
  }
  static Floats magnitude(const Floats& a) {
    return each([&](unsigned i) { return S::magnitude(a.at[i]); });
  }
  static Floats fused(const Floats& a, const Floats& b, const Floats& c) {
    return each([&](unsigned i) { return S::fused(a.at[i], b.at[i], c.at[i]); });
  }
  static Floats subtract(const Floats& a, const Floats& b) {
    return each([&](unsigned i) { return S::subtract(a.at[i], b.at[i]); });
  }
  static Floats negative(const Floats& a) {
    return each([&](unsigned i) { return S::negative(a.at[i]); });
  }
  static Floats if_less(const Floats& a, const Floats& b, const Floats& then,
                        const Floats& otherwise) {
    return each(
        [&](unsigned i) { return S::if_less(a.at[i], b.at[i], then.at[i], otherwise.at[i]); });
  }
  static Floats raised(const Floats& a, const Floats& whole) {
    return each([&](unsigned i) { return S::raised(a.at[i], whole.at[i]); });
  }
};

/// \brief Host: a thread processes one row after the other; the second pass over a row reads it
/// from the cache. \p S: packs of sixteen
template <class S>
struct NormRows {
  LayerList<NormLayerData> layers;

  void operator()(std::uint64_t team) const {
    S::call([&] { change_rows(team); });
  }

 private:
  void change_rows(std::uint64_t team) const {
    const NormLayerData& layer = layers.of(team);
    const std::uint64_t begin = (team - layer.first_team) * layer.team_rows;
    const std::uint64_t end = std::min(begin + layer.team_rows, layer.rows);
    const bool past = Arch::streams_past_caches(layer.x, layer.y, layer.rows * layer.columns,
                                                size_of(layer.output));
    with_float_type(layer.input, [&](auto type) {
      for (std::uint64_t row = begin; row < end; ++row)
        change(layer, row, reinterpret_cast<const decltype(type)*>(layer.x) + row * layer.x_stride,
               past);
    });
    if (past) S::end_streams();
  }

  template <class Element>
  static void change(const NormLayerData& layer, std::uint64_t row, const Element* x, bool past) {
    const Arch::Lanes<HostSpace> lanes(0);
    const auto sums =
        sum_of_blocks<NormSums>(layer.columns, [&](std::uint64_t begin, std::uint32_t length) {
          return norm_sums(lanes, x + begin, static_cast<int>(length), x[0]);
        });
    const NormMoments moments =
        norm_moments(sums, Arch::to_float(x[0]), layer.columns, layer.epsilon);
    if (layer.mean != nullptr) layer.mean[row] = moments.mean;
    if (layer.variance != nullptr) layer.variance[row] = moments.variance;
    with_float_type(layer.output, [&](auto type) {
      auto* y = reinterpret_cast<decltype(type)*>(layer.y) + row * layer.y_stride;
      Row<Element, decltype(type)>{layer, moments.scale, x, y, past}.run();
    });
  }

  /// The second pass over a row.
  template <class In, class Out>
  struct Row {
    const NormLayerData& layer;
    NormScale scale;
    const In* x;
    Out* y;
    bool past;  ///< write past the caches

    void run() const {
      constexpr unsigned step = 16 * PackGroup<S>::packs;
      constexpr unsigned line = Arch::line_elements<Out>;
      // Writes that bypass the caches start at the beginning of a cache line.
      const unsigned behind = past ? Arch::behind_line(y) : 0;
      std::uint64_t i = std::min<std::uint64_t>(behind == 0 ? 0 : line - behind, layer.columns);
      narrow(0, i);
      for (; i + step <= layer.columns; i += step) {
        using Eight = PackGroup<S>;
        const auto load = [&](const float* from, float otherwise) {
          return Eight::each([&](unsigned p) {
            return from == nullptr ? S::all(otherwise) : S::Floats::load(from + i + 16 * p);
          });
        };
        const auto value = changed<Eight>(
            Eight::each([&](unsigned p) { return S::template widen<In>(S::load(x + i + 16 * p)); }),
            load(layer.gamma, 1.0F), load(layer.beta, 0.0F));
        KINDRED_UNROLL
        for (unsigned p = 0; p < Eight::packs; p += line / 16) {
          const auto rounded = S::template round_line<Out>(value.at + p);
          if (past)
            S::stream_line(y + i + 16 * p, rounded);
          else
            S::store_line(y + i + 16 * p, rounded);
        }
      }
      narrow(i, layer.columns);
    }

   private:
    /// Columns `i … end − 1`, one pack at a time.
    void narrow(std::uint64_t i, std::uint64_t end) const {
      for (; i < end; i += 16) {
        const auto width = static_cast<unsigned>(std::min<std::uint64_t>(end - i, 16));
        const auto load = [&](const float* from, float otherwise) {
          return from == nullptr ? S::all(otherwise)
                                 : S::template widen<float>(S::load(from + i, width));
        };
        const auto value = changed<S>(S::template widen<In>(S::load(x + i, width)),
                                      load(layer.gamma, 1.0F), load(layer.beta, 0.0F));
        S::store(y + i, S::template round<Out>(value), width);
      }
    }
    /// `normalised`, then activated.
    template <class P, class Floats = typename P::Floats>
    Floats changed(const Floats& value, const Floats& gamma, const Floats& beta) const {
      const Floats n = P::fused(P::fused(value, P::all(scale.scale), P::all(-scale.high)),
                                P::all(scale.factor), P::all(-scale.low));
      const Floats out = P::fused(n, gamma, beta);
      if (layer.activation == LayerActivation::gelu) return gelu_of<P>(out);
      if (layer.activation == LayerActivation::relu)
        return P::if_less(out, P::all(0.0F), P::all(0.0F), out);
      return out;
    }
  };
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LAYERS_IMPL_NORM_ROWS_HPP
