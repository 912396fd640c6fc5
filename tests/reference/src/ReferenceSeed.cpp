// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "Canonical.hpp"

namespace Kindred::Reference {

namespace {

/// The layout of a small floating-point format.
struct Format {
  int mantissa;
  int exponent_max;  ///< largest exponent e of a finite number 1.… · 2^e
  int exponent_min;
};
constexpr Format binary16{10, 15, -14};
constexpr Format brain16{7, 127, -126};

Format format_of(DataType element) { return element == DataType::float16 ? binary16 : brain16; }

/// The alpha of the coefficients, determined by the state.
float alpha_of(const Seed& seed) {
  return seed.lifecycle == Lifecycle::fossilized ? 1.0F : seed.alpha;
}

/// The weight that \p seed applies to \p feature, or null if it applies none.
const float* weight_of(const SeedLayer& layer, const Seed& seed, std::size_t feature) {
  if (!applies_blueprint(seed.lifecycle) || seed.blueprint < 0) return nullptr;
  if (seed.lifecycle == Lifecycle::fossilized && !layer.fossilized_applies) return nullptr;
  if (static_cast<std::size_t>(seed.mode) > 3) return nullptr;
  const std::size_t index = static_cast<std::size_t>(seed.blueprint) * layer.hidden + feature;
  return index < layer.weights.size() ? &layer.weights[index] : nullptr;
}

/// Features that belong to no seed behave like those of a dormant one.
SeedLayer with_a_seed(SeedLayer layer) {
  const std::size_t needed = layer.chunk == 0 ? 1 : (layer.hidden + layer.chunk - 1) / layer.chunk;
  if (layer.seeds.size() < needed && (layer.chunk != 0 || layer.seeds.empty()))
    layer.seeds.resize(needed);
  return layer;
}

constexpr float half = 0.5F;

/// Every product is rounded.
float applied(const Seed& seed, float w, float x) {
  if (seed.mode == ApplyMode::multiplicative) return w * x;
  if (seed.mode == ApplyMode::additive) return x + w;
  const bool is_linear = seed.mode == ApplyMode::linear;
  const float changed = is_linear ? alpha_of(seed) * w * x : half * w;
  const float kept = (is_linear ? 1.0F - alpha_of(seed) : half) * x;
  return changed + kept;
}

float passed_back(const Seed& seed, float w, float g) {
  if (seed.mode == ApplyMode::linear) return applied(seed, w, g);
  if (seed.mode == ApplyMode::multiplicative) return w * g;
  return seed.mode == ApplyMode::additive ? g : half * g;
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Applies the final rules, which depend on the number of elements and which merging defers.
SeedMoments finished(SeedMoments moments) {
  if (moments.count == 0) return {};
  if (std::isnan(moments.m2)) moments.mean = moments.m2 = not_a_number;
  if (moments.min > moments.max) moments.min = moments.max = static_cast<float>(not_a_number);
  if (moments.min == 0) moments.min = 0;
  if (moments.max == 0) moments.max = 0;
  return moments;
}

/// Sets the mean and m2 from shifted sums; \p share is 1 / (sum of weights).
void close(SeedMoments& moments, double shift, double sum, double squares, double share) {
  const double mean_shift = sum * share;
  moments.mean = shift + mean_shift;
  const double of_mean = sum * mean_shift;
  moments.m2 = squares - of_mean;
  if (moments.m2 < 0) moments.m2 = 0;
}

SeedMoments of_block(Floats x, double shift) {
  SeedMoments moments;
  moments.min = std::numeric_limits<float>::infinity();
  moments.max = -moments.min;
  std::vector<double> sums(8);
  std::vector<double> squares(8);
  for (std::size_t row = 0; row < x.size(); ++row) {
    const double shifted = static_cast<double>(x[row]) - shift;
    sums[row % 8] += shifted;
    squares[row % 8] = std::fma(shifted, shifted, squares[row % 8]);
  }
  moments.count = x.size();
  close(moments, shift, pairwise_tree_sum(sums), pairwise_tree_sum(squares),
        1.0 / static_cast<double>(x.size()));
  for (const float value : x) {
    if (value < moments.min) moments.min = value;
    if (value > moments.max) moments.max = value;
    if (std::abs(static_cast<double>(value)) < 1e-8) ++moments.dead;
  }
  return moments;
}

/// Merges \p parts in one step, shifted by the mean of the first and weighted by their number of
/// elements in multiples of \p unit.
SeedMoments merged_at_once(std::span<const SeedMoments> parts, std::uint64_t unit) {
  if (parts.size() == 1) return parts[0];
  SeedMoments out;
  out.min = parts[0].min;
  out.max = parts[0].max;
  double sum = 0;
  double squares = 0;
  double within = 0;
  for (const SeedMoments& part : parts) {
    const double shifted = part.mean - parts[0].mean;
    const double weighted = static_cast<double>(part.count / unit) * shifted;
    sum += weighted;
    squares = std::fma(weighted, shifted, squares);
    within += part.m2;
    out.min = std::fmin(out.min, part.min);
    out.max = std::fmax(out.max, part.max);
    out.dead += part.dead;
    out.count += part.count;
  }
  close(out, parts[0].mean, sum, squares, 1.0 / static_cast<double>(out.count / unit));
  const double between = static_cast<double>(unit) * out.m2;
  out.m2 = within + between;
  return out;
}

/// Blocks of 512 rows, or of a larger size up to 32768 such that there are at most 32 blocks.
std::size_t block_rows(std::size_t rows) {
  std::size_t block = 512;
  while (block < 32768 && block * 32 < rows) block *= 2;
  return block;
}

SeedMoments of_feature(DataType element, Floats column) {
  const std::size_t rows = column.size();
  std::vector<SeedMoments> blocks;
  for (std::size_t row = 0; row < rows; row += block_rows(rows)) {
    const auto block = column.subspan(row, std::min(block_rows(rows), rows - row));
    const bool is_shifted = element == DataType::float32;
    blocks.push_back(of_block(block, is_shifted ? static_cast<double>(block[0]) : 0.0));
  }
  return blocks.empty() ? SeedMoments() : merged_at_once(blocks, 1);
}

/// Merges sixteen features at a time, then sixteen of the results, and so on.
SeedMoments of_chunk(std::vector<SeedMoments> features, std::uint64_t rows) {
  if (features.empty() || rows == 0) return {};
  while (features.size() > 1) {
    std::vector<SeedMoments> runs;
    for (std::size_t i = 0; i < features.size(); i += 16) {
      const std::size_t count = std::min<std::size_t>(16, features.size() - i);
      runs.push_back(merged_at_once(std::span(features).subspan(i, count), rows));
    }
    features = std::move(runs);
  }
  return features[0];
}

SeedMoments merge(const SeedMoments& a, const SeedMoments& b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  SeedMoments out;
  out.count = a.count + b.count;
  out.dead = a.dead + b.dead;
  const double f = static_cast<double>(b.count) / static_cast<double>(out.count);
  const double difference = b.mean - a.mean;
  const double step = difference * f;
  out.mean = a.mean + step;
  const double square = difference * difference;
  const double weight = static_cast<double>(a.count) * f;
  const double between = square * weight;
  out.m2 = (a.m2 + b.m2) + between;
  out.min = std::fmin(a.min, b.min);
  out.max = std::fmax(a.max, b.max);
  return out;
}

SeedMoments merged_by_neighbours(std::vector<SeedMoments> parts) {
  if (parts.empty()) return {};
  while (parts.size() > 1) {
    std::vector<SeedMoments> next;
    for (std::size_t i = 0; i < parts.size(); i += 2)
      next.push_back(i + 1 < parts.size() ? merge(parts[i], parts[i + 1]) : parts[i]);
    parts = std::move(next);
  }
  return parts.front();
}

}  // namespace

float widened(DataType element, std::uint32_t bits) {
  if (element == DataType::float32) return std::bit_cast<float>(bits);
  const Format format = format_of(element);
  const std::uint32_t fraction = bits & ((1U << format.mantissa) - 1U);
  const int exponent = static_cast<int>((bits & 0x7FFFU) >> format.mantissa) - format.exponent_max;
  const bool negative = (bits >> 15U) != 0;
  double value = 0;
  if (exponent > format.exponent_max) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : not_a_number;
  } else if (exponent < format.exponent_min) {
    value = std::ldexp(static_cast<double>(fraction), format.exponent_min - format.mantissa);
  } else {
    value = std::ldexp(static_cast<double>(fraction + (1U << format.mantissa)),
                       exponent - format.mantissa);
  }
  return static_cast<float>(negative ? -value : value);
}

std::uint32_t rounded(DataType element, float value) {
  if (element == DataType::float32)
    return std::isnan(value) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(value);
  const Format format = format_of(element);
  const auto infinity = static_cast<std::uint32_t>(2 * format.exponent_max + 1) << format.mantissa;
  if (std::isnan(value)) return infinity + (1U << (format.mantissa - 1));
  const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0;
  const double magnitude = std::abs(static_cast<double>(value));
  if (std::isinf(magnitude)) return sign | infinity;
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), format.exponent_min);
  // In units in the last place: up to twice the implicit bit, where the result is in the next
  // exponent.
  const auto units =
      static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, format.mantissa - exponent)));
  const auto base = static_cast<std::uint32_t>(exponent + format.exponent_max - 1)
                    << format.mantissa;
  return sign | std::min(base + units, infinity);
}

std::vector<std::size_t> seeds_of_features(std::size_t hidden, std::size_t seeds,
                                           std::size_t chunk) {
  std::vector<std::size_t> out;
  if (chunk != 0) {
    for (std::size_t feature = 0; feature < hidden; ++feature) out.push_back(feature / chunk);
    return out;
  }
  for (std::size_t seed = 0; seed < seeds; ++seed)
    out.insert(out.end(), hidden / seeds + (seed < hidden % seeds ? 1 : 0), seed);
  return out;
}

SeedRows seed_forward(const SeedLayer& given, const SeedRows& x, DataType output) {
  const SeedLayer layer = with_a_seed(given);
  const std::vector<std::size_t> owner =
      seeds_of_features(layer.hidden, layer.seeds.size(), layer.chunk);
  SeedRows y{output, x.rows, {}};
  for (std::size_t row = 0; row < x.rows; ++row) {
    for (std::size_t feature = 0; feature < layer.hidden; ++feature) {
      const std::uint32_t bits = x.bits[row * layer.hidden + feature];
      const Seed& seed = layer.seeds[owner[feature]];
      const float* w = weight_of(layer, seed, feature);
      if (w != nullptr)
        y.bits.push_back(rounded(output, applied(seed, *w, widened(x.element, bits))));
      else
        y.bits.push_back(output == x.element ? bits : rounded(output, widened(x.element, bits)));
    }
  }
  return y;
}

std::vector<SeedMoments> seed_moments(std::size_t hidden, std::size_t seeds, const SeedRows& x,
                                      std::size_t chunk) {
  if (seeds == 0) return {};
  const std::vector<std::size_t> owner = seeds_of_features(hidden, seeds, chunk);
  std::vector<std::vector<SeedMoments>> of_features(seeds);
  for (std::size_t feature = 0; feature < hidden; ++feature) {
    if (owner[feature] >= seeds) continue;
    std::vector<float> column;
    for (std::size_t row = 0; row < x.rows; ++row)
      column.push_back(widened(x.element, x.bits[row * hidden + feature]));
    of_features[owner[feature]].push_back(of_feature(x.element, column));
  }
  std::vector<SeedMoments> out;
  for (std::vector<SeedMoments>& features : of_features)
    out.push_back(finished(of_chunk(std::move(features), x.rows)));
  return out;
}

SeedGradients seed_backward(const SeedLayer& given, const SeedRows& x, const SeedRows& gradient) {
  const SeedLayer layer = with_a_seed(given);
  const std::vector<std::size_t> owner =
      seeds_of_features(layer.hidden, layer.seeds.size(), layer.chunk);
  SeedGradients out{{x.element, x.rows, std::vector<std::uint32_t>(x.bits.size())},
                    {},
                    std::vector<float>(layer.weights.size()),
                    {}};
  std::vector<std::vector<double>> alpha_terms(layer.seeds.size());
  for (std::size_t feature = 0; feature < layer.hidden; ++feature) {
    const Seed& seed = layer.seeds[owner[feature]];
    const float* w = weight_of(layer, seed, feature);
    std::vector<double> terms;
    for (std::size_t row = 0; row < x.rows; ++row) {
      const std::size_t i = row * layer.hidden + feature;
      const float g = widened(x.element, gradient.bits[i]);
      out.dx.bits[i] = w == nullptr || seed.mode == ApplyMode::additive
                           ? gradient.bits[i]
                           : rounded(x.element, passed_back(seed, *w, g));
      const bool takes_x = seed.mode == ApplyMode::linear || seed.mode == ApplyMode::multiplicative;
      terms.push_back(static_cast<double>(g) *
                      (takes_x ? static_cast<double>(widened(x.element, x.bits[i])) : 1.0));
    }
    double factor = 1;
    if (seed.mode == ApplyMode::linear) factor = static_cast<double>(alpha_of(seed));
    if (seed.mode == ApplyMode::mixed) factor = 0.5;
    const double sum = reproducible_sum(terms);
    out.dw.push_back(w == nullptr ? 0.0F : canonical(static_cast<float>(factor * sum)));
    if (w == nullptr) continue;
    out.table[static_cast<std::size_t>(w - layer.weights.data())] = out.dw.back();
    if (seed.mode == ApplyMode::linear && seed.lifecycle != Lifecycle::fossilized)
      alpha_terms[owner[feature]].push_back((static_cast<double>(*w) - 1.0) * sum);
  }
  for (std::size_t seed = 0; seed < given.seeds.size(); ++seed)
    out.dalpha.push_back(canonical(static_cast<float>(reproducible_sum(alpha_terms[seed]))));
  return out;
}

SeedMoments merged(std::span<const SeedMoments> parts) {
  return finished(merged_by_neighbours({parts.begin(), parts.end()}));
}

void update_seeds(std::vector<SeedRecord>& records, std::span<const SeedUpdate> updates) {
  std::map<std::uint32_t, std::vector<SeedUpdate>> of_seeds;
  for (const SeedUpdate& update : updates) of_seeds[update.seed].push_back(update);
  for (const auto& [seed, batch] : of_seeds) {
    SeedRecord& record = records[seed];
    const Lifecycle before = record.lifecycle;
    bool epochs_given = false;
    for (const SeedUpdate& update : batch) {
      const auto gives = [&](SeedField field) { return (update.mask & field) != 0; };
      if (gives(seed_lifecycle)) record.lifecycle = update.lifecycle;
      if (gives(seed_blueprint)) record.blueprint = update.blueprint;
      if (gives(seed_epochs)) record.epochs = update.epochs;
      if (gives(seed_mode)) record.mode = update.mode;
      if (gives(seed_alpha)) record.alpha = update.alpha;
      if (gives(seed_schedule)) record.schedule = update.schedule;
      if (gives(seed_checkpoint)) record.checkpoint = update.checkpoint;
      if (gives(seed_evaluation)) record.evaluation = update.evaluation;
      if (gives(seed_errors)) record.errors = update.errors;
      epochs_given = epochs_given || gives(seed_epochs);
    }
    if (record.lifecycle == before) continue;
    record.parent = before;
    if (!epochs_given) record.epochs = 0;
    record.history.emplace_back(before, record.lifecycle);
    if (record.history.size() > seed_history) record.history.erase(record.history.begin());
  }
}

}  // namespace Kindred::Reference
