// SPDX-License-Identifier: Apache-2.0
// The numbers that rows and queries have in these tests, and how rows are stored.
#ifndef KINDRED_TESTS_VECTOR_VECTOR_KINDS_HPP
#define KINDRED_TESTS_VECTOR_VECTOR_KINDS_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "TestGenerator.hpp"

namespace Kindred::Testing {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();

/// An element of a row or of a query, which was normally distributed until now.
struct ElementOfKind {
  std::size_t i;             ///< the number of the row or of the query
  std::size_t d;             ///< its place in it
  std::span<const float> x;  ///< what the row or the query was
  float q;                   ///< what the first query has in this place

  float was() const { return x[d]; }
  bool is_even() const { return d % 2 == 0; }
};

/// A kind of data: the elements of rows and of queries.
struct KindOfData {
  using Number = std::function<float(const ElementOfKind&)>;

  std::string name;
  Number of_row;
  Number of_query = [](const ElementOfKind& at) { return at.was(); };
};

/// Engram's kinds, and further ones that challenge a bound, a sum or a total order.
inline const std::vector<KindOfData>& kinds_of_data() {
  using At = const ElementOfKind&;
  constexpr float largest = std::numeric_limits<float>::max();
  const auto times = [](float factor) { return [=](At at) { return at.was() * factor; }; };
  const auto constant = [](float value) { return [=](At) { return value; }; };
  const auto in_turn = [](float even, float odd) {
    return [=](At at) { return at.is_even() ? even : odd; };
  };
  const auto either = [](float a, float b) {
    return [=](At at) { return at.was() * (random_below(2) == 0 ? a : b); };
  };
  static const std::vector<KindOfData> all{
      {"random", times(1)},
      {"identical", [](At at) { return at.q; }},
      {"opposite", [](At at) { return -at.q; }},
      {"near duplicates", [](At at) { return 0.9F * at.q + 0.01F * at.was(); }},
      {"orthogonal", [](At at) { return at.is_even() ? 0.0F : at.was(); },
       [](At at) { return at.is_even() ? at.was() : 0.0F; }},
      {"zero queries", times(1), times(0)},
      {"zero rows", times(0)},
      {"all zero", times(0), times(-0.0F)},
      {"every other row zero", [](At at) { return at.was() * (at.i % 2 == 0 ? 0.0F : 1.0F); }},
      {"negative zeros", [](At at) { return at.d % 3 == 0 ? -0.0F : at.was(); },
       [](At at) { return at.is_even() ? -0.0F : at.was(); }},
      {"magnitudes of 1e-10", times(1e-10F), times(1e-10F)},
      {"magnitudes of 1e10", times(1e10F), times(1e10F)},
      {"1e-5 beside 1e5", either(1e-5F, 1e5F), either(1e-5F, 1e5F)},
      {"1e-20 beside 1e20", either(1e-20F, 1e20F), either(1e-20F, 1e20F)},
      {"denormals", times(1e-41F), times(1e-44F)},
      {"scores that overflow", times(1e37F), times(1e37F)},
      {"the largest floats", [](At at) { return std::copysign(largest, at.was()); },
       [](At at) { return std::copysign(largest, at.was()); }},
      {"norms of 1e-36 to 1e36",
       [](At at) { return at.was() * std::pow(10.0F, static_cast<float>(at.i % 9) * 9 - 36); },
       [](At at) { return at.was() * std::pow(10.0F, static_cast<float>(at.i % 3) * 30 - 30); }},
      {"normalised",
       [](At at) {
         const double squares = std::inner_product(at.x.begin(), at.x.end(), at.x.begin(), 0.0);
         return at.was() * static_cast<float>(1 / std::sqrt(squares));
       }},
      {"one in ten not zero", [](At at) { return random_below(10) == 0 ? at.was() : 0.0F; }},
      {"one large value a row",
       [](At at) { return at.d == at.i % 7 ? static_cast<float>(at.i) : 1e-3F; }},
      {"cancellation", in_turn(1e7F, -1e7F), [](At at) { return 1.0F + 1e-6F * at.was(); }},
      {"sums that cancel to nothing", in_turn(1e8F, -1e8F), constant(3)},
      {"neighbors that cancel but for a bit",
       [](At at) { return 1e4F * (at.is_even() ? at.was() : -at.x[at.d - 1] * (1 + 0x1p-20F)); },
       constant(1)},
      {"near-ties",
       [](At at) {
         return at.q *
                (1 + static_cast<float>(std::min<std::uint64_t>(random_below(40), 5)) * 0x1p-22F);
       }},
      {"copies of four rows",
       [](At at) { return std::sin(static_cast<float>((at.i % 4 + 1) * (at.d + 2))); }},
      {"rows of NaN", [](At at) { return at.i % 3 == 0 && at.d == 0 ? quiet_nan : at.was(); }},
      {"a query of NaN", times(1), [](At at) { return at.i + at.d == 0 ? quiet_nan : at.was(); }},
      {"infinities",
       [](At at) {
         return at.d > 0 || at.i % 2 == 1 ? at.was() : at.i % 4 == 0 ? infinity : -infinity;
       }},
      {"rows that are not finite, or zero",
       [](At at) {
         const float values[] = {quiet_nan, infinity, -infinity, 0.0F, -0.0F};
         const float value = values[at.i % 5];
         return at.i % 3 == 0 && (value == 0 || at.d == 0) ? value : at.was();
       }},
      {"queries that are not finite, or zero", times(1),
       [](At at) {
         const float values[] = {0.0F, quiet_nan, infinity, -infinity};
         return at.i % 4 == 0 || at.d == 0 ? values[at.i % 4] : at.was();
       }},
      {"each row another challenge",
       [](At at) {
         const bool first = at.d == 0;
         const bool even = at.is_even();
         const float x = at.was();
         const int exponent = static_cast<int>(random_below(60)) - 30;
         const float of_row[] = {
             first ? std::nextafter(at.q, 1e30F) : at.q,
             2 * at.q,
             at.q,
             std::ldexp(x, exponent),                           // any magnitude
             std::ldexp(x, static_cast<int>(at.i % 120) - 60),  // of the row, too
             1.0F + 0x1p-9F + (even ? 0x1p-11F : 0x1p-12F),     // between two 16-bit numbers
             (even ? 1e4F : -1e4F) + at.q,
             first ? 1000.0F : 0x1p-20F * x,  // mostly denormals of float16
             1e-42F * x,
             at.d % 3 == 0 ? -0.0F : 0.0F,
             1e30F * x,
             even ? 1e8F : -1e8F,
             1.0F,
             std::numeric_limits<float>::denorm_min(),
             largest,
             -largest,
             x * (even ? 1e-20F : 1e20F),
             first ? quiet_nan : x,
             quiet_nan,
             first ? infinity : x,
             even ? infinity : -infinity,
             -infinity,
             x,
             x};
         return of_row[at.i % std::size(of_row)];
       },
       [](At at) {
         const float factors[] = {1, 0x1p50F, 0x1p-50F, at.d == 0 ? 1.0F : 1e-30F};
         return at.was() * factors[at.i % 4];
       }},
  };
  return all;
}

/// Lists of random numbers below \p end, of these lengths.
template <class T>
Ragged<T> random_lists(std::uint64_t end, const std::vector<std::size_t>& lengths) {
  Ragged<T> out;
  for (const std::size_t length : lengths) {
    for (std::size_t i = 0; i < length; ++i)
      out.values.push_back(static_cast<T>(random_below(end)));
    out.close_row();
  }
  return out;
}

/// Stored rows of an element type, and the floats that they decode to.
struct StoredRows {
  DataType element = DataType::float32;
  std::size_t dimension = 0;
  std::vector<std::byte> values;
  std::vector<float> scales;
  std::vector<float> floats;

  std::size_t count() const { return floats.size() / dimension; }
  std::span<const float> row(std::size_t index) const { return row_of(floats, dimension, index); }
  VectorSpan span() const { return {element, values, dimension, scales}; }

  /// Rows close to those of \p rows: in the range of the elements, and finite if these must be.
  static StoredRows near(DataType element, std::vector<float> rows, std::size_t dimension) {
    const float most = element == DataType::float16    ? 65504.0F
                       : element == DataType::bfloat16 ? 0x1.FEp127F
                                                       : std::numeric_limits<float>::max();
    for (float& value : rows) {
      if (std::isfinite(value)) value = std::clamp(value, -most, most);
      if (element == DataType::int8 && !std::isfinite(value)) value = 0;
    }
    StoredRows out{element, dimension, {}, {}, std::vector<float>(rows.size())};
    out.values.resize(rows.size() * size_of(element));
    out.scales.resize(element == DataType::int8 ? out.count() : 0);
    encode_rows(rows, dimension, element, out.values, out.scales);
    decode_rows(out.span(), out.floats);
    return out;
  }
};

/// Rows and queries of a kind.
struct DataOfKind {
  DataOfKind(const KindOfData& kind, std::size_t count, std::size_t query_count,
             std::size_t dimension)
      : rows(normal_values(count * dimension)), queries(normal_values(query_count * dimension)) {
    const std::vector<float> asked = queries;
    const auto shape = [&](std::vector<float>& values, const KindOfData::Number& number) {
      const std::vector<float> were = values;
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = number({i / dimension, i % dimension, row_of(were, dimension, i / dimension),
                            asked[i % dimension]});
    };
    shape(rows, kind.of_row);
    shape(queries, kind.of_query);
  }
  std::vector<float> rows, queries;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_VECTOR_KINDS_HPP
