// SPDX-License-Identifier: Apache-2.0
#include "RowCodes.hpp"

#include "ReproducibleScore.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace Kindred::Impl {

namespace {

constexpr float code_max = 127.0F;
/// Limit of the stored values, so that the operations of a distance cannot overflow.
constexpr float value_max = 1e30F;

/// The factor by which the values of a row are multiplied before encoding.
double factor_of(const HnswStore& store, const float* row) {
  if (store.settings.metric != Metric::cosine) return static_cast<double>(store.unit);
  const double norm = reproducible_norm(row, store.dimension);
  return norm == 0.0 ? 0.0 : 1.0 / norm;
}

float within(double value) {
  return static_cast<float>(
      std::clamp(value, -static_cast<double>(value_max), static_cast<double>(value_max)));
}

/// Computes \p row times \p factor minus the mean, the input of the encoding. \param out
/// `dimension` elements
void centre(const HnswStore& store, const float* row, double factor, float* out) {
  for (std::size_t d = 0; d < store.dimension; ++d)
    out[d] = within(static_cast<double>(row[d]) * factor) - store.mean[d];
}

struct Codes {
  float scale = 0;
  std::int64_t squares = 0;  ///< Σ code²
};

/// Encodes as the nearest multiples of the scale that maps the largest value to 127. \param codes
/// `dimension` elements
Codes code(const float* centred, std::size_t dimension, std::int8_t* codes) {
  float largest = 0;
  for (std::size_t d = 0; d < dimension; ++d) largest = std::max(largest, std::fabs(centred[d]));
  Codes out;
  if (largest == 0) {
    std::memset(codes, 0, dimension);
    return out;
  }
  out.scale = largest / code_max;
  const double inverse = static_cast<double>(code_max) / static_cast<double>(largest);
  for (std::size_t d = 0; d < dimension; ++d) {
    const auto value = static_cast<int>(std::nearbyint(static_cast<double>(centred[d]) * inverse));
    codes[d] = static_cast<std::int8_t>(value);
    out.squares += value * value;
  }
  return out;
}

void code_row(const HnswStore& store, std::size_t node, CodedQuery& buffers, std::uint8_t* to) {
  const std::size_t dimension = store.dimension;
  float* const centred = buffers.values.data();
  centre(store, store.row(node), factor_of(store, store.row(node)), centred);
  const Codes coded = code(centred, dimension, buffers.codes.data());
  double bias = 0;
  if (store.settings.metric == Metric::l2) {
    bias = static_cast<double>(coded.scale) * static_cast<double>(coded.scale) *
           static_cast<double>(coded.squares);
  } else {
    for (std::size_t d = 0; d < dimension; ++d)
      bias -= static_cast<double>(store.mean[d]) * static_cast<double>(centred[d]);
  }
  for (std::size_t d = 0; d < dimension; ++d)
    to[d] = static_cast<std::uint8_t>(buffers.codes[d]) ^ 128U;
  const std::size_t stride = store.code_stride();
  std::memset(to + dimension, 128, stride - dimension);
  const float tail[2] = {coded.scale, within(bias)};
  static_assert(sizeof(tail) == ByteRows::tail);
  std::memcpy(to + stride - sizeof(tail), tail, sizeof(tail));
}

/// A power of two that scales rows with values up to \p largest to norms of at most 1.
float unit_of(float largest, std::size_t dimension) {
  if (largest == 0) return 1;
  const double norm = static_cast<double>(largest) * std::sqrt(static_cast<double>(dimension));
  const int exponent = std::clamp(-(std::ilogb(norm) + 1), -126, 126);
  return static_cast<float>(std::ldexp(1.0, exponent));
}

/// Evenly spaced rows of a sample.
std::vector<std::size_t> sample_of(std::size_t count, std::size_t most) {
  std::vector<std::size_t> out(std::min(count, most));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i * count / out.size();
  return out;
}

/// Whether codes are precise enough to distinguish neighbours. \see choose_traversal
bool codes_suffice(const HnswStore& store, std::span<const float> rows,
                   const HostWorkers& workers) {
  constexpr std::size_t sample_max = 4096;
  constexpr std::size_t probe_max = 64;
  constexpr double error_max = 0.03;
  const std::size_t dimension = store.dimension;
  if (dimension > Arch::code_count_max) return false;
  const auto sample = sample_of(rows.size() / dimension, sample_max);
  std::vector<float> centred(sample.size() * dimension);
  std::vector<double> residual(sample.size());
  std::vector<std::int8_t> codes(dimension);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const float* const row = rows.data() + sample[i] * dimension;
    float* const values = centred.data() + i * dimension;
    centre(store, row, factor_of(store, row), values);
    const Codes coded = code(values, dimension, codes.data());
    for (std::size_t d = 0; d < dimension; ++d) {
      const double left = static_cast<double>(values[d]) -
                          static_cast<double>(coded.scale) * static_cast<double>(codes[d]);
      residual[i] += left * left;
    }
  }
  const auto probes = sample_of(sample.size(), probe_max);
  std::vector<double> errors(probes.size());
  const double probe_nanoseconds = 0.1 * static_cast<double>(sample.size() * dimension);
  workers.for_each_item(probes.size(), 1, probe_nanoseconds, [&](std::size_t, std::size_t p) {
    const std::size_t probe = probes[p];
    double nearest = std::numeric_limits<double>::infinity();
    double noise = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      float squared = 0;
      const float* const a = centred.data() + probe * dimension;
      const float* const b = centred.data() + i * dimension;
      float lanes[16] = {};
      std::size_t d = 0;
      for (; d + 16 <= dimension; d += 16) {
        for (std::size_t l = 0; l < 16; ++l)
          lanes[l] += (a[d + l] - b[d + l]) * (a[d + l] - b[d + l]);
      }
      for (; d < dimension; ++d) squared += (a[d] - b[d]) * (a[d] - b[d]);
      for (const float lane : lanes) squared += lane;
      // Equal rows have equal codes, so that they are recognised.
      if (squared > 0 && static_cast<double>(squared) < nearest) {
        nearest = static_cast<double>(squared);
        noise = residual[probe] + residual[i];
      }
    }
    errors[p] = std::isinf(nearest)
                    ? 0.0
                    : 2.0 * std::sqrt(noise / nearest) / std::sqrt(static_cast<double>(dimension));
  });
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2),
                   errors.end());
  return errors[errors.size() / 2] <= error_max;
}

}  // namespace

void CodedQuery::prepare(const HnswStore& store) {
  if (values.size() < store.row_stride()) values.resize(store.row_stride());
  if (codes.size() < store.code_stride()) codes.resize(store.code_stride());
  if (wide.size() < store.dimension) wide.resize(store.dimension);
}

void choose_traversal(HnswStore& store, std::span<const float> rows, const HostWorkers& workers) {
  constexpr std::size_t sample_max = 16384;
  const std::size_t dimension = store.dimension;
  float largest = 0;
  for (const float value : rows) largest = std::max(largest, std::fabs(value));
  store.unit = store.settings.metric == Metric::cosine ? 1.0F : unit_of(largest, dimension);
  std::vector<double> sums(dimension, 0.0);
  const auto sample = sample_of(rows.size() / dimension, sample_max);
  for (const std::size_t i : sample) {
    const float* const row = rows.data() + i * dimension;
    const double factor = factor_of(store, row);
    for (std::size_t d = 0; d < dimension; ++d) sums[d] += static_cast<double>(row[d]) * factor;
  }
  store.mean.resize(dimension);
  for (std::size_t d = 0; d < dimension; ++d)
    store.mean[d] = within(sums[d] / static_cast<double>(sample.size()));
  store.traversal = store.settings.traversal;
  if (store.traversal == HnswTraversal::automatic) {
    store.traversal =
        codes_suffice(store, rows, workers) ? HnswTraversal::bytes : HnswTraversal::floats;
  }
}

void code_rows(HnswStore& store, std::size_t begin, std::size_t end, const HostWorkers& workers) {
  std::vector<CodedQuery> buffers(workers.count());
  for (CodedQuery& each : buffers) each.prepare(store);
  const std::size_t stride = store.row_stride();
  const double row_nanoseconds = 2.0 * static_cast<double>(stride);
  workers.for_each_item(end - begin, 64, row_nanoseconds, [&](std::size_t worker, std::size_t i) {
    const std::size_t node = begin + i;
    float* const row = store.rows.data() + node * stride;
    std::fill(row + store.dimension, row + stride, 0.0F);
    if (store.settings.metric == Metric::cosine) row[stride - 1] = within(factor_of(store, row));
    if (store.traversal == HnswTraversal::bytes)
      code_row(store, node, buffers[worker], store.codes.data() + node * store.code_stride());
  });
}

ByteRows::Query coded_query(const HnswStore& store, const ByteRows& rows,
                            std::span<const float> query, CodedQuery& buffers) {
  centre(store, query.data(), factor_of(store, query.data()), buffers.values.data());
  const Codes coded = code(buffers.values.data(), store.dimension, buffers.codes.data());
  std::fill(buffers.codes.begin() + static_cast<std::ptrdiff_t>(store.dimension),
            buffers.codes.end(), std::int8_t{0});
  return rows.query(buffers.codes.data(), coded.scale, 0.0F);
}

FloatRows::Query coded_query(const HnswStore& store, const FloatRows&, std::span<const float> query,
                             CodedQuery& buffers) {
  const double factor = factor_of(store, query.data());
  for (std::size_t d = 0; d < store.dimension; ++d)
    buffers.values[d] = within(static_cast<double>(query[d]) * factor);
  std::fill(buffers.values.begin() + static_cast<std::ptrdiff_t>(store.dimension),
            buffers.values.end(), 0.0F);
  return {buffers.values.data()};
}

}  // namespace Kindred::Impl
